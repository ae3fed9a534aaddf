// SPDX-License-Identifier: Apache-2.0
// StringConcat, StringEqual, StringNormalizer, StringSplit. Expected values: the examples of ONNX's
// specification, and Python.
#include "tests/ops/domain_tester.h"

namespace wasmvino::test::string_operations_test {
namespace {

using Texts = std::vector<std::string>;

Tensor strings(const Shape& shape, const Texts& texts) {
  Tensor tensor(ElementType::kString, shape);
  std::copy(texts.begin(), texts.end(), tensor.mutable_data<std::string>());
  return tensor;
}

Texts texts_of(const Tensor& tensor) {
  return Texts(tensor.data<std::string>(), tensor.data<std::string>() + tensor.size());
}

Tensor concat(const Tensor& a, const Tensor& b) {
  return run_domain_op("ai.onnx", "StringConcat", {}, {a, b});
}

TEST(StringConcat, JoinsAndBroadcasts) {
  EXPECT_EQ(texts_of(concat(strings({2}, {"abc", "def"}), strings({2}, {".com", ".net"}))),
            (Texts{"abc.com", "def.net"}));
  const Tensor made = concat(strings({2, 1}, {"a", "b"}), strings({3}, {"x", "", "z"}));
  EXPECT_EQ(to_string(made.shape()), "[2,3]");
  EXPECT_EQ(texts_of(made), (Texts{"ax", "a", "az", "bx", "b", "bz"}));
  EXPECT_EQ(texts_of(concat(strings({}, {"1"}), strings({}, {"2"}))), Texts{"12"});
  EXPECT_EQ(concat(strings({0}, {}), strings({1}, {"a"})).size(), 0u);
}

TEST(StringEqual, ComparesBytes) {
  const Tensor made = run_domain_op("ai.onnx", "StringEqual", {},
                                    {strings({2, 1}, {"a", "b"}), strings({3}, {"a", "A", "b"})});
  EXPECT_EQ(to_string(made.shape()), "[2,3]");
  const uint8_t expected[] = {1, 0, 0, 0, 0, 1};
  for (size_t i = 0; i < 6; ++i) EXPECT_EQ(made.data<uint8_t>()[i], expected[i]) << i;
}

TEST(StringConcat, RefusesShapesThatDoNotFit) {
  expect_error(ErrorCode::kInvalidShape, "[2]",
               [] { concat(strings({2}, {"a", "b"}), strings({3}, {"a", "b", "c"})); });
}

// Parts and their numbers.
void expect_parts(const Tensor& data, const model::AttributeTexts& attributes, const std::string& shape,
                  const Texts& parts, const std::vector<int64_t>& counts) {
  const auto node = make_domain_node("ai.onnx", "StringSplit", attributes);
  node->outputs.resize(2);
  const std::vector<Tensor> inputs = {data};
  const std::vector<Tensor> made = model::evaluate_node(*node, inputs);
  EXPECT_EQ(to_string(made[0].shape()), shape);
  EXPECT_EQ(texts_of(made[0]), parts);
  expect_tensor<int64_t>(made[1], data.shape(), counts);
}

TEST(StringSplit, AtADelimiter) {
  expect_parts(strings({2}, {"abc.com", "def.net.x"}), {{"delimiter", "."}}, "[2,3]",
               {"abc", "com", "", "def", "net", "x"}, {2, 3});
  expect_parts(strings({1}, {"a..b"}), {{"delimiter", "."}}, "[1,3]", {"a", "", "b"}, {3});
  expect_parts(strings({1}, {"a--b--c"}), {{"delimiter", "--"}, {"maxsplit", "1"}}, "[1,2]", {"a", "b--c"},
               {2});
}

TEST(StringSplit, AtWhiteSpace) {
  expect_parts(strings({2}, {"  hello \t world ", ""}), {}, "[2,2]", {"hello", "world", "", ""}, {2, 0});
  expect_parts(strings({1}, {" a b  c "}), {{"maxsplit", "1"}}, "[1,2]", {"a", "b  c "}, {2});
  expect_parts(strings({0}, {}), {}, "[0,0]", {}, {});
}

Tensor normalize(const Tensor& data, const char* to, const char* case_sensitive, const char* stop_words) {
  return run_domain_op(
      "ai.onnx", "StringNormalizer",
      {{"case_change_action", to}, {"is_case_sensitive", case_sensitive}, {"stopwords", stop_words}}, {data});
}

TEST(StringNormalizer, RemovesStopWordsAndChangesTheCase) {
  const Tensor days = strings({4}, {"monday", "Tuesday", "wednesday", "thursday"});
  EXPECT_EQ(texts_of(normalize(days, "UPPER", "true", "monday,tuesday")),
            (Texts{"TUESDAY", "WEDNESDAY", "THURSDAY"}));
  EXPECT_EQ(texts_of(normalize(days, "LOWER", "false", "monday,tuesday")), (Texts{"wednesday", "thursday"}));
  const Tensor row = normalize(strings({1, 2}, {"a", "B"}), "NONE", "true", "a");
  EXPECT_EQ(to_string(row.shape()), "[1,1]");
  EXPECT_EQ(texts_of(row), Texts{"B"});
}

TEST(StringNormalizer, OneEmptyStringIfNoneIsLeft) {
  EXPECT_EQ(texts_of(normalize(strings({2}, {"a", "a"}), "NONE", "true", "a")), Texts{""});
}

TEST(StringNormalizer, Refuses) {
  expect_error(ErrorCode::kUnsupported, "other letters than those of ASCII (2 bytes)",
               [] { normalize(strings({1}, {"\xc3\x84"}), "LOWER", "true", "a"); });
  expect_error(ErrorCode::kInvalidShape, "axis 0 of data [2,1] is 2",
               [] { normalize(strings({2, 1}, {"a", "b"}), "NONE", "true", "a"); });
}

}  // namespace
}  // namespace wasmvino::test::string_operations_test
