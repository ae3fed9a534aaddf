// SPDX-License-Identifier: Apache-2.0
// What is written is read again: the same graph, the same text.
#include "frontends/ir/writer.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>

#include "core/float_types.h"
#include "ir_tester.h"
#include "ops/registry.h"

namespace wasmvino::test {
namespace {

namespace fs = std::filesystem;

struct Written {
  std::string xml;
  std::vector<char> bin;

  std::shared_ptr<const ByteSource> weights() const { return std::make_shared<MemoryBytes>(bin); }
};

Written write(const model::Model& model, bool compress = false) {
  Written written;
  const auto take = [&](const void* bytes, size_t count) {
    const char* from = static_cast<const char*>(bytes);
    written.bin.insert(written.bin.end(), from, from + count);
  };
  written.xml = ir::write(model, take, {.compress_to_f16 = compress});
  return written;
}

std::unique_ptr<model::Model> reread(const Written& written,
                                     const model::Registry& registry = any_registry()) {
  return ir::read(written.xml, written.weights(), registry);
}

std::unique_ptr<model::Model> rewritten(const std::string& xml,
                                        std::shared_ptr<const ByteSource> weights = nullptr) {
  return reread(write(*read(xml, std::move(weights))));
}

void expect_part(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "expected: " << part << "\nin:\n" << text;
}

TEST(Writer, KeepsInputsAndOutputsWithTheirNamesTypesShapesAndOrder) {
  const auto model = rewritten(
      net(parameter(7, "second", "f16", "FP16", " names=\"b\\,c,a\"") +
              result(4, "last", " output_names=\"out\"") +
              layer(2, "open", "Parameter",
                    "<data shape=\"?,2..5\" element_type=\"i64\"/>" + output(0, "", "I64")) +
              layer(1, "any", "Parameter", "<data shape=\"...\" element_type=\"f32\"/>" + output(0, "")) +
              layer(0, "scalar", "Parameter", "<data element_type=\"f32\"/>" + output(0, "")) +
              result(3, "first"),
          edge(7, 0, 4, 0) + edge(2, 0, 3, 0)));
  ASSERT_EQ(model->parameters.size(), 4u);
  EXPECT_EQ(model->parameters[0]->name, "second");
  EXPECT_EQ(model->parameters[0]->outputs[0].names, (std::vector<std::string>{"a", "b,c"}));
  EXPECT_EQ(model->parameters[0]->outputs[0].type, ElementType::kF16);
  EXPECT_EQ(to_string(model->parameters[1]->outputs[0].shape), "[?,2..5]");
  EXPECT_EQ(to_string(model->parameters[2]->outputs[0].shape), "[...]");
  EXPECT_EQ(to_string(model->parameters[3]->outputs[0].shape), "[]");
  ASSERT_EQ(model->results.size(), 2u);
  EXPECT_EQ(model->results[0]->name, "last");
  EXPECT_EQ(model->results[0]->output_names, std::vector<std::string>{"out"});
  EXPECT_EQ(model->results[1]->inputs[0].node, model->parameters[1]);
  EXPECT_EQ(model->name, "m");
}

// The names are in the order of a set.
TEST(Writer, KeepsWhatTheFileSaysAboutItsExecution) {
  std::string xml = net(parameter(0, "x", "f32", "FP32") + result(1, "y"), edge(0, 0, 1, 0));
  const std::string options =
      "<rt_info><runtime_options><KV_CACHE_PRECISION value=\"f16\"/>"
      "<A_B value=\"&lt;1&gt;\"/></runtime_options></rt_info>";
  xml.insert(xml.rfind("</net>"), options);
  const std::map<std::string, std::string> expected{{"KV_CACHE_PRECISION", "f16"}, {"A_B", "<1>"}};
  const auto model = read(xml);
  EXPECT_EQ(model->runtime_options, expected);
  EXPECT_EQ(reread(write(*model->clone()))->runtime_options, expected);
}

TEST(Writer, KeepsCommasAndBackslashesInNames) {
  const std::vector<std::vector<std::string>> sets = {
      {"a\\", "b"}, {"a\\\\", "b\\"}, {"a\\,b"}, {",", "\\", "\\,\\"}, {"C:\\model\\x", "x,"}, {",,\\\\,"}};
  for (const std::vector<std::string>& names : sets) {
    auto model = read(net(parameter(0, "x") + result(1), edge(0, 0, 1, 0)));
    model->parameters[0]->outputs[0].names = names;
    model->results[0]->output_names = names;
    const auto again = reread(write(*model));
    EXPECT_EQ(again->parameters[0]->outputs[0].names, names);
    EXPECT_EQ(again->results[0]->output_names, names);
  }
  // As OpenVINO writes it: backslashes without a comma behind them are single.
  const auto model =
      read(net(parameter(0, "x", "f32", "FP32", " names=\"b\\c,a\\\\\"") + result(1), edge(0, 0, 1, 0)));
  EXPECT_EQ(model->parameters[0]->outputs[0].names, (std::vector<std::string>{"a\\\\", "b\\c"}));
}

TEST(Writer, EscapesTexts) {
  const auto model = rewritten(net(parameter(0, "a &lt;&amp;&quot;&#10; b") + result(1), edge(0, 0, 1, 0)));
  EXPECT_EQ(model->parameters[0]->name, "a <&\"\n b");
}

TEST(Writer, WritesWhatVersion10MeansAsVersion11) {
  const auto model = rewritten(net(parameter(0, "x", "f16", "FP16") + result(1, "y"), edge(0, 0, 1, 0), 10));
  EXPECT_EQ(model->ir_version, 11);
  EXPECT_EQ(model->parameters[0]->outputs[0].type, ElementType::kF32);
  EXPECT_EQ(model->parameters[0]->outputs[0].names, std::vector<std::string>{"x"});
  EXPECT_EQ(port_of(model->results[0]->inputs[0]).type, ElementType::kF32);
}

TEST(Writer, StoresAConstantOnceThatSeveralNodesShare) {
  const std::string data = "<data element_type=\"u8\" shape=\"2,3\" offset=\"4\" size=\"6\"/>";
  const auto constant_layer = [&](int id) {
    return layer(id, cat("c", id), "Const", data + output(0, dims({2, 3}), "U8"));
  };
  const Written written =
      write(*read(net(constant_layer(0) + constant_layer(1) + result(2, "a") + result(3, "b"),
                      edge(0, 0, 2, 0) + edge(1, 0, 3, 0)),
                  counting_bytes(16)));
  EXPECT_EQ(written.bin, (std::vector<char>{4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(node_of(*reread(written), "c1").constant->value().data<uint8_t>()[5], 9);
}

TEST(Writer, GivesAnEmptyConstantAByte) {
  const auto model =
      read(net(constant(0, "element_type=\"i64\" shape=\"0\" offset=\"0\" size=\"0\"") + result(1),
               edge(0, 0, 1, 0)),
           counting_bytes(1));
  const Written written = write(*model);
  EXPECT_EQ(written.bin.size(), 1u);
  expect_part(written.xml, "shape=\"0\" offset=\"0\" size=\"1\"");
  EXPECT_EQ(to_string(reread(written)->results[0]->inputs[0].node->constant->shape()), "[0]");
}

TEST(Writer, WritesStrings) {
  model::Model model;
  Tensor strings(ElementType::kString, {3});
  strings.mutable_data<std::string>()[0] = "ab";
  strings.mutable_data<std::string>()[2] = std::string("c\0d", 3);
  model::Node* constant = model.add_constant("words", strings);
  model.results.push_back(model.add(std::make_unique<model::Node>(
      "y", "Result", 1, std::make_shared<model::ResultOp>(), model::NodeKind::kResult)));
  model.results[0]->inputs = {{constant, 0}};
  model.index();
  const auto again = reread(write(model));
  const Tensor value = node_of(*again, "words").constant->value();
  EXPECT_EQ(value.data<std::string>()[0], "ab");
  EXPECT_EQ(value.data<std::string>()[1], "");
  EXPECT_EQ(value.data<std::string>()[2], std::string("c\0d", 3));
}

TEST(Writer, WritesBodiesWithTheirMaps) {
  const std::string body =
      graph(parameter(10, "slice") + layer(12, "sum", "Add", inputs({0, 1}) + output(2)) +
                parameter(11, "state") + parameter(15, "count") + result(14, "last") + result(13, "next"),
            edge(10, 0, 12, 0) + edge(11, 0, 12, 1) + edge(12, 2, 13, 0) + edge(15, 0, 14, 0));
  const std::string inside =
      "<input><port id=\"0\"/><port id=\"5\"/></input>"
      "<output><port id=\"7\" precision=\"FP32\"/></output>"
      "<port_map><input axis=\"1\" external_port_id=\"5\" internal_layer_id=\"10\" start=\"-1\" end=\"0\" "
      "stride=\"-2\" "
      "part_size=\"2\"/><input external_port_id=\"0\" internal_layer_id=\"11\"/>"
      "<input external_port_id=\"-1\" internal_layer_id=\"15\" purpose=\"current_iteration\"/>"
      "<output axis=\"0\" external_port_id=\"7\" internal_layer_id=\"13\"/>"
      "<output external_port_id=\"-1\" internal_layer_id=\"14\" purpose=\"execution_condition\"/></port_map>"
      "<back_edges><edge from-layer=\"13\" to-layer=\"11\"/></back_edges><body>" +
      body + "</body>";
  const auto model = rewritten(
      net(parameter(0, "x") + parameter(1, "y") + layer(2, "outer", "Loop", inside, "opset5") + result(3),
          edge(0, 0, 2, 0) + edge(1, 0, 2, 5) + edge(2, 7, 3, 0)));
  const model::Node& node = node_of(*model, "outer");
  ASSERT_EQ(node.bodies.size(), 1u);
  const model::Body& again = node.bodies[0];
  ASSERT_EQ(again.inputs.size(), 3u);
  EXPECT_EQ(again.inputs[0].input, 1u);
  EXPECT_EQ(again.inputs[0].parameter, 0u);
  EXPECT_EQ(again.inputs[0].axis, 1);
  EXPECT_EQ(again.inputs[0].start, -1);
  EXPECT_EQ(again.inputs[0].end, 0);
  EXPECT_EQ(again.inputs[0].stride, -2);
  EXPECT_EQ(again.inputs[0].part_size, 2);
  EXPECT_FALSE(again.inputs[1].axis.has_value());
  EXPECT_EQ(again.inputs[2].purpose, model::BodyInput::Purpose::kCurrentIteration);
  ASSERT_EQ(again.outputs.size(), 2u);
  EXPECT_EQ(again.outputs[0].result, 1u);
  EXPECT_EQ(again.outputs[0].axis, 0);
  EXPECT_EQ(again.outputs[1].purpose, model::BodyOutput::Purpose::kExecutionCondition);
  EXPECT_EQ(again.outputs[1].result, 0u);
  ASSERT_EQ(again.back_edges.size(), 1u);
  EXPECT_EQ(again.back_edges[0].result, 1u);
  EXPECT_EQ(again.back_edges[0].parameter, 1u);
  EXPECT_EQ(node_of(*again.model, "sum").inputs[1].node, again.model->parameters[1]);
}

TEST(Writer, WritesBothBranchesOfAnIf) {
  const auto branch = [](const std::string& prefix, const std::string& type) {
    return cat(
        "<", prefix, "port_map><input external_port_id=\"1\" internal_layer_id=\"0\"/>",
        "<output external_port_id=\"2\" internal_layer_id=\"2\"/></", prefix, "port_map><", prefix, "body>",
        graph(parameter(0, "in") + unary(1, "op", type) + result(2), edge(0, 0, 1, 0) + edge(1, 1, 2, 0)),
        "</", prefix, "body>");
  };
  const auto model = rewritten(
      net(parameter(0, "condition", "boolean", "BOOL") + parameter(1, "x") +
              layer(2, "if", "If",
                    inputs({0, 1}) + output(2) + branch("then_", "Exp") + branch("else_", "Abs"), "opset8") +
              result(3),
          edge(0, 0, 2, 0) + edge(1, 0, 2, 1) + edge(2, 2, 3, 0)));
  const model::Node& node = node_of(*model, "if");
  ASSERT_EQ(node.bodies.size(), 2u);
  EXPECT_EQ(node_of(*node.bodies[0].model, "op").type, "Exp");
  EXPECT_EQ(node_of(*node.bodies[1].model, "op").type, "Abs");
  EXPECT_EQ(node.bodies[1].inputs[0].input, 1u);
}

TEST(Writer, KeepsVersionsAndAttributesOfOperations) {
  const std::string top_k =
      layer(1, "op", "TopK",
            "<data axis=\"1\" mode=\"min\" sort=\"index\" index_element_type=\"i64\"/>" + inputs({0, 1}) +
                "<output><port id=\"2\" precision=\"FP32\"/><port id=\"3\" precision=\"I64\"/></output>",
            "opset3");
  const auto k = std::make_shared<MemoryBytes>(std::vector<char>{2, 0, 0, 0, 0, 0, 0, 0});
  const std::string text =
      net(parameter(0) + top_k + constant(4, "element_type=\"i64\" shape=\"\" offset=\"0\" size=\"8\"") +
              result(2),
          edge(0, 0, 1, 0) + edge(4, 0, 1, 1) + edge(1, 2, 2, 0));
  const Written once = write(*ir::read(text, k, ops::registry()));
  expect_part(once.xml, "type=\"TopK\" version=\"opset3\"");
  expect_part(once.xml, "<data axis=\"1\" mode=\"min\" sort=\"index\" index_element_type=\"i64\" />");
}

// Constants of a model whose results they are, each under a name of its own.
std::unique_ptr<model::Model> model_of(const std::vector<std::pair<std::string, Tensor>>& constants) {
  auto model = std::make_unique<model::Model>();
  for (const auto& [name, value] : constants) {
    model::Node* result = model->add(std::make_unique<model::Node>(
        name + "_result", "Result", 1, std::make_shared<model::ResultOp>(), model::NodeKind::kResult));
    result->inputs = {{model->add_constant(name, value), 0}};
    model->results.push_back(result);
  }
  model->index();
  model->infer();
  return model;
}

TEST(Writer, StoresWeightsAsF16WithAConvertBehindThem) {
  const float infinity = std::numeric_limits<float>::infinity();
  const auto model = model_of({{"weights", Tensor::of<float>({6}, {0.1f, 1e6f, -infinity, 1e-9f, 1, 2})},
                               {"wide", Tensor::of<double>({2}, {0.5, 3.0})},
                               {"whole", Tensor::of<int64_t>({2}, {1, 2})}});
  const Written written = write(*model, true);
  EXPECT_EQ(written.bin.size(), 6 * 2 + 2 * 2 + 2 * 8u);
  expect_part(written.xml, "name=\"weights_compressed\" type=\"Const\"");
  expect_part(written.xml, "<attribute name=\"decompression\" version=\"0\" />");
  const auto again = reread(written, ops::registry());
  const model::Node& convert = *again->results[0]->inputs[0].node;
  EXPECT_EQ(convert.type, "Convert");
  EXPECT_EQ(convert.name, "weights");
  EXPECT_EQ(convert.outputs[0].type, ElementType::kF32);
  const Tensor stored = convert.inputs[0].node->constant->value();
  EXPECT_EQ(f16_to_f32(stored.data<uint16_t>()[0]), f16_to_f32(f32_to_f16(0.1f)));
  EXPECT_EQ(f16_to_f32(stored.data<uint16_t>()[1]), 65504);
  EXPECT_EQ(f16_to_f32(stored.data<uint16_t>()[2]), -65504);
  EXPECT_EQ(f16_to_f32(stored.data<uint16_t>()[3]), 0);
  EXPECT_EQ(again->results[1]->inputs[0].node->outputs[0].type, ElementType::kF64);
  EXPECT_EQ(again->results[2]->inputs[0].node->kind, model::NodeKind::kConstant);
}

TEST(Writer, KeepsWhatF16CannotHold) {
  const auto model = model_of({{"far", Tensor::of<float>({4}, {1e6f, 1e6f, 1e-9f, 1})},
                               {"digits", Tensor::of<float>({1}, {0.1f})},
                               {"exact", Tensor::of<float>({1}, {0.5f})},
                               {"none", Tensor(ElementType::kF32, {0})}});
  const auto again = reread(write(*model, true), ops::registry());
  const auto is_kept = [&](size_t i) {
    return again->results[i]->inputs[0].node->kind == model::NodeKind::kConstant;
  };
  EXPECT_TRUE(is_kept(0));
  EXPECT_TRUE(is_kept(1));
  EXPECT_FALSE(is_kept(2));
  EXPECT_TRUE(is_kept(3));
}

// A second writing of what was read gives the same text: nothing is lost, and nothing is added.
TEST(Writer, GivesTheSameTextForEverySample) {
  size_t count = 0;
  const auto contents = [](const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return std::vector<char>(std::istreambuf_iterator<char>(file), {});
  };
  for (const char* folder : {"specification", "models"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(WASMVINO_TEST_DATA) / folder)) {
      if (entry.path().extension() != ".xml") continue;
      fs::path bin = entry.path();
      bin.replace_extension(".bin");
      const std::vector<char> xml = contents(entry.path());
      const auto model =
          ir::read({xml.data(), xml.size()}, std::make_shared<MemoryBytes>(contents(bin)), ops::registry());
      const Written once = write(*model);
      const Written twice = write(*reread(once, ops::registry()));
      EXPECT_EQ(once.xml, twice.xml) << entry.path();
      EXPECT_EQ(once.bin, twice.bin) << entry.path();
      ++count;
    }
  }
  EXPECT_GE(count, 20u);
}

}  // namespace
}  // namespace wasmvino::test
