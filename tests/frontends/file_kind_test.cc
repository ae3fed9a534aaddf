// SPDX-License-Identifier: Apache-2.0
#include "frontends/common/file_kind.h"

#include <gtest/gtest.h>

#include <string>

#include "core/bytes.h"
#include "frontends/frontends.h"
#include "model/problems.h"
#include "ops/registry.h"

namespace wasmvino::test {
namespace {

using namespace std::string_literals;

// Why a file is refused in place of a model.
std::string refusal(const std::string& content) {
  try {
    frontends::read(std::make_shared<MemoryBytes>(content.data(), content.size()), {}, ops::registry());
  } catch (const model::ReadError& error) {
    return error.what();
  }
  return "it was read";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(FileKind, AnswersOtherFormatsWithTheCommandThatConvertsThem) {
  EXPECT_PRED2(contains, refusal("\x08\x07\x12\x07pytorch"s), "the ONNX file has no graph");
  EXPECT_PRED2(contains, refusal("\x1c\x00\x00\x00TFL3...."s), "`ovc model.tflite`");
  EXPECT_PRED2(contains, refusal("\x0a\xf0\x01\x08\x00\x10\xff\xff"s), "`ovc model.pdmodel`");
  EXPECT_PRED2(contains, refusal("PK\x03\x04................net/data.pkl"s), "`pnnx model.pt`");
  EXPECT_PRED2(contains, refusal("PK\x03\x04................conv.weight"s),
               "give its .pnnx.param as the model");
  EXPECT_PRED2(contains, refusal("PK\x03\x04................readme.txt"s), "a ZIP archive: unpack it first");
  EXPECT_PRED2(contains, refusal("GGUF\x03\x00\x00\x00"s), "a GGUF model");
  EXPECT_PRED2(contains, refusal("\x40\x00\x00\x00\x00\x00\x00\x00{\"a\":1}"s), "a safetensors file");
}

TEST(FileKind, NamesTheFormatsThatAreRead) {
  EXPECT_PRED2(contains, refusal("hello"),
               "this build cannot read the model (supported: OpenVINO IR or PNNX or ONNX)");
  EXPECT_PRED2(contains, refusal(""), "the model is empty, expected OpenVINO IR or PNNX");
}

TEST(FileKind, LeavesModelsToTheirFrontends) {
  const std::string xml = "\xef\xbb\xbf \n<?xml version=\"1.0\"?><net/>", text = "7767517\n0 0\n";
  EXPECT_EQ(frontends::find(MemoryBytes(xml.data(), xml.size()))->name(), "OpenVINO IR");
  EXPECT_EQ(frontends::find(MemoryBytes(text.data(), text.size()))->name(), "PNNX");
}

}  // namespace
}  // namespace wasmvino::test
