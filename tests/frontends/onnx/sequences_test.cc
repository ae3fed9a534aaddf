// SPDX-License-Identifier: Apache-2.0
// Sequences and optional values, which exist only while a model is read.
#include "onnx_tester.h"

namespace wasmvino::test {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

const std::string kX = input(value("x", kFloat, {2})), kY = output(value("y", kFloat, {}));

std::string number(const char* name, int64_t value) {
  return initializer(tensor(name, kInt64, {}, field(9, raw<int64_t>({value}))));
}

std::vector<float> run(const std::string& graph) {
  return run_onnx(model_of(graph + kX + kY), Tensor::of({2}, {1.f, 2.f}));
}

// [x, -x, -x * -x]
const std::string kThree = node("Neg", {"x"}, {"n"}) + node("Mul", {"n", "n"}, {"m"}) +
                           node("SequenceConstruct", {"x", "n", "m"}, {"s"});

TEST(OnnxSequences, TakesATensorAtAPosition) {
  EXPECT_EQ(run(kThree + node("SequenceAt", {"s", "p"}, {"y"}) + number("p", 1)),
            (std::vector<float>{-1, -2}));
  EXPECT_EQ(run(kThree + node("SequenceAt", {"s", "p"}, {"y"}) + number("p", -1)),
            (std::vector<float>{1, 4}));
}

TEST(OnnxSequences, AComputedPositionChoosesAmongTensorsOfOneShape) {
  const std::string graph = kThree + node("Cast", {"x"}, {"i"}, integer_attribute("to", 7)) +
                            node("ReduceMax", {"i"}, {"p"}, integer_attribute("keepdims", 0)) +
                            node("SequenceAt", {"s", "p"}, {"y"});
  EXPECT_EQ(run(graph), (std::vector<float>{1, 4}));
}

TEST(OnnxSequences, InsertsErasesAndJoins) {
  const std::string graph = kThree + number("zero", 0) + node("SequenceErase", {"s", "zero"}, {"e"}) +
                            node("SequenceInsert", {"e", "m", "zero"}, {"i"}) +
                            node("ConcatFromSequence", {"i"}, {"y"}, integer_attribute("axis", 0));
  EXPECT_EQ(run(graph), (std::vector<float>{1, 4, -1, -2, 1, 4}));
}

TEST(OnnxSequences, SplitsAndCounts) {
  const std::string graph =
      node("SplitToSequence", {"x"}, {"s"}, integer_attribute("keepdims", 0)) +
      node("SequenceLength", {"s"}, {"n"}) + node("Cast", {"n"}, {"c"}, integer_attribute("to", 1)) +
      node("SequenceAt", {"s", "p"}, {"a"}) + number("p", 1) + node("Mul", {"a", "c"}, {"y"});
  EXPECT_EQ(run(graph), (std::vector<float>{4}));
}

TEST(OnnxSequences, MapsAGraph) {
  const std::string body = field(2, "b") + node("Neg", {"e"}, {"r"}) + input(value("e", kFloat, {})) +
                           output(value("r", kFloat, {}));
  const std::string attribute = field(5, field(1, "body") + field(20, uint64_t{5}) + field(6, body));
  const std::string graph = kThree + node("SequenceMap", {"s"}, {"t"}, attribute) +
                            node("ConcatFromSequence", {"t"}, {"y"}, integer_attribute("axis", 0));
  EXPECT_EQ(run(graph), (std::vector<float>{-1, -2, 1, 2, -1, -4}));
}

TEST(OnnxSequences, AnOptionalValueIsThereOrNot) {
  const std::string graph = node("Optional", {"x"}, {"o"}) + node("OptionalHasElement", {"o"}, {"h"}) +
                            node("OptionalHasElement", {""}, {"g"}) + node("And", {"h", "g"}, {"b"}) +
                            node("Cast", {"b"}, {"f"}, integer_attribute("to", 1)) +
                            node("OptionalGetElement", {"o"}, {"e"}) + node("Sub", {"f", "e"}, {"y"});
  EXPECT_EQ(run(graph), (std::vector<float>{-1, -2}));
}

TEST(OnnxSequences, Refuses) {
  const auto problem = [](const std::string& graph) { return problem_of(model_of(graph + kX + kY)); };
  EXPECT_PRED2(contains, problem(kThree + node("SequenceAt", {"s", "p"}, {"y"}) + number("p", 3)),
               "has the position 3 of a sequence with 3 tensors");
  EXPECT_PRED2(contains, problem(node("SequenceAt", {"x", "p"}, {"y"}) + number("p", 3)),
               "its input 0 is a tensor, expected a sequence");
  EXPECT_PRED2(contains, problem(kThree + node("Neg", {"s"}, {"y"})),
               "'s', is a sequence, expected a tensor");
  EXPECT_PRED2(contains,
               problem(kThree + node("SequenceInsert", {"s", "x", "p"}, {"t"}) +
                       node("ConcatFromSequence", {"t"}, {"y"}, integer_attribute("axis", 0)) +
                       node("Cast", {"x"}, {"i"}, integer_attribute("to", 7)) +
                       node("ReduceMax", {"i"}, {"p"}, integer_attribute("keepdims", 0))),
               "its input 2 is computed by the graph, expected a constant");
  EXPECT_PRED2(contains, problem(kThree + output(value("s", kFloat, {}))), "is no tensor, expected a tensor");
  EXPECT_PRED2(contains, problem(node("Optional", {""}, {"o"}) + node("OptionalGetElement", {"o"}, {"y"})),
               "takes the content of an empty optional value");
}

TEST(OnnxSequences, ASequenceOfTooManyTensorsIsRefused) {
  const std::string graph = node("SplitToSequence", {"w"}, {"s"}) + node("SequenceLength", {"s"}, {"y"}) +
                            input(value("w", kFloat, {int64_t{1} << 30})) + output(value("y", kInt64, {}));
  EXPECT_PRED2(contains, problem_of(model_of(graph)), "makes more than 1048576 nodes");
}

}  // namespace
}  // namespace wasmvino::test
