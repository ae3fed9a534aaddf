// SPDX-License-Identifier: Apache-2.0
// Calls by position: their arguments by name, what they refuse, and equations without their ellipsis.
#include "frontends/pnnx/equation.h"
#include "pnnx_tester.h"

namespace wasmvino::test {
namespace {

const std::string kRow = "pnnx.Input x 0 1 x #x=(4)f32", kImage = "pnnx.Input x 0 1 x #x=(1,2,6,6)f32";

// The problems of a model with one call, whose operands are `literals`, each the text of an expression.
std::string refused(const std::string& input, const std::string& type,
                    const std::vector<std::string>& literals) {
  std::vector<std::string> lines = {input};
  std::string operands = "x";
  for (size_t i = 0; i < literals.size(); ++i) {
    lines.push_back(cat("pnnx.Expression l", i, " 0 1 l", i, " expr=", literals[i]));
    operands += cat(" l", i);
  }
  lines.push_back(cat(type, " call ", literals.size() + 1, " 1 ", operands, " y"));
  lines.push_back("pnnx.Output out 1 0 y");
  return problems_of(param(lines));
}

#define EXPECT_CONTAINS(text, part) EXPECT_NE(std::string(text).find(part), std::string::npos) << (text)

TEST(PnnxCalls, HaveArgumentsByName) {
  EXPECT_CONTAINS(refused(kRow, "aten::argsort", {"word", "True"}),
                  "its parameter dim is not an integer (dim=word descending=True)");
  EXPECT_CONTAINS(refused(kRow, "aten::argsort", {"3", "True"}), "its axis 3 is none of an input with 1");
  EXPECT_CONTAINS(refused(kRow, "aten::movedim", {"[0,0]", "1"}), "moves 2 axes to 1 positions");
  EXPECT_CONTAINS(refused(kRow, "aten::movedim", {"0.5", "0"}),
                  "its parameter source is not a list of integers");
  // A larger one could overflow in sums and products.
  EXPECT_CONTAINS(refused(kRow, "aten::argsort", {"9223372036854775807", "True"}),
                  "its parameter dim is not between -2^31 and 2^31");
}

TEST(PnnxCalls, RefuseMoreArgumentsThanTheyHave) {
  EXPECT_CONTAINS(refused(kRow, "aten::argsort", {"0", "True", "0", "0", "0"}),
                  "is called with 6 arguments, expected at most 4");
}

TEST(PnnxCalls, HaveTypesByNumber) {
  EXPECT_EQ(refused(kRow, "aten::prod", {"7"}), "it was read");
  EXPECT_CONTAINS(refused(kRow, "aten::prod", {"9"}), "has the unsupported element type number 9");
}

TEST(PnnxCalls, RefuseOperandsThatMakeNoSense) {
  EXPECT_CONTAINS(refused(kRow, "aten::meshgrid", {"yx"}),
                  "its parameter indexing is 'yx', expected ij or xy");
  EXPECT_CONTAINS(refused(kRow, "aten::hsplit", {"0"}), "cuts into 0 parts");
  EXPECT_CONTAINS(refused(kRow, "aten::hsplit", {"2147483648"}), "cuts into 2147483648 parts");
  EXPECT_CONTAINS(refused(kRow, "aten::unfold", {"0", "0", "1"}), "has windows of 0 elements");
  EXPECT_CONTAINS(refused(kRow, "aten::diagonal", {"0", "0", "0"}), "takes a diagonal of axis 0 alone");
  EXPECT_CONTAINS(refused(kRow, "aten::vdot", {}), "has 1 inputs, expected 2 at least");
  EXPECT_CONTAINS(refused(kRow, "aten::scatter", {"0", "0", "0.5", "odd"}), "reduces by 'odd'");
  EXPECT_CONTAINS(refused(kRow, "aten::linalg_norm", {"None", "0", "word"}),
                  "its parameter keepdim is not a boolean");
}

TEST(PnnxCalls, RefuseListsWithOtherThings) {
  EXPECT_CONTAINS(problems_of(param({kRow, "pnnx.Expression l 1 1 x l expr=[@0,None]",
                                     "aten::hstack call 1 1 l y", "pnnx.Output out 1 0 y"})),
                  "its list '[@0,None]' has a part that is neither a number nor a tensor");
}

TEST(PnnxCalls, TakeListsOfTensorsThatAreComputed) {
  const auto model = read_pnnx(param({kRow, "pnnx.Expression l 1 1 x l expr=[@0,mul(@0,2),@0]",
                                      "aten::hstack call 1 1 l y #y=(12)f32", "pnnx.Output out 1 0 y"}));
  const auto outputs = run(*model, {Tensor::of<float>({4}, {1, 2, 3, 4})});
  EXPECT_EQ(values(outputs[0]), (std::vector<float>{1, 2, 3, 4, 2, 4, 6, 8, 1, 2, 3, 4}));
}

// The places of the maxima of roi_pool are not computed.
TEST(PnnxCalls, RefuseReadersOfOutputsThatAreNotComputed) {
  const auto lines = [](const std::string& output) {
    return param({kImage, "pnnx.Input b 0 1 b #b=(3,5)f32",
                  "pnnx.custom_op.torchvision.roi_pool pool 2 2 x b y i arg_2=1.0 arg_3=2 arg_4=2",
                  "pnnx.Output out 1 0 " + output});
  };
  EXPECT_EQ(problems_of(lines("y")), "it was read");
  EXPECT_CONTAINS(problems_of(lines("i")),
                  "its output 1, the operand 'i', is read, but only output 0 is computed");
}

TEST(PnnxEquation, GetsItsEllipsisBack) {
  const PartialShape images = {2, 8, 5, 9}, square = {2, 9, 5}, row = {9};
  // '...ij,...kj->...ik'
  EXPECT_EQ(pnnx::with_ellipses("ik,jk->ij", {images, images}, {2, 8, 5, 5}), "...ik,...jk->...ij");
  // '...i,i->...'
  EXPECT_EQ(pnnx::with_ellipses("ij,j->i", {images, row}, {2, 8, 5}), "...ij,j->...i");
  // 'i...->...'
  EXPECT_EQ(pnnx::with_ellipses("ji->i", {images}, {8, 5, 9}), "ji...->i...");
  // 'i...j->j...i'
  EXPECT_EQ(pnnx::with_ellipses("ikj->jki", {images}, {9, 8, 5, 2}), "i...j->j...i");
  // 'bijd,bd...->bij...'
  EXPECT_EQ(pnnx::with_ellipses("ijkl,il->ijk", {images, square}, {2, 8, 5, 5}), "ijkl,il...->ijk...");
  EXPECT_EQ(pnnx::with_ellipses("ij,jk->ik", {{3, 4}, {4, 5}}, {3, 5}), "ij,jk->ik");
  // Nothing fits, or it is no equation of letters.
  EXPECT_EQ(pnnx::with_ellipses("ij,j->i", {images, row}, {7}), "ij,j->i");
  EXPECT_EQ(pnnx::with_ellipses("i,->i", {images, row}, {7}), "i,->i");
  EXPECT_EQ(pnnx::with_ellipses("...i->...", {images}, {2, 8, 5}), "...i->...");
  EXPECT_EQ(pnnx::with_ellipses("ij", {images, row}, {7}), "ij");
}

}  // namespace
}  // namespace wasmvino::test
