// SPDX-License-Identifier: Apache-2.0
#include "ops/internal/integer_batch_mat_mul.h"

#include <algorithm>
#include <cmath>

#include "kernels/integer_elementwise.h"
#include "kernels/integer_packing.h"
#include "kernels/unary.h"

namespace wasmvino::ops {
namespace {

using kernels::IntegerDot;

constexpr size_t kAlignment = 64;
// Grain: operations in about 10 µs of work.
constexpr size_t kOperationGrain = size_t{1} << 19;
// Packed rows of A stay in L2 with a packed B.
constexpr size_t kBlockBytes = size_t{96} << 10, kTileRows = 12, kMostRows = 96;
// With fewer rows, packing B takes as long as multiplying by it.
constexpr int64_t kLeastRows = 8;
// Zero points of B that are further from an integer would need sums of A's rows for the difference, too.
constexpr double kTolerance = 1e-3;

class BatchMatMulKernel final : public Kernel {
 public:
  BatchMatMulKernel(CompileContext& context, MatMulProblem problem, SharedQuantization output)
      : p_(std::move(problem)),
        dot_(kernels::integer_dot()),
        a_(context.input(0).quantization),
        b_(context.input(1).quantization),
        output_(std::move(output)) {
    zero_a_ = static_cast<int32_t>(std::lround(a_->zero_point[0]));
    zero_b_ = static_cast<int32_t>(std::lround(b_->zero_point[0])) - 128;
    scale_ = static_cast<double>(a_->scale[0]) * b_->scale[0];
    row_bytes_ = kernels::integer_row_size(dot_, p_.k);
    // A zero point of B needs the results of a block in f32, too.
    const size_t result_bytes = zero_b_ != 0 ? (CheckedSize(p_.n) * sizeof(float)).value() : 0;
    const size_t row = std::max({row_bytes_, result_bytes, size_t{1}});
    rows_ = std::clamp(kBlockBytes / row / kTileRows * kTileRows, kTileRows, kMostRows);
    blocks_ = (p_.m + rows_ - 1) / rows_;
    columns_ = CheckedSize(p_.n).rounded_up(kernels::kPanelColumns).value();
    // Offsets of the parts of a thread's scratch memory.
    const auto aligned = [](CheckedSize bytes) { return bytes.rounded_up(kAlignment); };
    CheckedSize at = aligned(CheckedSize(kernels::integer_weights_size(p_.k, p_.n)));
    rows_at_ = at.value();
    arrays_at_ = (at = at + aligned(CheckedSize(rows_) * row_bytes_)).value();
    block_at_ = (at = at + aligned(CheckedSize(columns_) * kArrays * sizeof(float))).value();
    if (zero_b_ != 0) at = at + aligned(CheckedSize(rows_) * p_.n * sizeof(float));
    thread_bytes_ = at.value();
    const size_t work = saturating_product(rows_, p_.n, p_.k);
    // Each range packs B: with fewer blocks, that takes longer than multiplying.
    grain_ = std::max(kOperationGrain / std::max<size_t>(1, work) + 1, std::min<size_t>(blocks_, 4));
    const Parallel& parallel = context.parallel();
    threads_ = std::min(parallel.threads(), parallel.ranges(p_.matrices * blocks_, grain_));
    context.request_scratch(CheckedSize(threads_) * thread_bytes_);
  }

  void run(EvalContext& context) override {
    char* const scratch = static_cast<char*>(context.scratch());
    parallel_for(
        context.parallel(), p_.matrices * blocks_, grain_, [&](size_t begin, size_t end, size_t thread) {
          char* const memory = scratch + thread * thread_bytes_;
          size_t packed = ~size_t{0};
          for (size_t unit = begin; unit < end; ++unit) {
            const MatrixPair pair = pair_of(p_, unit / blocks_);
            if (pair.b != packed) pack(context, pair.b, memory);
            packed = pair.b;
            const size_t first = unit % blocks_ * rows_;
            multiply(context, pair.a, unit / blocks_, {first, std::min(first + rows_, p_.m)}, memory);
          }
        });
  }

  std::string method() const override { return "u8 x u8, packed during the run"; }

 private:
  // The arrays of the epilogue.
  static constexpr size_t kArrays = 3;
  int32_t* start(char* memory) const { return reinterpret_cast<int32_t*>(memory + arrays_at_); }
  float* scales(char* memory) const { return reinterpret_cast<float*>(memory + arrays_at_) + columns_; }
  float* biases(char* memory) const { return scales(memory) + columns_; }

  kernels::IntegerGemm gemm(char* memory) const {
    kernels::IntegerGemm g = {};
    g.dot = dot_;
    g.k = p_.k;
    g.a = memory + rows_at_;
    g.a_stride = row_bytes_;
    g.b = reinterpret_cast<const int8_t*>(memory);
    g.epilogue.start = start(memory);
    g.epilogue.scale = scales(memory);
    g.epilogue.bias = biases(memory);
    return g;
  }

