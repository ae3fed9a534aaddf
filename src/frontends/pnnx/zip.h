// SPDX-License-Identifier: Apache-2.0
// Reads the .bin: a ZIP archive of uncompressed entries, so weights are read in place.
// https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "core/bytes.h"

namespace wasmvino::pnnx {

class StoredZip {
 public:
  // The bytes of an entry inside the archive.
  struct Entry {
    size_t offset = 0, size = 0;
  };

  // Reads the directory of an archive, with or without the ZIP64 extension. Throws Error(kInvalidModel) if it
  // is not an archive, is truncated or contradicts itself, and Error(kUnsupported) if an entry is compressed
  // or encrypted.
  explicit StoredZip(const ByteSource& bytes);

  // nullptr if there is no entry of that name.
  const Entry* find(const std::string& name) const;
  size_t size() const { return entries_.size(); }

 private:
  std::unordered_map<std::string, Entry> entries_;
};

}  // namespace wasmvino::pnnx
