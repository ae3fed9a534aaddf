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
  EXPECT_PRED2(contains,
               refusal("PK\x03\x04.........net/data.pkl..FB..\x80\x02}ccollections\nOrderedDict\n"s),
               "state_dict");
  EXPECT_PRED2(contains,
               refusal("PK\x03\x04.......net/data.pkl..FB..\x80\x02"
                       "c__torch__\nNet\nOrderedDict\n"s),
               "`pnnx model.pt`");
  EXPECT_PRED2(contains, refusal("PK\x03\x04................metadata.json"s),
               "a Keras model: `model.export('folder')`");
  EXPECT_PRED2(contains, refusal("\x89HDF\r\n\x1a\n\0"s), "an HDF5 file");
  EXPECT_PRED2(contains, refusal("\x80\x02\x8a\x0a\x6c\xfc"s), "a pickled Python object");
  EXPECT_PRED2(contains, refusal("\x08\x01\x12\xe7\x7f\x0a\x0b"s), "(saved_model.pb): convert its folder");
  EXPECT_PRED2(contains, refusal("\x0a\x13\x0a\x01x\x12\x0bPlaceholder"s), "`ovc model.pb`");
  EXPECT_PRED2(contains, refusal("\xff\xfe<\0?\0"s), "XML in UTF-16");
  EXPECT_PRED2(contains, refusal("\xfe\xff\0<\0?"s), "XML in UTF-16");
  for (const std::string& picture : {"\x89PNG\r\n"s, "\xff\xd8\xff\xe0"s, "GIF89a"s, "RIFF....WEBPVP8"s})
    EXPECT_PRED2(contains, refusal(picture), "a picture");
  EXPECT_PRED2(contains, refusal("wasmvino model 3\n{}\n"s), "read it with importModel()");
  EXPECT_PRED2(contains, refusal("GGUF\x03\x00\x00\x00"s), "a GGUF model");
  EXPECT_PRED2(contains, refusal("\x40\x00\x00\x00\x00\x00\x00\x00{\"a\":1}"s), "a safetensors file");
}

TEST(FileKind, NamesTheFormatsThatAreRead) {
  EXPECT_PRED2(contains, refusal("hello"),
               "this is not a model in OpenVINO IR or PNNX or ONNX. Weights (a .bin) are given beside");
  EXPECT_PRED2(contains, refusal(""), "the model is empty, expected OpenVINO IR or PNNX");
}

TEST(FileKind, LeavesModelsToTheirFrontends) {
  const std::string xml = "\xef\xbb\xbf \n<?xml version=\"1.0\"?><net/>", text = "7767517\n0 0\n";
  EXPECT_EQ(frontends::find(MemoryBytes(xml.data(), xml.size()))->name(), "OpenVINO IR");
  EXPECT_EQ(frontends::find(MemoryBytes(text.data(), text.size()))->name(), "PNNX");
}

}  // namespace
}  // namespace wasmvino::test
