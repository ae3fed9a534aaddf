// SPDX-License-Identifier: Apache-2.0
// Whether the runs of a plan are faster on several threads or on one, found out by trying: where the other
// cores are busy, or a graph does little but move memory, help may cost more than it brings.
#pragma once

#include <algorithm>
#include <cstddef>

namespace wasmvino::runtime {

// Compares the times of runs on one thread and together, by turns, at first and from time to time. What is
// certain after the first two is not tried further; runs together that are much faster than the fastest alone
// has been are not interrupted at all.
class Pace {
 public:
  // False once a run had nothing to share.
  bool matters() const { return matters_; }
  // Whether the next run is one thread's.
  bool alone() const { return comparing_ ? (turn_ + 1) / 2 % 2 == 1 : alone_; }
  // How long that run took, in microseconds, and whether it had work to share.
  void took(double time, bool shared);

  // The same in two steps, since what a run costs beside the engine is known later: the run as the engine saw
  // it, what it took its caller (where that is told), and the end of both before the next run.
  void ran(double time, bool shared) { last_ = {time, shared, true}; }
  void took_caller(double time) { last_.time = time; }
  void settle() {
    if (last_.open) took(last_.time, last_.shared);
    last_.open = false;
  }

 private:
  static constexpr size_t kTurns = 8;  // of a comparison: together, alone, alone, together ...
  static constexpr size_t kFirstWait = 4, kLongestWait = 64;

  struct Times {
    double sum = 0, shortest = 0, longest = 0;
    size_t count = 0;

    void add(double time);
    double mean() const { return sum / static_cast<double>(std::max<size_t>(1, count)); }
    // Without the longest, which something else on the machine may have made.
    double most() const { return sum - longest; }
  };

  void decide(const Times& now, const Times& other);

  struct Run {
    double time = 0;
    bool shared = false, open = false;
  };

  Run last_;
  bool matters_ = true, alone_ = false, comparing_ = false;
  size_t turn_ = 0;
  size_t wait_ = kFirstWait, left_ = 2;  // runs between two comparisons, and until the next
  Times together_, single_;              // of this comparison
  Times between_;                        // of the runs since the last
  double shortest_alone_ = 0;            // in the last comparison
};

}  // namespace wasmvino::runtime
