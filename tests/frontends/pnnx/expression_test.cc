// SPDX-License-Identifier: Apache-2.0
#include "frontends/pnnx/expression.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "core/text.h"

namespace wasmvino::test {
namespace {

using pnnx::Expression;

// With all parts told apart: "add(@0,#2)".
std::string describe(const Expression& expression) {
  switch (expression.kind) {
    case Expression::Kind::kInput:
      return cat("@", expression.input);
    case Expression::Kind::kNumber:
      return cat(expression.integral ? "i" : "r", expression.number);
    case Expression::Kind::kComplex:
      return cat("r", expression.number, "i", expression.imaginary);
    case Expression::Kind::kWord:
      return expression.text;
    default:
      break;
  }
  std::string parts;
  for (const Expression& argument : expression.arguments)
    parts += (parts.empty() ? "" : " ") + describe(argument);
  return cat(expression.text, "{", parts, "}");
}

std::string parsed(const std::string& text) {
  try {
    return describe(pnnx::parse_expression(text));
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(Expression, ReadsTheWholeGrammar) {
  EXPECT_EQ(parsed("add(@0,@12)"), "add{@0 @12}");
  EXPECT_EQ(parsed("mul(sub(@0,-3),1.5e-01)"), "mul{sub{@0 i-3} r0.15}");
  EXPECT_EQ(parsed("[size(@0,0),8,-1]"), "{size{@0 i0} i8 i-1}");
  EXPECT_EQ(parsed("[None,[1,2],@1]"), "{None {i1 i2} @1}");
  EXPECT_EQ(parsed("[]"), "{}");
  EXPECT_EQ(parsed("True"), "True");
  EXPECT_EQ(parsed("7"), "i7");
  EXPECT_EQ(parsed("sub(@0,0.000000e+00+4.000000e+00j)"), "sub{@0 r0i4}");
  EXPECT_EQ(parsed("-1.5e-01-2.5e-01j"), "r-0.15i-0.25");
  EXPECT_EQ(parsed("1+2j"), "r1i2");
}

// Release 20261020 of pnnx writes expm1 and log1p like operands.
TEST(Expression, PlacesLostBracketsAnew) {
  EXPECT_EQ(parsed("log1p,abs(@0)"), "log1p{abs{@0}}");
  EXPECT_EQ(parsed("mul(expm1,@0),0.5"), "mul{expm1{@0} r0.5}");
  EXPECT_EQ(parsed("sub(add(mul(log1p,abs(@0)),2),expm1),mul(@1,3),@0"),
            "sub{add{mul{log1p{abs{@0}} i2} expm1{mul{@1 i3}}} @0}");
  EXPECT_EQ(parsed("add(log1p),size(@0,1),int(@1)"), "add{log1p{size{@0 i1}} int{@1}}");
  // With brackets, nothing is placed anew.
  EXPECT_EQ(parsed("mul(expm1(@0),log1p(@1))"), "mul{expm1{@0} log1p{@1}}");
  EXPECT_NE(parsed("add(@0,expm1").find("expected a number"), std::string::npos);
  EXPECT_NE(parsed("expm1,@0,@1").find("makes no sense at '@1': expected its end"), std::string::npos);
  EXPECT_NE(parsed("[expm1,@0],2").find("makes no sense at ',2'"), std::string::npos);
  std::string deep;
  for (int i = 0; i < 300; ++i) deep += "expm1,";
  EXPECT_NE(parsed(deep + "@0").find("nested too deeply"), std::string::npos);
}

TEST(Expression, RefusesWhatMakesNoSense) {
  EXPECT_NE(parsed("add(@0").find("expected , or )"), std::string::npos);
  EXPECT_NE(parsed("[1,2").find("expected , or ]"), std::string::npos);
  EXPECT_NE(parsed("add(,@0)").find("expected a number, an input such as @0, or a function"),
            std::string::npos);
  EXPECT_NE(parsed("@x").find("expected an input such as @0"), std::string::npos);
  EXPECT_NE(parsed("3(@0)").find("only functions take arguments"), std::string::npos);
  EXPECT_NE(parsed("").find("expected a number"), std::string::npos);
  // No complex numbers, but words.
  for (const std::string text : {"j", "4j", "+j", "1+j", "1e+2j", "1.5+2.5i", "1++2j"})
    EXPECT_EQ(parsed(text), text);
}

TEST(Expression, RefusesDeepNesting) {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += "abs(";
  EXPECT_NE(parsed(text).find("nested too deeply"), std::string::npos);
}

}  // namespace
}  // namespace wasmvino::test
