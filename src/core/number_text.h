// SPDX-License-Identifier: Apache-2.0
// Converts between numbers and decimal text, in the same way in every locale.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace wasmvino {

// Parses the whole of `text` as an integer. A leading sign is allowed, blanks are not.
std::optional<int64_t> parse_integer(std::string_view text);

// Parses the whole of `text` as a number: "-0.5", "1e-5", ".5", "inf", "nan" (in any letter case).
std::optional<double> parse_real(std::string_view text);

// The shortest text that parses to the same finite number. WebAssembly writes 0.00001 and 1000000 where the
// command line writes 1e-05 and 1e+06.
std::string write_real(double value);

}  // namespace wasmvino
