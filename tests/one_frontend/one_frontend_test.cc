// SPDX-License-Identifier: Apache-2.0
// A build with one format: this program links no other. WASMVINO_FRONTEND names it.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "core/bytes.h"
#include "frontends/frontends.h"
#include "model/problems.h"
#include "ops/registry.h"

namespace wasmvino::test {
namespace {

// A model of each format with the operation Relu.
struct Sample {
  std::string model;
  std::string elsewhere;  // what builds without the format call it, if they know it
};
const std::map<std::string, Sample> kModels = {
    {"ir",
     {R"(<net name="n" version="11"><layers>
<layer id="0" name="in" type="Parameter" version="opset1"><data shape="2" element_type="f32"/>
<output><port id="0" precision="FP32"><dim>2</dim></port></output></layer>
<layer id="1" name="r" type="ReLU" version="opset1"><input><port id="0" precision="FP32"><dim>2</dim></port></input>
<output><port id="1" precision="FP32"><dim>2</dim></port></output></layer>
<layer id="2" name="out" type="Result" version="opset1"><input><port id="0" precision="FP32"><dim>2</dim></port></input></layer>
</layers><edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/>
<edge from-layer="1" from-port="1" to-layer="2" to-port="0"/></edges></net>)",
      ""}},
    {"pnnx",
     {"7767517\n3 2\npnnx.Input in 0 1 0 #0=(2)f32\nnn.ReLU r 1 1 0 1 #1=(2)f32\npnnx.Output out 1 0 1\n",
      ""}},
    // Made by onnx.helper: a node Relu, in opset 13.
    {"onnx",
     {std::string("\x08\x08\x12\x00:<\x0a\x12\x0a\x02in\x12\x03out\x1a\x01"
                  "r\x22\x04Relu\x12\x01"
                  "nZ\x10\x0a\x02in"
                  "\x12\x0a\x0a\x08\x08\x01\x12\x04\x0a\x02\x08\x02"
                  "b\x11\x0a\x03out\x12\x0a\x0a\x08\x08\x01\x12\x04\x0a\x02"
                  "\x08\x02"
                  "B\x04\x0a\x00\x10\x0d",
                  72),
      "an ONNX model, which builds with the front end onnx read"}}};

// The error, or the number of operations.
std::string read(const std::string& text) {
  try {
    const auto model =
        frontends::read(std::make_shared<MemoryBytes>(text.data(), text.size()), {}, ops::registry());
    return std::to_string(model->nodes.size());
  } catch (const model::ReadError& error) {
    return error.what();
  }
}

TEST(OneFrontend, ReadsItsFormatAndNamesItForOthers) {
  ASSERT_EQ(frontends::all().size(), 1u);
  const std::string name(frontends::all()[0]->name());
  for (const auto& [format, sample] : kModels) {
    std::string expected = "this is not a model in " + name;
    if (!sample.elsewhere.empty()) expected = "this is not " + name + " but " + sample.elsewhere;
    if (format == WASMVINO_FRONTEND) expected = "3";
    EXPECT_NE(read(sample.model).find(expected), std::string::npos) << format << ": " << read(sample.model);
  }
}

}  // namespace
}  // namespace wasmvino::test
