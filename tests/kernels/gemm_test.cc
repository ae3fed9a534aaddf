// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/kernels/activation_reference.h"
#include "tests/kernels/random.h"
#include "tests/kernels/registers.h"

namespace wasmvino::kernels {
namespace {

struct Form {
  bool transposed_a = false, transposed_b = false;
  enum { kNone, kColumns, kRows } bias = kNone;
  bool residual = false;
  UnaryFunction activation;
};

constexpr float kGuard = -777.0f;

// Runs one shape through packed and unpacked B, whole and in parts, and compares with a sum in double
// precision.
void check_once(size_t m, size_t n, size_t k, const Form& form) {
  SCOPED_TRACE(testing::Message() << m << " x " << n << " x " << k << ", transposed " << form.transposed_a
                                  << form.transposed_b << ", bias " << form.bias << ", residual "
                                  << form.residual << ", activation "
                                  << static_cast<int>(form.activation.kind));
  const size_t gap = 3;  // rows are wider than what is used, and nothing is aligned
  const std::vector<float> a =
      random_floats((form.transposed_a ? k : m) * ((form.transposed_a ? m : k) + gap) + 1, 1);
  const std::vector<float> b =
      random_floats((form.transposed_b ? n : k) * ((form.transposed_b ? k : n) + gap) + 1, 2);
  const std::vector<float> bias = random_floats(std::max(m, n), 3);
  const std::vector<float> residual = random_floats(m * (n + gap), 4);
  std::vector<float> c(m * (n + gap) + 2);

  Gemm g{m, n, k, a.data() + 1, k + gap, 1, c.data() + 1, n + gap, {}};
  if (form.transposed_a) g.a_row_stride = 1, g.a_k_stride = m + gap;
  const size_t b_k = form.transposed_b ? 1 : n + gap, b_n = form.transposed_b ? k + gap : 1;
  if (form.bias != Form::kNone) g.epilogue.bias = bias.data();
  g.epilogue.bias_per_row = form.bias == Form::kRows;
  if (form.residual) g.epilogue.residual = {nullptr, residual.data(), n + gap};
  g.epilogue.activate(form.activation);

  std::vector<double> expected(m * n), tolerance(m * n);
  for (size_t i = 0; i < m; ++i) {
    for (size_t j = 0; j < n; ++j) {
      double sum = form.bias == Form::kColumns ? bias[j] : form.bias == Form::kRows ? bias[i] : 0;
      if (form.residual) sum += residual[i * (n + gap) + j];
      double magnitude = std::abs(sum);
      for (size_t p = 0; p < k; ++p) {
        const double x = g.a[i * g.a_row_stride + p * g.a_k_stride], y = b[1 + p * b_k + j * b_n];
        sum += x * y;
        magnitude += std::abs(x * y);
      }
      expected[i * n + j] = activated(form.activation, sum);
      tolerance[i * n + j] = 1e-6 + 3e-7 * magnitude;
    }
  }
  const auto verify = [&](const char* what) {
    EXPECT_EQ(c.front(), kGuard) << what;
    for (size_t i = 0; i < m; ++i) {
      const float* row = g.c + i * g.c_row_stride;
      for (size_t j = 0; j < n; ++j) {
        ASSERT_NEAR(row[j], expected[i * n + j], tolerance[i * n + j]) << what << " at " << i << ", " << j;
      }
      for (size_t j = n; j < n + gap; ++j) ASSERT_EQ(row[j], kGuard) << what << " wrote behind row " << i;
    }
  };

  std::vector<float> packed(packed_b_size(k, n), kGuard), scratch(kGemmScratchSize);
  pack_b(b.data() + 1, b_k, b_n, k, n, {0, n}, packed.data());
  std::fill(c.begin(), c.end(), kGuard);
  gemm(g, packed.data(), {0, m}, {0, n});
  verify("packed");
  std::fill(c.begin(), c.end(), kGuard);
  gemm(g, b.data() + 1, b_k, b_n, scratch.data(), {0, m}, {0, n});
  verify("unpacked");

  const size_t row = m / 2, column = n / 2 / 8 * 8;
  std::fill(c.begin(), c.end(), kGuard);
  std::fill(packed.begin(), packed.end(), kGuard);
  pack_b(b.data() + 1, b_k, b_n, k, n, {column, n}, packed.data());
  pack_b(b.data() + 1, b_k, b_n, k, n, {0, column}, packed.data());
  for (const Range& rows : {Range{0, row}, Range{row, m}}) {
    for (const Range& columns : {Range{0, column}, Range{column, n}}) gemm(g, packed.data(), rows, columns);
  }
  verify("packed in parts");
  std::fill(c.begin(), c.end(), kGuard);
  for (const Range& rows : {Range{0, row}, Range{row, m}}) {
    for (const Range& columns : {Range{0, column}, Range{column, n}}) {
      gemm(g, b.data() + 1, b_k, b_n, scratch.data(), rows, columns);
    }
  }
  verify("unpacked in parts");
}

void check(size_t m, size_t n, size_t k, const Form& form) {
  with_both_registers([&] { check_once(m, n, k, form); });
}

TEST(Gemm, AllSmallShapes) {
  for (size_t m = 0; m <= 9; ++m) {
    for (size_t n : {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 41, 65}) {
      for (size_t k : {0, 1, 2, 3, 4, 5, 8, 17}) check(m, n, k, {});
    }
  }
}

TEST(Gemm, AllForms) {
  for (const UnaryFunction& activation :
       {UnaryFunction{}, UnaryFunction{Unary::kRelu}, UnaryFunction{Unary::kClamp, -0.5f, 0.75f},
        UnaryFunction{Unary::kTanh}}) {
    for (int bits = 0; bits < 8; ++bits) {
      for (const auto bias : {Form::kNone, Form::kColumns, Form::kRows}) {
        Form form{(bits & 1) != 0, (bits & 2) != 0, bias, (bits & 4) != 0, activation};
        for (size_t m : {1, 2, 3, 6, 13}) check(m, 43, 19, form);
      }
    }
  }
}

TEST(Gemm, DeepAndWide) {
  for (const Form& form : {Form{}, Form{true, true, Form::kColumns, true, {Unary::kClamp, -1, 1}},
                           Form{false, true, Form::kRows, true, {Unary::kTanh}}}) {
    for (size_t m : {1, 2, 5, 25}) {
      check(m, 300, 257, form);
      check(m, 17, 1031, form);
      check(m, 8, 256, form);
    }
  }
  check(64, 520, 515, {});
  check(200, 17, 515, Form{true, true, Form::kColumns, true, {Unary::kRelu}});
  // Rows of a transposed A are brought in order, so many at a time that several parts are needed.
  check(103, 45, 300, Form{true, false, Form::kRows, true, {Unary::kTanh}});
  check(50, 65, 1500, Form{true, true, Form::kColumns, false, {}});
}

// The probe may widen the tiles between two runs of a model.
TEST(Gemm, RegistersDoNotChangeResults) {
  const size_t m = 13, n = 43, k = 300;
  const std::vector<float> a = random_floats(m * k, 1), b = random_floats(k * n, 2);
  std::vector<float> packed(packed_b_size(k, n)),
      results[2] = {std::vector<float>(m * n), std::vector<float>(m * n)};
  pack_b(b.data(), n, 1, k, n, {0, n}, packed.data());
  float* c = results[0].data();
  with_both_registers([&] {
    gemm({m, n, k, a.data(), k, 1, c, n, {}}, packed.data(), {0, m}, {0, n});
    c = results[1].data();
  });
  EXPECT_EQ(results[0], results[1]);
}

TEST(Gemm, InfinityAndNanPass) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const float a[] = {inf, nan, 1}, b[] = {1};
  float c[3], packed[8];
  pack_b(b, 1, 1, 1, 1, {0, 1}, packed);
  Gemm g{3, 1, 1, a, 1, 1, c, 1, {}};
  g.epilogue.activate({Unary::kRelu});
  gemm(g, packed, {0, 3}, {0, 1});
  EXPECT_EQ(c[0], inf);
  EXPECT_TRUE(std::isnan(c[1]));
  EXPECT_EQ(c[2], 1.0f);
}

}  // namespace
}  // namespace wasmvino::kernels
