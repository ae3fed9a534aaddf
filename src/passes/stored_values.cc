// SPDX-License-Identifier: Apache-2.0
#include "passes/stored_values.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/sort.h"
#include "ops/quantization/fake_quantize.h"
#include "passes/constants.h"
#include "passes/elementwise.h"

namespace wasmvino::passes {
namespace {

using model::Node;
using model::NodeKind;
using model::Source;
using ops::StoredAxes;
using ops::fake_quantize::FakeQuantize;

// The shape of a nonempty f32 value.
std::optional<Shape> shape_of_floats(Source source) {
  const model::OutputPort& port = port_of(source);
  if (port.type != ElementType::kF32 || !port.shape.is_static()) return std::nullopt;
  const Shape shape = port.shape.to_shape();
  return element_count(shape) > 0 ? std::optional(shape) : std::nullopt;
}

// Chains have about ten operations. Without a limit, nested products with shared inputs would take
// exponential time.
constexpr size_t kMostSteps = 64;

class Trace {
 public:
  std::optional<StoredValues> run(Source source) {
    return follow(source) && axes_nest() ? std::optional(std::move(values_)) : std::nullopt;
  }

 private:
  bool follow(Source source) {
    const Node& node = *source.node;
    const std::optional<Shape> shape = shape_of_floats(source);
    if (node.kind != NodeKind::kOperation || !shape || ++steps_ > kMostSteps) return false;
    if (!follow_operation(node, *shape)) return false;
    values_.chain.push_back(&node);
    return true;
  }

  bool follow_operation(const Node& node, const Shape& shape) {
    if (node.type == "Convert") return start(*node.inputs[0].node);
    if (node.type == "Reshape" || node.type == "Squeeze" || node.type == "Unsqueeze")
      return follow(node.inputs[0]) && regroup(shape);
    if (node.type == "Transpose") return follow(node.inputs[0]) && transpose(node);
    if (node.type == "Subtract" && is_numpy(node)) return follow(node.inputs[0]) && subtract(node, shape);
    if (node.type == "Multiply" && is_numpy(node)) {
      for (size_t i = 0; i < 2; ++i) {
        values_ = {};
        if (follow(node.inputs[i]) && scale(node.inputs[1 - i], shape)) return true;
      }
      return false;
    }
    const auto* quantize = op_of<FakeQuantize>(node);
    return quantize != nullptr && is_numpy(node) && follow(node.inputs[0]) &&
           levels(node, quantize->attributes().levels, shape);
  }

  bool start(Node& node) {
    if (node.kind != NodeKind::kConstant || !ops::is_compressed_type(node.constant->type())) return false;
    const Shape& shape = node.constant->shape();
    const Ints steps = row_major_strides(shape);
    for (size_t i = 0; i < shape.size(); ++i) add(shape[i], steps[i], i);
    values_.rank = shape.size();
    values_.constant = &node;
    values_.chain.push_back(&node);
    return true;
  }

  void add(int64_t size, int64_t stride, size_t axis) {
    if (size == 1) return;
    values_.places.add(size, stride);
    values_.axis_of.push_back(static_cast<int64_t>(axis));
  }

  // Keeps the elements in their order and regroups their axes to another shape.
  bool regroup(const Shape& shape) {
    StoredAxes left = values_.merged(0, values_.rank);
    StoredAxes parts;  // from the last one to the first
    Ints axis_of;
    for (size_t i = shape.size(); i-- > 0;) {
      for (int64_t size = shape[i]; size > 1;) {
        if (left.sizes.empty()) return false;
        int64_t &last = left.sizes.back(), &stride = left.strides.back();
        const int64_t part = std::min(size, last);
        if (size % part != 0 || last % part != 0) return false;
        parts.add(part, stride);
        axis_of.push_back(static_cast<int64_t>(i));
        size /= part;
        last /= part;
        stride *= part;
        if (last > 1) continue;
        left.sizes.pop_back();
        left.strides.pop_back();
      }
    }
    std::reverse(parts.sizes.begin(), parts.sizes.end());
    std::reverse(parts.strides.begin(), parts.strides.end());
    std::reverse(axis_of.begin(), axis_of.end());
    values_.places = parts;
    values_.axis_of = axis_of;
    values_.rank = shape.size();
    return true;
  }

