// SPDX-License-Identifier: Apache-2.0
#include "frontends/pnnx/zip.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "core/call.h"
#include "core/error.h"

namespace wasmvino::pnnx {
namespace {

constexpr uint32_t kEnd = 0x06054b50, kEnd64Locator = 0x07064b50, kEnd64 = 0x06064b50;
constexpr uint32_t kDirectoryEntry = 0x02014b50, kLocalEntry = 0x04034b50;
constexpr size_t kEndBytes = 22, kLocatorBytes = 20, kEnd64Bytes = 56, kDirectoryEntryBytes = 46,
                 kLocalBytes = 30;
constexpr size_t kLongestComment = 0xffff;
constexpr uint32_t kIn64 = 0xffffffff;  // the value is in the ZIP64 extension
constexpr uint16_t kZip64Field = 1;

[[noreturn]] void fail_broken(std::string_view what) {
  fail(ErrorCode::kInvalidModel, "the .bin is no ZIP archive as pnnx writes it: ", what);
}

// Little-endian numbers in a range of bytes. Each access checks the bounds.
class Record {
 public:
  Record(const ByteSource& source, uint64_t offset, uint64_t size) {
    if (offset > source.size() || size > source.size() - offset) fail_broken("it is cut off");
    bytes_.resize(static_cast<size_t>(size));
    if (size > 0) source.read(static_cast<size_t>(offset), bytes_.size(), bytes_.data());
  }

  size_t size() const { return bytes_.size(); }
  uint16_t u16(size_t at) const { return static_cast<uint16_t>(number(at, 2)); }
  uint32_t u32(size_t at) const { return static_cast<uint32_t>(number(at, 4)); }
  uint64_t u64(size_t at) const { return number(at, 8); }
  std::string text(size_t at, size_t count) const {
    check(at, count);
    return std::string(bytes_.data() + at, count);
  }

 private:
  void check(size_t at, size_t count) const {
    if (at > bytes_.size() || count > bytes_.size() - at) fail_broken("its directory is cut off");
  }
  uint64_t number(size_t at, size_t count) const {
    check(at, count);
    uint64_t value = 0;
    for (size_t i = 0; i < count; ++i)
      value |= uint64_t{static_cast<unsigned char>(bytes_[at + i])} << (8 * i);
    return value;
  }

  std::vector<char> bytes_;
};

struct Directory {
  uint64_t offset = 0, size = 0, count = 0;
};

Directory find_directory(const ByteSource& bytes) {
  const size_t tail_size = std::min(bytes.size(), kEndBytes + kLongestComment);
  const size_t tail_offset = bytes.size() - tail_size;
  const Record tail(bytes, tail_offset, tail_size);
  for (size_t at = tail_size < kEndBytes ? 0 : tail_size - kEndBytes + 1; at-- > 0;) {
    if (tail.u32(at) != kEnd || at + kEndBytes + tail.u16(at + 20) != tail_size) continue;
    Directory found{tail.u32(at + 16), tail.u32(at + 12), tail.u16(at + 10)};
    const uint64_t end = uint64_t{tail_offset} + at;
    if (end < kLocatorBytes) return found;
    const Record locator(bytes, end - kLocatorBytes, kLocatorBytes);
    if (locator.u32(0) != kEnd64Locator) return found;
    const Record end64(bytes, locator.u64(8), kEnd64Bytes);
    if (end64.u32(0) != kEnd64) fail_broken("its ZIP64 directory is not where it should be");
    return {end64.u64(48), end64.u64(40), end64.u64(32)};
  }
  fail_broken("its directory is missing");
}

// Sizes and offset of an entry. Those that do not fit 32 bits are in the extra field, in this order.
struct Extent {
  uint64_t size, stored_size, offset;
};

Extent read_extent(const Record& directory, size_t at, size_t extra, size_t extra_size) {
  Extent extent{directory.u32(at + 24), directory.u32(at + 20), directory.u32(at + 42)};
  for (size_t field = extra; field + 4 <= extra + extra_size;) {
    const size_t size = directory.u16(field + 2);
    if (directory.u16(field) == kZip64Field) {
      size_t value = field + 4;
      const size_t end = value + size;
      for (uint64_t* part : {&extent.size, &extent.stored_size, &extent.offset}) {
        if (*part != kIn64) continue;
        if (value + 8 > end) fail_broken("an entry lacks its ZIP64 sizes");
        *part = directory.u64(value);
        value += 8;
      }
      break;
    }
    field += 4 + size;
  }
  return extent;
}

}  // namespace

StoredZip::StoredZip(const ByteSource& bytes) {
  const Directory place = find_directory(bytes);
  const Record directory(bytes, place.offset, place.size);
  if (place.count > directory.size() / kDirectoryEntryBytes)
    fail_broken("its directory is too short for its entries");
  size_t at = 0;
  for (uint64_t i = 0; i < place.count; ++i) {
    current_call().poll();
    if (directory.u32(at) != kDirectoryEntry) fail_broken("an entry of its directory is broken");
    const uint16_t flags = directory.u16(at + 8), method = directory.u16(at + 10);
    const size_t name_size = directory.u16(at + 28), extra_size = directory.u16(at + 30);
    std::string name = directory.text(at + kDirectoryEntryBytes, name_size);
    const Extent extent = read_extent(directory, at, at + kDirectoryEntryBytes + name_size, extra_size);
    if (method != 0 || (flags & 1) != 0 || extent.size != extent.stored_size) {
      fail(ErrorCode::kUnsupported, "the entry '", name, "' of the .bin is ",
           (flags & 1) != 0 ? "encrypted" : "compressed", ", expected stored entries as pnnx writes them");
    }
    const Record local(bytes, extent.offset, kLocalBytes);
    if (local.u32(0) != kLocalEntry) fail_broken("an entry is not where its directory says");
    // The record above is inside the source, so these sums do not overflow.
    const uint64_t begin = extent.offset + kLocalBytes + local.u16(26) + local.u16(28);
    if (begin > bytes.size() || extent.size > bytes.size() - begin)
      fail_broken("an entry lies behind its end");
    const Entry entry{static_cast<size_t>(begin), static_cast<size_t>(extent.size)};
    if (!entries_.emplace(std::move(name), entry).second) fail_broken("it has two entries of one name");
    at += kDirectoryEntryBytes + name_size + extra_size + directory.u16(at + 32);
  }
}

const StoredZip::Entry* StoredZip::find(const std::string& name) const {
  const auto found = entries_.find(name);
  return found == entries_.end() ? nullptr : &found->second;
}

}  // namespace wasmvino::pnnx
