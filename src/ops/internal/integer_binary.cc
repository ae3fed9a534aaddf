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

// The same with a PRelu, quantised.
class PreluOfSum final : public Kernel {
 public:
  PreluOfSum(const Quantization& a, const Quantization& b, const IntegerBinary::Parts& parts)
      : slopes_(parts.slopes), shift_(parts.output->shift[0]) {
    sum_.scale_a = a.scale[0] * parts.output->inverse[0];
    sum_.scale_b = b.scale[0] * parts.output->inverse[0];
    sum_.offset = -a.zero_point[0] * sum_.scale_a - b.zero_point[0] * sum_.scale_b;
    sum_.low = 0;
    sum_.high = parts.output->most;
  }

  void run(EvalContext& context) override {
    const uint8_t* a = context.input(0).data<uint8_t>();
    const uint8_t* b = context.input(1).data<uint8_t>();
    uint8_t* y = context.output(0).mutable_data<uint8_t>();
    const size_t n = slopes_->size();
    parallel_for(context.parallel(), context.output(0).size() / n, kGrain / n + 1,
                 [&](size_t begin, size_t end) {
                   kernels::add_quantized(sum_, slopes_->data(), shift_, a + begin * n, b + begin * n,
                                          y + begin * n, end - begin, n);
                 });
  }

 private:
  std::shared_ptr<const std::vector<float>> slopes_;
  float shift_;
  kernels::QuantizedSum sum_ = {};
};

// A sum or a product of a tensor and one that is broadcast to it along outer axes, for example the weights of
// channels. While the row of the second one stays the same, the result is a linear function of the first one.
class BroadcastRows final : public Kernel {
 public:
  // Whether the kernel computes these operands. `whole` becomes the operand that is not broadcast.
  static bool takes(const IntegerBinary::Parts& parts, const LoopNest& nest, size_t& whole) {
    const bool linear =
        parts.function == kernels::Binary::kAdd || parts.function == kernels::Binary::kMultiply;
    const size_t axes = nest.sizes.size();
    if (!linear || parts.slopes != nullptr || axes < 2) return false;
    if (nest.strides[0][axes - 1] != 1 || nest.strides[1][axes - 1] != 1) return false;
    for (whole = 0; whole < 2; ++whole) {
      if (nest.strides[1 - whole][axes - 2] == 0 && nest.strides[whole][axes - 2] != 0) return true;
    }
    return false;
  }

  BroadcastRows(const std::array<SharedQuantization, 2>& operands, const IntegerBinary::Parts& parts,
                const kernels::Bounds& bounds, LoopNest nest, size_t whole)
      : whole_(whole),
        multiplies_(parts.function == kernels::Binary::kMultiply),
        inverse_(parts.output ? parts.output->inverse[0] : 1),
        shift_(parts.output ? parts.output->shift[0] : 0),
        data_(operands[whole]),
        row_(operands[1 - whole]),
        is_u8_(parts.output != nullptr),
        bounds_(bounds),
        nest_(std::move(nest)) {}

  void run(EvalContext& context) override {
    const size_t axes = nest_.sizes.size(), length = static_cast<size_t>(nest_.sizes.back());
    const size_t repeats = static_cast<size_t>(nest_.sizes[axes - 2]);
    const auto step = static_cast<size_t>(nest_.strides[whole_][axes - 2]);
    const size_t rows = context.output(0).size() / std::max<size_t>(1, length);
    const uint8_t* inputs[2] = {context.input(0).data<uint8_t>(), context.input(1).data<uint8_t>()};
    parallel_for(context.parallel(), rows, kGrain / std::max<size_t>(1, length) + 1,
                 [&](size_t begin, size_t end) {
                   for (size_t row = begin; row < end;) {
                     const size_t some = std::min(repeats - row % repeats, end - row);
                     const uint8_t* at[2] = {inputs[0], inputs[1]};
                     for (size_t axis = axes - 1, left = row; axis-- > 0;) {
                       const auto size = static_cast<size_t>(nest_.sizes[axis]);
                       for (size_t i = 0; i < 2; ++i)
                         at[i] += left % size * static_cast<size_t>(nest_.strides[i][axis]);
                       left /= size;
                     }
                     for (size_t i = 0; i < length; i += kBlock) {
                       const size_t count = std::min(kBlock, length - i);
                       compute(at[whole_] + i, step, at[1 - whole_] + i, some, count, context.output(0),
                               row * length + i, length);
                     }
                     row += some;
                   }
                 });
  }

 private:
  // Computes `count` columns of `rows`, whose results are `stride` apart.
  void compute(const uint8_t* data, size_t step, const uint8_t* row, size_t rows, size_t count, TensorView& y,
               size_t first, size_t stride) const {
    float scale[kBlock], offset[kBlock];
    for (size_t i = 0; i < count; ++i) {
      const float other = (static_cast<float>(row[i]) - row_->zero_point[0]) * row_->scale[0] * inverse_;
      scale[i] = data_->scale[0] * (multiplies_ ? other : inverse_);
      offset[i] = shift_ - data_->zero_point[0] * scale[i] + (multiplies_ ? 0 : other);
    }
    for (size_t r = 0; r < rows; ++r, data += step, first += stride) {
      if (is_u8_) {
        kernels::rescale(data, scale, offset, bounds_, y.mutable_data<uint8_t>() + first, count);
      } else {
        kernels::rescale(data, scale, offset, bounds_, y.mutable_data<float>() + first, count);
      }
    }
  }

  size_t whole_;
  bool multiplies_;
  float inverse_, shift_;
  SharedQuantization data_, row_;
  bool is_u8_;
  kernels::Bounds bounds_;
  LoopNest nest_;
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
    if (parts_.slopes != nullptr) {
      const std::vector<float>& slopes = *parts_.slopes;
      for (size_t k = 0; k < count; ++k) {
        if (x[k] < 0) x[k] *= slopes[(out + k) % slopes.size()];
      }
    }
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
    set_result(context,
               broadcast_shapes(AutoBroadcast::kNumpy, context.input_shape(0), context.input_shape(1)),
               parts_.output);
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
    if (parts_.slopes == nullptr)
      return std::make_unique<SumOfEqualShapes>(*quantizations[0], *quantizations[1], parts_.output, *bounds);
    if (parts_.output && parts_.activation.kind == kernels::Unary::kIdentity)
      return std::make_unique<PreluOfSum>(*quantizations[0], *quantizations[1], parts_);
  }
  const Shape shape = context.output_shape(0);
  const std::array<Shape, 2> operands = {align_shape(AutoBroadcast::kNumpy, a, shape.size()),
                                         align_shape(AutoBroadcast::kNumpy, b, shape.size())};
  LoopNest nest = make_loop_nest(shape, operands);
  size_t whole = 0;
  if (bounds && BroadcastRows::takes(parts_, nest, whole)) {
    return std::make_unique<BroadcastRows>(quantizations, parts_, *bounds, std::move(nest), whole);
  }
  return std::make_unique<AnyShapes>(quantizations, parts_, std::move(nest));
}

}  // namespace wasmvino::ops
