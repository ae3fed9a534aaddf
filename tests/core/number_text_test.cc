// SPDX-License-Identifier: Apache-2.0
#include "core/number_text.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "core/text.h"
#include "tests/kernels/random.h"

namespace wasmvino {
namespace {

TEST(ParseInteger, TakesTheWholeText) {
  EXPECT_EQ(parse_integer("0"), 0);
  EXPECT_EQ(parse_integer("+12"), 12);
  EXPECT_EQ(parse_integer("-9223372036854775808"), std::numeric_limits<int64_t>::min());
  for (const char* wrong :
       {"", "+", "-", "+-1", "-+1", "1.0", "1e3", " 1", "1 ", "0x10", "9223372036854775808"}) {
    EXPECT_EQ(parse_integer(wrong), std::nullopt) << wrong;
  }
}

TEST(ParseReal, RoundsToTheNearest) {
  EXPECT_EQ(parse_real("0.1"), 0.1);
  EXPECT_EQ(parse_real("-5e-1"), -0.5);
  EXPECT_EQ(parse_real("+.5"), 0.5);
  EXPECT_EQ(parse_real("5."), 5.0);
  EXPECT_EQ(parse_real("9.9999997473787516e-06"), static_cast<double>(1e-5f));
  EXPECT_EQ(parse_real("9007199254740993"), 9007199254740992.0);  // a tie goes to even
  EXPECT_EQ(parse_real("9007199254740993.00000000000000001"), 9007199254740994.0);
  EXPECT_EQ(parse_real("1.7976931348623157E+308"), std::numeric_limits<double>::max());
  EXPECT_EQ(parse_real("4.9406564584124654e-324"), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(parse_real("1e999"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(parse_real("1e-999"), 0.0);
  EXPECT_TRUE(std::signbit(*parse_real("-0")));
}

TEST(ParseReal, TakesWords) {
  EXPECT_EQ(parse_real("inf"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(parse_real("-Infinity"), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(parse_real("NaN").value_or(0)));
}

TEST(ParseReal, RefusesWhatIsNoNumber) {
  for (const char* wrong :
       {"", "-", ".", "e5", "1e", "1e+", "1.2.3", "1,5", " 1", "1 ", "0x10", "1f", "--1", "infinite"}) {
    EXPECT_EQ(parse_real(wrong), std::nullopt) << wrong;
  }
}

TEST(WriteReal, ReadsBackAsTheSame) {
  EXPECT_EQ(write_real(0.1), "0.1");
  EXPECT_EQ(write_real(-2.5), "-2.5");
  EXPECT_EQ(write_real(-0.0), "-0");
  EXPECT_EQ(write_real(100), "100");
  EXPECT_EQ(write_real(1.0 / 3), "0.3333333333333333");
  kernels::Random random(7);
  for (int i = 0; i < 20000; ++i) {
    const double value = std::bit_cast<double>(uint64_t{random.next()} << 32 | random.next());
    if (!std::isfinite(value)) continue;
    const std::string text = write_real(value);
    EXPECT_EQ(parse_real(text), value) << text;
    EXPECT_LE(text.size(), 25u);
  }
  for (const double value :
       {5e-324, 1.7976931348623157e308, 1e21, 123456789012345680.0, -1.2345678901234567e-7}) {
    EXPECT_EQ(parse_real(write_real(value)), value);
  }
}

TEST(Text, NamesWhatIsNotFinite) {
  EXPECT_EQ(to_string(-std::numeric_limits<double>::infinity()), "-inf");
  EXPECT_EQ(to_string(std::numeric_limits<double>::quiet_NaN()), "nan");
}

}  // namespace
}  // namespace wasmvino
