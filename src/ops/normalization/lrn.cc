// SPDX-License-Identifier: Apache-2.0
// LRN: divides elements by a power of the sum of squares in their neighbourhood along axes.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/normalization/lrn-1.html
#include <cmath>
#include <utility>

#include "core/work.h"
#include "kernels/binary.h"
#include "kernels/unary.h"
#include "model/registry.h"
#include "ops/elements/in_f32.h"
#include "ops/inputs/axes.h"
#include "ops/inputs/checks.h"

namespace wasmvino::ops::lrn {

constexpr size_t kGrain = size_t{1} << 14;
constexpr size_t kShortRow = 64;
// Additions of a line between two chances to interrupt, about 2 ms.
constexpr uint64_t kLineWork = uint64_t{1} << 22;

// y = x / (bias + alpha / size^axes * squares)^beta. `squares` is the sum over a box, which extends (size -
// 1) / 2 elements before and after along each axis.
class LrnKernel final : public Kernel {
 public:
  struct Options {
    double alpha, beta, bias;
    int64_t size;
  };

  LrnKernel(Shape shape, Ints axes, const Options& options)
      : shape_(std::move(shape)), axes_(std::move(axes)), options_(options), count_(element_count(shape_)) {}

  CheckedSize scratch_bytes() const { return CheckedSize(count_) * (2 * sizeof(float)); }

  void run(EvalContext& context) override {
    if (count_ == 0) return;
    const float* x = context.input(0).data<float>();
    float* y = context.output(0).mutable_data<float>();
    float* sums = static_cast<float*>(context.scratch());
    float* next = sums + count_;
    parallel_for(context.parallel(), count_, kGrain, [&](size_t begin, size_t end) {
      kernels::apply_unary({kernels::Unary::kSquare}, x + begin, sums + begin, end - begin);
    });
    // A box is summed one axis after the other.
    for (const int64_t axis : axes_) {
      sum_windows(context.parallel(), sums, next, static_cast<size_t>(axis));
      std::swap(sums, next);
    }
    const double scale =
        options_.alpha / std::pow(static_cast<double>(options_.size), static_cast<double>(axes_.size()));
    const kernels::UnaryFunction base = {kernels::Unary::kAffine, static_cast<float>(scale),
                                         static_cast<float>(options_.bias)};
    const kernels::UnaryFunction power = {kernels::Unary::kPower, static_cast<float>(options_.beta), 0};
    constexpr kernels::UnaryFunction kRoot = {kernels::Unary::kSqrt};
    parallel_for(context.parallel(), count_, kGrain, [&](size_t begin, size_t end) {
      const size_t n = end - begin;
      float* const divisor = sums + begin;
      kernels::apply_unary(base, divisor, divisor, n);
      if (options_.beta == 0.75) {
        // The usual exponent, as the product of two roots, which take a fraction of a power's time.
        float* const root = next + begin;
        kernels::apply_unary(kRoot, divisor, root, n);
        kernels::apply_unary(kRoot, root, divisor, n);
        kernels::apply_binary(kernels::Binary::kMultiply, divisor, 1, root, 1, divisor, n);
      } else {
        kernels::apply_unary(power, divisor, divisor, n);
      }
      kernels::apply_binary(kernels::Binary::kDivide, x + begin, 1, divisor, 1, y + begin, n);
    });
  }

 private:
  void sum_windows(const Parallel& parallel, const float* from, float* to, size_t axis) const {
    const size_t length = static_cast<size_t>(shape_[axis]);
    const size_t inner = product(shape_, axis + 1, shape_.size());
    const size_t half = std::min(length - 1, (static_cast<size_t>(options_.size) - 1) / 2);
    const size_t count = length * inner;
    if (inner < kShortRow && uint64_t{count} * (half + 1) <= kLineWork) {
      // Adds the whole line, shifted by each distance. A call for each sum of few elements took 20 times as
      // long.
      parallel_for(parallel, count_ / count, kGrain / std::max<size_t>(1, count * (2 * half + 1)),
                   [&](size_t begin, size_t end) {
                     for (size_t line = begin; line < end; ++line) {
                       const float* const x = from + line * count;
                       float* const sum = to + line * count;
                       std::copy_n(x, count, sum);
                       for (size_t shift = inner; shift <= half * inner; shift += inner) {
                         add(sum, x + shift, count - shift);
                         add(sum + shift, x, count - shift);
                       }
                     }
                   });
      return;
    }
    parallel_for(parallel, product(shape_, 0, axis) * length,
                 kGrain / std::max<size_t>(1, inner * (2 * half + 1)), [&](size_t begin, size_t end) {
                   for (size_t row = begin; row < end; ++row) {
                     const size_t at = row % length;
                     const size_t first = row - std::min(at, half);
                     const size_t last = row + std::min(length - 1 - at, half);
                     float* const sum = to + row * inner;
                     std::copy_n(from + first * inner, inner, sum);
                     for (size_t other = first + 1; other <= last; ++other) {
                       add(sum, from + other * inner, inner);
                       count_work(inner);
                     }
                   }
                 });
  }

  static void add(float* sum, const float* x, size_t n) {
    kernels::apply_binary(kernels::Binary::kAdd, sum, 1, x, 1, sum, n);
  }

  Shape shape_;
  Ints axes_;
  Options options_;
  size_t count_;
};

class LRN final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.on("alpha", options_.alpha);
    visitor.on("beta", options_.beta);
    visitor.on("bias", options_.bias);
    visitor.on("size", options_.size);
    if (options_.size < 1)
      fail(ErrorCode::kInvalidModel, "attribute 'size' is ", options_.size, ", expected 1 or more");
  }

  void infer(InferContext& context) const override {
    context.expect_inputs(2);
    known_axes(context, 1, context.input_shape(0));
    context.set_output(0, context.input_type(0), context.input_shape(0));
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    const Shape shape = context.input_shape(0);
    // A repeated axis counts once.
    SmallVector<char, 6> seen(shape.size());
    Ints axes;
    for (const int64_t axis : normalize_axes(*context.constant_ints(1), shape.size())) {
      if (!std::exchange(seen[static_cast<size_t>(axis)], 1)) axes.push_back(axis);
    }
    context.consume(1);
    return compile_in_f32(context,
                          [&](CompileContext& inner) -> std::unique_ptr<Kernel> {
                            auto kernel = std::make_unique<LrnKernel>(shape, axes, options_);
                            inner.request_scratch(kernel->scratch_bytes());
                            return kernel;
                          },
                          {.as_f32 = 1});
  }

 private:
  LrnKernel::Options options_ = {0.0001, 0.75, 1, 1};
};

}  // namespace wasmvino::ops::lrn

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(lrn) {
  registry.add<lrn::LRN>({"LRN", {1}, "normalization/lrn-1", {{"data", kNumbers}, {"axes", kAnyIntegers}}});
}
}  // namespace wasmvino::ops
