// SPDX-License-Identifier: Apache-2.0
// The engine objects that JavaScript holds by number: models, compiled models and requests.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "core/call.h"
#include "limits.h"
#include "runtime/compiled_model.h"
#include "runtime/thread_pool.h"
#include "values.h"
#if WASMVINO_THREADS
#include "runner.h"
#endif

namespace wasmvino::web {

// A request, and the tensors that JavaScript fills.
struct Request {
  std::unique_ptr<runtime::InferRequest> request;
  std::vector<Tensor> given;
  bool running = false;  // on the runner's thread

  runtime::InferRequest& idle() const {
    if (running) fail(ErrorCode::kInvalidState, "the request is running: await inferAsync() first");
    return *request;
  }
};

using Held = std::variant<std::shared_ptr<model::Model>, std::shared_ptr<runtime::CompiledModel>,
                          std::shared_ptr<Request>>;

// Returns the number by which JavaScript holds an object from now on. Numbers are never reused, so the number
// of an old object is recognised. `limits`: those of the call that made it, which later calls on the object
// take over, except for the time.
val hold(Held object, AllLimits limits);
void replace(uint32_t id, Held object);
// Throws Error(kInvalidState) if there is no such object.
AllLimits limits_of(uint32_t id);
// Destroys the object, if it exists, once no job runs.
void release(uint32_t id);

// The object with this number. Throws Error(kInvalidState) if there is none.
const Held& held(uint32_t id);
template <typename T>
[[gnu::noinline]] std::shared_ptr<T> get(uint32_t id) {
  const auto* object = std::get_if<std::shared_ptr<T>>(&held(id));
  if (object == nullptr) fail(ErrorCode::kInvalidState, "this object was disposed");
  return *object;
}

// As guarded(), for functions that may share memory with the job of the runner.
template <typename Body>
val exclusively(const Body& body) {
  return guarded([&] {
#if WASMVINO_THREADS
    Runner::shared().exclusive();
#endif
    return body();
  });
}

#if WASMVINO_THREADS

// Jobs keep their failure for result(): exceptions must not leave the runner's thread, and JavaScript objects
// belong to the main thread.
class GuardedJob : public Job {
 public:
  void work() final {
    try {
      const Limits none;
      const Call call(none, &cancelled_);
      const CallScope scope(call);
      compute();
    } catch (...) {
      failure_ = std::current_exception();
    }
  }
  void cancel() final { cancelled_.set(); }
  val result() final {
    return failure_ ? failure_of(failure_) : guarded([&] { return succeed(); });
  }

 protected:
  virtual void compute() = 0;
  virtual val succeed() = 0;

 private:
  CancelFlag cancelled_;
  std::exception_ptr failure_;
};

#endif

}  // namespace wasmvino::web
