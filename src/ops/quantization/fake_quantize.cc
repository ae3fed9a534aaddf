// SPDX-License-Identifier: Apache-2.0
#include "ops/quantization/fake_quantize.h"

#include <algorithm>
#include <cmath>

#include "kernels/quantize.h"
#include "ops/elementwise/elementwise.h"

namespace wasmvino::ops::fake_quantize {

constexpr std::string_view kNames[] = {"X", "input_low", "input_high", "output_low", "output_high"};
// Cost of two divisions.
constexpr uint32_t kCost = 8;

// parameters.alpha is the number of levels.
void quantize_loop(const LoopOperand* in, void* out, size_t count, const LoopParameters& parameters) {
  const auto operand = [in](size_t i) { return kernels::QuantizeOperand{in[i].as<float>(), in[i].step}; };
  kernels::fake_quantize(operand(0), {operand(1), operand(2), operand(3), operand(4)},
                         static_cast<float>(parameters.alpha), static_cast<float*>(out), count);
}

// For f64, which the kernel would round.
void quantize_f64_loop(const LoopOperand* in, void* out, size_t count, const LoopParameters& parameters) {
  const double last_level = parameters.alpha - 1;
  double* y = static_cast<double*>(out);
  for (size_t i = 0; i < count; ++i) {
    const auto element = [in, i](size_t operand) { return in[operand].as<double>()[i * in[operand].step]; };
    const double x = element(0), input_low = element(1), input_high = element(2);
    const double output_low = element(3), output_high = element(4);
    if (x <= std::min(input_low, input_high)) {
      y[i] = output_low;
    } else if (x > std::max(input_low, input_high)) {
      y[i] = output_high;
    } else {
      const double level = std::nearbyint((x - input_low) / (input_high - input_low) * last_level);
      y[i] = level / last_level * (output_high - output_low) + output_low;
    }
  }
}

constexpr LoopTable kLoops = {.f32 = quantize_loop, .f64 = quantize_f64_loop};

void FakeQuantize::visit_attributes(AttributeVisitor& visitor) {
  visitor.require("levels");
  visitor.on("levels", attributes_.levels);
  visit_auto_broadcast(visitor, attributes_.auto_broadcast);
}

void FakeQuantize::infer(InferContext& context) const {
  context.expect_inputs(5);
  if (attributes_.levels < 2)
    fail(ErrorCode::kInvalidModel, "attribute 'levels' is ", attributes_.levels, ", expected 2 or more");
  PartialShape output = context.input_shape(0);
  for (size_t i = 1; i < 5; ++i)
    output = broadcast_shapes(attributes_.auto_broadcast, output, context.input_shape(i));
  context.set_output(0, context.input_type(0), as_x(output, context.input_shape(0)));
}

ElementwiseFunction FakeQuantize::function(ElementType type) const {
  ElementwiseFunction function = choose_loop(kLoops, is_real(type) ? type : ElementType::kF32, kCost);
  function.saturates = true;
  function.parameters.alpha = static_cast<double>(attributes_.levels);
  return function;
}

Shape FakeQuantize::aligned_shape(const CompileContext& context, size_t i) const {
  const Shape shape = context.input_shape(i);
  const size_t rank = context.output_shape(0).size();
  if (shape.size() > rank) return Shape(shape.end() - static_cast<ptrdiff_t>(rank), shape.end());
  return align_shape(attributes_.auto_broadcast, shape, rank);
}

PartialShape FakeQuantize::as_x(const PartialShape& together, const PartialShape& x) {
  if (!x.has_rank() || !together.has_rank()) return x;
  const size_t more = together.rank() - x.rank();
  PartialShape output = x;
  for (size_t axis = 0; axis < together.rank(); ++axis) {
    const Dimension wanted = axis < more ? Dimension(1) : x[axis - more];
    const auto merged = wanted.merge(together[axis]);
    if (!merged) fail(ErrorCode::kInvalidShape, "the ranges would broadcast X from ", x, " to ", together);
    if (axis >= more) output[axis - more] = *merged;
  }
  return output;
}

}  // namespace wasmvino::ops::fake_quantize

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(fake_quantize) {
  registry.add<fake_quantize::FakeQuantize>({"FakeQuantize",
                                             {1},
                                             "quantization/fake-quantize-1",
                                             {{"X", kNumbers},
                                              {"input_low", kNumbers},
                                              {"input_high", kNumbers},
                                              {"output_low", kNumbers},
                                              {"output_high", kNumbers}}});
}
}  // namespace wasmvino::ops
