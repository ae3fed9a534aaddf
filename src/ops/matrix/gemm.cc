// SPDX-License-Identifier: Apache-2.0
#include "ops/matrix/gemm.h"

#include <algorithm>

#include "ops/quantised_data/quantised_matrices.h"

namespace wasmvino::ops {
namespace {

using kernels::Gemm;
using kernels::Range;

// Grain: multiply-adds in about 10 µs of work. With fewer, a second thread costs more than it saves.
constexpr size_t kGrain = size_t{1} << 18;

// Minimum rows per part. With fewer, reading the columns of B again costs more than reading A from another
// core's cache.
constexpr size_t kPartRows = 48;

// Grain: with fewer elements to dequantise, a second thread costs more than it saves.
constexpr size_t kExpansionGrain = size_t{1} << 15;

// The rows and columns of a part. Parts consist of whole tiles.
struct Part {
  Range rows, columns;
};

Range cut(size_t size, size_t step, size_t part, size_t parts) {
  const size_t steps = (size + step - 1) / step;
  return {std::min(size, part_begin(steps, part, parts) * step),
          std::min(size, part_begin(steps, part + 1, parts) * step)};
}

Part part_of(size_t m, size_t n, bool packed, size_t part, size_t parts) {
  const size_t tile_rows = kernels::gemm_tile_rows();
  if (packed && m < n) {
    // Rows are split too, as long as each part has enough rows to pay for reading the weights. A thread then
    // most likely reads rows of A that it wrote itself, as rows of C of the previous matmul.
    size_t halves = 1;
    while (parts % (2 * halves) == 0 && m / (2 * halves) >= kPartRows) halves *= 2;
    const size_t across = parts / halves;
    return {cut(m, tile_rows, part / across, halves), cut(n, kernels::kPanelColumns, part % across, across)};
  }
  // If columns are split, each part reads all of A; if rows are split, all of B.
  const bool wide = !packed && (n + kernels::kPanelColumns - 1) / kernels::kPanelColumns >= parts;
  const bool by_rows = !wide && (m + tile_rows - 1) / tile_rows >= parts;
  if (by_rows) return {cut(m, tile_rows, part, parts), {0, n}};
  return {{0, m}, cut(n, kernels::kPanelColumns, part, parts)};
}

// Backwards, one thread takes parts of 256 KB. A matrix of one part stays in L2 anyway. At most 16: from 32
// on, parallel_for() would start with the last part itself.
constexpr size_t kFloatsBackwards = size_t{1} << 16, kMostBackwards = 16;

// Mirrors a part within the share of its thread: the first becomes the last.
size_t mirrored(size_t part, size_t parts, size_t threads) {
  const size_t share = std::max<size_t>(1, parts / threads);
  return part - part % share + (share - 1 - part % share);
}

}  // namespace

PackedMatrices::PackedMatrices(const float* b, size_t count, size_t matrix_stride, size_t k, size_t n,
                               size_t k_stride, size_t n_stride)
    : k_(k),
      n_(n),
      memory_(ElementType::kF32,
              {static_cast<int64_t>(count), static_cast<int64_t>(kernels::packed_b_size(k, n))}) {
  for (size_t i = 0; i < count; ++i) {
    float* to = memory_.mutable_data<float>() + i * kernels::packed_b_size(k, n);
    kernels::pack_b(b + i * matrix_stride, k_stride, n_stride, k, n, {0, n}, to);
  }
}

size_t gemm_parts(size_t threads, size_t m, size_t n, size_t k) {
  const size_t most = threads == 1 ? 1 : threads * kPartsPerThread;
  const size_t wanted = saturating_product(m, n, k) / kGrain;
  return std::clamp<size_t>(even_parts(std::min(wanted, most), threads), 1, most);
}

void gemm_part(const Gemm& gemm, const float* packed_b, size_t part, size_t parts) {
  const Part p = part_of(gemm.m, gemm.n, true, part, parts);
  if (p.rows.size() > 0 && p.columns.size() > 0) kernels::gemm(gemm, packed_b, p.rows, p.columns);
}

void gemm_part(const Gemm& gemm, const float* b, size_t k_stride, size_t n_stride, float* scratch,
               size_t part, size_t parts) {
  const Part p = part_of(gemm.m, gemm.n, false, part, parts);
  if (p.rows.size() > 0 && p.columns.size() > 0) {
    kernels::gemm(gemm, b, k_stride, n_stride, scratch, p.rows, p.columns);
  }
}

void gemm_part(const Gemm& gemm, const kernels::QuantisedMatrix& b, float* scratch, size_t part,
               size_t parts) {
  const Part p = part_of(gemm.m, gemm.n, false, part, parts);
  if (p.rows.size() > 0 && p.columns.size() > 0) kernels::gemm(gemm, b, scratch, p.rows, p.columns);
}

WeightMatrix::WeightMatrix(CompileContext& context, size_t input, size_t first, size_t row_stride, size_t n,
                           size_t k, bool in_f32)
    : input_(input), first_(first), row_stride_(row_stride), n_(n), k_(k) {
  if (context.input(input).constant == nullptr) return;
  if (!in_f32) quantised_ = quantised_matrices(context, input, {first, 1, row_stride, k, n});
  if (quantised_ != nullptr) return;
  const std::string key = cat("rows ", first, " ", row_stride, " ", n, " ", k);
  packed_ = context.shared<PackedMatrices>(input, key, [&] {
    const float* rows = context.constant(input)->data<float>() + first;
    return std::make_shared<PackedMatrices>(rows, 1, 0, k, n, 1, row_stride);
  });
}

size_t WeightMatrix::thread_scratch_size(size_t rows) const {
  if (quantised_ != nullptr) return kernels::block_scratch_size(rows);
  return packed_ != nullptr ? 0 : kernels::kGemmScratchSize;
}

size_t WeightMatrix::scratch_size(const Parallel& parallel, size_t rows) const {
  return (CheckedSize(parallel.threads()) * thread_scratch_size(rows)).value();
}

// A panel is dequantised in whole cells of 4 rows. Rows beyond k are overwritten by the next panel. Those of
// the last panel need space after the matrix.
size_t WeightMatrix::expanded_size() const {
  return quantised_ != nullptr ? kernels::packed_b_size(k_, n_) + 3 * kernels::kPanelColumns : 0;
}

void WeightMatrix::expand(const Parallel& parallel, float* to) const {
  constexpr size_t kPanel = kernels::kPanelColumns;
  const auto expand_panels = [&](size_t first, size_t last) {
    for (size_t panel = first; panel < last; ++panel) {
      kernels::expand(quantised_->matrix(), {0, k_}, {panel * kPanel, (panel + 1) * kPanel},
                      to + panel * k_ * kPanel);
    }
  };
  const size_t panels = (n_ + kPanel - 1) / kPanel;
  // A panel's rows beyond k overlap the next panel, which another thread may already have written.
  if (k_ % 4 != 0) return expand_panels(0, panels);
  parallel_for(parallel, panels, std::max<size_t>(1, kExpansionGrain / (k_ * kPanel + 1)), expand_panels);
}

void WeightMatrix::multiply(const EvalContext& context, const Parallel& parallel, Gemm gemm, float* scratch,
                            const float* expanded, bool backwards) const {
  gemm.n = n_;
  gemm.k = k_;
  const size_t threads = parallel.threads(), size = thread_scratch_size(gemm.m);
  // Only for few rows: many rows are split too, and each part reads all weights.
  backwards = backwards && gemm.m < 2 * kPartRows;
  const size_t parts = backwards && threads == 1
                           ? std::clamp<size_t>(n_ * k_ / kFloatsBackwards, 1, kMostBackwards)
                           : gemm_parts(threads, gemm.m, n_, k_);
  parallel_for(parallel, parts, 1, [&](size_t first, size_t last, size_t thread) {
    for (size_t i = first; i < last; ++i) {
      const size_t part = backwards ? mirrored(i, parts, threads) : i;
      if (packed_ != nullptr || expanded != nullptr) {
        gemm_part(gemm, expanded != nullptr ? expanded : packed_->matrix(0), part, parts);
      } else if (quantised_ != nullptr) {
        gemm_part(gemm, quantised_->matrix(), scratch + thread * size, part, parts);
      } else {
        const float* rows = context.input(input_).data<float>() + first_;
        gemm_part(gemm, rows, 1, row_stride_, scratch + thread * size, part, parts);
      }
    }
  });
}

}  // namespace wasmvino::ops
