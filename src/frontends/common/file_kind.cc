// SPDX-License-Identifier: Apache-2.0
#include "frontends/common/file_kind.h"

#include "core/text.h"

namespace wasmvino::frontends {
namespace {

using namespace std::string_view_literals;

// Describes a text file; empty for other texts and for binary data.
std::string_view recognise_text(std::string_view start) {
  if (start.substr(0, 23) == "version https://git-lfs"sv) {
    return "a Git LFS pointer, not the file itself: fetch it with `git lfs pull`";
  }
  if (start.substr(0, 3) == "\xef\xbb\xbf"sv) start.remove_prefix(3);
  const size_t first = start.find_first_not_of(" \t\r\n"sv);
  if (first == std::string_view::npos) return {};
  start.remove_prefix(first);
  if (start.starts_with("wasmvino model "sv)) {
    return "a model that exportModel() wrote: read it with importModel()";
  }
  for (const std::string_view opening : {"<!doctype html"sv, "<html"sv}) {
    if (equal_ignoring_case(start.substr(0, opening.size()), opening)) {
      return "an HTML page: most likely a server's error page, or a page about the file";
    }
  }
  return {};
}

// Describes the content of a ZIP archive, recognised by its first entry.
std::string_view recognise_archive(std::string_view start) {
  const auto has = [&](std::string_view part) { return start.find(part) != std::string_view::npos; };
  // The class of a pickled object: a module of TorchScript, or the dictionary of a state_dict.
  if (has("data.pkl"sv) && !has("c__torch__"sv) && (has("OrderedDict"sv) || has("_rebuild_tensor"sv))) {
    return "the weights of a PyTorch model (a state_dict), without the network: load them into the model in "
           "Python, and convert that with `ovc.convert_model(model)` or `torch.onnx.export`";
  }
  if (has("metadata.json"sv) || has("model.weights.h5"sv)) {
    return "a Keras model: `model.export('folder')` writes it for TensorFlow, and `ovc folder` converts that "
           "to "
           "OpenVINO IR";
  }
  for (const std::string_view entry : {"data.pkl"sv, "/version"sv, "/byteorder"sv, ".format_version"sv}) {
    if (start.find(entry) != std::string_view::npos) {
      return "a PyTorch file: TorchScript becomes OpenVINO IR with `ovc model.pt`, or PNNX with `pnnx "
             "model.pt`";
    }
  }
  if (start.find(".weight"sv) != std::string_view::npos || start.find(".bias"sv) != std::string_view::npos) {
    return "the weights of a PNNX model: give its .pnnx.param as the model and this file as the weights";
  }
  return "a ZIP archive: unpack it first";
}

}  // namespace

std::string_view recognise_file(std::string_view start) {
  const auto begins = [&](std::string_view prefix, size_t at = 0) {
    return start.size() >= at + prefix.size() && start.substr(at, prefix.size()) == prefix;
  };
  if (begins("\x89HDF\r\n\x1a\n"sv)) {
    return "an HDF5 file, such as a Keras model: load it in Python, `model.export('folder')`, and convert it "
           "to "
           "OpenVINO IR with `ovc folder`";
  }
  // A pickle of protocol 2 or later. Older versions of PyTorch write a magic number in it.
  if (begins("\x80"sv) && start.size() > 1 && start[1] >= 2 && start[1] <= 5) {
    return "a pickled Python object, such as the weights of a PyTorch model (.pth): load it in Python, and "
           "convert "
           "the model with `ovc.convert_model(model)` or `torch.onnx.export`";
  }
  for (const std::string_view picture : {"\x89PNG"sv, "\xff\xd8\xff"sv, "GIF8"sv}) {
    if (begins(picture)) return "a picture: pictures are inputs, and a model file is read first";
  }
  if (begins("RIFF"sv) && begins("WEBP"sv, 8)) {
    return "a picture: pictures are inputs, and a model file is read first";
  }
  if (begins("\xff\xfe<\0"sv) || begins("\xfe\xff\0<"sv)) return "XML in UTF-16: save it as UTF-8";
  if (begins("\x1f\x8b"sv))
    return "compressed with gzip: unpack it, or have it served with Content-Encoding: gzip";
  if (begins("PK\x03\x04"sv)) return recognise_archive(start);
  if (begins("\x28\xb5\x2f\xfd"sv)) return "compressed with Zstandard: unpack it first";
  if (begins("\xfd"
             "7zXZ"sv))
    return "compressed with xz: unpack it first";
  if (begins("TFL3"sv, 4))
    return "a TensorFlow Lite model: convert it to OpenVINO IR first, with `ovc model.tflite`";
  if (is_saved_model(start)) {
    return "a model of TensorFlow (saved_model.pb): convert its folder to OpenVINO IR with `ovc folder`";
  }
  // A frozen graph of TensorFlow is a protocol buffer of nodes: name, then operation.
  for (const std::string_view operation : {"\x12\x0bPlaceholder"sv, "\x12\x05\x43onst"sv}) {
    if (begins("\x0a"sv) && start.find(operation) != std::string_view::npos)
      return "a frozen graph of TensorFlow: convert it to OpenVINO IR with `ovc model.pb`";
  }
  // ONNX is a protocol buffer that begins with ir_version, followed by producer_name, domain or another
  // field.
  if (start.size() > 2 && start[0] == '\x08' && start[1] > 0 && start[1] < 32 &&
      (start[2] == '\x12' || start[2] == '\x1a' || start[2] == '\x3a' || start[2] == '\x42')) {
    return "an ONNX model, which builds with the front end onnx read";
  }
  if (begins("GGUF"sv))
    return "a GGUF model: such files hold a language model's weights, which `optimum-cli export openvino` "
           "converts from their original";
  // safetensors begins with the length of its JSON header, which follows.
  if (begins("{\""sv, 8)) {
    return "a safetensors file: it holds weights alone; `optimum-cli export openvino` converts the model "
           "that they belong to";
  }
  // A PaddlePaddle program is a protocol buffer of blocks. It begins with fields 1 and 2 of a block.
  if (start.size() >= 8 && start[0] == '\x0a' && start.find("\x08\x00\x10"sv) < 8) {
    return "a PaddlePaddle model: convert it to OpenVINO IR first, with `ovc model.pdmodel`";
  }
  if (begins("{"sv)) return "JSON: a server's error message, or a model of another framework";
  return recognise_text(start);
}

// Its version is 1, and then comes a graph. An ONNX model of that version has a short text there, whose
// length is one byte.
bool is_saved_model(std::string_view start) {
  return start.size() > 3 && start.starts_with("\x08\x01\x12"sv) && (start[3] & 0x80) != 0;
}

bool is_text_kind(std::string_view start) { return !recognise_text(start).empty(); }

}  // namespace wasmvino::frontends
