// SPDX-License-Identifier: Apache-2.0
// A body that a node runs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/tensor.h"

namespace wasmvino::model {

// A body planned for given parameter shapes. Not for use by two threads.
class Subgraph {
 public:
  virtual ~Subgraph() = default;
  // The next run reads parameter i from `tensor`, whose memory must stay until then. Another shape than
  // before makes the body planned again for it (and remembered).
  virtual void bind_parameter(size_t i, const TensorView& tensor) = 0;
  // Plans the body for the bound parameters; run() does it too.
  virtual void prepare() = 0;
  // Type and shape that result i will have, after prepare(); nullptr where only the run tells.
  virtual const TensorView* planned_result(size_t i) const = 0;
  // The next run writes result i to `memory`, of as many bytes as the result has; nullptr lets the body
  // choose. Results whose shape the plan does not know are never written there.
  virtual void bind_result(size_t i, void* memory) = 0;
  // Runs the body; `iteration` is what observers and errors are told (-1: it has none).
  virtual void run(int64_t iteration) = 0;
  // Result i of the last run; valid until the next run.
  virtual const TensorView& result(size_t i) const = 0;
};

}  // namespace wasmvino::model
