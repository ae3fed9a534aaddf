// SPDX-License-Identifier: Apache-2.0
// MatMulInteger: the product of quantised matrices in i32, exact. Zero points are subtracted before the
// product: one for all of a, and one for all of b or for each of its columns.
// https://onnx.ai/onnx/operators/onnx__MatMulInteger.html
#include <algorithm>
#include <string>
#include <vector>

#include "kernels/integer_gemm.h"
#include "kernels/integer_packing.h"
#include "model/registry.h"
#include "ops/inputs/checks.h"
#include "ops/inputs/indices.h"
#include "ops/matrix/mat_mul_steps.h"

namespace wasmvino::ops::mat_mul_integer {

using kernels::IntegerDot;
using kernels::Range;

enum Input : size_t { kA, kB, kZeroOfA, kZeroOfB };

// The kernels store sums as f32. Sums of this many products are below 2^24, where f32 is exact.
constexpr size_t kChunk = 512;
static_assert(kChunk * 255 * 128 < size_t{1} << 24 && kChunk % kernels::kIntegerStep == 0);
// Floats of results that a thread works on, and rows, a multiple of the tile heights of all forms.
constexpr size_t kBlock = size_t{1} << 16, kTileRows = 12, kMostRows = 48;
// Columns of a unit of work, if there are few rows. Grain: operations in about 10 us of work.
constexpr size_t kColumns = 256, kOperationGrain = size_t{1} << 19;
constexpr size_t kAlignment = 64;

// The values of i8, and those of u8 minus 128. Those of u8, and those of i8 plus 128.
void flip_sign(const uint8_t* from, size_t count, uint8_t* to) {
  for (size_t i = 0; i < count; ++i) to[i] = from[i] ^ 0x80;
}

// Matrices b, packed in pieces of kChunk rows, and the sums of the columns of each piece.
struct Packed {
  Tensor values, sums;
};

class Multiplying final : public Kernel {
 public:
  explicit Multiplying(CompileContext& context)
      : p_(make_mat_mul_problem(context.input_shape(kA), context.input_shape(kB), {})),
        dot_(kernels::integer_dot()),
        signed_a_(context.input_type(kA) == ElementType::kI8),
        signed_b_(context.input_type(kB) == ElementType::kI8) {
    chunks_ = (p_.k + kChunk - 1) / kChunk;
    columns_ = CheckedSize(p_.n).rounded_up(kernels::kPanelColumns).value();
    packed_bytes_ = CheckedSize(kernels::integer_weights_size(kChunk, p_.n)).rounded_up(kAlignment).value();
    row_bytes_ = kernels::integer_row_size(dot_, kChunk);
    rows_ = std::clamp(kBlock / std::max<size_t>(1, p_.n) / kTileRows * kTileRows, kTileRows, kMostRows);
    rows_ = std::min(rows_, std::max<size_t>(1, p_.m));
    row_blocks_ = (p_.m + rows_ - 1) / rows_;
    width_ = p_.m < kTileRows ? std::min(kColumns, columns_) : columns_;
    column_blocks_ = width_ == 0 ? 0 : (p_.n + width_ - 1) / width_;
    units_ = saturating_product(p_.matrices, row_blocks_, column_blocks_);
    grain_ = kOperationGrain / std::max<size_t>(1, saturating_product(rows_, width_, p_.k)) + 1;
    lay_out(context);
  }

  void run(EvalContext& context) override {
    char* const scratch = static_cast<char*>(context.scratch());
    if (constant_ == nullptr) {
      char* const own = scratch + threads_ * thread_bytes_;
      auto* const sums = reinterpret_cast<int32_t*>(own + values_bytes_);
      pack(context.input(kB), context.parallel(), reinterpret_cast<int8_t*>(own), sums,
           reinterpret_cast<uint8_t*>(sums + sums_count()));
    }
    parallel_for(context.parallel(), units_, grain_, [&](size_t begin, size_t end, size_t thread) {
      for (size_t unit = begin; unit < end; ++unit)
        multiply(context, unit, scratch, scratch + thread * thread_bytes_);
    });
  }

 private:
  size_t sums_count() const { return p_.b_matrices * chunks_ * columns_; }
  size_t depth(size_t chunk) const { return std::min(kChunk, p_.k - chunk * kChunk); }

