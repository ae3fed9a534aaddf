// SPDX-License-Identifier: Apache-2.0
// Models: names, order, functions, problems. Operators are tested by the cases of ONNX itself.
#include "onnx_tester.h"

namespace wasmvino::test {
namespace {

const std::string kX = input(value("x", kFloat, {2})), kY = output(value("y", kFloat, {2}));

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(OnnxReader, KeepsTheNamesOfInputsOutputsAndNodes) {
  const auto model = read_onnx(model_of(node("Relu", {"x"}, {"y"}, field(3, "act")) +
                                        input(value("x", kFloat, {-1, 3})) + output(value("y", kFloat, {}))));
  EXPECT_EQ(model->name, "g");
  ASSERT_EQ(model->parameters.size(), 1u);
  EXPECT_EQ(model->parameters[0]->outputs[0].names, std::vector<std::string>{"x"});
  EXPECT_EQ(to_string(model->parameters[0]->outputs[0].shape), "[?,3]");
  ASSERT_EQ(model->results.size(), 1u);
  EXPECT_EQ(model->results[0]->output_names, std::vector<std::string>{"y"});
  EXPECT_EQ(model->results[0]->inputs[0].node->name, "act");
  EXPECT_EQ(port_of(model->results[0]->inputs[0]).names, std::vector<std::string>{"y"});
}

TEST(OnnxReader, NamesDynamicDimensions) {
  const std::string file = model_of(node("Relu", {"x"}, {"y"}) + input(value("x", kFloat, {-1, 3})) +
                                    input(value("z", kFloat, {2})) + output(value("y", kFloat, {3, -1})));
  const frontends::Outline outline = frontends::outline(MemoryBytes(file.data(), file.size()));
  ASSERT_EQ(outline.inputs.size(), 1u);
  EXPECT_EQ(outline.inputs[0].name, "x");
  EXPECT_EQ(outline.inputs[0].dimensions, (std::vector<std::string>{"n", ""}));
  ASSERT_EQ(outline.outputs.size(), 1u);
  EXPECT_EQ(outline.outputs[0].dimensions, (std::vector<std::string>{"", "n"}));
}

TEST(OnnxReader, BuildsNodesAfterTheirInputsInAnyOrder) {
  const std::string graph =
      node("Neg", {"b"}, {"y"}) + node("Neg", {"a"}, {"b"}) + node("Neg", {"x"}, {"a"}) + kX + kY;
  EXPECT_EQ(run_onnx(model_of(graph), Tensor::of({2}, {1.f, 2.f})), (std::vector<float>{-1, -2}));
}

TEST(OnnxReader, RefusesACycleInWords) {
  const std::string graph = node("Add", {"x", "y"}, {"a"}) + node("Neg", {"a"}, {"y"}) + kX + kY;
  EXPECT_PRED2(contains, problem_of(model_of(graph)), "its input 1, 'y', is no value of the graph");
}

TEST(OnnxReader, ListsAllUnknownOperatorsWithDomainAndOpset) {
  const std::string graph = node("Foo", {"x"}, {"a"}, field(3, "first")) +
                            node("Bar", {"a"}, {"y"}, field(7, "org.example")) + kX + kY;
  const std::string problem =
      problem_of(model_of(graph, field(8, field(1, "org.example") + field(2, uint64_t{3}))));
  EXPECT_PRED2(contains, problem, "2 problems");
  EXPECT_PRED2(contains, problem, "'first'");
  EXPECT_PRED2(contains, problem, "ai.onnx has no operator of this type that this build knows, in opset 21");
  EXPECT_PRED2(contains, problem,
               "org.example has no operator of this type that this build knows, in opset 3");
}

TEST(OnnxReader, TakesTheFormOfAnOperatorOfTheModelsOpset) {
  // Until opset 6, Add broadcasts from the attribute `axis`.
  const std::string graph =
      node("Add", {"x", "w"}, {"y"}, integer_attribute("broadcast", 1) + integer_attribute("axis", 0)) +
      input(value("x", kFloat, {2, 2})) + output(value("y", kFloat, {2, 2})) +
      initializer(tensor("w", kFloat, {2}, field(9, raw<float>({10, 20}))));
  const std::string model = field(1, uint64_t{3}) + field(7, graph) + field(8, field(2, uint64_t{6}));
  EXPECT_EQ(run_onnx(model, Tensor::of({2, 2}, {1.f, 2.f, 3.f, 4.f})), (std::vector<float>{11, 12, 23, 24}));
}

// f(a) = -a + -a, with an attribute that its node refers to.
std::string doubling(const std::string& body) {
  return field(25, field(1, "F") + field(10, "local") + field(4, "a") + field(5, "r") +
                       field(9, field(2, uint64_t{21})) +
                       field(9, field(1, "local") + field(2, uint64_t{1})) + body);
}

TEST(OnnxReader, InlinesFunctionsOfTheModel) {
  // A node of a function has the field 7, one of a graph the field 1.
  const auto inner = [](const std::string& type, std::initializer_list<const char*> inputs,
                        const char* result) {
    std::string text;
    for (const char* each : inputs) text += field(1, each);
    return field(7, text + field(2, result) + field(4, type.c_str()));
  };
  const std::string function = doubling(inner("Neg", {"a"}, "n") + inner("Add", {"n", "n"}, "r"));
  const std::string graph = node("F", {"x"}, {"y"}, field(7, "local")) + kX + kY;
  EXPECT_EQ(run_onnx(model_of(graph, function), Tensor::of({2}, {1.f, 2.f})), (std::vector<float>{-2, -4}));
}

TEST(OnnxReader, RefusesAFunctionThatCallsItself) {
  const std::string call = field(7, field(1, "a") + field(2, "r") + field(4, "F") + field(7, "local"));
  const std::string graph = node("F", {"x"}, {"y"}, field(7, "local")) + kX + kY;
  EXPECT_PRED2(contains, problem_of(model_of(graph, doubling(call))), "is a function that calls itself");
}

TEST(OnnxReader, RefusesDamagedFiles) {
  const std::string good = model_of(node("Relu", {"x"}, {"y"}) + kX + kY);
  ASSERT_EQ(problem_of(good), "it was read");
  // A length beyond the end of the file.
  EXPECT_PRED2(contains, problem_of(field(1, uint64_t{10}) + varint(7 << 3 | 2) + varint(1000)),
               "the ONNX file is damaged at byte 2: a field is longer than the message around it");
  for (size_t size = 3; size < good.size(); ++size) EXPECT_NE(problem_of(good.substr(0, size)), "");
}

TEST(OnnxReader, BoundsTheDepthOfGraphs) {
  std::string graph = node("Relu", {"x"}, {"y"}) + kY;
  for (int i = 0; i < 100; ++i) {
    const std::string attribute =
        field(5, field(1, "then_branch") + field(20, uint64_t{5}) + field(6, graph));
    graph = node("If", {"x"}, {"y"}, attribute) + kY;
  }
  EXPECT_PRED2(contains, problem_of(model_of(graph + kX)), "more than 64 graphs inside of one another");
}

TEST(OnnxReader, InspectsModelsThatItCannotRead) {
  const std::string file = model_of(node("Foo", {"x"}, {"y"}) + node("Relu", {"x"}, {"z"}) + kX + kY);
  const auto bytes = std::make_shared<MemoryBytes>(file.data(), file.size());
  const frontends::Inspection found = frontends::inspect(bytes, {}, ops::registry());
  EXPECT_EQ(found.format, "ONNX");
  ASSERT_EQ(found.operations.size(), 2u);
  EXPECT_EQ(found.operations[0].type, "Foo");
  EXPECT_FALSE(found.operations[0].supported);
  EXPECT_TRUE(found.operations[1].supported);
  ASSERT_EQ(found.inputs.size(), 1u);
  EXPECT_EQ(found.inputs[0].type, ElementType::kF32);
  EXPECT_EQ(found.problems.size(), 1u);
}

}  // namespace
}  // namespace wasmvino::test
