// SPDX-License-Identifier: Apache-2.0
// Recognises files that people give in place of a model by mistake.
#pragma once

#include <cstddef>
#include <string_view>

namespace wasmvino::frontends {

// How many bytes from the start of a file recognise_file() looks at.
inline constexpr size_t kRecognisedBytes = 512;

// What a file that begins so is, with advice: "an HTML page: ..."; empty where it is none of the kinds known
// here.
std::string_view recognise_file(std::string_view start);

// Whether a file that begins so is one of those kinds that are text, which no weights are by chance.
bool is_text_kind(std::string_view start);

}  // namespace wasmvino::frontends
