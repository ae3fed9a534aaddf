// SPDX-License-Identifier: Apache-2.0
#include "ir_tester.h"

namespace wasmvino::test {
namespace {

using model::BodyInput;
using model::BodyOutput;

// Parameters 10 and 11, Add 12, Results 13 (of the Add) and 14 (of parameter 11).
const std::string& body_graph() {
  static const std::string text =
      graph(parameter(10, "slice") + layer(12, "sum", "Add", inputs({0, 1}) + output(2)) +
                parameter(11, "state") + result(14, "last") + result(13, "next"),
            edge(10, 0, 12, 0) + edge(11, 0, 12, 1) + edge(12, 2, 13, 0) + edge(11, 0, 14, 0));
  return text;
}
constexpr const char* kPorts =
    "<input><port id=\"0\"/><port id=\"5\"/></input>"
    "<output><port id=\"7\" precision=\"FP32\"/><port id=\"6\" precision=\"FP32\"/></output>";
constexpr const char* kMap =
    "<port_map><input axis=\"1\" external_port_id=\"5\" internal_layer_id=\"10\" start=\"-1\" end=\"0\" "
    "stride=\"-2\" "
    "part_size=\"2\"/><input external_port_id=\"0\" internal_layer_id=\"11\"/>"
    "<output axis=\"0\" external_port_id=\"6\" internal_layer_id=\"13\"/>"
    "<output external_port_id=\"7\" internal_layer_id=\"14\"/></port_map>";
constexpr const char* kBackEdges = "<back_edges><edge from-layer=\"13\" to-layer=\"11\"/></back_edges>";

std::string with_layer(const std::string& inside, const std::string& type = "TensorIterator",
                       const std::string& opset = "opset1") {
  return net(
      parameter(0, "x") + parameter(1, "y") + layer(2, "outer", type, inside, opset) + result(3) + result(4),
      edge(0, 0, 2, 0) + edge(1, 0, 2, 5) + edge(2, 7, 3, 0) + edge(2, 6, 4, 0));
}
std::string body() { return "<body>" + body_graph() + "</body>"; }

TEST(Bodies, AreReadWithTheirMaps) {
  const auto model = read(with_layer(std::string(kPorts) + kMap + kBackEdges + body()));
  const model::Node& node = node_of(*model, "outer");
  ASSERT_EQ(node.bodies.size(), 1u);
  const model::Body& read_body = node.bodies[0];
  ASSERT_EQ(read_body.model->parameters.size(), 2u);
  EXPECT_EQ(read_body.model->parameters[1]->name, "state");
  EXPECT_EQ(read_body.model->results[0]->name, "last");
  EXPECT_EQ(node_of(*read_body.model, "sum").inputs[1].node, read_body.model->parameters[1]);

  ASSERT_EQ(read_body.inputs.size(), 2u);
  const BodyInput& sliced = read_body.inputs[0];
  EXPECT_EQ(sliced.input, 1u);  // port 5 is the second
  EXPECT_EQ(sliced.parameter, 0u);
  EXPECT_EQ(sliced.axis, 1);
  EXPECT_EQ(sliced.start, -1);
  EXPECT_EQ(sliced.end, 0);
  EXPECT_EQ(sliced.stride, -2);
  EXPECT_EQ(sliced.part_size, 2);
  EXPECT_EQ(read_body.inputs[1].input, 0u);
  EXPECT_EQ(read_body.inputs[1].parameter, 1u);
  EXPECT_FALSE(read_body.inputs[1].axis.has_value());

  ASSERT_EQ(read_body.outputs.size(), 2u);
  EXPECT_EQ(read_body.outputs[0].output, 1u);
  EXPECT_EQ(read_body.outputs[0].result, 1u);  // layer 13 is the second Result of the file
  EXPECT_EQ(read_body.outputs[0].axis, 0);
  EXPECT_EQ(read_body.outputs[0].start, 0);
  EXPECT_EQ(read_body.outputs[0].end, -1);
  EXPECT_EQ(read_body.outputs[0].stride, 1);
  EXPECT_EQ(read_body.outputs[0].part_size, 1);
  EXPECT_FALSE(read_body.outputs[1].axis.has_value());
  ASSERT_EQ(read_body.back_edges.size(), 1u);
  EXPECT_EQ(read_body.back_edges[0].result, 1u);
  EXPECT_EQ(read_body.back_edges[0].parameter, 1u);
}

TEST(Bodies, TakeTheirPartsInAnyOrder) {
  const std::string parts[] = {kPorts, kMap, kBackEdges, body()};
  for (int first = 0; first < 4; ++first) {
    const auto model = read(
        with_layer(parts[first] + parts[(first + 1) % 4] + parts[(first + 2) % 4] + parts[(first + 3) % 4]));
    EXPECT_EQ(node_of(*model, "outer").bodies[0].back_edges.size(), 1u);
    EXPECT_EQ(node_of(*model, "outer").bodies[0].inputs.size(), 2u);
  }
}

TEST(Bodies, OfLoopsHavePurposes) {
  const std::string map =
      "<port_map><input external_port_id=\"5\" internal_layer_id=\"11\"/>"
      "<input external_port_id=\"-1\" internal_layer_id=\"10\" purpose=\"current_iteration\"/>"
      "<output external_port_id=\"-1\" internal_layer_id=\"13\" purpose=\"execution_condition\"/>"
      "<output external_port_id=\"6\" internal_layer_id=\"14\"/>"
      "<output external_port_id=\"7\" internal_layer_id=\"13\" purpose=\"execution_condition\"/></port_map>";
  const auto model = read(with_layer(kPorts + map + body(), "Loop", "opset5"));
  const model::Body& read_body = node_of(*model, "outer").bodies[0];
  EXPECT_EQ(read_body.inputs[0].purpose, BodyInput::Purpose::kNone);
  EXPECT_EQ(read_body.inputs[1].purpose, BodyInput::Purpose::kCurrentIteration);
  EXPECT_EQ(read_body.inputs[1].parameter, 0u);
  ASSERT_EQ(read_body.outputs.size(), 4u);  // the last entry is a condition and an output
  EXPECT_EQ(read_body.outputs[0].purpose, BodyOutput::Purpose::kExecutionCondition);
  EXPECT_EQ(read_body.outputs[0].result, 1u);
  EXPECT_EQ(read_body.outputs[2].purpose, BodyOutput::Purpose::kExecutionCondition);
  EXPECT_EQ(read_body.outputs[3].purpose, BodyOutput::Purpose::kNone);
  EXPECT_EQ(read_body.outputs[3].output, 0u);
}

TEST(Bodies, OfIfAreThenAndElse) {
  const auto map = [](const std::string& name, int first, int second) {
    return cat("<", name, "><input external_port_id=\"5\" internal_layer_id=\"10\"/>",
               "<input external_port_id=\"0\" internal_layer_id=\"11\"/><output external_port_id=\"7\" ",
               "internal_layer_id=\"", first, "\"/><output external_port_id=\"6\" internal_layer_id=\"",
               second, "\"/></", name, ">");
  };
  const auto model =
      read(with_layer("<else_body>" + body_graph() + "</else_body>" + map("else_port_map", 14, 13) + kPorts +
                          map("then_port_map", 13, 14) + "<then_body>" + body_graph() + "</then_body>",
                      "If", "opset8"));
  const model::Node& node = node_of(*model, "outer");
  ASSERT_EQ(node.bodies.size(), 2u);
  EXPECT_EQ(node.bodies[0].outputs[0].result, 1u);
  EXPECT_EQ(node.bodies[1].outputs[0].result, 0u);
}

// A body inside a body and so on, `depth` deep; the innermost passes its parameter on.
std::string nested(int depth) {
  constexpr const char* kPortsAndMap =
      "<input><port id=\"0\"/></input><output><port id=\"1\" precision=\"FP32\"/></output><port_map>"
      "<input external_port_id=\"0\" internal_layer_id=\"0\"/>"
      "<output external_port_id=\"1\" internal_layer_id=\"2\"/></port_map>";
  std::string text = "<net name=\"m\" version=\"11\">";
  for (int level = 0; level < depth; ++level) {
    text += cat("<layers>", parameter(0), "<layer id=\"1\" name=\"level", level,
                "\" type=\"TensorIterator\" version=\"opset1\">", kPortsAndMap, "<body>");
  }
  text += graph(parameter(0) + result(2), edge(0, 0, 2, 0));
  for (int level = 0; level < depth; ++level) {
    text +=
        cat("</body></layer>", result(2), "</layers><edges>", edge(0, 0, 1, 0), edge(1, 1, 2, 0), "</edges>");
  }
  return text + "</net>";
}

TEST(Bodies, MayLieInsideBodies) {
  const auto model = read(nested(64));
  const model::Model* inner = model.get();
  int depth = 0;
  while (inner->nodes.size() == 3) {
    inner = node_of(*inner, cat("level", depth)).bodies[0].model.get();
    ++depth;
  }
  EXPECT_EQ(depth, 64);
  expect_problem("deeper than 64 levels", nested(65));
  expect_problem("deeper than 64 levels", nested(5000));
}

TEST(Bodies, NameThemselvesInProblems) {
  std::string wrong = body();
  wrong.replace(wrong.find("\"Add\""), 5, "\"Odd\"");
  expect_problem(
      "Odd 'sum' (layer 12, Odd, line 7; in body of TensorIterator 'outer'): the operation Odd of opset1",
      with_layer(std::string(kPorts) + kMap + wrong));
  const std::string half = "<then_body>" + body_graph() + "</then_body>";
  EXPECT_STREQ(problems_of(with_layer(kPorts + half, "If", "opset8"))[0].what(),
               "If 'outer' (layer 2, If-8, line 5): has no <else_body>");
}

TEST(Bodies, HaveConstantsInTheSameWeights) {
  const std::string data = "<data element_type=\"f32\" shape=\"2,3\" offset=\"0\" size=\"24\"/>" + output(0);
  std::string inner = body();
  inner.insert(inner.find("<layer "), layer(20, "inner", "Const", data) + result(21, "unused"));
  inner.insert(inner.find("</edges>"), edge(20, 0, 21, 0));
  std::string xml = with_layer(std::string(kPorts) + kMap + inner);
  xml.insert(xml.find("<layer "), layer(30, "outside", "Const", data) + result(31));
  xml.insert(xml.rfind("</edges>"), edge(30, 0, 31, 0));
  const auto model = read(xml, counting_bytes(24));
  EXPECT_EQ(node_of(*node_of(*model, "outer").bodies[0].model, "inner").constant,
            node_of(*model, "outside").constant);
  expect_problem(
      "the model needs its weights (the .bin) of at least 24 bytes for 2 constants, but no weights were "
      "given",
      xml);
  expect_problem("the weights end at byte 23, but constant 'outside' and 1 other need bytes up to 24", xml,
                 counting_bytes(23));
}

// What is wrong when a part of the port map reads otherwise.
std::string with_map(const std::string& part, const std::string& other) {
  std::string map = std::string(kMap) + kBackEdges;
  map.replace(map.find(part), part.size(), other);
  return with_layer(kPorts + map + body());
}

TEST(Bodies, RefusesMapsThatLeadNowhere) {
  const std::string at =
      "TensorIterator 'outer' (layer 2, TensorIterator-1, line 5): the port map at line 5 ";
  expect_problem(at + "names port 42, which is not an input of the layer",
                 with_map("external_port_id=\"5\"", "external_port_id=\"42\""));
  expect_problem(at + "names port -1, which is not an input of the layer",
                 with_map("external_port_id=\"5\"", "external_port_id=\"-1\""));
  const std::vector<Error> parameters =
      problems_of(with_map("internal_layer_id=\"10\"", "internal_layer_id=\"13\""));
  ASSERT_EQ(parameters.size(), 2u);
  EXPECT_EQ(std::string(parameters[0].what()), at + "names layer 13, which is not a Parameter of the body");
  EXPECT_EQ(parameters[1].reason(), "nothing is mapped to parameter 'slice' of the body");
  const std::vector<Error> outputs =
      problems_of(with_map("external_port_id=\"6\"", "external_port_id=\"42\""));
  ASSERT_EQ(outputs.size(), 2u);
  EXPECT_EQ(std::string(outputs[0].what()), at + "names port 42, which is not an output of the layer");
  EXPECT_EQ(outputs[1].reason(), "no result of the body is mapped to output port 6");
  expect_problem("names layer 77, which is not a Result of the body",
                 with_map("from-layer=\"13\"", "from-layer=\"77\""));
  expect_problem("names layer 77, which is not a Parameter of the body",
                 with_map("to-layer=\"11\"", "to-layer=\"77\""));
}

// The first output of the layer is port 7, the second port 6.
TEST(Bodies, NumberOutputsByPortOrFrom0) {
  std::string counted = with_map("external_port_id=\"6\"", "external_port_id=\"1\"");
  const std::string seven = "external_port_id=\"7\"";
  counted.replace(counted.find(seven), seven.size(), "external_port_id=\"0\"");
  for (const std::string& text : {with_map("", ""), counted}) {
    const auto model = read(text);
    const model::Body& body = node_of(*model, "outer").bodies[0];
    ASSERT_EQ(body.outputs.size(), 2u);
    EXPECT_EQ(body.outputs[0].output, 1u) << text;
    EXPECT_EQ(body.outputs[1].output, 0u) << text;
  }
}

TEST(Bodies, RefusesMapsThatRepeat) {
  expect_problem(
      "maps output port 7 twice",
      with_map("<output external_port_id=\"7\"",
               "<output external_port_id=\"7\" internal_layer_id=\"13\"/><output external_port_id=\"7\""));
  expect_problem(
      "maps parameter 11 twice",
      with_map("<input external_port_id=\"0\"",
               "<input external_port_id=\"0\" internal_layer_id=\"11\"/><input external_port_id=\"0\""));
  expect_problem("has a second back edge to parameter 11",
                 with_map("<edge from-layer=\"13\"",
                          "<edge from-layer=\"14\" to-layer=\"11\"/><edge from-layer=\"13\""));
}

TEST(Bodies, RefusesAttributesThatAreNoNumbers) {
  EXPECT_EQ(problems_of(with_map("stride=\"-2\"", "stride=\"two\""))[0].reason(),
            "<input> has stride=\"two\", expected an integer");
  EXPECT_EQ(problems_of(with_map("axis=\"1\"", "axis=\"\""))[0].reason(),
            "<input> has axis=\"\", expected an integer");
  EXPECT_EQ(problems_of(with_map("end=\"0\"", "purpose=\"bogus\""))[0].reason(),
            "the port map at line 5 has the unknown purpose 'bogus'");
}

}  // namespace
}  // namespace wasmvino::test
