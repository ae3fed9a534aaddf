// SPDX-License-Identifier: Apache-2.0
#include "objects.h"

#include <unordered_map>

namespace wasmvino::web {
namespace {

struct Objects {
  std::unordered_map<uint32_t, Held> all;
  uint32_t last = 0;
};

Objects& objects() {
  static Objects* const made = new Objects;
  return *made;
}

}  // namespace

val hold(Held object) {
  Objects& held = objects();
  held.all.emplace(++held.last, std::move(object));
  return val(held.last);
}

void replace(uint32_t id, Held object) { objects().all[id] = std::move(object); }

void release(uint32_t id) {
  auto& all = objects().all;
  const auto found = all.find(id);
  if (found == all.end()) return;
#if WASMVINO_THREADS
  std::visit([](const auto& object) { Runner::shared().bury(object); }, found->second);
#endif
  all.erase(found);
}

const Held& held(uint32_t id) {
  const auto& all = objects().all;
  const auto found = all.find(id);
  if (found == all.end()) fail(ErrorCode::kInvalidState, "this object was disposed");
  return found->second;
}

}  // namespace wasmvino::web
