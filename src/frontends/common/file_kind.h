// SPDX-License-Identifier: Apache-2.0
// Recognises files that users pass in place of a model by mistake.
#pragma once

#include <cstddef>
#include <string_view>

namespace wasmvino::frontends {

// How many bytes recognise_file() examines at the start of a file.
inline constexpr size_t kRecognisedBytes = 512;

// Describes what a file with this start is, with advice: "an HTML page: ...". Empty for all other files.
std::string_view recognise_file(std::string_view start);

// Whether a file with this start is a saved_model.pb of TensorFlow, whose first bytes are also those of an
// ONNX model.
bool is_saved_model(std::string_view start);

// Whether a file with this start is one of the text kinds. Weights never look like text by chance.
bool is_text_kind(std::string_view start);

}  // namespace wasmvino::frontends
