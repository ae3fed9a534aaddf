// SPDX-License-Identifier: Apache-2.0
// The letters that stand for bytes in byte-level vocabularies, as GPT-2 chose them: printable bytes for
// themselves, the others for U+0100 and up.
#pragma once

#include <array>
#include <cstdint>

namespace wasmvino::ops::extension {

inline bool is_own_letter(unsigned byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

// By byte: its letter.
inline std::array<char16_t, 256> byte_letters() {
  std::array<char16_t, 256> letters;
  char16_t next = 0x100;
  for (unsigned byte = 0; byte < 256; ++byte)
    letters[byte] = is_own_letter(byte) ? static_cast<char16_t>(byte) : next++;
  return letters;
}

}  // namespace wasmvino::ops::extension
