// SPDX-License-Identifier: Apache-2.0
#include "objects.h"

#include <unordered_map>

namespace wasmvino::web {
namespace {

struct Holding {
  Held object;
  AllLimits limits;
};

struct Objects {
  std::unordered_map<uint32_t, Holding> all;
  uint32_t last = 0;
};

Objects& objects() {
  static Objects* const made = new Objects;
  return *made;
}

}  // namespace

val hold(Held object, AllLimits limits) {
  limits.limits.milliseconds = 0;
  Objects& held = objects();
  held.all.emplace(++held.last, Holding{std::move(object), std::move(limits)});
  return val(held.last);
}

void replace(uint32_t id, Held object) { objects().all.at(id).object = std::move(object); }

void release(uint32_t id) {
  auto& all = objects().all;
  const auto found = all.find(id);
  if (found == all.end()) return;
#if WASMVINO_THREADS
  std::visit([](const auto& object) { Runner::shared().bury(object); }, found->second.object);
#endif
  all.erase(found);
}

namespace {

const Holding& holding(uint32_t id) {
  const auto& all = objects().all;
  const auto found = all.find(id);
  if (found == all.end()) fail(ErrorCode::kInvalidState, "this object was disposed");
  return found->second;
}

}  // namespace

const Held& held(uint32_t id) { return holding(id).object; }

AllLimits limits_of(uint32_t id) { return holding(id).limits; }

}  // namespace wasmvino::web
