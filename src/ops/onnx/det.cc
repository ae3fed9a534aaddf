// SPDX-License-Identifier: Apache-2.0
// Det: the determinants of square matrices.
// https://onnx.ai/onnx/operators/onnx__Det.html
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/call.h"
#include "kernels/numbers.h"
#include "model/registry.h"
#include "ops/inputs/checks.h"

namespace wasmvino::ops::det {

// Grain: multiply-adds in about 20 µs of work.
constexpr size_t kGrain = size_t{1} << 14;

// Elimination in f64, with the largest element of each column as pivot.
class Eliminating final : public Kernel {
 public:
  explicit Eliminating(CompileContext& context)
      : load_(kernels::number_loader<double>(context.input_type(0))),
        store_(kernels::number_storer<double>(context.input_type(0))),
        count_(element_count(context.output_shape(0))),
        size_(static_cast<size_t>(context.input_shape(0).back())),
        grain_(kGrain / std::max<size_t>(1, saturating_product(size_, size_, size_)) + 1),
        threads_(std::min(context.parallel().threads(), context.parallel().ranges(count_, grain_))) {
    context.request_scratch(CheckedSize(threads_) * size_ * size_ * sizeof(double));
  }

  void run(EvalContext& context) override {
    parallel_for(context.parallel(), count_, grain_, [&](size_t begin, size_t end, size_t thread) {
      double* const matrix = static_cast<double*>(context.scratch()) + thread * size_ * size_;
      for (size_t i = begin; i < end; ++i) {
        load_(context.input(0).memory, i * size_ * size_, 1, size_ * size_, matrix);
        const double result = determinant(matrix);
        store_(&result, 1, context.output(0).memory, i, 1);
      }
    });
  }

 private:
  double determinant(double* a) const {
    const size_t n = size_;
    double result = 1;
    WorkMeter meter;
    for (size_t column = 0; column < n; ++column) {
      size_t pivot = column;
      for (size_t row = column + 1; row < n; ++row) {
        if (std::fabs(a[row * n + column]) > std::fabs(a[pivot * n + column])) pivot = row;
      }
      if (pivot != column) {
        std::swap_ranges(a + pivot * n, a + (pivot + 1) * n, a + column * n);
        result = -result;
      }
      const double top = a[column * n + column];
      result *= top;
      if (top == 0) return result;
      for (size_t row = column + 1; row < n; ++row) {
        const double factor = a[row * n + column] / top;
        for (size_t j = column + 1; j < n; ++j) a[row * n + j] -= factor * a[column * n + j];
        meter.add(n);
      }
    }
    return result;
  }

  kernels::LoadNumbers<double> load_;
  kernels::StoreNumbers<double> store_;
  size_t count_, size_, grain_, threads_;
};

class Det final : public Op {
 public:
  void infer(InferContext& context) const override {
    context.expect_inputs(1);
    PartialShape shape = context.input_shape(0);
    if (shape.has_rank()) {
      if (shape.rank() < 2)
        fail(ErrorCode::kInvalidShape, "data ", shape, " has ", shape.rank(), " axes, expected 2 or more");
      expect_size(context, 0, "data", shape.rank() - 1, shape[shape.rank() - 2], "the axis before it");
      shape.erase(shape.rank() - 1);
      shape.erase(shape.rank() - 1);
    }
    context.set_output(0, context.input_type(0), shape);
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    return std::make_unique<Eliminating>(context);
  }
};

}  // namespace wasmvino::ops::det

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(det) {
  registry.add<det::Det>({"Det", {1}, "Det", {{"data", kFloats}}, kLastOpset, "ai.onnx"});
}
}  // namespace wasmvino::ops
