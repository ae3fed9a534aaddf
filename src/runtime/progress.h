// SPDX-License-Identifier: Apache-2.0
// What a request tells while it runs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "runtime/compiled_model.h"

namespace wasmvino::runtime {

// A node was computed, or an iteration of a body has ended.
struct Progress {
  std::span<const std::string> path;    // names of the layers around it, outermost first
  const model::Node* node = nullptr;    // nullptr: an iteration of the last layer of the path has ended
  std::span<const int64_t> iterations;  // of each enclosing body, outermost first
  size_t done = 0, total = 0;           // nodes of the graph or body that are done, and all that are computed
  std::span<const Observation> observed;  // what observed ports held since the last report
};

// Called on the thread that computes. An exception ends the run.
class ProgressListener {
 public:
  virtual ~ProgressListener() = default;
  virtual void progressed(const Progress& progress) = 0;
};

}  // namespace wasmvino::runtime