  void lay_out(CompileContext& context) {
    const auto aligned = [](CheckedSize bytes) { return bytes.rounded_up(kAlignment); };
    CheckedSize at = aligned(CheckedSize(rows_) * row_bytes_);
    arrays_at_ = at.value();
    at = at + aligned(CheckedSize(columns_) * 3 * sizeof(float));
    sums_at_ = at.value();
    at = at + aligned(CheckedSize(rows_) * sizeof(int32_t) + kChunk);
    results_at_ = at.value();
    at = at + aligned(CheckedSize(rows_) * columns_ * sizeof(float));
    thread_bytes_ = at.value();
    threads_ = std::min(context.parallel().threads(), context.parallel().ranges(units_, grain_));
    values_bytes_ = (CheckedSize(p_.b_matrices) * chunks_ * packed_bytes_).value();
    const CheckedSize sums = CheckedSize(p_.b_matrices) * chunks_ * columns_ * sizeof(int32_t);
    CheckedSize all = CheckedSize(threads_) * thread_bytes_;
    if (context.constant(kB) != nullptr) {
      constant_ = context.shared<Packed>(kB, cat("MatMulInteger ", static_cast<int>(dot_)), [&] {
        auto packed = std::make_shared<Packed>();
        packed->values = Tensor(ElementType::kI8, {static_cast<int64_t>(values_bytes_)});
        packed->sums = Tensor(ElementType::kI32, {static_cast<int64_t>(sums_count())});
        std::vector<uint8_t> flipped((CheckedSize(kChunk) * p_.n).value());
        pack(*context.constant(kB), Parallel(), packed->values.mutable_data<int8_t>(),
             packed->sums.mutable_data<int32_t>(), flipped.data());
        return packed;
      });
      context.consume(kB);
    } else {
      all = all + values_bytes_ + sums + CheckedSize(kChunk) * p_.n * context.parallel().threads();
    }
    context.request_scratch(all);
  }

  // `flipped` has kChunk * n bytes for each thread.
  void pack(const TensorView& b, const Parallel& parallel, int8_t* values, int32_t* sums,
            uint8_t* flipped) const {
    const size_t pieces = p_.b_matrices * chunks_;
    parallel_for(parallel, pieces, 1, [&](size_t begin, size_t end, size_t thread) {
      for (size_t piece = begin; piece < end; ++piece) {
        const size_t chunk = piece % chunks_, k = depth(chunk);
        const uint8_t* from = b.data<uint8_t>() + piece / chunks_ * p_.k * p_.n + chunk * kChunk * p_.b_k;
        if (!signed_b_) {
          uint8_t* const own = flipped + thread * kChunk * p_.n;
          flip_sign(from, k * p_.n, own);
          from = own;
        }
        kernels::pack_integer_weights(dot_, reinterpret_cast<const int8_t*>(from), p_.b_k, p_.b_column, k,
                                      p_.n, values + piece * packed_bytes_, sums + piece * columns_);
      }
    });
  }

  const int8_t* values(char* scratch) const {
    if (constant_ != nullptr) return constant_->values.data<int8_t>();
    return reinterpret_cast<const int8_t*>(scratch + threads_ * thread_bytes_);
  }
  const int32_t* sums(char* scratch) const {
    if (constant_ != nullptr) return constant_->sums.data<int32_t>();
    return reinterpret_cast<const int32_t*>(scratch + threads_ * thread_bytes_ + values_bytes_);
  }

  // Some rows and columns of a matrix of the result.
  void multiply(EvalContext& context, size_t unit, char* scratch, char* memory) const {
    const size_t column = unit % column_blocks_ * width_, block = unit / column_blocks_ % row_blocks_;
    const size_t result = unit / column_blocks_ / row_blocks_;
    const MatrixPair pair = pair_of(p_, result);
    const Range columns = {column, std::min(column + width_, p_.n)};
    const size_t first = block * rows_, rows = std::min(rows_, p_.m - first);
    const auto zero_a =
        static_cast<int32_t>(load_integer(context.input(kZeroOfA), 0)) + (signed_a_ ? 128 : 0);
    auto* const row_sums = reinterpret_cast<int32_t*>(memory + sums_at_);
    auto* const products = reinterpret_cast<float*>(memory + results_at_);
    int32_t* const to = context.output(0).mutable_data<int32_t>() + (result * p_.m + first) * p_.n;
    for (size_t i = 0; i < rows && p_.k == 0; ++i)
      std::fill(to + i * p_.n + columns.begin, to + i * p_.n + columns.end, 0);
    for (size_t chunk = 0; chunk < chunks_; ++chunk) {
      const size_t piece = pair.b * chunks_ + chunk;
      pack_rows(context, pair.a, first, rows, chunk, memory, row_sums);
      kernels::IntegerGemm g = {};
      g.dot = dot_;
      g.k = depth(chunk);
      g.a = memory;
      g.a_stride = row_bytes_;
      g.b = values(scratch) + piece * packed_bytes_;
      set_epilogue(g, sums(scratch) + piece * columns_, zero_a, columns, memory);
      g.c = {nullptr, products, columns_};
      kernels::gemm(g, rows, columns);
      const int32_t zeros = static_cast<int32_t>(depth(chunk)) * zero_a;
      for (size_t i = 0; i < rows; ++i)
        add(context, products + i * columns_, columns, row_sums[i] - zeros, chunk == 0, to + i * p_.n);
    }
  }

