// SPDX-License-Identifier: Apache-2.0
// The known values of a node's inputs, read on first request.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "model/value_info.h"

namespace wasmvino::model {

// Views of the values stay valid as long as this object.
class KnownValues {
 public:
  explicit KnownValues(std::span<const ValueInfo* const> inputs) : inputs_(inputs) {}
  // The value of input i, or nullptr if it is unknown.
  const TensorView* of(size_t i) const {
    if (inputs_[i]->constant == nullptr) return nullptr;
    if (held_.empty()) held_.resize(inputs_.size());
    if (!held_[i]) held_[i] = inputs_[i]->constant->value();
    return &held_[i].view();
  }
  // Releases the value of input i.
  void release(size_t i) {
    if (!held_.empty()) held_[i] = Tensor();
  }
  // The values that were read and not released, by input; empty if none was requested.
  std::vector<Tensor> take() { return std::move(held_); }

 private:
  std::span<const ValueInfo* const> inputs_;
  mutable std::vector<Tensor> held_;
};

}  // namespace wasmvino::model
