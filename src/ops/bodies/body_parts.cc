// SPDX-License-Identifier: Apache-2.0
#include "ops/bodies/body_parts.h"

#include <cstdlib>
#include <limits>

namespace wasmvino::ops {
namespace {

int64_t length_of_parts(int64_t stride, int64_t part_size, const std::string& what) {
  if (stride == 0 || stride == std::numeric_limits<int64_t>::min()) {
    fail(ErrorCode::kInvalidModel, what, " has the invalid stride ", stride);
  }
  const int64_t length = std::abs(stride);
  // part_size came with later versions of the IR. If it is absent (1), the stride gives the length.
  if (part_size != length && part_size != 1) {
    fail(ErrorCode::kInvalidModel, what, " has part_size ", part_size, " and stride ", stride,
         ": parts must follow each other without gap or overlap");
  }
  return length;
}

template <typename Map>
Parts resolve(const Map& map, int64_t size) {
  Parts parts;
  parts.stride = map.stride;
  parts.length = part_length(map);
  const auto position = [&](int64_t value) { return value < 0 ? size + (value + 1) : value; };
  parts.start = position(map.start);
  const int64_t end = position(map.end);
  if (parts.start < 0 || parts.start > size || end < 0 || end > size) {
    fail(ErrorCode::kInvalidShape, describe(map), " takes ", map.start, "..", map.end, " of an axis of size ",
         size);
  }
  const int64_t span = map.stride > 0 ? end - parts.start : parts.start - end;
  if (span < 0) {
    fail(ErrorCode::kInvalidShape, describe(map), " runs from ", parts.start, " to ", end,
         ", against its stride ", map.stride);
  }
  if (span % parts.length != 0) {
    fail(ErrorCode::kInvalidShape, describe(map), " has ", span,
         " elements along its axis, not a multiple of the part length ", parts.length);
  }
  parts.count = span / parts.length;
  return parts;
}

ValueInfo iteration_number(const Node& node) {
  const auto& declared = static_cast<const ParameterOp&>(*node.op);
  if (declared.type != ElementType::kI32 && declared.type != ElementType::kI64) {
    fail(ErrorCode::kInvalidType, "the current iteration '", node.name, "' is of type ", declared.type,
         ", expected i32 or i64");
  }
  const Shape shape(declared.shape.has_rank() ? declared.shape.rank() : 0, 1);
  if (shape.size() > 1 || !declared.shape.contains(shape)) {
    fail(ErrorCode::kInvalidShape, "the current iteration '", node.name, "' has shape ", declared.shape,
         ", expected [] or [1]");
  }
  return {declared.type, shape, nullptr};
}

}  // namespace

std::string describe(const BodyInput& map) { return cat("the sliced input ", map.input); }
std::string describe(const BodyOutput& map) { return cat("the concatenated output ", map.output); }

int64_t part_length(const BodyInput& map) {
  return length_of_parts(map.stride, map.part_size, describe(map));
}
int64_t part_length(const BodyOutput& map) {
  return length_of_parts(map.stride, map.part_size, describe(map));
}

size_t axis_of(const BodyInput& map, size_t rank) {
  return normalize_axis(*map.axis, rank, "the axis of a sliced input");
}
size_t axis_of(const BodyOutput& map, size_t rank) {
  return normalize_axis(*map.axis, rank, "the axis of a concatenated output");
}

Parts resolve_parts(const BodyInput& map, int64_t size) { return resolve(map, size); }
Parts resolve_parts(const BodyOutput& map, int64_t size) { return resolve(map, size); }

int64_t unsliced_iterations(const Body& body) {
  for (const BodyOutput& map : body.outputs) {
    if (map.axis && map.start >= 0 && map.end >= 0) return std::abs(map.end - map.start) / part_length(map);
  }
  return 1;
}

const BackEdge* back_edge_to(const Body& body, size_t parameter) {
  for (const BackEdge& edge : body.back_edges) {
    if (edge.parameter == parameter) return &edge;
  }
  return nullptr;
}

std::vector<ValueInfo> first_parameters(const Node& node, const std::vector<const ValueInfo*>& inputs) {
  const Body& body = node.bodies[0];
  std::vector<ValueInfo> parameters(body.model->parameters.size());
  for (const BodyInput& map : body.inputs) {
    ValueInfo& parameter = parameters[map.parameter];
    if (map.purpose == BodyInput::Purpose::kCurrentIteration) {
      parameter = iteration_number(*body.model->parameters[map.parameter]);
      continue;
    }
    parameter = *inputs[map.input];
    if (map.axis || back_edge_to(body, map.parameter)) parameter.constant = nullptr;
    if (map.axis && parameter.shape.has_rank()) {
      parameter.shape[axis_of(map, parameter.shape.rank())] = part_length(map);
    }
  }
  return parameters;
}

}  // namespace wasmvino::ops
