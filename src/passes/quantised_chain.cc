// SPDX-License-Identifier: Apache-2.0
#include "passes/quantised_chain.h"

#include <algorithm>
#include <cmath>
#include <memory>
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
using ops::SharedNumbers;
using ops::StridedAxes;
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
  std::optional<QuantisedChain> run(Source source) {
    if (!follow(source) || !axes_nest()) return std::nullopt;
    return QuantisedChain{std::move(nodes_), std::move(parts_)};
  }

 private:
  bool follow(Source source) {
    const Node& node = *source.node;
    const std::optional<Shape> shape = shape_of_floats(source);
    if (node.kind != NodeKind::kOperation || !shape || ++steps_ > kMostSteps) return false;
    if (!follow_operation(node, *shape)) return false;
    nodes_.push_back(&node);
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
        nodes_ = {};
        parts_ = {};
        rank_ = 0;
        if (follow(node.inputs[i]) && scale(node.inputs[1 - i], shape)) return true;
      }
      return false;
    }
    const auto* quantize = op_of<FakeQuantize>(node);
    return quantize != nullptr && is_numpy(node) && follow(node.inputs[0]) &&
           levels(node, quantize->attributes().levels, shape);
  }

  bool start(Node& node) {
    if (node.kind != NodeKind::kConstant || !ops::is_quantised_type(node.constant->type())) return false;
    const Shape& shape = node.constant->shape();
    const Ints steps = row_major_strides(shape);
    for (size_t i = 0; i < shape.size(); ++i) add(shape[i], steps[i], i);
    rank_ = shape.size();
    parts_.stored = node.constant;
    nodes_.push_back(&node);
    return true;
  }

  const model::ConstantData& data() const { return *parts_.stored; }

  // All axes, merged into as few as possible.
  StridedAxes whole() const { return ops::QuantisedConstant({}, parts_).between(0, rank_); }

  void add(int64_t size, int64_t stride, size_t axis) {
    if (size == 1) return;
    parts_.places.add(size, stride);
    parts_.axis_of.push_back(static_cast<int64_t>(axis));
  }

  // Keeps the elements in their order and regroups their axes to another shape.
  bool regroup(const Shape& shape) {
    StridedAxes left = whole();
    StridedAxes parts;  // from the last one to the first
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
    parts_.places = parts;
    parts_.axis_of = axis_of;
    rank_ = shape.size();
    return true;
  }

  bool transpose(const Node& node) {
    const auto order = constant_ints(node.inputs[1]);
    if (!order || (order->size() != rank_ && !order->empty())) return false;
    const StridedAxes before = std::exchange(parts_.places, {});
    const Ints axis_of = std::exchange(parts_.axis_of, {});
    for (size_t i = 0; i < rank_; ++i) {
      const int64_t from = order->empty() ? static_cast<int64_t>(rank_ - 1 - i) : (*order)[i];
      for (size_t j = 0; j < axis_of.size(); ++j) {
        if (axis_of[j] == from) add(before.sizes[j], before.strides[j], i);
      }
    }
    return parts_.axis_of.size() == axis_of.size();
  }

  // Whether the values are the stored integers, in any shape.
  bool is_bare() const { return is_integral(data().type()) && parts_.scales.empty() && !parts_.zero_point; }

  bool subtract(const Node& node, const Shape& shape) {
    if (!is_bare()) return false;
    parts_.zero_point = factor(node.inputs[1], shape);
    return parts_.zero_point.has_value();
  }

  bool scale(Source source, const Shape& shape) {
    auto found = factor(source, shape);
    if (found) parts_.scales.push_back(std::move(*found));
    return found.has_value();
  }

  // The numbers that are converted to `source`. They stay in the model's file and type if possible.
  static std::shared_ptr<const model::ConstantData> numbers_of(Source source) {
    const Node& node = *source.node;
    if (node.kind == NodeKind::kConstant) return node.constant;
    if (node.type == "Convert" && node.inputs[0].node->kind == NodeKind::kConstant &&
        ops::is_quantised_type(port_of(node.inputs[0]).type))
      return node.inputs[0].node->constant;
    const std::optional<Tensor> value = computed_value(source);
    return value ? std::make_shared<model::ConstantData>(*value) : nullptr;
  }

  // A constant that is broadcast to the current shape, which must be `shape`.
  std::optional<SharedNumbers> factor(Source source, const Shape& shape) const {
    const std::optional<Shape> own = shape_of_floats(source);
    if (!own || own->size() > shape.size() || rank_ != shape.size()) return std::nullopt;
    Ints sizes(shape.size(), 1), steps(shape.size(), 0);
    const Ints own_steps = row_major_strides(*own);
    for (size_t i = 0; i < own->size(); ++i) {
      if ((*own)[i] > 1) steps[i + shape.size() - own->size()] = own_steps[i];
    }
    SharedNumbers factor;
    for (size_t i = parts_.axis_of.size(); i-- > 0;) {
      const size_t axis = static_cast<size_t>(parts_.axis_of[i]);
      const int64_t size = parts_.places.sizes[i];
      sizes[axis] *= size;
      if (steps[axis] == 0) continue;
      factor.axes.add(size, parts_.places.strides[i]);
      factor.steps.push_back(steps[axis]);
      steps[axis] *= size;
    }
    if (sizes == shape) factor.data = numbers_of(source);
    if (factor.data == nullptr) return std::nullopt;
    return factor;
  }

  // FakeQuantize of integers that are its levels: (integer - input_low) * scale + output_low.
  bool levels(const Node& node, int64_t level_count, const Shape& shape) {
    if (!is_bare()) return false;
    std::optional<SharedNumbers> ends[4];
    std::vector<float> bounds[4];
    SharedNumbers scale;
    std::vector<float> scales, points;
    size_t count = 1;
    for (size_t i = 0; i < 4; ++i) {
      ends[i] = factor(node.inputs[1 + i], shape);
      if (!ends[i]) return false;
      bounds[i] = ends[i]->read();
      // Collects the axes of all four ranges.
      const StridedAxes& axes = ends[i]->axes;
      for (size_t j = 0; j < axes.sizes.size(); ++j) {
        const Ints& known = scale.axes.strides;
        if (std::find(known.begin(), known.end(), axes.strides[j]) != known.end()) continue;
        scale.axes.add(axes.sizes[j], axes.strides[j]);
        scale.steps.push_back(static_cast<int64_t>(count));
        count *= static_cast<size_t>(axes.sizes[j]);
      }
    }
    const float steps = static_cast<float>(level_count) - 1;
    float first = -256, last = 256;  // the intersection of all input ranges
    for (size_t i = 0; i < count; ++i) {
      int64_t at = 0;
      for (size_t j = 0; j < scale.steps.size(); ++j) {
        at += static_cast<int64_t>(i) / scale.steps[j] % scale.axes.sizes[j] * scale.axes.strides[j];
      }
      const size_t place = static_cast<size_t>(at);
      const auto bound = [&](size_t e) { return bounds[e][ends[e]->index(place)]; };
      const float in_low = bound(0), in_high = bound(1), low = bound(2), high = bound(3);
      if (in_low != std::floor(in_low) || in_high - in_low != steps) return false;
      first = std::max(first, in_low);
      last = std::min(last, in_high);
      scales.push_back((high - low) / steps);
      const float point = in_low - low / scales.back();
      // Rounding of the constants may shift the zero point by at most 1e-4 of a level.
      if (!(std::abs(point - std::nearbyint(point)) <= 1e-4f)) return false;
      points.push_back(std::nearbyint(point));
    }
    parts_.scales.push_back(SharedNumbers::of(scales, scale.axes, scale.steps));
    parts_.zero_point = SharedNumbers::of(points, scale.axes, scale.steps);
    return all_within(first, last);
  }

  // Whether all stored integers are in this range.
  bool all_within(float low, float high) const {
    const model::ConstantData& stored = data();
    std::vector<float> values(element_count(stored.shape()));
    ops::load_raw(stored.value().view(), 0, values.size(), values.data());
    return std::all_of(values.begin(), values.end(),
                       [&](float value) { return value >= low && value <= high; });
  }

  // Whether the axes of all factors and of the value nest, so that no axis ends within a step of another one.
  // The offset of an element is then the sum of offsets along the axes. Counterexample: 12 elements with one
  // scale per 4 elements (shape 3 x 4) and another one per 3 elements (shape 4 x 3).
  bool axes_nest() const {
    Ints ends;
    const auto add_ends = [&](const StridedAxes& axes) {
      for (size_t i = 0; i < axes.sizes.size(); ++i) {
        ends.push_back(axes.strides[i]);
        ends.push_back(axes.strides[i] * axes.sizes[i]);
      }
    };
    add_ends(parts_.places);
    for (const SharedNumbers& scale : parts_.scales) add_ends(scale.axes);
    if (parts_.zero_point) add_ends(parts_.zero_point->axes);
    sort_few(ends.begin(), ends.end());
    for (size_t i = 1; i < ends.size(); ++i) {
      if (ends[i] % ends[i - 1] != 0) return false;
    }
    return true;
  }

  std::vector<const Node*> nodes_;
  ops::QuantisedConstant::Parts parts_;
  size_t rank_ = 0;  // of the value so far
  size_t steps_ = 0;
};

}  // namespace

std::optional<QuantisedChain> trace_quantised(Source source) { return Trace().run(source); }

}  // namespace wasmvino::passes
