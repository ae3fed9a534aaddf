// SPDX-License-Identifier: Apache-2.0
// Clamp: x, but at least `min` and at most `max`. For integers `min` is rounded up and `max` down.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/activation/clamp-1.html
#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/elementwise/elementwise.h"

namespace wasmvino::ops::clamp {

static double clamped(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

// The value of T nearest to the integral `bound`.
template <typename T>
T saturated(double bound) {
  // For 64-bit types, max() as a double is rounded up to a power of two, which does not fit T.
  if (bound >= static_cast<double>(std::numeric_limits<T>::max())) return std::numeric_limits<T>::max();
  if (bound <= static_cast<double>(std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
  return static_cast<T>(bound);
}

template <typename T>
void clamp_loop(const LoopOperand* in, void* out, size_t count, const LoopParameters& parameters) {
  const T low = saturated<T>(std::ceil(parameters.alpha));
  const T high = saturated<T>(std::floor(parameters.beta));
  const T* x = in[0].as<T>();
  T* y = static_cast<T*>(out);
  for (size_t i = 0; i < count; ++i) y[i] = x[i] < low ? low : x[i] > high ? high : x[i];
}

constexpr LoopTable kLoops = {.i32 = clamp_loop<int32_t>,
                              .i64 = clamp_loop<int64_t>,
                              .u32 = clamp_loop<uint32_t>,
                              .u64 = clamp_loop<uint64_t>};

class Clamp final : public FunctionElementwise {
 public:
  Clamp() : FunctionElementwise(kernels::Unary::kClamp, clamped, Integers::kOwn) {}

  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.on("min", alpha_);
    visitor.on("max", beta_);
  }

  void infer(InferContext& context) const override {
    if (!(alpha_ <= beta_)) {
      fail(ErrorCode::kInvalidModel, "attribute 'min' is ", alpha_, ", expected at most 'max', which is ",
           beta_);
    }
    FunctionElementwise::infer(context);
  }

 protected:
  const LoopTable& integer_loops() const override { return kLoops; }
};

}  // namespace wasmvino::ops::clamp

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(clamp) {
  registry.add<clamp::Clamp>({"Clamp", {1}, "activation/clamp-1", unary_types(kNumbers)});
}
}  // namespace wasmvino::ops
