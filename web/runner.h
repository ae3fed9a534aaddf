// SPDX-License-Identifier: Apache-2.0
// The thread of a threaded build that runs asynchronous calls of JavaScript, so the main thread stays free.
// It runs one job at a time; JavaScript queues them.
//
// The code below the runtime has no locks. While a job runs, the main thread must therefore not touch what
// the job uses. Everything that reads, compiles or runs a model waits for the job (exclusive()). Objects that
// are released meanwhile are destroyed after it (bury()).
#pragma once

#include <emscripten/val.h>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "core/tensor.h"

namespace wasmvino::web {

class Job {
 public:
  virtual ~Job() = default;
  // Runs on the runner's thread. Must not throw.
  virtual void work() = 0;
  // Makes work() end soon. May be called on any thread.
  virtual void cancel() = 0;
  // Called on the main thread, after work().
  virtual emscripten::val result() = 0;
};

// Every function except the thread's own is for the main thread.
class Runner {
 public:
  static Runner& shared();

  // `may_wait`: whether the main thread may block. A page's main thread must not.
  void set_may_wait(bool may_wait) { may_wait_ = may_wait; }
  bool may_wait() const { return may_wait_; }
  // Starts the thread if it does not exist. Once it runs, it notifies JavaScript (Module.alive).
  void start();
  // Runs the job on the thread. At its end, JavaScript is notified (Module.finished) and asks for its result.
  // Throws Error(kInvalidState) if another job exists.
  void post(std::unique_ptr<Job> job);
  emscripten::val finish();
  // Makes the running job, if any, end soon.
  void cancel();

  // Whether a job runs.
  bool busy();
  // Returns once no job runs. Throws Error(kInvalidState) if this would block a thread that must not wait.
  void exclusive();
  // Whether the main thread is blocked in exclusive(). It then takes nothing from the job.
  bool awaited() const { return awaited_.load(); }
  // Adds a part of the module (js/src/engine/parts.ts) to the thread before its next job: the thread has a
  // table of functions of its own. `part` is the text of the .wasm file.
  void add_part(Tensor part);
  // Destroys the object once no job runs.
  void bury(std::shared_ptr<void> object);

 private:
  void work();

  std::atomic<bool> awaited_ = false;
  std::mutex mutex_;  // protects job_, parts_, and done_ while there is a job
  std::condition_variable wake_, idle_;
  std::unique_ptr<Job> job_;
  std::vector<Tensor> parts_;  // to be added
  bool done_ = true;
  bool started_ = false;
  bool may_wait_ = true;
  std::vector<std::shared_ptr<void>> buried_;
};

}  // namespace wasmvino::web