  bool transpose(const Node& node) {
    const auto order = constant_ints(node.inputs[1]);
    if (!order || (order->size() != values_.rank && !order->empty())) return false;
    const StoredAxes before = std::exchange(values_.places, {});
    const Ints axis_of = std::exchange(values_.axis_of, {});
    for (size_t i = 0; i < values_.rank; ++i) {
      const int64_t from = order->empty() ? static_cast<int64_t>(values_.rank - 1 - i) : (*order)[i];
      for (size_t j = 0; j < axis_of.size(); ++j) {
        if (axis_of[j] == from) add(before.sizes[j], before.strides[j], i);
      }
    }
    return values_.axis_of.size() == axis_of.size();
  }

  // Whether the values are the stored integers, in any shape.
  bool is_bare() const {
    return is_integral(values_.data().type()) && values_.scales.empty() && !values_.zero_point;
  }

  bool subtract(const Node& node, const Shape& shape) {
    if (!is_bare()) return false;
    values_.zero_point = factor(node.inputs[1], shape);
    return values_.zero_point.has_value();
  }

  bool scale(Source source, const Shape& shape) {
    auto found = factor(source, shape);
    if (found) values_.scales.push_back(std::move(*found));
    return found.has_value();
  }

  // A constant that is broadcast to the current shape, which must be `shape`.
  std::optional<StoredFactor> factor(Source source, const Shape& shape) const {
    const std::optional<Shape> own = shape_of_floats(source);
    if (!own || own->size() > shape.size() || values_.rank != shape.size()) return std::nullopt;
    Ints sizes(shape.size(), 1), steps(shape.size(), 0);
    const Ints own_steps = row_major_strides(*own);
    for (size_t i = 0; i < own->size(); ++i) {
      if ((*own)[i] > 1) steps[i + shape.size() - own->size()] = own_steps[i];
    }
    StoredFactor factor;
    for (size_t i = values_.axis_of.size(); i-- > 0;) {
      const size_t axis = static_cast<size_t>(values_.axis_of[i]);
      const int64_t size = values_.places.sizes[i];
      sizes[axis] *= size;
      if (steps[axis] == 0) continue;
      factor.axes.add(size, values_.places.strides[i]);
      factor.steps.push_back(steps[axis]);
      steps[axis] *= size;
    }
    const std::optional<Tensor> value = sizes == shape ? computed_value(source) : std::nullopt;
    if (!value) return std::nullopt;
    factor.values.assign(value->data<float>(), value->data<float>() + value->size());
    return factor;
  }

