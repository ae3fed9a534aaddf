// SPDX-License-Identifier: Apache-2.0
// Traces f32 values back to quantised constants. It knows the patterns that OpenVINO, NNCF and optimum write
// for quantised weights.
#pragma once

#include <optional>
#include <vector>

#include "ops/quantised_data/stored_constant.h"
#include "passes/edit.h"

namespace wasmvino::passes {

using ops::StoredFactor;

// The elements of an f32 value: (stored - zero point) * the product of scales.
struct StoredValues {
  model::Node* constant = nullptr;        // of a type that is_compressed_type() accepts
  std::vector<const model::Node*> chain;  // the constant and the nodes from it to the value
  size_t rank = 0;                        // of the value
  ops::StoredAxes places;                 // positions of the value's elements in the constant
  Ints axis_of;                           // for each of `places`: the axis of the value that it is part of
  std::vector<StoredFactor> scales;
  std::optional<StoredFactor> zero_point;  // only for integers

  const model::ConstantData& data() const { return *constant->constant; }
  // Axes `first` to `last` of the value, `last` excluded, merged into as few as possible.
  ops::StoredAxes merged(size_t first, size_t last) const;
  ops::StoredAxes axis(size_t i) const { return merged(i, i + 1); }
  // The packed form of the zero point of the element at `place`; nullopt if a byte cannot hold it.
  std::optional<uint8_t> packed_zero_point(size_t place) const;
  // Whether a byte can hold the zero points of all elements.
  bool has_packed_zero_points() const;
};

// Returns nullopt for other values and for empty ones. Unquantised constants are accepted only as zero points
// and scales.
std::optional<StoredValues> trace_stored(model::Source source);

}  // namespace wasmvino::passes
