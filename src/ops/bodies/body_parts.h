// SPDX-License-Identifier: Apache-2.0
// Computes which part of an axis each iteration of a body uses, and what is known of the body's parameters in
// the first iteration.
#pragma once

#include <string>
#include <vector>

#include "model/node.h"
#include "ops/inputs/axes.h"

namespace wasmvino::ops {

// The parts of an axis that the iterations use. As in the specification, negative start and end count from
// the end: dim + 1 + value, so that -1 is the end itself. Part i is [start + i*stride, start + (i+1)*stride),
// or for a negative stride [start - (i+1)*|stride|, start - i*|stride|). (OpenVINO's own readings of partial
// ranges contradict each other; where they agree, this one agrees too.)
struct Parts {
  int64_t start = 0;
  int64_t stride = 1;
  int64_t length = 1;  // of one part
  int64_t count = 0;

  int64_t begin(int64_t i) const { return stride > 0 ? start + i * stride : start - (i + 1) * length; }
};

// The parts of an axis of `size` elements. Throws Error(kInvalidShape) if start, end and stride do not fit
// it.
Parts resolve_parts(const BodyInput& map, int64_t size);
Parts resolve_parts(const BodyOutput& map, int64_t size);

// How often a body without sliced inputs runs: as often as the range of a concatenated output says, or once.
int64_t unsliced_iterations(const Body& body);

// Length of one part. Throws Error(kInvalidModel) if the parts would not be adjacent.
int64_t part_length(const BodyInput& map);
int64_t part_length(const BodyOutput& map);

// The axis of a sliced input or concatenated output, normalised to 0..rank-1.
size_t axis_of(const BodyInput& map, size_t rank);
size_t axis_of(const BodyOutput& map, size_t rank);

// "the sliced input 2", for error messages.
std::string describe(const BodyInput& map);
std::string describe(const BodyOutput& map);

// The back edge that leads to a parameter, or nullptr.
const BackEdge* back_edge_to(const Body& body, size_t parameter);

// What is known of the parameters of body 0 in the first iteration, given what is known of the node's inputs.
std::vector<ValueInfo> first_parameters(const Node& node, const std::vector<const ValueInfo*>& inputs);
// The same from an InferContext or a CompileContext.
template <typename Context>
std::vector<ValueInfo> first_parameters(const Context& context) {
  std::vector<const ValueInfo*> inputs;
  for (size_t i = 0; i < context.input_count(); ++i) inputs.push_back(&context.input(i));
  return first_parameters(context.node(), inputs);
}

}  // namespace wasmvino::ops
