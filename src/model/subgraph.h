// SPDX-License-Identifier: Apache-2.0
// The interface through which a node runs its body.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/tensor.h"

namespace wasmvino::model {

// A body planned for given parameter shapes. Not thread-safe.
class Subgraph {
 public:
  virtual ~Subgraph() = default;
  // Lets the next run read parameter i from `tensor`, whose memory must stay valid until then. If the shape
  // changes, the body is planned again for the new shape, and the plan is kept.
  virtual void bind_parameter(size_t i, const TensorView& tensor) = 0;
  // Plans the body for the bound parameters. run() does this too.
  virtual void prepare() = 0;
  // Type and shape of result i, known after prepare(); nullptr if only the run determines them.
  virtual const TensorView* planned_result(size_t i) const = 0;
  // Lets the next run write result i to `memory`, which has as many bytes as the result. With nullptr the
  // body chooses the memory. A result whose shape the plan does not know is never written to `memory`.
  virtual void bind_result(size_t i, void* memory) = 0;
  // Runs the body. Observers and errors receive `iteration` (-1: none).
  virtual void run(int64_t iteration) = 0;
  // Result i of the last run. It stays valid until the next run.
  virtual const TensorView& result(size_t i) const = 0;
};

}  // namespace wasmvino::model
