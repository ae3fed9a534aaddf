// SPDX-License-Identifier: Apache-2.0
#include "core/call.h"

#include <ctime>

#include "core/error.h"

namespace wasmvino {
namespace {

constexpr Limits kNoLimits;
const Call& unbounded() {
  static const Call call(kNoLimits);
  return call;
}

// Objects that serve both flavours of the wasm builds have this model alone in common: by the default one, a module
// without shared memory reads another address.
[[gnu::tls_model("local-exec")]] thread_local const Call* current = nullptr;

}  // namespace

Call::Call(const Limits& limits, const CancelFlag* cancelled)
    : limits_(&limits), cancelled_(cancelled), outer_(current) {
  if (limits.milliseconds > 0) deadline_ = now_milliseconds() + limits.milliseconds;
}

void Call::throw_cancelled() { fail(ErrorCode::kCancelled, "the call was cancelled"); }

void Call::check_clock() const {
  if (now_milliseconds() <= deadline_) return;
  throw Error(ErrorCode::kLimitExceeded, cat("the call takes longer than its limit of ", limits_->milliseconds, " ms"))
      .expected(cat(limits_->milliseconds, " ms"));
}

const Call& current_call() { return current != nullptr ? *current : unbounded(); }

CallScope::CallScope(const Call& call) : before_(current) { current = &call; }
CallScope::~CallScope() { current = before_; }

double now_milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

void check_limit(uint64_t limit, uint64_t wanted, const char* what) {
  if (limit == 0 || wanted <= limit) return;
  throw Error(ErrorCode::kLimitExceeded, cat(wanted, " ", what, " exceed the limit of ", limit))
      .expected(cat("at most ", limit, " ", what))
      .actual(cat(wanted));
}

}  // namespace wasmvino
