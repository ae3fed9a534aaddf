// SPDX-License-Identifier: Apache-2.0
// Facts of Unicode 14.0, the version of OpenVINO Tokenizers' tables, as scripts/unicode_data.py encodes them.
#pragma once

#include <cstdint>
#include <span>

namespace wasmvino::ops::extension {

// Decompositions of code points, one step each, without Hangul syllables.
std::span<const uint8_t> decomposition_data();
// Canonical combining classes other than 0.
std::span<const uint8_t> combining_class_data();
// Simple case folding.
std::span<const uint8_t> fold_data();

}  // namespace wasmvino::ops::extension
