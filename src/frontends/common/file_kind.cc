// SPDX-License-Identifier: Apache-2.0
#include "frontends/common/file_kind.h"

#include "core/text.h"

namespace wasmvino::frontends {
namespace {

using namespace std::string_view_literals;

// What a text is; empty for other texts and for bytes.
std::string_view recognise_text(std::string_view start) {
  if (start.substr(0, 23) == "version https://git-lfs"sv) {
    return "a Git LFS pointer, not the file itself: fetch it with `git lfs pull`";
  }
  if (start.substr(0, 3) == "\xef\xbb\xbf"sv) start.remove_prefix(3);
  const size_t first = start.find_first_not_of(" \t\r\n"sv);
  if (first == std::string_view::npos) return {};
  start.remove_prefix(first);
  for (const std::string_view opening : {"<!doctype html"sv, "<html"sv}) {
    if (equal_ignoring_case(start.substr(0, opening.size()), opening)) {
      return "an HTML page: most likely a server's error page, or a page about the file";
    }
  }
  return {};
}

}  // namespace

std::string_view recognise_file(std::string_view start) {
  const auto begins = [&](std::string_view prefix, size_t at = 0) {
    return start.size() >= at + prefix.size() && start.substr(at, prefix.size()) == prefix;
  };
  if (begins("\x1f\x8b"sv))
    return "compressed with gzip: unpack it, or have it served with Content-Encoding: gzip";
  if (begins("PK\x03\x04"sv)) return "a ZIP archive: unpack it first";
  if (begins("\x28\xb5\x2f\xfd"sv)) return "compressed with Zstandard: unpack it first";
  if (begins("\xfd"
             "7zXZ"sv))
    return "compressed with xz: unpack it first";
  if (begins("TFL3"sv, 4)) return "a TensorFlow Lite model: convert it to OpenVINO IR first";
  // ONNX is a protocol buffer that begins with ir_version, then producer_name, domain or another field.
  if (start.size() > 2 && start[0] == '\x08' && start[1] > 0 && start[1] < 32 &&
      (start[2] == '\x12' || start[2] == '\x1a' || start[2] == '\x3a' || start[2] == '\x42')) {
    return "an ONNX model: convert it to OpenVINO IR first";
  }
  if (begins("{"sv)) return "JSON: a server's error message, or a model of another framework";
  return recognise_text(start);
}

bool is_text_kind(std::string_view start) { return !recognise_text(start).empty(); }

}  // namespace wasmvino::frontends
