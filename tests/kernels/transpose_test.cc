// SPDX-License-Identifier: Apache-2.0
#include "kernels/transpose.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace wasmvino::kernels {
namespace {

template <typename T>
void check(size_t rows, size_t columns, size_t from_gap, size_t to_gap) {
  SCOPED_TRACE(testing::Message() << rows << " x " << columns << " of " << sizeof(T) << " bytes, gaps "
                                  << from_gap << ", " << to_gap);
  const size_t from_stride = columns + from_gap, to_stride = rows + to_gap;
  std::vector<T> from(rows * from_stride + 1), to(columns * to_stride + 2, T{99});
  for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<T>(i * 7 + i / 251);
  transpose(from.data() + 1, from_stride, to.data() + 1, to_stride, rows, columns, sizeof(T));
  EXPECT_EQ(to.front(), T{99});
  for (size_t j = 0; j < columns; ++j) {
    for (size_t i = 0; i < to_stride; ++i) {
      ASSERT_EQ(to[1 + j * to_stride + i], i < rows ? from[1 + i * from_stride + j] : T{99})
          << i << ", " << j;
    }
  }
  EXPECT_EQ(to.back(), T{99});
}

template <typename T>
void check_all() {
  constexpr size_t kSizes[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 65};
  for (size_t rows : kSizes) {
    for (size_t columns : kSizes) {
      check<T>(rows, columns, 0, 0);
      check<T>(rows, columns, 3, 1);
    }
  }
}

TEST(Transpose, Bytes) { check_all<uint8_t>(); }
TEST(Transpose, SixteenBits) { check_all<uint16_t>(); }
TEST(Transpose, ThirtyTwoBits) { check_all<uint32_t>(); }
TEST(Transpose, SixtyFourBits) { check_all<uint64_t>(); }

}  // namespace
}  // namespace wasmvino::kernels
