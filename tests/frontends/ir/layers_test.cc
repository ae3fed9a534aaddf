// SPDX-License-Identifier: Apache-2.0
#include "ir_tester.h"

namespace wasmvino::test {
namespace {

TEST(Layers, MayComeInAnyOrderWithAnyIds) {
  const auto model = read(net(result(70, "out") + unary(9, "b") + parameter(1000000007, "y") + unary(5, "a") +
                                  parameter(3, "x") + result(2, "out2"),
                              edge(9, 1, 70, 0) + edge(5, 1, 9, 0) + edge(3, 0, 2, 0) + edge(3, 0, 5, 0)));
  ASSERT_EQ(model->parameters.size(), 2u);
  EXPECT_EQ(model->parameters[0]->name, "y");
  EXPECT_EQ(model->parameters[1]->name, "x");
  EXPECT_EQ(model->parameters[0]->id, 1000000007);
  ASSERT_EQ(model->results.size(), 2u);
  EXPECT_EQ(model->results[0]->name, "out");
  EXPECT_EQ(model->results[0]->inputs[0].node->name, "b");
  EXPECT_EQ(model->results[1]->inputs[0].node->name, "x");
}

TEST(Layers, PortsCountByTheirOrderNotTheirIds) {
  const std::string two_in_two_out = inputs({8, 2}) +
                                     "<output><port id=\"7\" precision=\"FP32\" names=\"first\"/>"
                                     "<port id=\"4\" precision=\"I64\" names=\"second\"/></output>";
  const auto model =
      read(net(parameter(0, "x") + parameter(1, "y") + layer(2, "op", "Add", two_in_two_out) + result(3),
               edge(0, 0, 2, 2) + edge(1, 0, 2, 8) + edge(2, 4, 3, 0)));
  const model::Node& op = node_of(*model, "op");
  EXPECT_EQ(op.inputs[0].node->name, "y");
  EXPECT_EQ(op.inputs[1].node->name, "x");
  EXPECT_EQ(model->results[0]->inputs[0].port, 1u);
  EXPECT_EQ(model->results[0]->output_names, std::vector<std::string>{"second"});
}

TEST(Layers, TensorNamesAreSplitAtCommasThatAreNotEscaped) {
  const auto model =
      read(net(parameter(0, "x", "f32", "FP32", " names=\"tx,a\\,b,,tx, k\"") + result(1), edge(0, 0, 1, 0)));
  EXPECT_EQ(model->parameters[0]->outputs[0].names, (std::vector<std::string>{" k", "a,b", "tx"}));
}

TEST(Layers, ResultsHaveNamesOfTheirOwn) {
  const auto model =
      read(net(parameter(0, "x", "f32", "FP32", " names=\"tx\"") +
                   result(1, "r1", " output_names=\"o1,o2\"") + result(2, "r2", " output_names=\"\""),
               edge(0, 0, 1, 0) + edge(0, 0, 2, 0)));
  EXPECT_EQ(model->results[0]->output_names, (std::vector<std::string>{"o1", "o2"}));
  EXPECT_EQ(model->results[1]->output_names, std::vector<std::string>{"tx"});
  EXPECT_EQ(model->parameters[0]->outputs[0].names, std::vector<std::string>{"tx"});
}

TEST(Layers, ParameterShapesMayBeOpen) {
  const auto shape_of = [](const std::string& data) {
    const auto model =
        read(net(layer(0, "x", "Parameter", "<data element_type=\"f32\" " + data + "/>" + output(0)), ""));
    return to_string(model->parameters[0]->outputs[0].shape);
  };
  EXPECT_EQ(shape_of("shape=\"?,4\""), "[?,4]");
  EXPECT_EQ(shape_of("shape=\"-1, 1..5 ,2..,..7\""), "[?,1..5,2..,..7]");
  EXPECT_EQ(shape_of("shape=\"...\""), "[...]");
  EXPECT_EQ(shape_of("shape=\"\""), "[]");
  EXPECT_EQ(shape_of(""), "[]");
}

TEST(Layers, ParametersWithoutDataAreAsTheirPort) {
  const auto model = read(net(layer(0, "x", "Parameter", output(0, dims({4, -1}), "I64")), ""));
  EXPECT_EQ(name(model->parameters[0]->outputs[0].type), "i64");
  EXPECT_EQ(to_string(model->parameters[0]->outputs[0].shape), "[4,?]");
}

TEST(Layers, DeclaredTypesOfComputedOutputsAreReplaced) {
  const std::string wrong = layer(1, "op", "Picky", inputs({0}) + output(1, dims({9}), "I64"));
  const auto model = read(net(parameter(0) + wrong + result(2), edge(0, 0, 1, 0) + edge(1, 1, 2, 0)));
  EXPECT_EQ(name(node_of(*model, "op").outputs[0].type), "f32");
  EXPECT_EQ(to_string(node_of(*model, "op").outputs[0].shape), "[2,3]");
}

TEST(Layers, RefusesOutputsThatTheOperationDoesNotHave) {
  const std::string two =
      layer(1, "op", "Picky", inputs({0}) + output(1, "</port><port id=\"3\" precision=\"FP32\">"));
  expect_problem("the layer has 2 outputs, but the operation has 1",
                 net(parameter(0) + two + result(2), edge(0, 0, 1, 0) + edge(1, 3, 2, 0)));
}

TEST(Layers, OutputsThatNobodyReadsMayBeLeftOut) {
  const std::string one = layer(1, "twin", "Twin", inputs({0}) + output(1));
  const auto model = read(net(parameter(0) + one + result(2), edge(0, 0, 1, 0) + edge(1, 1, 2, 0)));
  ASSERT_EQ(node_of(*model, "twin").outputs.size(), 2u);
  EXPECT_EQ(to_string(node_of(*model, "twin").outputs[1].shape), "[2,3]");
}

TEST(Layers, WhatNobodyNeedsIsLeftOut) {
  const auto model =
      read(net(parameter(0, "unused") + parameter(1) + unary(2, "dead", "Frobnicate") + result(3),
               edge(1, 0, 3, 0) + edge(1, 0, 2, 0)));
  EXPECT_EQ(model->nodes.size(), 3u);
  EXPECT_EQ(model->parameters.size(), 2u);
}

TEST(Layers, AssignRunsAlthoughNobodyReadsIt) {
  const std::string assign = layer(1, "save", "Assign", inputs({0}), "opset6");  // and has no port
  const auto model = read(net(parameter(0) + assign, edge(0, 0, 1, 0)));
  ASSERT_EQ(model->sinks.size(), 1u);
  EXPECT_EQ(model->sinks[0]->name, "save");
  EXPECT_EQ(model->sinks[0]->outputs.size(), 1u);
}

TEST(Layers, RefusesIdsThatAreNone) {
  const auto with_id = [](const std::string& id) {
    return net("<layer " + id +
                   " name=\"x\" type=\"Parameter\" version=\"opset1\"><data element_type=\"f32\"/>" +
                   output(0) + "</layer>",
               "");
  };
  expect_problem("Parameter 'x' (Parameter-1, line 3): <layer> has no id", with_id(""));
  expect_problem("<layer> has id=\"two\"", with_id("id=\"two\""));
  expect_problem("<layer> has id=\"-2\"", with_id("id=\"-2\""));
  expect_problem("<layer> has id=\"1x\"", with_id("id=\"1x\""));
  expect_problem("<layer> has id=\"9223372036854775808\"", with_id("id=\"9223372036854775808\""));
  EXPECT_EQ(read(with_id("id=\"9223372036854775807\""))->parameters[0]->id, 9223372036854775807);
  EXPECT_EQ(read(with_id("id=\"+7\""))->parameters[0]->id, 7);
}

TEST(Layers, RefusesLayersWithoutTypeNameOrVersion) {
  const auto without = [](const std::string& attribute) {
    std::string xml = chain("ReLU");
    const size_t layer_begin = xml.find("<layer id=\"1\"");
    const size_t at = xml.find(attribute + "=", layer_begin);
    return xml.erase(at, xml.find('"', xml.find('"', at) + 1) + 1 - at);
  };
  expect_problem("Relu '' (layer 1, Relu-1, line 4): <layer> has no name", without("name"));
  expect_problem("layer 'op' (layer 1, layer, line 4): <layer> has no type", without("type"));
  expect_problem("<layer> has no type", chain(""));
  expect_problem("<layer> has no version", chain("ReLU", ""));
  EXPECT_EQ(read(net(parameter(0, "") + result(1, ""), edge(0, 0, 1, 0)))->nodes.size(), 2u);
  expect_problem("ReLU 'op' (layer 1, ReLU, line 4): <layer> has no version", without("version"));
}

TEST(Layers, RefusesIdsThatRepeat) {
  expect_problem("Relu 'op' (layer 0, Relu-1, line 4): its id is also that of 'x' at line 3",
                 net(parameter(0) + unary(0, "op") + result(2), edge(0, 0, 2, 0)));
  expect_problem("has two input ports with id 1",
                 net(parameter(0) + layer(1, "op", "Add", inputs({1, 1}) + output(2)) + result(2),
                     edge(0, 0, 2, 0) + edge(0, 0, 1, 1)));
  const std::string twice =
      "<output><port id=\"0\" precision=\"FP32\"/><port id=\"0\" precision=\"FP32\"/></output>";
  expect_problem("has two output ports with id 0",
                 net(parameter(1) + layer(0, "op", "Split", inputs({0}) + twice), edge(1, 0, 0, 0)));
}

TEST(Layers, InputAndOutputPortsMayHaveTheSameIds) {
  const auto model = read(net(parameter(0) + layer(1, "op", "ReLU", inputs({0}) + output(0)) + result(2),
                              edge(0, 0, 1, 0) + edge(1, 0, 2, 0)));
  EXPECT_EQ(model->nodes.size(), 3u);
}

TEST(Layers, RefusesEdgesThatLeadNowhere) {
  const std::string layers = parameter(0) + unary(1, "op") + result(2);
  const std::string good = edge(1, 1, 2, 0);
  expect_problem(
      "Relu 'op' (layer 1, Relu-1, line 4): the edge at line 8 comes from layer 77, which does not exist",
      net(layers, good + edge(77, 0, 1, 0)));
  expect_problem("Parameter 'x' (layer 0, Parameter-1, line 3): the edge at line 9 goes to layer 77",
                 net(layers, good + edge(0, 0, 1, 0) + edge(0, 0, 77, 0)));
  expect_problem("the edge at line 9 comes from layer 77, which does not exist",
                 net(layers, good + edge(0, 0, 1, 0) + edge(77, 0, 78, 0)));
  expect_problem(
      "Parameter 'x' (layer 0, Parameter-1, line 3): the edge at line 8 comes from port 9, which is not one "
      "of its outputs",
      net(layers, good + edge(0, 9, 1, 0)));
  expect_problem(
      "Relu 'op' (layer 1, Relu-1, line 4): the edge at line 9 goes to port 9, which is not one of its "
      "inputs",
      net(layers, good + edge(0, 0, 1, 0) + edge(0, 0, 1, 9)));
  expect_problem("line 9: <edge> has from-layer=\"x\", expected an integer of 0 or more",
                 net(layers, good + edge(0, 0, 1, 0) +
                                 "<edge from-layer=\"x\" from-port=\"0\" to-layer=\"1\" to-port=\"0\"/>"));
  expect_problem(
      "line 9: <edge> has no to-port",
      net(layers, good + edge(0, 0, 1, 0) + "<edge from-layer=\"0\" from-port=\"0\" to-layer=\"1\"/>"));
}

TEST(Layers, RefusesInputsWithoutEdgeAndWithTwo) {
  const std::string layers = parameter(0) + unary(1, "op") + result(2);
  EXPECT_EQ(problems_of(net(layers, edge(1, 1, 2, 0)))[0].port(), "input 0");
  expect_problem("Relu 'op' (layer 1, Relu-1, line 4): nothing is connected to input 0 (port 0)",
                 net(layers, edge(1, 1, 2, 0)));
  expect_problem("Relu 'op' (layer 1, Relu-1, line 4): the edge at line 9 is the second one to input port 0",
                 net(layers, edge(1, 1, 2, 0) + edge(0, 0, 1, 0) + edge(0, 0, 1, 0)));
  expect_problem("Result 'result' (layer 2, Result-1, line 5): nothing is connected to input 0 (port 0)",
                 net(layers, edge(0, 0, 1, 0)));
}

TEST(Layers, RefusesResultsThatAreReadAndSourcesThatRead) {
  const std::string odd = layer(1, "odd", "Result", inputs({0}) + output(1));
  expect_problem("Result 'odd' (layer 1, Result-1, line 4): the edge at line 8 comes from it",
                 net(parameter(0) + odd + result(2), edge(0, 0, 1, 0) + edge(1, 1, 2, 0)));
  expect_problem("has 2 inputs, a Result has one", net(parameter(0) + layer(1, "r", "Result", inputs({0, 1})),
                                                       edge(0, 0, 1, 0) + edge(0, 0, 1, 1)));
  expect_problem("has 1 inputs, expected none",
                 net(parameter(0) + layer(1, "y", "Parameter", inputs({0}) + output(1)), edge(0, 0, 1, 0)));
  const std::string two =
      "<output><port id=\"0\" precision=\"FP32\"/><port id=\"1\" precision=\"FP32\"/></output>";
  expect_problem("has 2 outputs, expected one", net(layer(0, "y", "Parameter", two), ""));
}

TEST(Layers, RefusesCycles) {
  expect_problem("Relu 'a' (layer 1, Relu-1, line 3): is part of a cycle: 'a' → 'a'",
                 net(unary(1, "a") + result(2), edge(1, 1, 1, 0) + edge(1, 1, 2, 0)));
  expect_problem("is part of a cycle: 'c' → 'a' → 'b' → 'c'",
                 net(unary(1, "a") + unary(2, "b") + unary(3, "c") + result(4),
                     edge(3, 1, 1, 0) + edge(1, 1, 2, 0) + edge(2, 1, 3, 0) + edge(3, 1, 4, 0)));
  std::string layers = result(100), edges = edge(0, 1, 100, 0);
  for (int i = 0; i < 100; ++i) {
    layers += unary(i, cat("n", i));
    edges += edge((i + 99) % 100, 1, i, 0);
  }
  expect_problem("more … → 'n0'", net(layers, edges));
  // A cycle that nobody needs is left out with the rest.
  EXPECT_EQ(
      read(net(unary(1, "a") + parameter(0) + result(2), edge(1, 1, 1, 0) + edge(0, 0, 2, 0)))->nodes.size(),
      2u);
}

TEST(Layers, RefusesPortsThatAreNotWellDeclared) {
  const auto with_port = [](const std::string& port) {
    return net(layer(0, "x", "Parameter", "<data element_type=\"f32\"/><output>" + port + "</output>"), "");
  };
  expect_problem("output port 0 has no precision", with_port("<port id=\"0\"/>"));
  expect_problem("output port 0 has the unknown precision 'FP99'",
                 with_port("<port id=\"0\" precision=\"FP99\"/>"));
  expect_problem("<port> has no id", with_port("<port precision=\"FP32\"/>"));
  expect_problem("axis 1 of output port 0 is 'two', expected a size or -1",
                 with_port("<port id=\"0\" precision=\"FP32\"><dim>1</dim><dim>two</dim></port>"));
  expect_problem("axis 0 of output port 0 is '-2'",
                 with_port("<port id=\"0\" precision=\"FP32\"><dim>-2</dim></port>"));
  expect_problem("axis 0 of output port 0 is ''",
                 with_port("<port id=\"0\" precision=\"FP32\"><dim/></port>"));
  EXPECT_EQ(problems_of(with_port("<port id=\"0\" precision=\"f16\"/>")).size(), 0u);
  EXPECT_EQ(problems_of(with_port("<port id=\"0\" precision=\"BIN\"/>")).size(), 0u);
}

TEST(Layers, ListsAllProblems) {
  const std::string xml = net(
      parameter(0) + unary(1, "first", "Frobnicate") +
          unary(2, "second", "Picky", "opset1", "<data alpha=\"x\"/>") + unary(3, "third", "Mish", "opset1") +
          result(4) + constant(5, "element_type=\"f32\" shape=\"4\" offset=\"0\" size=\"16\"") + result(6) +
          result(7),
      edge(0, 0, 1, 0) + edge(1, 1, 2, 0) + edge(2, 1, 3, 0) + edge(3, 1, 4, 0) + edge(5, 0, 6, 0));
  try {
    read(xml, counting_bytes(10));
    FAIL();
  } catch (const model::ReadError& error) {
    EXPECT_EQ(name(error.code()), "INVALID_MODEL");
    EXPECT_EQ(
        std::string(error.what()),
        "the model has 5 problems:\n"
        "  Frobnicate 'first' (layer 1, Frobnicate, line 4): the operation Frobnicate of opset1 is unknown "
        "to "
        "this build\n"
        "  Picky 'second' (layer 2, Picky-1, line 5): attribute 'alpha' is 'x', expected a number\n"
        "  Mish 'third' (layer 3, Mish, line 6): opset1 has no operation Mish: it is in opset4 to opset16\n"
        "  Result 'result' (layer 7, Result-1, line 10): nothing is connected to input 0 (port 0)\n"
        "  Constant 'constant' (layer 5, Constant-1, line 8): its 16 bytes at byte 0 are beyond the end of "
        "the weights, "
        "which have 10 bytes");
    ASSERT_EQ(error.problems().size(), 5u);
    EXPECT_EQ(error.problems()[0].layer(), "first");
    EXPECT_EQ(error.problems()[0].layer_id(), 1);
    EXPECT_EQ(error.problems()[0].line(), 4);
    EXPECT_EQ(name(error.problems()[0].code()), "UNSUPPORTED");
    EXPECT_EQ(error.problems()[4].actual(), "10 bytes");
  }
}

TEST(Layers, OneProblemIsTheErrorItself) {
  try {
    read(chain("Frobnicate"));
    FAIL();
  } catch (const model::ReadError& error) {
    EXPECT_EQ(name(error.code()), "UNSUPPORTED");
    EXPECT_EQ(error.layer(), "op");
    EXPECT_EQ(error.layer_type(), "Frobnicate");
    EXPECT_EQ(error.layer_id(), 1);
    EXPECT_EQ(error.line(), 4);
    EXPECT_EQ(error.problems().size(), 1u);
  }
}

TEST(Layers, ListsAllProblemsOfTypesAndShapes) {
  const std::string xml =
      net(parameter(0, "i", "i32", "I32") + unary(1, "a", "Picky") + unary(2, "after_a", "Picky") +
              unary(3, "b", "Picky") + result(4) + result(5),
          edge(0, 0, 1, 0) + edge(1, 1, 2, 0) + edge(2, 1, 4, 0) + edge(0, 0, 3, 0) + edge(3, 1, 5, 0));
  const std::vector<Error> problems = problems_of(xml);
  ASSERT_EQ(problems.size(), 2u);  // what follows from the first is no problem of its own
  EXPECT_STREQ(problems[0].what(), "Picky 'a' (layer 1, Picky-1, line 4): its input is i32, expected f32");
  EXPECT_STREQ(problems[1].what(), "Picky 'b' (layer 3, Picky-1, line 6): its input is i32, expected f32");
}

TEST(Layers, AnyNumberOfProblemsTakesBoundedMemory) {
  const std::string long_name(100'000, 'n');
  std::string layers, edges;
  for (int i = 0; i < 3000; ++i) layers += result(i, i == 0 ? long_name : "r");
  try {
    read(net(layers, edges));
    FAIL();
  } catch (const model::ReadError& error) {
    EXPECT_EQ(error.problems().size(), 1000u);
    const std::string text = error.what();
    EXPECT_NE(text.find("the model has 3000 problems:"), std::string::npos);
    EXPECT_NE(text.find("and 2000 more"), std::string::npos);
    EXPECT_LT(text.size(), 200'000u);
    EXPECT_LT(error.problems()[0].layer().size(), 200u);
  }
}

TEST(Layers, NamesInMessagesStayOnOneLine) {
  const std::vector<Error> problems = problems_of(net(result(0, "a&#10;b"), ""));
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].layer(), "a b");
}

TEST(Layers, LongChainsAreReadWithoutRecursion) {
  constexpr int kCount = 50'000;
  std::string layers = parameter(0), edges = edge(0, 0, 1, 0);
  for (int i = 1; i <= kCount; ++i) {
    layers += unary(i, cat("n", i));
    edges += edge(i, 1, i + 1, 0);
  }
  EXPECT_EQ(read(net(layers + result(kCount + 1), edges))->nodes.size(), kCount + 2u);
}

}  // namespace
}  // namespace wasmvino::test
