// SPDX-License-Identifier: Apache-2.0
// What a request reports while it runs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "runtime/compiled_model.h"

namespace wasmvino::runtime {

// Reports that a node was computed or that an iteration of a body has ended.
struct Progress {
  std::span<const std::string> path;      // names of the layers around it, outermost first
  const model::Node* node = nullptr;      // nullptr: an iteration of the last layer of the path ended
  std::span<const int64_t> iterations;    // of each enclosing body, outermost first
  size_t done = 0, total = 0;             // computed nodes of the graph or body: done so far, and all
  std::span<const Observation> observed;  // values of observed ports since the last report
};

// Called on the thread that computes. An exception ends the run.
class ProgressListener {
 public:
  virtual ~ProgressListener() = default;
  virtual void progressed(const Progress& progress) = 0;
};

}  // namespace wasmvino::runtime
