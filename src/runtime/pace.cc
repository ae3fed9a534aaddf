// SPDX-License-Identifier: Apache-2.0
#include "runtime/pace.h"

namespace wasmvino::runtime {
namespace {

// Times as long that leave no doubt that all may stay as it is, and that it should change.
constexpr double kClear = 1.15, kUrgent = 1.3;
// Faster by less than that is noise: all stays as it is.
constexpr double kNoise = 0.98;

}  // namespace

void Pace::Times::add(double time) {
  shortest = count == 0 ? time : std::min(shortest, time);
  longest = std::max(longest, time);
  sum += time;
  ++count;
}

void Pace::took(double time, bool shared) {
  if (!alone() && !shared) {
    matters_ = false;
    alone_ = comparing_ = false;
    return;
  }
  if (comparing_) {
    (alone() ? single_ : together_).add(time);
    if (++turn_ % 2 == 0) decide(alone_ ? single_ : together_, alone_ ? together_ : single_);
    return;
  }
  between_.add(time);
  if (--left_ > 0) return;
  if (!alone_ && between_.mean() * kClear < shortest_alone_) {
    left_ = wait_;
  } else {
    comparing_ = true;
    turn_ = 0;
    together_ = single_ = Times();
  }
  between_ = Times();
}

void Pace::decide(const Times& now, const Times& other) {
  const bool clear = now.sum * kClear < other.sum;
  const bool urgent = other.sum * kUrgent < now.sum;
  if (turn_ < kTurns && !clear && !urgent) return;
  comparing_ = false;
  shortest_alone_ = single_.shortest;
  if (urgent || (!clear && other.most() < kNoise * now.most())) {
    alone_ = !alone_;
    wait_ = kFirstWait;
  } else {
    wait_ = std::min(2 * wait_, kLongestWait);
  }
  left_ = wait_;
}

}  // namespace wasmvino::runtime
