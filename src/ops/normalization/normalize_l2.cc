// SPDX-License-Identifier: Apache-2.0
// NormalizeL2: divides elements by the root of the sum of squares along axes.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/normalization/normalize-l2-1.html
#include "kernels/unary.h"
#include "model/registry.h"
#include "ops/elements/in_f32.h"
#include "ops/inputs/checks.h"
#include "ops/normalization/l2_normalization.h"

namespace wasmvino::ops::normalize_l2 {

constexpr size_t kGrain = size_t{1} << 15;

// For an empty list of axes: "each input element is divided by itself resulting value 1 for all non-zero
// elements". eps has no effect, and zero stays zero.
class NoAxesKernel final : public Kernel {
 public:
  void run(EvalContext& context) override {
    const float* x = context.input(0).data<float>();
    float* y = context.output(0).mutable_data<float>();
    parallel_for(context.parallel(), context.input(0).size(), kGrain, [&](size_t begin, size_t end) {
      kernels::apply_unary({kernels::Unary::kAbs}, x + begin, y + begin, end - begin);
      kernels::apply_unary({kernels::Unary::kSign}, y + begin, y + begin, end - begin);
    });
  }
};

class NormalizeL2 final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.on("eps", eps_);
    visitor.on_enum("eps_mode", eps_mode_, {"add", "max"});
  }

  void infer(InferContext& context) const override {
    context.expect_inputs(2);
    known_axes(context, 1, context.input_shape(0));
    context.set_output(0, context.input_type(0), context.input_shape(0));
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    const Ints axes = *context.constant_ints(1);
    context.consume(1);
    if (axes.empty()) {
      return compile_in_f32(
          context,
          [](CompileContext&) -> std::unique_ptr<Kernel> { return std::make_unique<NoAxesKernel>(); },
          {.as_f32 = 1});
    }
    return compile_l2_normalization(context, axes, eps_, eps_mode_ == EpsMode::kMax);
  }

 private:
  enum class EpsMode { kAdd, kMax };
  float eps_ = 0;
  EpsMode eps_mode_ = EpsMode::kAdd;
};

}  // namespace wasmvino::ops::normalize_l2

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(normalize_l2) {
  registry.add<normalize_l2::NormalizeL2>(
      {"NormalizeL2", {1}, "normalization/normalize-l2-1", {{"data", kNumbers}, {"axes", kAnyIntegers}}});
}
}  // namespace wasmvino::ops
