// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>

#include "ops/common/compressed_filters.h"
#include "ops/common/compressed_weights.h"
#include "ops/internal/fused_convolution.h"
#include "passes/edit.h"
#include "passes/passes.h"

namespace wasmvino::passes {
namespace {

using model::Model;
using model::Node;
using model::NodeKind;
using model::Source;
using ops::CompressedFilters;
using Values = std::vector<float>;  // one for each output channel

// What filters are computed from: a stored constant, then zero points, scales and changes of shape that leave
// the elements in their order.
class Trace {
 public:
  Trace(const Shape& filters, const ops::FilterForm& form)
      : count_(static_cast<int64_t>(element_count(filters))), channels_(filters, form) {}

  std::shared_ptr<const CompressedFilters> run(Source source, const Shape& filters,
                                               const ops::FilterForm& form) {
    if (count_ == 0 || !follow(source)) return nullptr;
    return std::make_shared<CompressedFilters>(stored_, filters, form, std::move(scales_),
                                               std::move(zero_points_));
  }

 private:
  bool follow(Source source) {
    const Node& node = *source.node;
    const model::OutputPort& port = port_of(source);
    if (node.kind != NodeKind::kOperation || port.type != ElementType::kF32) return false;
    if (!port.shape.is_static() || static_cast<int64_t>(element_count(port.shape.to_shape())) != count_)
      return false;
    const bool numpy = attribute_of(node, "auto_broadcast") == "numpy";
    if (node.type == "Multiply" && numpy) {
      if (follow_scaled(node.inputs[0], node.inputs[1])) return true;
      scales_.clear();
      zero_points_.clear();
      return follow_scaled(node.inputs[1], node.inputs[0]);
    }
    if (node.type == "Reshape" || node.type == "Unsqueeze" || node.type == "Squeeze" ||
        (node.type == "Transpose" && keeps_order(node))) {
      return follow(node.inputs[0]);
    }
    if (node.type == "FakeQuantize" && numpy) return levels(node);
    if (node.type == "Subtract" && numpy) {
      return stored(node.inputs[0]) && subtract(by_channel(node.inputs[1], port_of(node.inputs[0]).shape));
    }
    return stored(source);
  }

  bool follow_scaled(Source data, Source scale) {
    const auto values = by_channel(scale, port_of(data).shape);
    if (!values || !follow(data)) return false;
    if (scales_.empty()) scales_.assign(channels_.count(), 1.0f);
    for (size_t c = 0; c < scales_.size(); ++c) scales_[c] *= (*values)[c];
    return true;
  }

  // Only axes of one element change places.
  static bool keeps_order(const Node& node) {
    const auto order = constant_ints(node.inputs[1]);
    const PartialShape& shape = port_of(node.inputs[0]).shape;
    if (!order || !shape.is_static() || order->size() != shape.rank()) return false;
    int64_t last = -1;
    for (const int64_t axis : *order) {
      if (shape[static_cast<size_t>(axis)].size() == 1) continue;
      if (axis < last) return false;
      last = axis;
    }
    return true;
  }

  // Convert of a constant.
  bool stored(Source source) {
    const Node& node = *source.node;
    if (node.type != "Convert" || port_of(source).type != ElementType::kF32) return false;
    const Node& constant = *node.inputs[0].node;
    if (constant.kind != NodeKind::kConstant || !ops::is_compressed_type(constant.constant->type()))
      return false;
    if (static_cast<int64_t>(element_count(constant.constant->shape())) != count_) return false;
    stored_ = constant.constant;
    return true;
  }

  bool subtract(const std::optional<Values>& zeros) {
    if (!zeros || !is_integral(stored_->type())) return false;
    const float shift = static_cast<float>(ops::shift_of(stored_->type()));
    for (const float zero : *zeros) {
      const float point = zero + shift;
      if (!(point >= 0 && point <= 255) || point != std::floor(point)) return false;
      zero_points_.push_back(static_cast<uint8_t>(point));
    }
    return true;
  }

  // FakeQuantize of integers that are its levels: (integer - input_low) * scale + output_low.
  bool levels(const Node& node) {
    if (!stored(node.inputs[0]) || !is_integral(stored_->type())) return false;
    std::optional<Values> ends[4];
    for (size_t i = 0; i < 4; ++i) {
      ends[i] = by_channel(node.inputs[1 + i], port_of(node.inputs[0]).shape);
      if (!ends[i]) return false;
    }
    const float steps = std::stof(attribute_of(node, "levels")) - 1;
    const auto [least, most] = range();
    Values zeros;
    for (size_t c = 0; c < channels_.count(); ++c) {
      const float in_low = (*ends[0])[c], in_high = (*ends[1])[c], low = (*ends[2])[c], high = (*ends[3])[c];
      if (in_low != std::floor(in_low) || in_high - in_low != steps || least < in_low || most > in_high)
        return false;
      const float scale = (high - low) / steps, zero = in_low - low / scale;
      // Rounded numbers leave a trace: it is a tenth of a thousandth of a level at most.
      if (!(std::abs(zero - std::nearbyint(zero)) <= 1e-4f)) return false;
      scales_.push_back(scale);
      zeros.push_back(std::nearbyint(zero));
    }
    return subtract(zeros);
  }

