// SPDX-License-Identifier: Apache-2.0
#include "passes/ranges.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "ops/quantization/fake_quantize.h"
#include "passes/constants.h"
#include "passes/edit.h"
#include "passes/elementwise.h"

namespace wasmvino::passes {
namespace {

using model::Node;
using model::Quantization;
using model::SharedQuantization;
using model::Source;

constexpr double kMostLevels = 256;
// The largest magnitude of a shift that is folded into a Quantize. Floats have 2^-7 levels there.
constexpr float kLargestShift = 65536;

// The values of a bound of a range: one value, or one per index of the last axis.
std::optional<std::vector<float>> bound_of(Source source, const PartialShape& shape) {
  const Tensor value = constant_of(source);
  if (!value || value.type() != ElementType::kF32 || value.size() == 0) return std::nullopt;
  if (value.size() > 1 &&
      (value.shape().size() > shape.rank() || value.shape().back() != static_cast<int64_t>(value.size()) ||
       !(shape[shape.rank() - 1] == Dimension(value.shape().back())))) {
    return std::nullopt;
  }
  return std::vector<float>(value.data<float>(), value.data<float>() + value.size());
}

// Reduces two lists of one value per channel to one value each if all channels have the same values.
void share(std::vector<float>& a, std::vector<float>& b) {
  const auto equal = [](const std::vector<float>& values) {
    return std::all_of(values.begin(), values.end(), [&](float value) { return value == values[0]; });
  };
  if (!equal(a) || !equal(b)) return;
  a.resize(1);
  b.resize(1);
}

// The inverse and the shift of one channel.
using InverseAndShift = std::pair<float, float>;

// The quantisation with inverses and shifts that `change(inverse, shift, channel)` gives, or nullptr if it
// gives none.
template <typename Change>
SharedQuantization changed(const Quantization& quantization, size_t channels, const Change& change) {
  Quantization q = quantization;
  q.inverse.clear();
  q.shift.clear();
  for (size_t c = 0; c < channels; ++c) {
    const std::optional<InverseAndShift> own =
        change(quantization.inverse_of(c), quantization.shift_of(c), c);
    if (!own) return nullptr;
    q.inverse.push_back(own->first);
    q.shift.push_back(own->second);
  }
  share(q.inverse, q.shift);
  return std::make_shared<Quantization>(std::move(q));
}

}  // namespace

SharedQuantization quantization_of(const Node& node) {
  const PartialShape& shape = node.outputs[0].shape;
  const auto levels = static_cast<double>(op_of<ops::fake_quantize::FakeQuantize>(node)->attributes().levels);
  if (node.outputs[0].type != ElementType::kF32 || !shape.has_rank() || shape.rank() == 0 ||
      levels > kMostLevels || !is_numpy(node)) {
    return nullptr;
  }
  std::vector<float> bounds[4];
  size_t count = 1;
  for (size_t i = 0; i < 4; ++i) {
    auto values = bound_of(node.inputs[i + 1], shape);
    if (!values) return nullptr;
    bounds[i] = std::move(*values);
    count = std::max(count, bounds[i].size());
  }
  Quantization q;
  q.most = static_cast<float>(levels - 1);
  for (size_t c = 0; c < count; ++c) {
    const auto bound = [&](size_t i) -> double { return bounds[i][bounds[i].size() > 1 ? c : 0]; };
    const double low = bound(0), high = bound(1), out_low = bound(2), out_high = bound(3);
    const double scale = (out_high - out_low) / (levels - 1), zero = -out_low / scale;
    if (!(high > low) || !(out_high > out_low) || !std::isfinite(high - low) ||
        !std::isfinite(out_high - out_low))
      return nullptr;
    const double inverse = (levels - 1) / (high - low), rounded = std::nearbyint(zero);
    if (std::abs(zero - rounded) > zero_tolerance(levels) || rounded < 0 || rounded > 255) return nullptr;
    if (!std::isfinite(static_cast<float>(inverse)) || static_cast<float>(scale) == 0) return nullptr;
    q.inverse.push_back(static_cast<float>(inverse));
    q.shift.push_back(static_cast<float>(-low * inverse));
    q.scale.push_back(static_cast<float>(scale));
    q.zero_point.push_back(static_cast<float>(zero));
  }
  share(q.inverse, q.shift);
  share(q.scale, q.zero_point);
  return std::make_shared<Quantization>(std::move(q));
}

SharedQuantization scaled(const Quantization& quantization, const std::vector<float>& factors) {
  const auto scale = [&](float inverse, float shift, size_t c) -> std::optional<InverseAndShift> {
    inverse *= factors[c];
    // Negative factors would exchange the bounds of an activation.
    if (!(inverse > 0) || !std::isfinite(inverse)) return std::nullopt;
    return InverseAndShift{inverse, shift};
  };
  return changed(quantization, factors.size(), scale);
}

SharedQuantization shifted(const Quantization& quantization, const std::vector<float>& addends) {
  const auto add = [&](float inverse, float shift, size_t c) -> std::optional<InverseAndShift> {
    shift = static_cast<float>(shift + addends[c] * static_cast<double>(inverse));
    // A large shift would cancel digits that the addition keeps.
    if (!(std::abs(shift) <= kLargestShift)) return std::nullopt;
    return InverseAndShift{inverse, shift};
  };
  return changed(quantization, addends.size(), add);
}

}  // namespace wasmvino::passes
