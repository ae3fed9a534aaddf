// SPDX-License-Identifier: Apache-2.0
#include "ops/movement/broadcast.h"

#include <algorithm>

#include "model/registry.h"
#include "ops/inputs/inputs.h"

namespace wasmvino::ops::broadcasting {
namespace {

[[noreturn]] void refuse(const PartialShape& data, const PartialShape& output) {
  throw Error(ErrorCode::kInvalidShape, cat("data of shape ", data, " cannot be broadcast to ", output))
      .expected(cat(output))
      .actual(cat(data))
      .port("data");
}

}  // namespace

void Broadcast::visit_attributes(AttributeVisitor& visitor) {
  if (version_ == 1) {
    visitor.on_enum("mode", attributes_.mode, {"numpy", "explicit", "none", "pdpd"});
  } else {
    visitor.on_enum("mode", attributes_.mode, {"numpy", "explicit", "none", "pdpd", "bidirectional"});
  }
}

void Broadcast::infer(InferContext& context) const {
  context.expect_inputs(is_explicit() ? 3 : 2, 3);
  expect_rank(context, 1, 1, 1, "target_shape");
  const PartialShape& data = context.input_shape(0);
  const std::optional<Ints> target = known_ints(context, 1, "target_shape");
  std::optional<Ints> mapping;
  if (is_explicit()) mapping = known_ints(context, 2, "axes_mapping");
  PartialShape output;
  if (!target) {
    const std::optional<size_t> length = length_of(context, 1);
    if (length && attributes_.mode != Mode::kBidirectional) output = PartialShape::of_rank(*length);
    if (length && attributes_.mode == Mode::kBidirectional && data.has_rank()) {
      output = PartialShape::of_rank(std::max(*length, data.rank()));
    }
  } else {
    output = PartialShape::of_rank(0);
    for (const int64_t size : *target) {
      if (size < 0)
        fail(ErrorCode::kInvalidValue, "target_shape ", to_string(*target), " has a negative size");
      output.push_back(size);
    }
    if (attributes_.mode == Mode::kBidirectional) {
      const auto both = wasmvino::broadcast(data, output);
      if (!both) refuse(data, output);
      output = *both;
    } else if (data.has_rank() && (!is_explicit() || mapping)) {
      check(data, output, mapping);
    }
  }
  context.set_output(0, context.input_type(0), output);
}

StridedCopy Broadcast::plan(const CompileContext& context) const {
  const Shape data = context.input_shape(0);
  const Shape output = context.output_shape(0);
  const Ints strides = row_major_strides(data);
  const std::optional<Ints> mapping = is_explicit() ? context.constant_ints(2) : std::nullopt;
  Ints from_strides(output.size());
  for (size_t axis = 0; axis < data.size(); ++axis) {
    if (data[axis] != 1) from_strides[place(axis, data.size(), output.size(), mapping)] = strides[axis];
  }
  return StridedCopy(context.output_type(0), output, from_strides, row_major_strides(output));
}

size_t Broadcast::place(size_t axis, size_t rank, size_t output_rank,
                        const std::optional<Ints>& mapping) const {
  if (mapping) return static_cast<size_t>((*mapping)[axis]);
  return attributes_.mode == Mode::kPdpd ? axis : axis + output_rank - rank;
}

void Broadcast::check(const PartialShape& data, const PartialShape& output,
                      const std::optional<Ints>& mapping) const {
  if (mapping) {
    expect_length(*mapping, data.rank(), "axes_mapping");
    for (size_t i = 0; i < mapping->size(); ++i) {
      if ((*mapping)[i] < 0 || (*mapping)[i] >= static_cast<int64_t>(output.rank())) {
        fail(ErrorCode::kInvalidValue, "axes_mapping[", i, "] is ", (*mapping)[i], ", outside the output ",
             output);
      }
      if (i > 0 && (*mapping)[i] <= (*mapping)[i - 1]) {
        fail(ErrorCode::kInvalidValue, "axes_mapping ", to_string(*mapping), " is not in ascending order");
      }
    }
  }
  if (data.rank() > output.rank()) refuse(data, output);
  for (size_t axis = 0; axis < data.rank(); ++axis) {
    const Dimension size = data[axis];
    if (!size.contains(1) && !size.compatible(output[place(axis, data.rank(), output.rank(), mapping)])) {
      refuse(data, output);
    }
  }
}

}  // namespace wasmvino::ops::broadcasting

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(broadcast) {
  registry.add<broadcasting::Broadcast>(
      {"Broadcast",
       {1, 3},
       "movement/broadcast-3",
       {{"data", kAllTypes}, {"target_shape", kAnyIntegers}, {"axes_mapping", kNumbers | kSmallIntegers}}});
}
}  // namespace wasmvino::ops
