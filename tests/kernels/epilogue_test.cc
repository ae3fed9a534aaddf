// SPDX-License-Identifier: Apache-2.0
#include "kernels/epilogue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

#include "kernels/epilogue-inl.h"
#include "tests/kernels/random.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

TEST(Epilogue, ClampsArePartOfTheStore) {
  Epilogue e;
  EXPECT_FALSE(e.bounds.clamps());
  const auto state = [&](const UnaryFunction& f) {
    e.activate(f);
    return std::tuple(e.bounds.low, e.bounds.high, e.activation.kind);
  };
  EXPECT_EQ(state({Unary::kRelu}), std::tuple(0.0f, kInf, Unary::kIdentity));
  EXPECT_TRUE(e.bounds.clamps());
  EXPECT_EQ(state({Unary::kClamp, -1, 6}), std::tuple(-1.0f, 6.0f, Unary::kIdentity));
  EXPECT_TRUE(e.bounds.clamps());
  EXPECT_EQ(state({Unary::kElu, 0.5f}), std::tuple(-kInf, kInf, Unary::kElu));
  EXPECT_FALSE(e.bounds.clamps());
  EXPECT_EQ(state({}), std::tuple(-kInf, kInf, Unary::kIdentity));
}

TEST(Epilogue, ClampKeepsNan) {
  const Clamp clamp(Bounds{-1, 6});
  const float x[kLanes] = {-2, 3, 7, std::nanf("")};
  float y[kLanes];
  store(clamp(load(x)), y);
  EXPECT_EQ(std::vector<float>(y, y + 3), (std::vector<float>{-1, 3, 6}));
  EXPECT_TRUE(std::isnan(y[3]));
}

TEST(Epilogue, ActivatesStoredRows) {
  std::vector<float> row = {-2, 1, -3, 4, 77};
  Epilogue e;
  e.activate({Unary::kRelu});
  activate_stored(e, row.data(), 4);
  EXPECT_EQ(row, (std::vector<float>{-2, 1, -3, 4, 77}));
  e.activate({Unary::kAbs});
  activate_stored(e, row.data(), 4);
  EXPECT_EQ(row, (std::vector<float>{2, 1, 3, 4, 77}));
}

TEST(Epilogue, FinishesOneSumInF32) {
  const std::vector<float> bias = {10, 20, 30}, residual = {1, 2, 3, 4, 5, 6, 7, 8};
  Epilogue e;
  EXPECT_EQ(finish_sum(e, 0.5f, 1, 2), 0.5f);
  e.bias = bias.data();
  EXPECT_EQ(finish_sum(e, 0.5f, 1, 2), 30.5f);
  e.bias_per_row = true;
  EXPECT_EQ(finish_sum(e, 0.5f, 1, 2), 20.5f);
  e.residual = {nullptr, residual.data(), 4};
  EXPECT_EQ(finish_sum(e, 0.5f, 1, 2), 27.5f);
  e.bounds = {-1, 6};
  EXPECT_EQ(finish_sum(e, 0.5f, 1, 2), 6);
  EXPECT_EQ(finish_sum(e, -100, 1, 2), -1);
  EXPECT_TRUE(std::isnan(finish_sum(e, std::nanf(""), 1, 2)));
}

// What is computed for one sum in i32.
float expected_of(const Epilogue& e, int32_t sum, size_t row, size_t column) {
  float v = static_cast<float>(sum) * e.scale[column];
  v += e.bias[column];
  const Residual at = e.residual.from(row, column);
  if (e.residual) v += (at.u8 != nullptr ? static_cast<float>(*at.u8) : *at.f32) * e.residual_scale[column];
  return std::clamp(v, e.bounds.low, e.bounds.high);
}

// What epilogues of integer sums read: numbers of 24 columns, and residuals.
struct Operands {
  static constexpr size_t kStride = 24;

  explicit Operands(size_t rows) : real(filled(rows * kStride, 0, 100)), levels(rows * kStride) {
    for (uint8_t& v : levels) v = static_cast<uint8_t>(random.integer(0, 255));
  }
  // Numbers that differ from `middle` by less than `range`.
  std::vector<float> filled(size_t count, float middle, float range) {
    std::vector<float> values(count);
    for (float& v : values) v = middle + range * random.real();
    return values;
  }
  std::vector<float> columns(float middle, float range) { return filled(kStride, middle, range); }
  std::array<Residual, 3> residuals() const {
    return {{{}, {nullptr, real.data(), kStride}, {levels.data(), nullptr, kStride}}};
  }
  Epilogue epilogue(const Residual& residual) const {
    Epilogue e;
    e.scale = scale.data();
    e.bias = bias.data();
    e.residual = residual;
    e.residual_scale = residual_scale.data();
    return e;
  }

  Random random{3};
  std::vector<float> real, scale, bias, residual_scale;
  std::vector<uint8_t> levels;
};

template <size_t kRows>
void check_sums(const Epilogue& e, bool bytes, size_t width) {
  constexpr size_t kStride = 24, kRow = 2, kColumn = 8;
  Random random(7);
  int32_t sums[kRows][8];
  for (auto& row : sums) {
    for (int32_t& sum : row) sum = static_cast<int32_t>(random.integer(-40'000, 40'000));
  }
  std::vector<float> real((kRow + kRows) * kStride, 77);
  std::vector<uint8_t> levels(real.size(), 77);
  const Output c = {bytes ? levels.data() : nullptr, bytes ? nullptr : real.data(), kStride};
  finish_rows(sums[0], kRows, e, c, kRow, kColumn, width);
  for (size_t i = 0; i < real.size(); ++i) {
    const size_t row = i / kStride, column = i % kStride;
    const bool inside = row >= kRow && column >= kColumn && column < kColumn + width;
    const float v = inside ? expected_of(e, sums[row - kRow][column - kColumn], row, column) : 77;
    ASSERT_EQ(bytes ? levels[i] : real[i], bytes ? std::nearbyint(v) : v) << row << ", " << column;
  }
}

