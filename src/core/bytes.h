// SPDX-License-Identifier: Apache-2.0
// Where the bytes of a model's weights come from: memory, or a buffer that JavaScript keeps.
#pragma once

#include <cstddef>

namespace wasmvino {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual size_t size() const = 0;
  // Copies `count` bytes from `offset` on; the range lies inside the source.
  virtual void read(size_t offset, size_t count, void* to) const = 0;
};

}  // namespace wasmvino
