// SPDX-License-Identifier: Apache-2.0
// Inverse: the inverse of square matrices, or of their transposes.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/matrix/inverse-14.html
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/work.h"
#include "kernels/numbers.h"
#include "model/registry.h"
#include "ops/inputs/axes.h"
#include "ops/inputs/checks.h"

namespace wasmvino::ops::inverse {

// Grain: multiply-adds in about 20 µs of work.
constexpr size_t kGrain = size_t{1} << 14;

// Gauss-Jordan elimination in f64, with the largest element of each column as pivot. A singular matrix
// results in infinities and NaN, like a division by zero.
class InverseKernel final : public Kernel {
 public:
  InverseKernel(ElementType type, const Shape& shape, bool adjoint, const Parallel& parallel)
      : load_(kernels::number_loader<double>(type)),
        store_(kernels::number_storer<double>(type)),
        count_(product(shape, 0, shape.size() - 2)),
        size_(static_cast<size_t>(shape.back())),
        adjoint_(adjoint),
        grain_(kGrain / std::max<size_t>(1, saturating_product(size_, size_, size_))),
        threads_(std::min(parallel.threads(), parallel.ranges(count_, grain_))) {}

  // Each thread has a matrix and its partial inverse.
  CheckedSize scratch_bytes() const { return CheckedSize(threads_) * 2 * size_ * size_ * sizeof(double); }

  void run(EvalContext& context) override {
    parallel_for(context.parallel(), count_, grain_, [&](size_t begin, size_t end, size_t thread) {
      double* const matrix = static_cast<double*>(context.scratch()) + thread * 2 * size_ * size_;
      double* const result = matrix + size_ * size_;
      for (size_t i = begin; i < end; ++i) {
        const size_t first = i * size_ * size_;
        load_(context.input(0).memory, first, 1, size_ * size_, matrix);
        invert(matrix, result);
        if (adjoint_) transpose(result);
        store_(result, size_ * size_, context.output(0).memory, first, 1);
      }
    });
  }

 private:
  void invert(double* a, double* b) const {
    const size_t n = size_;
    for (size_t i = 0; i < n * n; ++i) b[i] = i % (n + 1) == 0 ? 1 : 0;
    for (size_t column = 0; column < n; ++column) {
      count_work(4 * n);
      size_t pivot = column;
      for (size_t row = column + 1; row < n; ++row) {
        if (std::fabs(a[row * n + column]) > std::fabs(a[pivot * n + column])) pivot = row;
      }
      for (size_t j = 0; j < n; ++j) {
        std::swap(a[pivot * n + j], a[column * n + j]);
        std::swap(b[pivot * n + j], b[column * n + j]);
      }
      const double scale = 1 / a[column * n + column];
      for (size_t j = 0; j < n; ++j) {
        a[column * n + j] *= scale;
        b[column * n + j] *= scale;
      }
      for (size_t row = 0; row < n; ++row) {
        const double factor = a[row * n + column];
        if (row == column || factor == 0) continue;
        count_work(n);
        for (size_t j = 0; j < n; ++j) {
          a[row * n + j] -= factor * a[column * n + j];
          b[row * n + j] -= factor * b[column * n + j];
        }
      }
    }
  }

  void transpose(double* matrix) const {
    for (size_t i = 0; i < size_; ++i) {
      for (size_t j = 0; j < i; ++j) std::swap(matrix[i * size_ + j], matrix[j * size_ + i]);
    }
  }

  kernels::LoadNumbers<double> load_;
  kernels::StoreNumbers<double> store_;
  size_t count_, size_;
  bool adjoint_;
  size_t grain_, threads_;
};

class Inverse final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override { visitor.on("adjoint", adjoint_); }

  void infer(InferContext& context) const override {
    context.expect_inputs(1);
    expect_rank(context, 0, 2, static_cast<size_t>(-1), "data");
    PartialShape shape = context.input_shape(0);
    if (shape.has_rank()) {
      const size_t last = shape.rank() - 1;
      const Dimension size = expect_size(context, 0, "data", last, shape[last - 1], "the axis before it");
      shape[last] = shape[last - 1] = size;
    }
    context.set_output(0, context.input_type(0), shape);
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    auto kernel = std::make_unique<InverseKernel>(context.input_type(0), context.input_shape(0), adjoint_,
                                                  context.parallel());
    context.request_scratch(kernel->scratch_bytes());
    return kernel;
  }

  bool can_overwrite(const CompileContext&, size_t, size_t) const override { return true; }

 private:
  bool adjoint_ = false;
};

}  // namespace wasmvino::ops::inverse

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(inverse) {
  registry.add<inverse::Inverse>({"Inverse", {14}, "matrix/inverse-14", {{"data", kFloats}}});
}
}  // namespace wasmvino::ops
