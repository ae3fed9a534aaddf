// SPDX-License-Identifier: Apache-2.0
// Traces f32 values back to quantised constants: the patterns that OpenVINO, NNCF and optimum write for
// quantised weights.
#pragma once

#include <optional>
#include <vector>

#include "ops/quantised_data/stored_constant.h"
#include "passes/edit.h"

namespace wasmvino::passes {

using ops::StoredFactor;

// Elements of a value of f32: (stored - zero point) * the product of scales.
struct StoredValues {
  model::Node* constant = nullptr;        // of a type of is_compressed_type
  std::vector<const model::Node*> chain;  // it and what is computed of it, up to the value
  size_t rank = 0;                        // of the value
  ops::StoredAxes places;                 // where its elements lie
  Ints axis_of;                           // the axis of the value that each of `places` is a part of
  std::vector<StoredFactor> scales;
  std::optional<StoredFactor> zero_point;  // of integers only

  const model::ConstantData& data() const { return *constant->constant; }
  // The axes of the value from `first` to `last`, as few as they can be told by.
  ops::StoredAxes merged(size_t first, size_t last) const;
  ops::StoredAxes axis(size_t i) const { return merged(i, i + 1); }
  // The zero point of the element at a place as it is packed: nothing where a byte does not hold it.
  std::optional<uint8_t> packed_zero_point(size_t place) const;
  // Whether a byte holds those of all elements.
  bool has_packed_zero_points() const;
};

// Nothing for other values, and for those without elements. Unquantised constants take part only in zero
// points and scales.
std::optional<StoredValues> trace_stored(model::Source source);

}  // namespace wasmvino::passes
