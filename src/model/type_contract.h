// SPDX-License-Identifier: Apache-2.0
// The element types that an operation accepts. They are declared at registration and checked at every
// inference.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/type_set.h"

namespace wasmvino::model {

// What one input accepts.
struct InputTypes {
  static constexpr int kAny = -1;

  std::string_view name;  // as the specification calls it, for errors
  TypeSet types;
  int like = kAny;       // index of an earlier input that has the same type
  bool repeats = false;  // all further inputs are like this one
};

class TypeContract {
 public:
  // There is no default, so an operation that declares no types does not compile.
  TypeContract(std::initializer_list<InputTypes> inputs) : inputs_(inputs) {}

  std::span<const InputTypes> inputs() const { return inputs_; }
  // What input i accepts, or nullptr if there is no such input.
  const InputTypes* input(size_t i) const {
    if (i < inputs_.size()) return &inputs_[i];
    return !inputs_.empty() && inputs_.back().repeats ? &inputs_.back() : nullptr;
  }

  // Throws Error(kInvalidType) for the first input whose type is not accepted. Types that are still unknown
  // are accepted.
  void check(std::span<const ElementType> types) const;

 private:
  std::vector<InputTypes> inputs_;
};

}  // namespace wasmvino::model
