// SPDX-License-Identifier: Apache-2.0
// The implementation is compiled only in threaded builds.
#include "runner.h"

#include <emscripten/threading.h>

#include <chrono>

#include "core/error.h"

// Implemented in web/library.js.
extern "C" void wasmvino_add_part(const uint8_t* bytes, size_t count);
extern "C" void wasmvino_alive();
extern "C" void wasmvino_finished();

namespace wasmvino::web {

Runner& Runner::shared() {
  static Runner& runner = *new Runner;
  return runner;
}

void Runner::start() {
  if (started_) return;
  std::thread([this] { work(); }).detach();
  started_ = true;
}

void Runner::work() {
  wasmvino_alive();
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return !done_; });
    const std::vector<Tensor> parts = std::exchange(parts_, {});
    lock.unlock();
    for (const Tensor& part : parts) wasmvino_add_part(part.data<uint8_t>(), part.byte_size());
    job_->work();
    lock.lock();
    done_ = true;
    idle_.notify_one();
    wasmvino_finished();
  }
}

void Runner::add_part(Tensor part) {
  const std::lock_guard lock(mutex_);
  parts_.push_back(std::move(part));
}

void Runner::post(std::unique_ptr<Job> job) {
  if (job_ != nullptr) fail(ErrorCode::kInvalidState, "the engine is already computing");
  start();
  {
    const std::lock_guard lock(mutex_);
    job_ = std::move(job);
    done_ = false;
  }
  wake_.notify_one();
}

emscripten::val Runner::finish() {
  exclusive();
  if (job_ == nullptr) fail(ErrorCode::kInvalidState, "nothing was computed");
  const std::unique_ptr<Job> job = std::move(job_);
  buried_.clear();
  return job->result();
}

void Runner::cancel() {
  if (job_ != nullptr) job_->cancel();
}

bool Runner::busy() {
  const std::lock_guard lock(mutex_);
  return !done_;
}

void Runner::exclusive() {
  std::unique_lock lock(mutex_);
  if (!done_ && !may_wait_) {
    fail(ErrorCode::kInvalidState,
         "the engine is computing asynchronously, and this thread must not wait: await that call first, or "
         "use the asynchronous form");
  }
  struct Awaited {
    explicit Awaited(std::atomic<bool>& flag) : flag(flag) { flag.store(true); }
    ~Awaited() { flag.store(false); }
    std::atomic<bool>& flag;
  };
  const Awaited awaited(awaited_);
  while (!done_) {
    // The job may need weights, which only this thread can read.
    idle_.wait_for(lock, std::chrono::milliseconds(1));
    lock.unlock();
    emscripten_current_thread_process_queued_calls();
    lock.lock();
  }
}

void Runner::bury(std::shared_ptr<void> object) {
  if (busy()) buried_.push_back(std::move(object));
}

}  // namespace wasmvino::web
