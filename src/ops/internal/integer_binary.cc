// SPDX-License-Identifier: Apache-2.0
#include "ops/internal/integer_binary.h"

#include <algorithm>
#include <array>

#include "kernels/binary.h"
#include "kernels/integer_elementwise.h"
#include "kernels/unary.h"
#include "ops/elementwise/broadcast.h"
#include "ops/quantised_data/quantization.h"
#include "ops/quantised_data/requantization.h"

namespace wasmvino::ops {
namespace {

// Grain: with fewer elements, a second thread costs more than it saves.
constexpr size_t kGrain = size_t{64} << 10;
constexpr size_t kBlock = 256;

// The sum of tensors of equal shapes, with an activation that is a clamp.
class SumOfEqualShapes final : public Kernel {
 public:
  SumOfEqualShapes(const Quantization& a, const Quantization& b, const SharedQuantization& output,
                   const kernels::Bounds& bounds)
      : is_u8_(output != nullptr) {
    const float to = is_u8_ ? output->inverse[0] : 1, shift = is_u8_ ? output->shift[0] : 0;
    sum_.scale_a = a.scale[0] * to;
    sum_.scale_b = b.scale[0] * to;
    sum_.offset = shift - a.zero_point[0] * sum_.scale_a - b.zero_point[0] * sum_.scale_b;
    sum_.low = bounds.low;
    sum_.high = bounds.high;
  }

  void run(EvalContext& context) override {
    const uint8_t* a = context.input(0).data<uint8_t>();
    const uint8_t* b = context.input(1).data<uint8_t>();
    TensorView& y = context.output(0);
    parallel_for(context.parallel(), y.size(), kGrain, [&](size_t begin, size_t end) {
      if (is_u8_) {
        kernels::add_quantized(sum_, a + begin, b + begin, y.mutable_data<uint8_t>() + begin, end - begin);
      } else {
        kernels::add_quantized(sum_, a + begin, b + begin, y.mutable_data<float>() + begin, end - begin);
      }
    });
  }

 private:
  kernels::QuantizedSum sum_ = {};
  bool is_u8_;
};

// For any function, shapes and activation, by way of f32.
class AnyShapes final : public Kernel {
 public:
  AnyShapes(std::array<SharedQuantization, 2> operands, IntegerBinary::Parts parts, LoopNest nest)
      : operands_(std::move(operands)), parts_(std::move(parts)), nest_(std::move(nest)) {}

  void run(EvalContext& context) override {
    const size_t axes = nest_.sizes.size(), length = static_cast<size_t>(nest_.sizes.back());
    size_t rows = 1;
    for (size_t i = 0; i + 1 < axes; ++i) rows *= static_cast<size_t>(nest_.sizes[i]);
    parallel_for(context.parallel(), rows, kGrain / std::max<size_t>(1, length) + 1,
                 [&](size_t begin, size_t end) {
                   for (size_t row = begin; row < end; ++row) {
                     size_t at[2] = {0, 0};
                     for (size_t axis = axes - 1, left = row; axis-- > 0;) {
                       const auto size = static_cast<size_t>(nest_.sizes[axis]);
                       for (size_t i = 0; i < 2; ++i)
                         at[i] += left % size * static_cast<size_t>(nest_.strides[i][axis]);
                       left /= size;
                     }
                     for (size_t i = 0; i < length; i += kBlock)
                       combine(context, at[0], at[1], i, std::min(kBlock, length - i), row * length + i);
                   }
                 });
  }

 private:
  // Loads elements of an operand, starting `i` elements after the start of the row.
  void load(const EvalContext& context, size_t operand, size_t row, size_t i, size_t count, float* to) const {
    const uint8_t* from = context.input(operand).data<uint8_t>() + row;
    const Quantization& quantization = *operands_[operand];
    if (nest_.strides[operand].back() != 0) return dequantize(quantization, from + i, to, count);
    dequantize(quantization, from, to, 1);
    std::fill_n(to, count, *to);
  }

  void combine(EvalContext& context, size_t a, size_t b, size_t i, size_t count, size_t out) const {
    float x[kBlock], y[kBlock];
    load(context, 0, a, i, count, x);
    load(context, 1, b, i, count, y);
    kernels::apply_binary(parts_.function, x, 1, y, 1, x, count);
    kernels::apply_unary(parts_.activation, x, x, count);
    if (parts_.output) {
      quantize(*parts_.output, x, context.output(0).mutable_data<uint8_t>() + out, count);
    } else {
      std::copy_n(x, count, context.output(0).mutable_data<float>() + out);
    }
  }

  std::array<SharedQuantization, 2> operands_;
  IntegerBinary::Parts parts_;
  LoopNest nest_;
};

// The operation of a function for which takes() is true.
std::string_view name_of(kernels::Binary function) {
  switch (function) {
    case kernels::Binary::kSubtract:
      return "Subtract";
    case kernels::Binary::kMultiply:
      return "Multiply";
    case kernels::Binary::kMaximum:
      return "Maximum";
    case kernels::Binary::kMinimum:
      return "Minimum";
    case kernels::Binary::kSquaredDifference:
      return "SquaredDifference";
    default:
      return "Add";
  }
}

}  // namespace

bool IntegerBinary::takes(kernels::Binary function) {
  switch (function) {
    case kernels::Binary::kAdd:
    case kernels::Binary::kSubtract:
    case kernels::Binary::kMultiply:
    case kernels::Binary::kMaximum:
    case kernels::Binary::kMinimum:
    case kernels::Binary::kSquaredDifference:
      return true;
    default:
      return false;
  }
}

void IntegerBinary::infer(InferContext& context) const {
  try {
    context.expect_inputs(2);
    context.set_output(
        0, parts_.output ? ElementType::kU8 : ElementType::kF32,
        broadcast_shapes(AutoBroadcast::kNumpy, context.input_shape(0), context.input_shape(1)));
    context.set_quantization(0, parts_.output);
  } catch (Error& error) {
    const Node& node = context.node();
    error.at_layer(node.name, name_of(parts_.function), node.id, 1, node.line);
    throw;
  }
}

std::unique_ptr<Kernel> IntegerBinary::compile(CompileContext& context) const {
  const Shape a = context.input_shape(0), b = context.input_shape(1);
  const std::array<SharedQuantization, 2> quantizations = {context.input(0).quantization,
                                                           context.input(1).quantization};
  const auto bounds = requantized_bounds(parts_.activation, parts_.output.get());
  if (parts_.function == kernels::Binary::kAdd && a == b && bounds) {
    return std::make_unique<SumOfEqualShapes>(*quantizations[0], *quantizations[1], parts_.output, *bounds);
  }
  const Shape shape = context.output_shape(0);
  const std::array<Shape, 2> operands = {align_shape(AutoBroadcast::kNumpy, a, shape.size()),
                                         align_shape(AutoBroadcast::kNumpy, b, shape.size())};
  return std::make_unique<AnyShapes>(quantizations, parts_, make_loop_nest(shape, operands));
}

}  // namespace wasmvino::ops
