// SPDX-License-Identifier: Apache-2.0
// Where the bytes of a model's weights come from: memory, or a buffer that JavaScript owns.
#pragma once

#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

namespace wasmvino {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual size_t size() const = 0;
  // Copies `count` bytes, starting at `offset`. The range must be inside the source.
  virtual void read(size_t offset, size_t count, void* to) const = 0;
  // A source whose memory is released once it was read keeps this range: it is read more than once.
  virtual void keep([[maybe_unused]] size_t offset, [[maybe_unused]] size_t count) const {}
};

// Bytes in memory, owned by this object or by somebody else.
class MemoryBytes final : public ByteSource {
 public:
  explicit MemoryBytes(std::vector<char> bytes)
      : owned_(std::move(bytes)), bytes_(owned_.data()), size_(owned_.size()) {}
  // Refers to memory that must outlive this source.
  MemoryBytes(const void* bytes, size_t size) : bytes_(bytes), size_(size) {}
  MemoryBytes(const MemoryBytes&) = delete;
  MemoryBytes& operator=(const MemoryBytes&) = delete;
  size_t size() const override { return size_; }
  void read(size_t offset, size_t count, void* to) const override {
    if (count > 0) std::memcpy(to, static_cast<const char*>(bytes_) + offset, count);
  }

 private:
  std::vector<char> owned_;
  const void* bytes_;
  size_t size_;
};

}  // namespace wasmvino
