// SPDX-License-Identifier: Apache-2.0
#include "limits.h"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <memory>
#include <new>

namespace {

using wasmvino::MemoryUse;

// In front of each block of operator new: which owner's memory it counts as, and how large it is. As long as
// the alignment of blocks.
struct alignas(__STDCPP_DEFAULT_NEW_ALIGNMENT__) Header {
  MemoryUse* use;
  size_t bytes;
};

}  // namespace

void* operator new(size_t bytes) {
  const wasmvino::MemoryLimit* const limit = wasmvino::current_memory_limit();
  MemoryUse* const use = limit != nullptr ? limit->use.get() : nullptr;
  if (bytes > PTRDIFF_MAX - sizeof(Header)) throw std::bad_alloc();
  const size_t all = sizeof(Header) + bytes;
  if (use != nullptr && !use->add(all, limit->bytes)) throw std::bad_alloc();
  auto* const header = static_cast<Header*>(std::malloc(all));
  if (header == nullptr) {
    if (use != nullptr) use->remove(all);
    throw std::bad_alloc();
  }
  *header = {use, all};
  return header + 1;
}

void operator delete(void* memory) noexcept {
  if (memory == nullptr) return;
  Header* const header = static_cast<Header*>(memory) - 1;
  if (header->use != nullptr) header->use->remove(header->bytes);
  std::free(header);
}

namespace wasmvino::web {
namespace {

// What each owner holds. Blocks refer to these, so they stay.
const std::shared_ptr<MemoryUse>& use_of(uint32_t owner) {
  static auto& uses = *new std::map<uint32_t, std::shared_ptr<MemoryUse>>;
  std::shared_ptr<MemoryUse>& use = uses[owner];
  if (use == nullptr) use = std::make_shared<MemoryUse>();
  return use;
}

template <typename T>
T bounded(double value) {
  if (!(value > 0)) return 0;
  constexpr T kMost = std::numeric_limits<T>::max();
  return value >= static_cast<double>(kMost) ? kMost : static_cast<T>(std::ceil(value));
}

}  // namespace

AllLimits to_limits(const CallLimits& limits) {
  return {{.tensor_bytes = bounded<size_t>(limits.tensor_bytes),
           .layers = bounded<size_t>(limits.layers),
           .nesting = bounded<size_t>(limits.nesting),
           .iterations = bounded<uint64_t>(limits.iterations),
           .milliseconds = limits.milliseconds},
          {use_of(limits.owner), bounded<size_t>(limits.memory_bytes)}};
}

}  // namespace wasmvino::web
