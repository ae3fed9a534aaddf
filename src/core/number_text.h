// SPDX-License-Identifier: Apache-2.0
// Numbers as decimal text, the same in every locale.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace wasmvino {

// The integer that the whole of `text` is; a sign may stand in front, blanks may not.
std::optional<int64_t> parse_integer(std::string_view text);

// The number that the whole of `text` is: "-0.5", "1e-5", ".5", "inf", "nan" (in any letter case).
std::optional<double> parse_real(std::string_view text);

// The shortest text that reads back as the same finite number. WebAssembly writes 0.00001 and 1000000 where
// the command line writes 1e-05 and 1e+06.
std::string write_real(double value);

}  // namespace wasmvino