  void pack(const EvalContext& context, size_t matrix, char* memory) const {
    const uint8_t* b = context.input(1).data<uint8_t>() + matrix * p_.k * p_.n;
    kernels::pack_integer_data(dot_, b, p_.b_k, p_.b_column, p_.k, p_.n, reinterpret_cast<int8_t*>(memory));
    // A row of ones gives the sums of the columns.
    std::fill_n(start(memory), columns_, 0);
    std::fill_n(scales(memory), columns_, 1.0f);
    std::fill_n(biases(memory), columns_, 0.0f);
    pack_row_end(
        kernels::pack_repeated(dot_, dot_ == IntegerDot::kSigned ? 129 : 1, p_.k, memory + rows_at_));
    kernels::IntegerGemm sums = gemm(memory);
    sums.c = {nullptr, biases(memory), columns_};
    // The sums replace the biases, each after it was read.
    kernels::gemm(sums, 1, {0, p_.n});
    const int32_t shift = dot_ == IntegerDot::kSigned ? 128 : 0;
    const bool requantises = zero_b_ == 0 && output_ != nullptr;
    const double inverse = requantises ? output_->inverse[0] : 1;
    // Corrects for the rounding of A's zero point.
    const double correction = (zero_a_ - static_cast<double>(a_->zero_point[0])) * scale_ * inverse;
    for (size_t j = 0; j < p_.n; ++j) {
      const float sum = biases(memory)[j];
      start(memory)[j] = (shift - zero_a_) * static_cast<int32_t>(sum);
      scales(memory)[j] = static_cast<float>(scale_ * inverse);
      biases(memory)[j] = static_cast<float>(correction * sum + (requantises ? output_->shift[0] : 0));
    }
  }

  void pack_row_end(char* to) const {
    kernels::pack_repeated(
        dot_, 0, (kernels::kIntegerStep - p_.k % kernels::kIntegerStep) % kernels::kIntegerStep, to);
  }

  void multiply(EvalContext& context, size_t matrix, size_t result, kernels::Range rows, char* memory) const {
    const uint8_t* a = context.input(0).data<uint8_t>() + matrix * p_.m * p_.k + rows.begin * p_.a_row;
    kernels::IntegerGemm g = gemm(memory);
    if (kernels::reads_rows_in_place(dot_, p_.k)) {
      g.a = reinterpret_cast<const char*>(a);
      g.a_stride = p_.a_row;
    } else {
      for (size_t i = 0; i < rows.size(); ++i)
        pack_row_end(
            kernels::pack_integers(dot_, a + i * p_.a_row, p_.k, memory + rows_at_ + i * row_bytes_));
    }
    const size_t to = (result * p_.m + rows.begin) * p_.n;
    uint8_t* const u8 = output_ ? context.output(0).mutable_data<uint8_t>() + to : nullptr;
    float* const f32 = output_ ? nullptr : context.output(0).mutable_data<float>() + to;
    if (zero_b_ == 0) {
      g.c = {u8, f32, p_.n};
      if (output_) g.epilogue.bounds = {0, output_->most};
      return kernels::gemm(g, rows.size(), {0, p_.n});
    }
    // The zero point of B adds a multiple of the sum of each row of A.
    auto* const block = reinterpret_cast<float*>(memory + block_at_);
    g.c = {nullptr, block, p_.n};
    kernels::gemm(g, rows.size(), {0, p_.n});
    for (size_t i = 0; i < rows.size(); ++i) {
      const auto sum = static_cast<double>(kernels::sum_of_bytes(a + i * p_.a_row, p_.k));
      const double added = -zero_b_ * (sum - static_cast<double>(p_.k) * a_->zero_point[0]) * scale_;
      const float* row = block + i * p_.n;
      if (output_) {
        const float offset = static_cast<float>(output_->shift[0] + added * output_->inverse[0]);
        kernels::quantize(row, {output_->inverse.data(), 0}, {&offset, 0}, output_->most, u8 + i * p_.n,
                          p_.n);
      } else {
        kernels::apply_unary({kernels::Unary::kAffine, 1, static_cast<float>(added)}, row, f32 + i * p_.n,
                             p_.n);
      }
    }
  }

  MatMulProblem p_;
  IntegerDot dot_;
  SharedQuantization a_, b_, output_;
  int32_t zero_a_ = 0, zero_b_ = 0;  // of B - 128
  double scale_ = 1;
  size_t row_bytes_ = 0, rows_ = 1, blocks_ = 0, columns_ = 0;
  size_t rows_at_ = 0, arrays_at_ = 0, block_at_ = 0, thread_bytes_ = 0;
  size_t grain_ = 1, threads_ = 1;
};

}  // namespace

bool IntegerBatchMatMul::takes(const MatMulSpec& spec, const PartialShape& a, const PartialShape& b,
                               const Quantization& of_b) {
  if (spec.transpose_a || a.rank() < 2 || b.rank() < 2) return false;
  const Dimension k = a[a.rank() - 1], m = a[a.rank() - 2];
  if (!k.is_static() || k.size() == 0 || k.size() > static_cast<int64_t>(kernels::kMostIntegerDepth) ||
      (m.is_static() && m.size() < kLeastRows)) {
    return false;
  }
  const double zero = of_b.zero_point[0];
  return std::abs(zero - std::nearbyint(zero)) <= kTolerance;
}

void IntegerBatchMatMul::infer(InferContext& context) const {
  const PartialShape &a = context.input_shape(0), &b = context.input_shape(1);
  try {
    set_result(context, a.has_rank() && b.has_rank() ? mat_mul_shape(a, b, parts_.spec) : PartialShape(),
               parts_.output);
  } catch (Error& error) {
    const Node& node = context.node();
    error.at_layer(node.name, "MatMul", node.id, 1, node.line);
    throw;
  }
}

std::unique_ptr<Kernel> IntegerBatchMatMul::compile(CompileContext& context) const {
  return std::make_unique<BatchMatMulKernel>(
      context, make_mat_mul_problem(context.input_shape(0), context.input_shape(1), parts_.spec),
      parts_.output);
}

}  // namespace wasmvino::ops
