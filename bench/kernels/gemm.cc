// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm.h"

#include <numeric>
#include <vector>

#include "bench.h"
#include "kernels/convert.h"
#include "kernels/dynamic_gemm.h"
#include "kernels/quantised_matrix.h"
#include "kernels/simd.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::bench {

namespace {

using kernels::VF;

// Independent chains of multiply-adds. Without fused ones the product must not depend on the sum, or the
// latency of both would bind. The factors come from memory, so that nothing can be folded.
HWY_NOINLINE void spin(const float* x, float* y, size_t n) {
  constexpr size_t kChains = 12;
  VF sum[kChains];
  HWY_UNROLL(12)
  for (size_t i = 0; i < kChains; ++i) sum[i] = kernels::load(y + 4 * i);
  const VF a = kernels::load(x);
  VF b = kernels::load(x + 4);
  HWY_UNROLL(1)
  for (; n > 0; --n) {
    HWY_UNROLL(12)
    for (size_t i = 0; i < kChains; ++i) {
      sum[i] = kernels::kFusedMulAdd ? kernels::mul_add(sum[i], a, b)
               : i % 2 == 0          ? kernels::hn::Mul(sum[i], a)
                                     : kernels::hn::Add(sum[i], b);
    }
    HWY_UNROLL(12)
    for (size_t i = 0; i < kChains; ++i) {
      sum[i] = kernels::kFusedMulAdd ? kernels::mul_add(sum[i], b, a)
               : i % 2 == 1          ? kernels::hn::Mul(sum[i], a)
                                     : kernels::hn::Add(sum[i], b);
    }
  }
  HWY_UNROLL(12)
  for (size_t i = 0; i < kChains; ++i) kernels::store(sum[i], y + 4 * i);
}

void add(Suite& suite, size_t m, size_t n, size_t k) {
  float *a = buffer(m * k), *b = buffer(k * n), *c = buffer(m * n), *bias = buffer(n);
  float *packed = buffer(kernels::packed_b_size(k, n)), *scratch = buffer(kernels::kGemmScratchSize);
  kernels::pack_b(b, n, 1, k, n, {0, n}, packed);
  kernels::Gemm g{m, n, k, a, k, 1, c, n, {}};
  const std::string shape = std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k);
  const double operations = 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  suite.add("gemm B unpacked " + shape, operations, "GFLOP/s",
            [=] { kernels::gemm(g, b, g.n, 1, scratch, {0, g.m}, {0, g.n}); });
  suite.add("gemm B transposed " + shape, operations, "GFLOP/s",
            [=] { kernels::gemm(g, b, 1, g.k, scratch, {0, g.m}, {0, g.n}); });
  if (m > 3) {
    kernels::Gemm turned = g;
    turned.a_row_stride = 1;
    turned.a_k_stride = m;
    suite.add("gemm A transposed " + shape, operations, "GFLOP/s",
              [=] { kernels::gemm(turned, b, turned.n, 1, scratch, {0, turned.m}, {0, turned.n}); });
  }
  g.epilogue.bias = bias;
  g.epilogue.activate({kernels::Unary::kRelu});
  suite.add("gemm bias relu " + shape, operations, "GFLOP/s",
            [=] { kernels::gemm(g, packed, {0, g.m}, {0, g.n}); });
}

// The same with rows quantised in groups of 32, that work included.
void add_dynamic(Suite& suite, const char* name, const kernels::Gemm& g, const kernels::QuantisedMatrix& b) {
  const kernels::RowQuantization how = {kernels::integer_dot(), g.k, 32};
  const kernels::QuantisedRows rows = {
      reinterpret_cast<char*>(buffer(g.m * kernels::integer_row_size(how.dot, g.k) / sizeof(float))),
      buffer(g.m * how.groups()), reinterpret_cast<int32_t*>(buffer(g.m * how.groups()))};
  const std::string shape = std::to_string(g.m) + "x" + std::to_string(g.n) + "x" + std::to_string(g.k);
  const double operations =
      2.0 * static_cast<double>(g.m) * static_cast<double>(g.n) * static_cast<double>(g.k);
  suite.add("gemm dynamic " + std::string(name) + " " + shape, operations, "GOP/s", [=] {
    kernels::quantise_rows(how, g.a, g.a_row_stride, {0, g.m}, rows);
    kernels::dynamic_gemm({how, rows, g.c, g.n, {}}, b, {0, g.m}, {0, g.n});
  });
}

// Weights of 4 bits in groups of 128, of 8 bits and of f16, by m rows.
void add_quantised(Suite& suite, size_t m, size_t n, size_t k) {
  constexpr size_t kGroup = 128;
  float *a = buffer(m * k), *b = buffer(k * n), *c = buffer(m * n), *scales = buffer(n * k / kGroup);
  float* scratch = buffer(kernels::block_scratch_size(m));
  auto* f16_bits = reinterpret_cast<uint16_t*>(buffer(k * n / 2));
  kernels::f32_to_f16(b, f16_bits, k * n);
  const kernels::Gemm g{m, n, k, a, k, 1, c, n, {}};
  const std::string shape = std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k);
  const double operations = 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  const auto add_bits = [&](const char* name, kernels::WeightBits bits, size_t group) {
    void* packed = buffer(kernels::quantised_size(bits, k, n) / sizeof(float));
    std::vector<size_t> rows(k), columns(n);
    std::iota(rows.begin(), rows.end(), 0);
    for (size_t j = 0; j < n; ++j) columns[j] = j * k;
    kernels::pack_quantised(bits, false, f16_bits, rows, columns, {0, n}, packed);
    const float* of_groups = bits == kernels::WeightBits::kSmallF16 ? nullptr : scales;
    const kernels::QuantisedMatrix matrix{bits, k, n, group, packed, of_groups, nullptr, 7};
    suite.add("gemm " + std::string(name) + " " + shape, operations, "GFLOP/s",
              [=] { kernels::gemm(g, matrix, scratch, {0, g.m}, {0, g.n}); });
    if (of_groups != nullptr) add_dynamic(suite, name, g, matrix);
  };
  add_bits("int4", kernels::WeightBits::kInt4, kGroup);
  add_bits("int8", kernels::WeightBits::kInt8, k);
  add_bits("f16", kernels::WeightBits::kSmallF16, k);
}

}  // namespace

void add_peak(Suite& suite) {
  float *x = buffer(8), *y = buffer(48);
  constexpr size_t kSteps = 2000;
  // Fused: two operations in each of 4 lanes; else one.
  suite.add("peak of registers", (kernels::kFusedMulAdd ? 2 : 1) * 4.0 * 24 * kSteps, "GFLOP/s",
            [=] { spin(x, y, kSteps); });
}

void add_gemm(Suite& suite) {
  add(suite, 48, 64, 256);  // in the first-level cache: the tile itself
  for (size_t size : {64, 128, 256, 512, 1024}) add(suite, size, size, size);
  add(suite, 784, 256, 256);  // a 1x1 convolution, channels last
  add(suite, 3136, 64, 64);
  add(suite, 12544, 32, 16);
  add(suite, 128, 384, 384);
  add(suite, 25, 1024, 512);
  add(suite, 1, 1024, 256);
  add(suite, 1, 1024, 1024);
  add(suite, 2, 1024, 256);
  add(suite, 3, 1024, 256);
  add(suite, 1, 40, 256);
  for (size_t rows : {1, 2, 4, 8, 32, 128}) {
    add(suite, rows, 2048, 2048);
    add_quantised(suite, rows, 2048, 2048);
  }
}

}  // namespace wasmvino::bench
HWY_AFTER_NAMESPACE();
