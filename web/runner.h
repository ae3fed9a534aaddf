// SPDX-License-Identifier: Apache-2.0
// The thread of a threaded build that computes what JavaScript asks for asynchronously, so that the main
// thread stays free. One job at a time: JavaScript queues them.
//
// What lies below the runtime has no locks. So while a job runs, the main thread must leave alone what the
// job uses: whatever reads, compiles or runs a model waits for the job (exclusive()), and what is released
// then is destroyed after it (bury()).
#pragma once

#include <emscripten/val.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace wasmvino::web {

class Job {
 public:
  virtual ~Job() = default;
  // On the runner's thread; must not throw.
  virtual void work() = 0;
  // On any thread: makes work() end soon.
  virtual void cancel() = 0;
  // Afterwards, on the main thread.
  virtual emscripten::val result() = 0;
};

// All but the thread itself is for the main thread.
class Runner {
 public:
  static Runner& shared();

  // `may_wait`: whether the main thread may sleep, which a page's must not.
  void set_may_wait(bool may_wait) { may_wait_ = may_wait; }
  bool may_wait() const { return may_wait_; }
  // Starts the thread, if nothing has. Once it runs, JavaScript hears of it (Module.alive).
  void start();
  // Has the job done; JavaScript hears of its end (Module.finished) and asks for its result.
  // Throws Error(kInvalidState) while there is another.
  void post(std::unique_ptr<Job> job);
  emscripten::val finish();
  // Makes the job that runs, if one does, end soon.
  void cancel();

  // Whether a job runs.
  bool busy();
  // Returns when none runs. Throws Error(kInvalidState) where this thread must not wait for that.
  void exclusive();
  // Destroys an object when no job runs.
  void bury(std::shared_ptr<void> object);

 private:
  void work();

  std::mutex mutex_;  // of job_, and of done_ while there is a job
  std::condition_variable wake_, idle_;
  std::unique_ptr<Job> job_;
  bool done_ = true;
  bool started_ = false;
  bool may_wait_ = true;
  std::vector<std::shared_ptr<void>> buried_;
};

}  // namespace wasmvino::web