  // The least and the greatest of the stored integers.
  std::pair<float, float> range() const {
    const CompressedFilters plain(stored_, Shape{1, count_}, {}, {}, {});
    Values values(static_cast<size_t>(count_));
    plain.read(0, plain.size(), values.data());
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    return {*least, *most};
  }

  // A constant, broadcast to `shape`, as a value for each output channel; nothing where it is none.
  std::optional<Values> by_channel(Source source, const PartialShape& shape) const {
    const model::OutputPort& port = port_of(source);
    if (!port.shape.is_static() || !shape.is_static() || port.type != ElementType::kF32) return std::nullopt;
    const Shape own = port.shape.to_shape(), whole = shape.to_shape();
    if (own.size() > whole.size()) return std::nullopt;
    const Ints own_steps = row_major_strides(own), steps = row_major_strides(whole);
    for (size_t i = 0; i < own.size(); ++i) {
      const size_t axis = whole.size() - own.size() + i;
      if (own[i] == 1) continue;
      if (own[i] != whole[axis] || !tells_channels(steps[axis], steps[axis] * own[i])) return std::nullopt;
    }
    const std::optional<Tensor> value = computed_value(source);
    if (!value) return std::nullopt;
    Values values(channels_.count());
    for (size_t c = 0; c < values.size(); ++c) {
      int64_t rest = static_cast<int64_t>(channels_.first(c)), at = 0;
      for (size_t axis = 0; axis < whole.size(); ++axis) {
        const size_t i = axis + own.size() - whole.size();
        if (i < own.size() && own[i] > 1) at += rest / steps[axis] * own_steps[i];
        rest %= steps[axis];
      }
      values[c] = value->data<float>()[at];
    }
    return values;
  }

  // Whether an axis whose neighbours lie `step` elements apart, `end` from one end to the other, tells output
  // channels from each other and nothing else.
  bool tells_channels(int64_t step, int64_t end) const {
    const int64_t inner = static_cast<int64_t>(channels_.inner);
    const int64_t group = inner * static_cast<int64_t>(channels_.channels);
    const int64_t next_group = group * static_cast<int64_t>(channels_.in);
    const bool among_channels = step % inner == 0 && group % end == 0;
    const bool among_groups = step % next_group == 0;
    const bool among_both = channels_.in == 1 && step % inner == 0;
    return among_channels || among_groups || among_both;
  }

  int64_t count_;
  CompressedFilters::Channels channels_;
  std::shared_ptr<const model::ConstantData> stored_;
  Values scales_;
  std::vector<uint8_t> zero_points_;
};

// Filters of depthwise convolutions are few, and their kernels read them as f32.
bool is_depthwise(const Shape& filters, const ops::FilterForm& form) {
  return form.grouped && filters[0] > 1 && filters[1] == 1 && filters[2] == 1;
}

}  // namespace

bool keep_compressed_filters(Model& model, const model::Registry&) {
  // Convolutions that read the same filters share what they are packed to.
  struct Found {
    Source from;
    bool grouped, transposed;
    std::shared_ptr<const CompressedFilters> filters;
    Source constant;
  };
  std::vector<Found> all;
  return rewrite_operations(model, [&](Node& node) {
    auto view = ops::as_convolution(node);
    if (!view || node.outputs[0].type != ElementType::kF32) return false;
    const Source source = node.inputs[1];
    const ops::FilterForm& form = view->spec.form;
    auto found = std::find_if(all.begin(), all.end(), [&](const Found& other) {
      return other.from == source && other.grouped == form.grouped && other.transposed == form.transposed;
    });
    if (found == all.end()) {
      const PartialShape& open = port_of(source).shape;
      if (!open.is_static() || open.rank() < form.first_spatial()) return false;
      const Shape shape = open.to_shape();
      if (is_depthwise(shape, form)) return false;
      auto filters = Trace(shape, form).run(source, shape, form);
      if (filters == nullptr) return false;
      const Source constant = add_constant(model, source.node->name, ops::expanded(filters));
      found = all.insert(all.end(), {source, form.grouped, form.transposed, std::move(filters), constant});
    }
    view->fusion.filters = found->filters;
    std::vector<Source> inputs = node.inputs;
    inputs[1] = found->constant;
    replace_with(model, node,
                 remade_as(node, std::make_shared<ops::FusedConvolution>(view->spec, view->fusion), inputs));
    return true;
  });
}

}  // namespace wasmvino::passes
