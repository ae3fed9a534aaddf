// SPDX-License-Identifier: Apache-2.0
#include "ir_tester.h"

namespace wasmvino::test {
namespace {

// Parameter x of this type straight to a Result.
std::unique_ptr<model::Model> pass_through(const std::string& type, int version) {
  return read(net(parameter(0, "x", type, "FP32", " names=\"tx\"") + result(1), edge(0, 0, 1, 0), version));
}

ElementType input_type(const model::Model& model) { return model.parameters[0]->outputs[0].type; }
ElementType output_type(const model::Model& model) {
  const model::Source source = model.results[0]->inputs[0];
  return source.node->outputs[source.port].type;
}

TEST(Version10, GivesInputsOfF16AsF32AndOutputsAsF32OrI32) {
  struct Case {
    const char *type, *input, *output;
  };
  for (const Case c : {Case{"f16", "f32", "f32"}, Case{"f32", "f32", "f32"}, Case{"bf16", "bf16", "f32"},
                       Case{"f64", "f64", "f32"}, Case{"u8", "u8", "f32"}, Case{"i8", "i8", "f32"},
                       Case{"boolean", "boolean", "f32"}, Case{"i16", "i16", "f32"},
                       Case{"i32", "i32", "i32"}, Case{"i64", "i64", "i32"}, Case{"u32", "u32", "i32"},
                       Case{"u64", "u64", "i32"}, Case{"string", "string", "string"}}) {
    const auto model = pass_through(c.type, 10);
    EXPECT_EQ(name(input_type(*model)), c.input) << c.type;
    EXPECT_EQ(name(output_type(*model)), c.output) << c.type;
    const auto newer = pass_through(c.type, 11);
    EXPECT_EQ(name(input_type(*newer)), c.type);
    EXPECT_EQ(name(output_type(*newer)), c.type);
    EXPECT_EQ(newer->nodes.size(), 2u);
  }
}

TEST(Version10, ConvertsInsideTheGraph) {
  const auto model = read(net(parameter(0, "x", "f16") + unary(1, "a") + unary(2, "b") + result(3),
                              edge(0, 0, 1, 0) + edge(0, 0, 2, 0) + edge(1, 1, 3, 0), 10));
  const model::Node& a = node_of(*model, "a");
  ASSERT_EQ(a.inputs[0].node->type, "Convert");
  EXPECT_EQ(name(a.inputs[0].node->outputs[0].type), "f16");
  EXPECT_EQ(a.inputs[0].node->inputs[0].node, model->parameters[0]);
  EXPECT_EQ(model->parameters[0]->outputs[0].names, std::vector<std::string>{"x"});
}

TEST(Version10, NamesInputsAndOutputsAfterTheirLayers) {
  const auto model = pass_through("f32", 10);
  EXPECT_EQ(model->parameters[0]->outputs[0].names, (std::vector<std::string>{"tx", "x"}));
  const std::string split =
      inputs({0}) + "<output><port id=\"1\" precision=\"FP32\"/><port id=\"2\" precision=\"I64\"/></output>";
  const auto two = read(net(parameter(0) + layer(1, "split", "Split", split) + result(2) + result(3),
                            edge(0, 0, 1, 0) + edge(1, 2, 2, 0) + edge(1, 1, 3, 0), 10));
  EXPECT_EQ(two->results[0]->output_names, std::vector<std::string>{"split.1"});
  EXPECT_EQ(two->results[1]->output_names, std::vector<std::string>{"split.0"});
  EXPECT_EQ(two->results[0]->inputs[0].node->type, "Convert");  // i64 → i32
  EXPECT_TRUE(read(chain("ReLU"))->results[0]->output_names.empty());
}

std::string channels(std::initializer_list<const char*> means) {
  std::string text;
  int id = 0;
  for (const char* mean : means) text += cat("<channel id=\"", id++, "\"><mean ", mean, "/></channel>");
  return text;
}
std::string with_means(const std::string& shape, const std::string& inside, const std::string& type = "f32",
                       const std::string& reference = " reference-layer-name=\"x\"") {
  const std::string x =
      layer(0, "x", "Parameter", cat("<data shape=\"", shape, "\" element_type=\"", type, "\"/>", output(0)));
  return net(x + unary(1, "op") + result(2), edge(0, 0, 1, 0) + edge(1, 1, 2, 0), 10,
             "<pre-process mean-precision=\"FP32\"" + reference + ">" + inside + "</pre-process>");
}
const model::Node& means_of(const model::Model& model) {
  const model::Node& subtract = node_of(model, "x/subtract_mean");
  EXPECT_EQ(subtract.inputs[0].node, model.parameters[0]);
  return *subtract.inputs[1].node;
}

TEST(PreProcess, SubtractsAMeanOfEachChannel) {
  const auto model =
      read(with_means("1,3,2,2", channels({"value=\"1.5\"", "value=\"2\"", "value=\"-3e0\""})));
  const Tensor& means = means_of(*model).constant->value();
  EXPECT_EQ(to_string(means.shape()), "[3,1,1]");
  EXPECT_EQ(means.data<float>()[0], 1.5f);
  EXPECT_EQ(means.data<float>()[2], -3.0f);
  EXPECT_EQ(node_of(*model, "op").inputs[0].node->name, "x/subtract_mean");
}

TEST(PreProcess, FindsTheChannelsByTheRank) {
  const auto shape_of = [](const std::string& shape, const std::string& inside) {
    return to_string(means_of(*read(with_means(shape, inside))).constant->shape());
  };
  const std::string three = channels({"value=\"1\"", "value=\"2\"", "value=\"3\""});
  EXPECT_EQ(shape_of("1,3", three), "[3]");
  EXPECT_EQ(shape_of("3,4,5", three), "[3,1,1]");
  EXPECT_EQ(shape_of("2,3,4,5", three), "[3,1,1]");
  EXPECT_EQ(shape_of("1,3,4,5,6", three), "[3,1,1,1]");
}

TEST(PreProcess, SubtractsArraysFromTheWeights) {
  const auto weights = counting_bytes(64);
  const std::string xml =
      with_means("1,2,1,2", channels({"offset=\"8\" size=\"8\"", "offset=\"1\" size=\"8\""}));
  const auto model = read(xml, weights);
  const Tensor& means = means_of(*model).constant->value();
  EXPECT_EQ(to_string(means.shape()), "[2,1,2]");
  EXPECT_EQ(means.data<uint32_t>()[0], 0x0b0a0908u);
  EXPECT_EQ(means.data<uint32_t>()[2], 0x04030201u);
  expect_problem("no weights were given", xml);
  expect_problem("its 8 bytes at byte 8 are beyond the end of the weights, which have 10 bytes", xml,
                 counting_bytes(10));
  expect_problem("a mean has 4 bytes, expected 8",
                 with_means("1,1,1,2", channels({"offset=\"0\" size=\"4\""})), weights);
}

TEST(PreProcess, WithoutANameIsOfThePicture) {
  const std::string inside = channels({"value=\"1\"", "value=\"2\"", "value=\"3\""});
  const auto model = read(with_means("1,3,2,2", inside, "f32", ""));
  EXPECT_EQ(means_of(*model).constant->value().size(), 3u);
  EXPECT_EQ(means_of(*read(with_means("1,3", inside, "f32", ""))).constant->value().size(), 3u);
}

TEST(PreProcess, OfNothingChangesNothing) {
  EXPECT_EQ(read(with_means("1,3,2,2", ""))->nodes.size(), 3u);
  EXPECT_EQ(read(with_means("1,3,2,2", "<channel id=\"0\"/>"))->nodes.size(), 3u);
}

TEST(PreProcess, RefusesMeansThatDoNotFit) {
  const auto refused = [](const std::string& text, const std::string& shape, const std::string& inside,
                          const std::string& reference = " reference-layer-name=\"x\"") {
    expect_problem(text, with_means(shape, inside, "f32", reference));
  };
  const std::string two = channels({"value=\"1\"", "value=\"2\""});
  refused("it has means for 2 channels, but its input has 3", "1,3,2,2", two);
  refused("no input has the name 'y'", "1,2,2,2", two, " reference-layer-name=\"y\"");
  refused("its input has the dynamic shape [?,2,2,2]", "?,2,2,2", two);
  refused("its input has the shape [2], expected channels at axis 1", "2", two);
  refused("some means are numbers and some are arrays", "1,2,2,2",
          channels({"value=\"1\"", "offset=\"0\" size=\"16\""}));
  refused("channel 0 is outside the input or occurs twice", "1,2,2,2",
          "<channel id=\"0\"><mean value=\"1\"/></channel><channel id=\"0\"><mean value=\"2\"/></channel>");
  refused("channel 7 is outside the input or occurs twice", "1,2,2,2",
          "<channel id=\"0\"><mean value=\"1\"/></channel><channel id=\"7\"><mean value=\"2\"/></channel>");
  EXPECT_EQ(problems_of(with_means("1,1,2,2", channels({"value=\"x\""})))[0].reason(),
            "the mean of channel 0 is 'x', expected a number");
  EXPECT_EQ(problems_of(with_means("1,1,2,2", channels({""})))[0].reason(),
            "the mean of channel 0 has neither a value nor a size");
}

}  // namespace
}  // namespace wasmvino::test
