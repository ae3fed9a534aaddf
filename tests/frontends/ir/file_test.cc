// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "ir_tester.h"

namespace wasmvino::test {
namespace {

using namespace std::string_literals;

TEST(File, ReadsASmallModel) {
  const auto model = read(chain("ReLU"));
  EXPECT_EQ(model->name, "m");
  EXPECT_EQ(model->ir_version, 11);
  ASSERT_EQ(model->nodes.size(), 3u);
  const model::Node& op = node_of(*model, "op");
  EXPECT_EQ(op.type, "Relu");
  EXPECT_EQ(op.version, 1);
  EXPECT_EQ(op.id, 1);
  EXPECT_EQ(op.line, 4);
  ASSERT_EQ(op.inputs.size(), 1u);
  EXPECT_EQ(op.inputs[0].node, model->parameters[0]);
  EXPECT_EQ(to_string(op.outputs[0].shape), "[2,3]");
  EXPECT_EQ(name(op.outputs[0].type), "f32");
}

TEST(File, TakesAnyXmlThatMeansTheSame) {
  const std::string xml = chain("ReLU");
  EXPECT_EQ(read("\xef\xbb\xbf" + xml)->nodes.size(), 3u);
  std::string other = xml.substr(xml.find("<net"));  // no declaration
  EXPECT_EQ(read(other)->nodes.size(), 3u);
  for (char& c : other) c = c == '"' ? '\'' : c;
  EXPECT_EQ(read(other)->nodes.size(), 3u);
  std::string windows, one_line;
  for (const char c : xml) {
    if (c == '\n') windows += '\r';
    windows += c;
    if (c != '\n') one_line += c;
  }
  EXPECT_EQ(node_of(*read(windows), "op").line, 4);
  EXPECT_EQ(node_of(*read(one_line), "op").line, 1);
  EXPECT_EQ(read("<!-- made by hand -->\n" + xml.substr(xml.find("<net")))->nodes.size(), 3u);
}

TEST(File, SkipsWhatItDoesNotKnow) {
  const std::string more =
      "<meta_data><layers/><x><y z=\"1\"/></x></meta_data><rt_info><a value=\"b\"/></rt_info>";
  EXPECT_EQ(read(net(parameter(0) + result(1), edge(0, 0, 1, 0), 11, more))->nodes.size(), 2u);
}

TEST(File, SaysThatUtf16MustBecomeUtf8) {
  std::string wide = "\xff\xfe"s;
  for (const char c : chain("ReLU")) wide += {c, '\0'};
  expect_problem("XML in UTF-16: save it as UTF-8", wide);
}

TEST(File, KeepsEntitiesItDoesNotKnow) {
  const auto model = read(net(parameter(0, "&nope;&lt;&#x41;") + result(1), edge(0, 0, 1, 0)));
  EXPECT_EQ(model->parameters[0]->name, "&nope;<A");
}

TEST(File, RefusesOtherVersions) {
  for (const int version : {0, 12, 111}) {
    expect_problem(cat("unsupported IR version ", version, " (supported: 10, 11)"), net("", "", version));
  }
  for (const int version : {2, 6, 7, 9}) {
    expect_problem(cat("unsupported IR version ", version,
                       " (supported: 10, 11). OpenVINO wrote it before 2020; convert "
                       "the original model again: `pip install openvino`, then `ovc MODEL`"),
                   net("", "", version));
  }
  expect_problem("<net> has no version (supported: 10, 11)", "<net name=\"m\"/>");
  expect_problem("IR version 'eleven'", "<net name=\"m\" version=\"eleven\"/>");
  expect_problem("IR version '11.0'", "<net name=\"m\" version=\"11.0\"/>");
}

TEST(File, RefusesWhatIsNoXml) {
  expect_problem("line 11: the .xml has a second root element, <net>; expected only <net>",
                 chain("ReLU") + "<!-- more -->\n<net version=\"7\"/>");
  std::string xml = chain("ReLU");
  xml.insert(xml.find("type=\"ReLU\""), "name=\"again\" ");
  expect_problem("line 4: <layer> has the attribute name twice", xml);
  // Anywhere in the file, and as many attributes as there may be.
  std::string many = "<rt_info><info";
  for (int i = 0; i < 20000; ++i) many += cat(" a", i, "=\"\"");
  EXPECT_EQ(read(net(parameter(0) + result(1), edge(0, 0, 1, 0), 11, many + "/></rt_info>"))->nodes.size(),
            2u);
  expect_problem("<info> has the attribute a7 twice",
                 net(parameter(0) + result(1), edge(0, 0, 1, 0), 11, many + " a7=\"\"/></rt_info>"));
}

TEST(File, RefusesGraphsWithoutLayers) {
  expect_problem("line 1: <net> has no <layers>", "<net name=\"m\" version=\"11\"/>");
  EXPECT_TRUE(read(net("", ""))->nodes.empty());
}

TEST(File, SaysHowToReplaceTokenizers) {
  for (const char* type : {"RegexSplit", "StringTensorUnpack", "BPETokenizer"}) {
    expect_problem(
        "it is an operation of openvino_tokenizers, and this engine runs no tokenizers. Run the tokenizer in "
        "JavaScript",
        chain(type, "extension"));
  }
}

TEST(File, ReadsManyTensorNames) {
  std::string names;
  for (int i = 20000; i > 0; --i) names += cat(i, ",");
  const auto model = read(
      net(parameter(0, "x", "f32", "FP32", cat(" names=\"", names, "\"")) + result(1), edge(0, 0, 1, 0)));
  EXPECT_EQ(model->parameters[0]->outputs[0].names.size(), 20000u);
  EXPECT_EQ(model->parameters[0]->outputs[0].names[1], "10");
}

TEST(File, RefusesOtherRoots) {
  expect_problem("the root element is <model>", "<?xml version=\"1.0\"?><model version=\"11\"/>");
}

TEST(File, SaysWhereXmlIsNotWellFormed) {
  std::string xml = chain("ReLU");
  const size_t at = xml.find("</layer>");
  expect_problem("not well formed: Start-end tags mismatch at line 3, column", xml.substr(0, at) + "</lay>");
  expect_problem("not well formed", xml.substr(0, xml.size() / 2));
  expect_problem("not well formed", xml + "<");
  xml[xml.find("ReLU")] = '\0';
  expect_problem("not well formed: Error parsing element attribute at line 4", xml);
}

TEST(File, NamesWhatIsGivenInPlaceOfAModel) {
  expect_problem("the .xml is empty", "");
  expect_problem("the .xml is empty", " \r\n\t ");
  expect_problem("an HTML page", "<!DOCTYPE html>\n<html><body>404</body></html>");
  expect_problem("an HTML page", "\xef\xbb\xbf\n <HTML lang=\"en\">");
  expect_problem("gzip", "\x1f\x8b\x08\0\0\0\0"s);
  expect_problem("a ZIP archive", "PK\x03\x04\x14"s);
  expect_problem("xz",
                 "\xfd"
                 "7zXZ\0"s);
  expect_problem("Zstandard", "\x28\xb5\x2f\xfd\x04"s);
  expect_problem("a Git LFS pointer",
                 "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 12345\n");
  expect_problem("a TensorFlow Lite model", "\x1c\0\0\0TFL3\0\0"s);
  expect_problem("an ONNX model", "\x08\x08\x12\x07pytorch"s);
  expect_problem("JSON", "{\"error\": \"not found\"}");
  expect_problem("the .xml has no XML element", "\x80\x81\x82 neither");
  expect_problem("the .xml has no XML element", "<?xml version=\"1.0\"?>");
}

TEST(File, NamesWhatIsGivenInPlaceOfWeights) {
  const std::string xml =
      net(constant(0, "element_type=\"f32\" shape=\"2,3\" offset=\"0\" size=\"24\"") + result(1),
          edge(0, 0, 1, 0));
  const auto given = [](const std::string& bytes) {
    return std::make_shared<MemoryBytes>(std::vector<char>(bytes.begin(), bytes.end()));
  };
  expect_problem("at least 24 bytes for 1 constant, but no weights were given", xml);
  expect_problem("the weights are a Git LFS pointer", xml,
                 given("version https://git-lfs.github.com/spec/v1\n"));
  expect_problem("the weights are an HTML page", xml, given("<html><body>not found, sorry</body></html>"));
  expect_problem("the weights are an .xml", xml, given(xml));
  expect_problem("look like compressed with gzip", xml, given("\x1f\x8b\x08"));
  EXPECT_EQ(problems_of(xml, given("\x1f\x8b" + std::string(30, 'x'))).size(), 0u);  // weights by chance
}

TEST(File, SurvivesDeepNesting) {
  std::string xml = "<net name=\"m\" version=\"11\">";
  for (int i = 0; i < 1'000'000; ++i) xml += "<a>";
  for (int i = 0; i < 1'000'000; ++i) xml += "</a>";
  EXPECT_EQ(read(xml + "<layers/></net>")->nodes.size(), 0u);
}

}  // namespace
}  // namespace wasmvino::test
