// SPDX-License-Identifier: Apache-2.0
// Which part of an axis each iteration of a body takes, and what its parameters are in the first one.
#pragma once

#include <string>
#include <vector>

#include "model/node.h"
#include "ops/inputs/axes.h"

namespace wasmvino::ops {

// Which parts of an axis the iterations take. The specification's start and end count from the end where
// negative: dim + 1 + value, so that -1 is the end itself; part i is [start + i*stride, start +
// (i+1)*stride), for a negative stride [start - (i+1)*|stride|, start - i*|stride|). (OpenVINO's own readings
// of partial ranges contradict each other; where they agree so does this one.)
struct Parts {
  int64_t start = 0;
  int64_t stride = 1;
  int64_t length = 1;  // of one part
  int64_t count = 0;

  int64_t begin(int64_t i) const { return stride > 0 ? start + i * stride : start - (i + 1) * length; }
};

// Parts of an axis of `size` elements. Throws Error(kInvalidShape) where start, end and stride do not fit it.
Parts resolve_parts(const BodyInput& map, int64_t size);
Parts resolve_parts(const BodyOutput& map, int64_t size);

// How often a body runs that no input is sliced for: as the range of a concatenated output says, or once.
int64_t unsliced_iterations(const Body& body);

// Length of one part. Throws Error(kInvalidModel) where parts would not follow each other.
int64_t part_length(const BodyInput& map);
int64_t part_length(const BodyOutput& map);

// The axis of a sliced input or concatenated output, as 0..rank-1.
size_t axis_of(const BodyInput& map, size_t rank);
size_t axis_of(const BodyOutput& map, size_t rank);

// "the sliced input 2", for errors.
std::string describe(const BodyInput& map);
std::string describe(const BodyOutput& map);

// The back edge that leads to a parameter, or nullptr.
const BackEdge* back_edge_to(const Body& body, size_t parameter);

// What the parameters of body 0 are in the first iteration, from what is known of the node's inputs.
std::vector<ValueInfo> first_parameters(const Node& node, const std::vector<const ValueInfo*>& inputs);
// The same from an InferContext or a CompileContext.
template <typename Context>
std::vector<ValueInfo> first_parameters(const Context& context) {
  std::vector<const ValueInfo*> inputs;
  for (size_t i = 0; i < context.input_count(); ++i) inputs.push_back(&context.input(i));
  return first_parameters(context.node(), inputs);
}

}  // namespace wasmvino::ops
