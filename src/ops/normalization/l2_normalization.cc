// SPDX-License-Identifier: Apache-2.0
#include "ops/normalization/l2_normalization.h"

#include <algorithm>
#include <cmath>

#include "kernels/columns.h"
#include "kernels/reduce.h"
#include "kernels/unary.h"
#include "ops/elements/in_f32.h"
#include "ops/inputs/axis_groups.h"

namespace wasmvino::ops {
namespace {

constexpr size_t kColumns = 64;
constexpr size_t kGrain = size_t{1} << 14;

class L2Kernel final : public Kernel {
 public:
  L2Kernel(AxisGroups groups, float eps, bool greatest)
      : groups_(std::move(groups)), eps_(eps), greatest_(greatest) {}

  void run(EvalContext& context) override {
    const float* x = context.input(0).data<float>();
    float* y = context.output(0).mutable_data<float>();
    const bool rows = groups_.inner == 1;
    groups_.for_each_part(context.parallel(), kColumns, kGrain, [&](size_t base, size_t width, size_t) {
      if (rows) {
        row(x, y, base);
      } else {
        columns(x, y, base, width);
      }
    });
  }

 private:
  float scale_of(double squares) const {
    const double eps = static_cast<double>(eps_);
    return static_cast<float>(1 / std::sqrt(greatest_ ? std::max(squares, eps) : squares + eps));
  }

  void row(const float* x, float* y, size_t base) const {
    double squares = 0;
    groups_.for_each_block(base, [&](size_t at) {
      squares +=
          static_cast<double>(kernels::reduce_row(kernels::Reduction::kSumOfSquares, x + at, groups_.run));
    });
    const kernels::UnaryFunction scale = {kernels::Unary::kAffine, scale_of(squares), 0};
    groups_.for_each_block(base,
                           [&](size_t at) { kernels::apply_unary(scale, x + at, y + at, groups_.run); });
  }

  void columns(const float* x, float* y, size_t base, size_t width) const {
    double squares[kColumns] = {};
    float scales[kColumns];
    groups_.for_each_block(base,
                           [&](size_t at) { kernels::add_square_columns(x + at, nullptr, width, squares); });
    for (size_t j = 0; j < width; ++j) scales[j] = scale_of(squares[j]);
    groups_.for_each_block(
        base, [&](size_t at) { kernels::scale_columns(x + at, nullptr, scales, y + at, width); });
  }

  AxisGroups groups_;
  float eps_;
  bool greatest_;
};

}  // namespace

std::unique_ptr<Kernel> compile_l2_normalization(CompileContext& context, const Ints& axes, float eps,
                                                 bool greatest) {
  return compile_in_f32(context,
                        [&](CompileContext& inner) -> std::unique_ptr<Kernel> {
                          return std::make_unique<L2Kernel>(AxisGroups(inner.input_shape(0), axes), eps,
                                                            greatest);
                        },
                        {.as_f32 = 1});
}

}  // namespace wasmvino::ops
