// SPDX-License-Identifier: Apache-2.0
// Selects the constants that become f16 in a file with compressed weights, as OpenVINO's save_model() does.
#pragma once

#include <unordered_set>

#include "core/tensor.h"
#include "model/node.h"

namespace wasmvino::ir {

class F16Compression {
 public:
  // Examines all constants of `model`, bodies included.
  explicit F16Compression(const model::Model& model);

  // Whether a constant may become f16. It may not if a shape depends on it or the model is quantised.
  bool may_compress(const model::Node& constant) const;
  // Whether f16 can hold the value. A single number must keep its first four digits. Of an array, at least a
  // quarter of the elements must be in the range of f16; the others saturate.
  static bool fits(const Tensor& value);

 private:
  void keep_shapes(const model::Model& model);

  bool quantised_ = false;
  std::unordered_set<const model::Node*> exact_;
};

}  // namespace wasmvino::ir