TEST(Epilogue, FinishesIntegerSumsOfAnyWidth) {
  Operands operands(8);
  operands.scale = operands.columns(0.003f, 0.002f);
  operands.bias = operands.columns(100, 50);
  operands.residual_scale = operands.columns(0, 0.25f);
  const Bounds all_bounds[] = {{}, {0, kInf}, {3, 250}};
  for (const Residual& residual : operands.residuals()) {
    for (const Bounds& bounds : all_bounds) {
      for (const bool bytes : {false, true}) {
        Epilogue e = operands.epilogue(residual);
        e.bounds = bytes ? Bounds{3, 250} : bounds;
        for (size_t width = 1; width <= 8; ++width) {
          SCOPED_TRACE(testing::Message() << "width " << width << (bytes ? ", u8" : ", f32"));
          check_sums<1>(e, bytes, width);
          check_sums<5>(e, bytes, width);
          check_sums<6>(e, bytes, width);
        }
      }
    }
  }
}

TEST(Epilogue, FinishesIntegerSumsInSteps) {
  constexpr size_t kStride = Operands::kStride, kRow = 2, kColumn = 8;
  Operands operands(135);
  operands.scale = operands.columns(0.0003f, 0.0002f);
  operands.bias = operands.columns(0, 1);
  operands.residual_scale = operands.columns(0, 0.02f);
  const std::vector<float> slopes = operands.columns(0, 1), inverse = operands.columns(20, 5),
                           shift = operands.columns(60, 20);
  const Unary kinds[] = {Unary::kIdentity, Unary::kHSwish, Unary::kSwish, Unary::kSigmoid};
  std::vector<int32_t> sums(130 * 8);
  for (int32_t& sum : sums) sum = static_cast<int32_t>(operands.random.integer(-20'000, 20'000));
  for (const Unary kind : kinds) {
    for (const Residual& residual : operands.residuals()) {
      for (const bool has_slopes : {false, true}) {
        for (const bool bytes : {false, true}) {
          Epilogue e = operands.epilogue(residual);
          e.activation = {kind, 1};
          e.slopes = has_slopes ? slopes.data() : nullptr;
          e.inverse = bytes ? inverse.data() : nullptr;
          e.shift = bytes ? shift.data() : nullptr;
          e.most = 250;
          if (!e.steps()) continue;
          for (const size_t rows : {1, 4, 130}) {
            for (const size_t width : {1, 4, 5, 8}) {
              std::vector<float> y((kRow + rows) * kStride, 77);
              std::vector<uint8_t> q(y.size(), 77);
              finish_rows(sums.data(), rows, e,
                          {bytes ? q.data() : nullptr, bytes ? nullptr : y.data(), kStride}, kRow, kColumn,
                          width);
              for (size_t i = 0; i < y.size(); ++i) {
                const size_t row = i / kStride, column = i % kStride;
                float v = 77;
                if (row >= kRow && column >= kColumn && column < kColumn + width) {
                  v = expected_of(e, sums[(row - kRow) * 8 + column - kColumn], row, column);
                  apply_unary(e.activation, &v, &v, 1);
                  if (has_slopes && v < 0) v *= slopes[column];
                  if (bytes) {
                    v *= inverse[column];
                    v += shift[column];
                    v = std::nearbyint(std::clamp(v, 0.0f, 250.0f));
                  }
                }
                ASSERT_EQ(bytes ? q[i] : y[i], v)
                    << int(kind) << ", " << rows << " rows, width " << width << ": " << row << ", " << column;
              }
            }
          }
        }
      }
    }
  }
}

TEST(Epilogue, LargeSumsBecomeTheBounds) {
  constexpr int32_t kLeast = std::numeric_limits<int32_t>::min(), kMost = std::numeric_limits<int32_t>::max();
  const int32_t sums[2][8] = {{kLeast, -5'000'000, -256, 0, 100, 256, 5'000'000, kMost},
                              {kMost, kLeast, 1 << 22, -(1 << 22), 1 << 24, 13, 65'536, -65'536}};
  const std::vector<float> bias(8, 0);
  for (const float factor : {1.0f, 1000.0f}) {
    const std::vector<float> scale(8, factor);
    Epilogue e;
    e.scale = scale.data();
    e.bias = bias.data();
    e.bounds = {3, 250};
    std::vector<uint8_t> levels(3 * 8);
    finish_rows(sums[0], 2, e, {levels.data(), nullptr, 8}, 0, 0, 8);
    finish_rows(sums[1], 1, e, {levels.data(), nullptr, 8}, 2, 0, 8);
    for (size_t i = 0; i < levels.size(); ++i) {
      const int32_t sum = i < 16 ? sums[i / 8][i % 8] : sums[1][i % 8];
      EXPECT_EQ(levels[i], std::clamp(static_cast<float>(sum) * factor, 3.0f, 250.0f)) << i;
    }
  }
}

}  // namespace
}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