  // FakeQuantize of integers that are its levels: (integer - input_low) * scale + output_low.
  bool levels(const Node& node, int64_t level_count, const Shape& shape) {
    if (!is_bare()) return false;
    std::optional<StoredFactor> ends[4];
    StoredFactor scale, zero;
    size_t count = 1;
    for (size_t i = 0; i < 4; ++i) {
      ends[i] = factor(node.inputs[1 + i], shape);
      if (!ends[i]) return false;
      // Collects the axes of all four ranges.
      const StoredAxes& axes = ends[i]->axes;
      for (size_t j = 0; j < axes.sizes.size(); ++j) {
        const Ints& known = scale.axes.strides;
        if (std::find(known.begin(), known.end(), axes.strides[j]) != known.end()) continue;
        scale.axes.add(axes.sizes[j], axes.strides[j]);
        scale.steps.push_back(static_cast<int64_t>(count));
        count *= static_cast<size_t>(axes.sizes[j]);
      }
    }
    zero = scale;
    const float steps = static_cast<float>(level_count) - 1;
    float first = -256, last = 256;  // the intersection of all input ranges
    for (size_t i = 0; i < count; ++i) {
      int64_t at = 0;
      for (size_t j = 0; j < scale.steps.size(); ++j) {
        at += static_cast<int64_t>(i) / scale.steps[j] % scale.axes.sizes[j] * scale.axes.strides[j];
      }
      const size_t place = static_cast<size_t>(at);
      const float in_low = ends[0]->at(place), in_high = ends[1]->at(place);
      const float low = ends[2]->at(place), high = ends[3]->at(place);
      if (in_low != std::floor(in_low) || in_high - in_low != steps) return false;
      first = std::max(first, in_low);
      last = std::min(last, in_high);
      scale.values.push_back((high - low) / steps);
      const float point = in_low - low / scale.values.back();
      // Rounding of the constants may shift the zero point by at most 1e-4 of a level.
      if (!(std::abs(point - std::nearbyint(point)) <= 1e-4f)) return false;
      zero.values.push_back(std::nearbyint(point));
    }
    values_.scales.push_back(std::move(scale));
    values_.zero_point = std::move(zero);
    return all_within(first, last);
  }

  // Whether all stored integers are in this range.
  bool all_within(float low, float high) const {
    const model::ConstantData& data = values_.data();
    std::vector<float> values(element_count(data.shape()));
    ops::load_stored(data.value().view(), 0, values.size(), values.data());
    return std::all_of(values.begin(), values.end(),
                       [&](float value) { return value >= low && value <= high; });
  }

  // Whether the axes of all factors and of the value nest, so that no axis ends within a step of another one.
  // The offset of an element is then the sum of offsets along the axes. Counterexample: 12 elements with one
  // scale per 4 elements (shape 3 x 4) and another one per 3 elements (shape 4 x 3).
  bool axes_nest() const {
    Ints ends;
    const auto add_ends = [&](const StoredAxes& axes) {
      for (size_t i = 0; i < axes.sizes.size(); ++i) {
        ends.push_back(axes.strides[i]);
        ends.push_back(axes.strides[i] * axes.sizes[i]);
      }
    };
    add_ends(values_.places);
    for (const StoredFactor& scale : values_.scales) add_ends(scale.axes);
    if (values_.zero_point) add_ends(values_.zero_point->axes);
    sort_few(ends.begin(), ends.end());
    for (size_t i = 1; i < ends.size(); ++i) {
      if (ends[i] % ends[i - 1] != 0) return false;
    }
    return true;
  }

  StoredValues values_;
  size_t steps_ = 0;
};

// The packed form of a zero point for elements of a type; nullopt if a byte cannot hold it.
std::optional<uint8_t> packed(float zero_point, ElementType type) {
  const float point = zero_point + static_cast<float>(ops::shift_of(type));
  if (!(point >= 0 && point <= 255) || point != std::floor(point)) return std::nullopt;
  return static_cast<uint8_t>(point);
}

}  // namespace

StoredAxes StoredValues::merged(size_t first, size_t last) const {
  StoredAxes result;
  for (size_t i = 0; i < axis_of.size(); ++i) {
    if (axis_of[i] < static_cast<int64_t>(first) || axis_of[i] >= static_cast<int64_t>(last)) continue;
    const int64_t size = places.sizes[i], stride = places.strides[i];
    if (!result.sizes.empty() && result.strides.back() == stride * size) {
      result.sizes.back() *= size;
      result.strides.back() = stride;
    } else {
      result.add(size, stride);
    }
  }
  return result;
}

std::optional<uint8_t> StoredValues::packed_zero_point(size_t place) const {
  return packed(zero_point->at(place), data().type());
}

bool StoredValues::has_packed_zero_points() const {
  return !zero_point || std::all_of(zero_point->values.begin(), zero_point->values.end(),
                                    [&](float value) { return packed(value, data().type()).has_value(); });
}

std::optional<StoredValues> trace_stored(Source source) { return Trace().run(source); }

}  // namespace wasmvino::passes
