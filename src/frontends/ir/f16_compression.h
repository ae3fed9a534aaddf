// SPDX-License-Identifier: Apache-2.0
// Which constants become f16 in a file whose weights are compressed: those that OpenVINO's save_model()
// chooses.
#pragma once

#include <unordered_set>

#include "core/tensor.h"
#include "model/node.h"

namespace wasmvino::ir {

class F16Compression {
 public:
  // Of all constants of `model`, its bodies included.
  explicit F16Compression(const model::Model& model);

  // Whether a constant may become f16: not where a shape depends on it, nor in a quantised model.
  bool may_compress(const model::Node& constant) const;
  // Whether f16 can hold the value: it is one number that keeps its first four digits, or at least a quarter
  // of its elements are in the range of f16. The others saturate.
  static bool fits(const Tensor& value);

 private:
  void keep_shapes(const model::Model& model);

  bool quantised_ = false;
  std::unordered_set<const model::Node*> exact_;
};

}  // namespace wasmvino::ir
