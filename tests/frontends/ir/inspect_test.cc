// SPDX-License-Identifier: Apache-2.0
#include "ir_tester.h"

namespace wasmvino::test {
namespace {

TEST(Inspect, TellsPortsAndOperations) {
  const std::string xml = net(
      parameter(0, "x", "f32", "FP32", " names=\"tx\"") + unary(1, "a") + unary(2, "b", "ReLU", "opset4") +
          unary(3, "c", "TopK", "opset4") + unary(4, "d") + result(5, "out", " output_names=\"o\""),
      edge(0, 0, 1, 0) + edge(1, 1, 2, 0) + edge(2, 1, 3, 0) + edge(3, 1, 4, 0) + edge(4, 1, 5, 0));
  const frontends::Inspection seen = ir::inspect(xml, nullptr, any_registry());
  EXPECT_EQ(seen.name, "m");
  EXPECT_EQ(seen.ir_version, 11);
  EXPECT_TRUE(seen.problems.empty());
  ASSERT_EQ(seen.inputs.size(), 1u);
  EXPECT_EQ(seen.inputs[0].names, std::vector<std::string>{"tx"});
  EXPECT_EQ(seen.inputs[0].friendly_name, "x");
  EXPECT_EQ(name(seen.inputs[0].type), "f32");
  EXPECT_EQ(to_string(seen.inputs[0].shape), "[2,3]");
  ASSERT_EQ(seen.outputs.size(), 1u);
  EXPECT_EQ(seen.outputs[0].names, std::vector<std::string>{"o"});
  EXPECT_EQ(to_string(seen.outputs[0].shape), "[2,3]");
  std::string operations;
  for (const auto& operation : seen.operations) {
    operations += cat(operation.type, " ", operation.version, " ", operation.count,
                      operation.supported ? "" : " no", "\n");
  }
  EXPECT_EQ(operations, "Parameter opset1 1\nRelu opset1 2\nRelu opset4 1\nResult opset1 1\nTopK opset4 1\n");
}

TEST(Inspect, TellsWhatIsUnsupported) {
  const std::string body =
      "<body>" + graph(parameter(0) + unary(1, "i", "Odd") + result(2), edge(0, 0, 1, 0) + edge(1, 1, 2, 0)) +
      "</body><port_map><input external_port_id=\"0\" internal_layer_id=\"0\"/>"
      "<output external_port_id=\"1\" internal_layer_id=\"2\"/></port_map>";
  const std::string xml =
      net(parameter(0) +
              layer(1, "t", "TensorIterator",
                    body + inputs({0}) + output(1, dims({-1, 4}), "I64", " names=\"t\"")) +
              unary(2, "o", "Odd") + result(3) + result(4),
          edge(0, 0, 1, 0) + edge(0, 0, 2, 0) + edge(1, 1, 3, 0) + edge(2, 1, 4, 0));
  const frontends::Inspection seen = ir::inspect(xml, nullptr, any_registry());
  ASSERT_EQ(seen.problems.size(), 2u);
  ASSERT_EQ(seen.operations.size(), 4u);
  EXPECT_EQ(seen.operations[0].type, "Odd");
  EXPECT_EQ(seen.operations[0].count, 2u);
  EXPECT_FALSE(seen.operations[0].supported);
  EXPECT_TRUE(seen.operations[3].supported);
  // The declared ports, since nothing can be inferred.
  ASSERT_EQ(seen.outputs.size(), 2u);
  EXPECT_EQ(seen.outputs[0].names, std::vector<std::string>{"t"});
  EXPECT_EQ(name(seen.outputs[0].type), "i64");
  EXPECT_EQ(to_string(seen.outputs[0].shape), "[?,4]");
}

TEST(Inspect, NeedsNoWeights) {
  const std::string xml =
      net(parameter(0) + constant(1, "element_type=\"f32\" shape=\"2,3\" offset=\"0\" size=\"24\"") +
              layer(2, "sum", "Add", inputs({0, 1}) + output(2)) + result(3),
          edge(0, 0, 2, 0) + edge(1, 0, 2, 1) + edge(2, 2, 3, 0));
  EXPECT_TRUE(ir::inspect(xml, nullptr, any_registry()).problems.empty());
  EXPECT_EQ(ir::inspect(xml, nullptr, any_registry()).outputs.size(), 1u);
  EXPECT_EQ(ir::inspect(xml, nullptr, any_registry()).missing_weights,
            "the model needs its weights (the .bin) of at least 24 bytes for 1 constant, but no weights were "
            "given");
  EXPECT_EQ(ir::inspect(xml, counting_bytes(3), any_registry()).problems.size(), 1u);
  EXPECT_EQ(ir::inspect(xml, counting_bytes(3), any_registry()).missing_weights, "");
  EXPECT_EQ(ir::inspect(xml, counting_bytes(24), any_registry()).missing_weights, "");
}

TEST(Inspect, TellsWhatIsNoModel) {
  const frontends::Inspection seen = ir::inspect("<html>", nullptr, any_registry());
  EXPECT_EQ(seen.ir_version, 0);
  ASSERT_EQ(seen.problems.size(), 1u);
  EXPECT_NE(std::string(seen.problems[0].what()).find("an HTML page"), std::string::npos);
}

}  // namespace
}  // namespace wasmvino::test
