// SPDX-License-Identifier: Apache-2.0
// Broadcast: repeats axes of size 1 up to a given shape.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/movement/broadcast-3.html
#include <algorithm>

#include "model/registry.h"
#include "ops/inputs/inputs.h"
#include "ops/movement/strided_copy.h"

namespace wasmvino::ops::broadcasting {

// Opset 1 writes explicit as none. pdpd has no axis in the IR: data's first axis is the output's first.
enum class Mode { kNumpy, kExplicit, kNone, kPdpd, kBidirectional };

class Broadcast final : public CopyOp {
 public:
  explicit Broadcast(int version) : version_(version) {}

  void visit_attributes(AttributeVisitor& visitor) override {
    if (version_ == 1) {
      visitor.on_enum("mode", mode_, {"numpy", "explicit", "none", "pdpd"});
    } else {
      visitor.on_enum("mode", mode_, {"numpy", "explicit", "none", "pdpd", "bidirectional"});
    }
  }

  void infer(InferContext& context) const override {
    context.expect_inputs(is_explicit() ? 3 : 2, 3);
    expect_rank(context, 1, 1, 1, "target_shape");
    const PartialShape& data = context.input_shape(0);
    const std::optional<Ints> target = known_ints(context, 1, "target_shape");
    std::optional<Ints> mapping;
    if (is_explicit()) mapping = known_ints(context, 2, "axes_mapping");
    PartialShape output;
    if (!target) {
      const std::optional<size_t> length = length_of(context, 1);
      if (length && mode_ != Mode::kBidirectional) output = PartialShape::of_rank(*length);
      if (length && mode_ == Mode::kBidirectional && data.has_rank()) {
        output = PartialShape::of_rank(std::max(*length, data.rank()));
      }
    } else {
      output = PartialShape::of_rank(0);
      for (const int64_t size : *target) {
        if (size < 0)
          fail(ErrorCode::kInvalidValue, "target_shape ", to_string(*target), " has a negative size");
        output.push_back(size);
      }
      if (mode_ == Mode::kBidirectional) {
        const auto both = wasmvino::broadcast(data, output);
        if (!both) refuse(data, output);
        output = *both;
      } else if (data.has_rank() && (!is_explicit() || mapping)) {
        check(data, output, mapping);
      }
    }
    context.set_output(0, context.input_type(0), output);
  }

 protected:
  StridedCopy plan(const CompileContext& context) const override {
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

 private:
  bool is_explicit() const { return mode_ == Mode::kExplicit || mode_ == Mode::kNone; }

  // The axis of the output that corresponds to an axis of data.
  size_t place(size_t axis, size_t rank, size_t output_rank, const std::optional<Ints>& mapping) const {
    if (mapping) return static_cast<size_t>((*mapping)[axis]);
    return mode_ == Mode::kPdpd ? axis : axis + output_rank - rank;
  }

  void check(const PartialShape& data, const PartialShape& output, const std::optional<Ints>& mapping) const {
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

  [[noreturn]] static void refuse(const PartialShape& data, const PartialShape& output) {
    throw Error(ErrorCode::kInvalidShape, cat("data of shape ", data, " cannot be broadcast to ", output))
        .expected(cat(output))
        .actual(cat(data))
        .port("data");
  }

  int version_;
  Mode mode_ = Mode::kNumpy;
};

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
