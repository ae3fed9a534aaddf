// SPDX-License-Identifier: Apache-2.0
// The known values of a node's inputs, read when they are first asked for.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "model/value_info.h"

namespace wasmvino::model {

// Views of the values stay valid as long as this lives.
class KnownValues {
 public:
  explicit KnownValues(std::span<const ValueInfo* const> inputs) : inputs_(inputs) {}
  // nullptr where it is not known.
  const TensorView* of(size_t i) const {
    if (inputs_[i]->constant == nullptr) return nullptr;
    if (held_.empty()) held_.resize(inputs_.size());
    if (!held_[i]) held_[i] = inputs_[i]->constant->value();
    return &held_[i].view();
  }
  // Lets go of one.
  void release(size_t i) {
    if (!held_.empty()) held_[i] = Tensor();
  }
  // Those that are held, by input; empty where none was asked for.
  std::vector<Tensor> take() { return std::move(held_); }

 private:
  std::span<const ValueInfo* const> inputs_;
  mutable std::vector<Tensor> held_;
};

}  // namespace wasmvino::model
