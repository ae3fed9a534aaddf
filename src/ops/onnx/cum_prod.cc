// SPDX-License-Identifier: Apache-2.0
// CumProd: for each element, the product of all elements up to it along an axis.
// https://onnx.ai/onnx/operators/onnx__CumProd.html
#include <type_traits>

#include "core/call.h"
#include "kernels/numbers.h"
#include "model/registry.h"
#include "ops/inputs/axes.h"
#include "ops/inputs/checks.h"

namespace wasmvino::ops::cum_prod {

constexpr size_t kGrain = size_t{1} << 14;

// In f64 or in 64-bit integers, which wrap.
template <typename Wide>
class Multiplying final : public Kernel {
 public:
  Multiplying(ElementType type, const Shape& shape, size_t axis, bool exclusive, bool reverse)
      : load_(kernels::number_loader<Wide>(type)),
        store_(kernels::number_storer<Wide>(type)),
        lanes_(product(shape, 0, axis) * product(shape, axis + 1, shape.size())),
        length_(static_cast<size_t>(shape[axis])),
        inner_(product(shape, axis + 1, shape.size())),
        exclusive_(exclusive),
        reverse_(reverse) {}

  void run(EvalContext& context) override {
    parallel_for(context.parallel(), lanes_, kGrain / std::max<size_t>(1, length_) + 1,
                 [&](size_t begin, size_t end) {
                   WorkMeter meter;
                   for (size_t lane = begin; lane < end; ++lane) {
                     multiply(context, lane / inner_ * length_ * inner_ + lane % inner_, meter);
                   }
                 });
  }

 private:
  static Wide times(Wide a, Wide b) {
    if constexpr (std::is_integral_v<Wide>) {
      return static_cast<Wide>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
    } else {
      return a * b;
    }
  }

  void multiply(EvalContext& context, size_t first, WorkMeter& meter) const {
    Wide result = 1;
    for (size_t i = 0; i < length_; ++i) {
      const size_t at = first + (reverse_ ? length_ - 1 - i : i) * inner_;
      Wide value;
      load_(context.input(0).memory, at, 1, 1, &value);
      const Wide before = result;
      result = times(result, value);
      store_(exclusive_ ? &before : &result, 1, context.output(0).memory, at, 1);
      meter.add(16);
    }
  }

  kernels::LoadNumbers<Wide> load_;
  kernels::StoreNumbers<Wide> store_;
  size_t lanes_, length_, inner_;
  bool exclusive_, reverse_;
};

class CumProd final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.on("exclusive", exclusive_);
    visitor.on("reverse", reverse_);
  }

  void infer(InferContext& context) const override {
    context.expect_inputs(2);
    const PartialShape& shape = context.input_shape(0);
    expect_rank(context, 1, 0, 0, "axis");
    const auto axis = context.input_ints(1);
    if (axis && shape.has_rank()) normalize_axis((*axis)[0], shape.rank());
    context.set_output(0, context.input_type(0), shape);
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    const ElementType type = context.input_type(0);
    const Shape shape = context.input_shape(0);
    const size_t axis = normalize_axis((*context.constant_ints(1))[0], shape.size());
    context.consume(1);
    if (is_real(type)) return std::make_unique<Multiplying<double>>(type, shape, axis, exclusive_, reverse_);
    // Products that wrap have the same bits for signed and unsigned types.
    const ElementType twin = type == ElementType::kU64 ? ElementType::kI64 : type;
    return std::make_unique<Multiplying<int64_t>>(twin, shape, axis, exclusive_, reverse_);
  }

 private:
  bool exclusive_ = false;
  bool reverse_ = false;
};

}  // namespace wasmvino::ops::cum_prod

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(cum_prod) {
  registry.add<cum_prod::CumProd>(
      {"CumProd", {1}, "CumProd", {{"data", kNumbers}, {"axis", kIndices}}, kLastOpset, "ai.onnx"});
}
}  // namespace wasmvino::ops
