// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: arrays in files. The first byte chooses the requested element type and the format. The
// rest is the file.
#include <cstdint>

#include "cli/arrays.h"
#include "outcome.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace wasmvino;
  if (size == 0) return 0;
  const auto type = static_cast<ElementType>(data[0] / 2 % kElementTypeCount);
  const bool strings = data[0] % 2 != 0;
  const std::string content(reinterpret_cast<const char*>(data) + 1, size - 1);
  test::run_within_limits([&] { cli::parse_array(content, strings, type); });
  return 0;
}