  void pack_rows(const EvalContext& context, size_t matrix, size_t first, size_t rows, size_t chunk,
                 char* memory, int32_t* row_sums) const {
    const size_t k = depth(chunk),
                 rest = (kernels::kIntegerStep - k % kernels::kIntegerStep) % kernels::kIntegerStep;
    const uint8_t* from =
        context.input(kA).data<uint8_t>() + matrix * p_.m * p_.k + first * p_.a_row + chunk * kChunk;
    auto* const flipped = reinterpret_cast<uint8_t*>(row_sums + rows_);
    for (size_t i = 0; i < rows; ++i, from += p_.a_row) {
      const uint8_t* row = from;
      if (signed_a_) {
        flip_sign(row, k, flipped);
        row = flipped;
      }
      row_sums[i] = static_cast<int32_t>(kernels::sum_of_bytes(row, k));
      char* const end = kernels::pack_integers(dot_, row, k, memory + i * row_bytes_);
      kernels::pack_repeated(dot_, 0, rest, end);
    }
  }

  // Sums as they are, after the zero point of a.
  void set_epilogue(kernels::IntegerGemm& g, const int32_t* column_sums, int32_t zero_a, Range columns,
                    char* memory) const {
    auto* const start = reinterpret_cast<int32_t*>(memory + arrays_at_);
    float* const scale = reinterpret_cast<float*>(start + columns_);
    float* const bias = scale + columns_;
    const int32_t shift = dot_ == IntegerDot::kSigned ? 128 : 0;
    const size_t end = std::min(columns_, (columns.end + kernels::kPanelColumns - 1) /
                                              kernels::kPanelColumns * kernels::kPanelColumns);
    for (size_t j = columns.begin; j < end; ++j) {
      start[j] = (shift - zero_a) * column_sums[j];
      scale[j] = 1;
      bias[j] = 0;
    }
    g.epilogue.start = start;
    g.epilogue.scale = scale;
    g.epilogue.bias = bias;
  }

  // Adds a row of products, after the zero points of b, which are multiplied by `row_sum`.
  void add(const EvalContext& context, const float* products, Range columns, int32_t row_sum, bool is_first,
           int32_t* to) const {
    const TensorView& zeros = context.input(kZeroOfB);
    const int32_t shift = signed_b_ ? 0 : 128;
    const auto zero_of = [&](size_t j) {
      return static_cast<int32_t>(signed_b_ ? zeros.data<int8_t>()[j] : zeros.data<uint8_t>()[j]) - shift;
    };
    const bool single = zeros.size() == 1;
    const int32_t zero = single ? zero_of(0) : 0;
    for (size_t j = columns.begin; j < columns.end; ++j) {
      // i32 wraps around.
      const uint32_t offset =
          static_cast<uint32_t>(single ? zero : zero_of(j)) * static_cast<uint32_t>(row_sum);
      const uint32_t sum = static_cast<uint32_t>(static_cast<int32_t>(products[j])) - offset;
      to[j] = static_cast<int32_t>(is_first ? sum : static_cast<uint32_t>(to[j]) + sum);
    }
  }

  MatMulProblem p_;
  IntegerDot dot_;
  bool signed_a_, signed_b_;
  size_t chunks_, columns_, packed_bytes_, row_bytes_;
  size_t rows_, row_blocks_, width_, column_blocks_, units_, grain_;
  size_t arrays_at_ = 0, sums_at_ = 0, results_at_ = 0, thread_bytes_ = 0, threads_ = 1;
  size_t values_bytes_ = 0;
  std::shared_ptr<const Packed> constant_;  // nullptr: b is packed during the run
};

class MatMulInteger final : public Op {
 public:
  void infer(InferContext& context) const override {
    context.expect_inputs(4);
    expect_single(context, kZeroOfA, "a_zero_point");
    const PartialShape &a = context.input_shape(kA), &b = context.input_shape(kB);
    const PartialShape& zeros = context.input_shape(kZeroOfB);
    expect_rank(context, kZeroOfB, 0, 1, "b_zero_point");
    if ((a.has_rank() && a.rank() == 0) || (b.has_rank() && b.rank() == 0))
      fail(ErrorCode::kInvalidShape, "cannot multiply scalars: a is ", a, " and b is ", b,
           ", expected one axis or more");
    if (zeros.has_rank() && zeros.rank() == 1 && zeros[0] != Dimension(1) && b.has_rank() && b.rank() > 1)
      expect_size(context, kZeroOfB, "b_zero_point", 0, b[b.rank() - 1], "the last axis of b");
    context.set_output(0, ElementType::kI32,
                       a.has_rank() && b.has_rank() ? mat_mul_shape(a, b, {}) : PartialShape());
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    return std::make_unique<Multiplying>(context);
  }
};

}  // namespace wasmvino::ops::mat_mul_integer

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(mat_mul_integer) {
  constexpr TypeSet kBytes = {ElementType::kU8, ElementType::kI8};
  registry.add<mat_mul_integer::MatMulInteger>(
      {"MatMulInteger",
       {1},
       "MatMulInteger",
       {{"a", kBytes}, {"b", kBytes}, {"a_zero_point", kBytes, 0}, {"b_zero_point", kBytes, 1}},
       kLastOpset,
       "ai.onnx"});
}
}  // namespace wasmvino::ops
