// SPDX-License-Identifier: Apache-2.0
// Reverse: reverses the order of elements along some axes.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/movement/reverse-1.html
#include "model/registry.h"
#include "ops/inputs/axes.h"
#include "ops/inputs/inputs.h"
#include "ops/movement/strided_copy.h"

namespace wasmvino::ops::reverse {

enum class Mode { kIndex, kMask };

class Reverse final : public Op {
 public:
  // If the axes are not known before, plans the copy during the run.
  class Reversal final : public Kernel {
   public:
    Reversal(const Reverse& op, const std::optional<StridedCopy>& known) : op_(op), known_(known) {}
    void run(EvalContext& context) override {
      const TensorView& data = context.input(0);
      const auto copy = [&](const StridedCopy& plan) {
        plan.run(context.parallel(), data.memory, context.output(0).memory);
      };
      known_ ? copy(*known_) : copy(op_.plan(data.type, data.shape, to_ints(context.input(1))));
    }

   private:
    const Reverse& op_;
    std::optional<StridedCopy> known_;
  };

  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.require("mode");
    visitor.on_enum("mode", mode_, {"index", "mask"});
  }

  void infer(InferContext& context) const override {
    context.expect_inputs(2);
    expect_rank(context, 1, 0, 1, "axis");
    const PartialShape& data = context.input_shape(0);
    const TypeSet taken = mode_ == Mode::kMask ? kBoolean : kAnyIntegers;
    if (const ElementType type = context.input_type(1);
        type != ElementType::kDynamic && !taken.contains(type)) {
      throw Error(ErrorCode::kInvalidType,
                  cat("axis has element type ", type, ", expected ", to_string(taken), " in mode ",
                      mode_ == Mode::kMask ? "mask" : "index"))
          .expected(to_string(taken))
          .actual(cat(type))
          .port("input 1");
    }
    const std::optional<size_t> length = length_of(context, 1);
    if (length && data.has_rank() &&
        (mode_ == Mode::kMask ? *length != data.rank() : *length > data.rank())) {
      fail(ErrorCode::kInvalidShape, "axis has ", *length, " elements, but data ", data, " has ", data.rank(),
           " axes");
    }
    // The shape does not depend on the axes, so their value is not requested.
    if (const TensorView* axes = context.known_value(1); axes != nullptr && data.has_rank()) {
      reversed(to_ints(*axes), data.rank());
    }
    context.set_output(0, context.input_type(0), data);
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    std::optional<StridedCopy> known;
    if (const auto axes = context.constant_ints(1)) {
      known = plan(context.output_type(0), context.input_shape(0), *axes);
    }
    return std::make_unique<Reversal>(*this, known);
  }

  std::optional<ViewOf> view_of(const CompileContext& context, size_t) const override {
    const auto axes = context.constant_ints(1);
    if (!axes || !plan(context.output_type(0), context.input_shape(0), *axes).view_offset())
      return std::nullopt;
    return ViewOf{0, 0};
  }

 private:
  // Whether each axis is reversed.
  SmallVector<char, 8> reversed(const Ints& axes, size_t rank) const {
    SmallVector<char, 8> result(rank, 0);
    for (size_t i = 0; i < axes.size(); ++i) {
      if (mode_ == Mode::kIndex) {
        result[normalize_axis(axes[i], rank)] = 1;
      } else {
        result[i] = axes[i] != 0;
      }
    }
    return result;
  }

  StridedCopy plan(ElementType type, const Shape& shape, const Ints& axes) const {
    const Ints strides = row_major_strides(shape);
    const SmallVector<char, 8> is_reversed = reversed(axes, shape.size());
    Ints from_strides = strides;
    int64_t offset = 0;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      if (!is_reversed[axis]) continue;
      from_strides[axis] = -strides[axis];
      offset += (shape[axis] - 1) * strides[axis];
    }
    return StridedCopy(type, shape, from_strides, strides, offset);
  }

  Mode mode_ = Mode::kIndex;
};

}  // namespace wasmvino::ops::reverse

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(reverse) {
  registry.add<reverse::Reverse>(
      {"Reverse", {1}, "movement/reverse-1", {{"data", kAllTypes}, {"axis", kAnyIntegers | kBoolean}}, 1});
}
}  // namespace wasmvino::ops
