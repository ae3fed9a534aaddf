// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/windows.h"

namespace wasmvino::onnx {

model::Attributes Windows::attributes(bool dilated) const {
  model::Attributes made = {
      {"strides", strides}, {"pads_begin", pads_begin}, {"pads_end", pads_end}, {"auto_pad", auto_pad}};
  if (dilated) made.push_back({"dilations", dilations});
  return made;
}

Windows windows_of(Context& c, size_t spatial) {
  Windows made;
  made.strides = c.ints("strides", spatial, 1);
  made.dilations = c.ints("dilations", spatial, 1);
  const Ints pads = c.ints("pads", 2 * spatial, 0);
  made.pads_begin = Ints(pads.begin(), pads.begin() + spatial);
  made.pads_end = Ints(pads.begin() + spatial, pads.end());
  constexpr std::pair<std::string_view, std::string_view> kModes[] = {{"NOTSET", "explicit"},
                                                                      {"", "explicit"},
                                                                      {"SAME_UPPER", "same_upper"},
                                                                      {"SAME_LOWER", "same_lower"},
                                                                      {"VALID", "valid"}};
  const std::string mode = c.word("auto_pad", "NOTSET");
  for (const auto& [name, word] : kModes) {
    if (mode == name) made.auto_pad = word;
  }
  if (made.auto_pad.empty())
    fail(ErrorCode::kInvalidModel, "its attribute auto_pad is '", mode,
         "', expected NOTSET, SAME_UPPER, SAME_LOWER or VALID");
  return made;
}

}  // namespace wasmvino::onnx
