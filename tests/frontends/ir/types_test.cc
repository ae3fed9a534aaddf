// SPDX-License-Identifier: Apache-2.0
#include "ir_tester.h"

namespace wasmvino::test {
namespace {

// Type and version of the class that a layer becomes: "TopK-3".
std::string class_of(const std::string& type, const std::string& opset) {
  const auto model = read(chain(type, opset));
  const model::Node& op = node_of(*model, "op");
  return cat(op.type, "-", op.version);
}

TEST(Types, AreFoundInAnyLetterCase) {
  for (const char* type : {"ReLU", "Relu", "relu", "RELU"}) EXPECT_EQ(class_of(type, "opset1"), "Relu-1");
  EXPECT_EQ(class_of("SoftMax", "opset8"), "Softmax-8");
}

TEST(Types, HaveTheNewestVersionThatTheirOpsetHas) {
  EXPECT_EQ(class_of("TopK", "opset1"), "TopK-1");
  EXPECT_EQ(class_of("TopK", "opset2"), "TopK-1");
  EXPECT_EQ(class_of("TopK", "opset3"), "TopK-3");
  EXPECT_EQ(class_of("TopK", "opset10"), "TopK-3");
  EXPECT_EQ(class_of("TopK", "opset16"), "TopK-11");
  EXPECT_EQ(class_of("ReLU", "opset13"), "Relu-1");
  EXPECT_EQ(class_of("Convert", "opset17"), "Convert-1");
}

TEST(Types, AreRefusedWhereTheirOpsetHasNone) {
  expect_problem("opset3 has no operation Mish: it is in opset4 to opset16", chain("Mish", "opset3"));
  expect_problem("opset2 has no operation Reverse: it is in opset1 to opset1", chain("Reverse", "opset2"));
  expect_problem("opset17 has no operation ReLU", chain("ReLU", "opset17"));
  expect_problem("the operation Frobnicate of opset8 is unknown", chain("Frobnicate", "opset8"));
  for (const char* opset :
       {"opset99", "opset18", "opset0", "opset01", "opset", "Opset1", "opset1 ", "extension", "1"}) {
    expect_problem(cat("its version '", opset, "' is not supported (supported: opset1 to opset17)"),
                   chain("ReLU", opset));
  }
}

TEST(Types, ThatCameBeforeTheirOpsetAreFoundInIt) {
  for (const char* version : {"experimental", "extension"}) {
    EXPECT_EQ(class_of("GRUCell", version), "GRUCell-3");
    EXPECT_EQ(class_of("RNNCell", version), "RNNCell-1");
    EXPECT_EQ(class_of("ExperimentalDetectronTopKROIs", version), "ExperimentalDetectronTopKROIs-6");
  }
  EXPECT_EQ(class_of("Proposal", "extension"), "Proposal-4");
  for (const char* type : {"MVN", "ROIPooling", "ReorgYolo"})
    EXPECT_EQ(class_of(type, "opset1"), cat(type, "-2"));
  expect_problem("opset1 has no operation BatchToSpace", chain("BatchToSpace", "opset1"));
}

TEST(Types, ConstantsAreConstOrConstant) {
  const auto with_type = [](const std::string& type) {
    return net(
        layer(0, "c", type, "<data element_type=\"f32\" shape=\"\" offset=\"0\" size=\"4\"/>" + output(0)) +
            result(1),
        edge(0, 0, 1, 0));
  };
  for (const char* type : {"Const", "Constant"}) {
    const auto model = read(with_type(type), counting_bytes(4));
    EXPECT_EQ(node_of(*model, "c").type, "Constant");
    EXPECT_EQ(node_of(*model, "c").kind, model::NodeKind::kConstant);
  }
  for (const char* type : {"const", "CONSTANT"}) {
    expect_problem("constants are spelt Const", with_type(type), counting_bytes(4));
  }
}

TEST(Types, ParametersAndResultsAreFoundInAnyLetterCase) {
  std::string xml = net(parameter(0) + result(1), edge(0, 0, 1, 0));
  xml.replace(xml.find("\"Parameter\""), 11, "\"parameter\"");
  xml.replace(xml.find("\"Result\""), 8, "\"RESULT\"");
  const auto model = read(xml);
  EXPECT_EQ(model->parameters.size(), 1u);
  EXPECT_EQ(model->results.size(), 1u);
}

}  // namespace
}  // namespace wasmvino::test
