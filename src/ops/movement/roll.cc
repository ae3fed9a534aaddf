// SPDX-License-Identifier: Apache-2.0
// Roll: shifts elements along axes. Elements that leave at one end enter at the other.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/movement/roll-7.html
#include "kernels/mapped_copy.h"
#include "model/registry.h"
#include "ops/inputs/axes.h"
#include "ops/inputs/inputs.h"

namespace wasmvino::ops::roll {

kernels::MappedCopy plan(ElementType type, const Shape& shape, const Ints& shift, const Ints& axes) {
  Ints shifts(shape.size());
  for (size_t i = 0; i < axes.size(); ++i) {
    const size_t axis = normalize_axis(axes[i], shape.size(), "axes");
    if (shape[axis] == 0) continue;
    shifts[axis] = (shifts[axis] + shift[shift.size() == 1 ? 0 : i] % shape[axis]) % shape[axis];
  }
  const Ints strides = row_major_strides(shape);
  std::vector<kernels::AxisMap> maps(shape.size());
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    const int64_t wrapped = shifts[axis] < 0 ? shifts[axis] + shape[axis] : shifts[axis];
    const ptrdiff_t stride = static_cast<ptrdiff_t>(strides[axis]);
    maps[axis].add(static_cast<size_t>(wrapped), static_cast<ptrdiff_t>(shape[axis] - wrapped) * stride,
                   stride);
    maps[axis].add(static_cast<size_t>(shape[axis] - wrapped), 0, stride);
  }
  return kernels::MappedCopy(type, std::move(maps));
}

// If shift or axes are not known before, plans the copy during the run.
class Rolling final : public Kernel {
 public:
  explicit Rolling(std::optional<kernels::MappedCopy> known) : known_(std::move(known)) {}
  void run(EvalContext& context) override {
    const TensorView& data = context.input(0);
    const auto copy = [&](const kernels::MappedCopy& plan) {
      plan.gather(context.parallel(), data.memory, context.output(0).memory, nullptr);
    };
    known_ ? copy(*known_)
           : copy(plan(data.type, data.shape, to_ints(context.input(1)), to_ints(context.input(2))));
  }

 private:
  std::optional<kernels::MappedCopy> known_;
};

class Roll final : public Op {
 public:
  void infer(InferContext& context) const override {
    context.expect_inputs(3);
    expect_rank(context, 1, 0, 1, "shift");
    expect_rank(context, 2, 0, 1, "axes");
    const std::optional<size_t> shifts = length_of(context, 1);
    const std::optional<size_t> axes = length_of(context, 2);
    if (shifts && axes && *shifts != *axes && *shifts != 1) {
      throw Error(ErrorCode::kInvalidShape, cat("shift has ", *shifts, " elements, but axes has ", *axes))
          .expected(cat(*axes, " elements or one"))
          .actual(cat(*shifts, " elements"))
          .port("shift");
    }
    // The shape does not depend on the axes, so their value is not requested.
    if (const TensorView* value = context.known_value(2);
        value != nullptr && context.input_shape(0).has_rank()) {
      normalize_axes(to_ints(*value), context.input_shape(0).rank(), "axes");
    }
    context.set_output(0, context.input_type(0), context.input_shape(0));
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    const auto shift = context.constant_ints(1);
    const auto axes = context.constant_ints(2);
    std::optional<kernels::MappedCopy> known;
    if (shift && axes) known = plan(context.output_type(0), context.input_shape(0), *shift, *axes);
    return std::make_unique<Rolling>(std::move(known));
  }
};

}  // namespace wasmvino::ops::roll

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(roll) {
  registry.add<roll::Roll>({"Roll",
                            {7},
                            "movement/roll-7",
                            {{"data", kAllTypes}, {"shift", kAnyIntegers}, {"axes", kAnyIntegers}}});
}
}  // namespace wasmvino::ops
