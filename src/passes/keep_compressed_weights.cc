// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "ops/internal/compressed_gather.h"
#include "ops/internal/compressed_mat_mul.h"
#include "passes/edit.h"
#include "passes/passes.h"

namespace wasmvino::passes {
namespace {

using model::Model;
using model::Node;
using model::NodeKind;
using model::Source;
using ops::CompressedForm;

constexpr size_t kPanel = kernels::kPanelColumns;

// What a MatMul or Gather reads, traced back to the constant that it is expanded from.
struct Weights {
  Node* values = nullptr;
  std::optional<Source> scale, zero_point;  // constant expressions, to be broadcast to the values
  std::vector<const Node*> chain;           // values and what is computed of them
  CompressedForm form;
  size_t row_axis = 0, group_axis = 0;  // of the values; without groups, group_axis is that of the depth
};

struct Match {
  Node* reader = nullptr;
  Weights weights;
};

bool is_type(Source source, ElementType type) { return port_of(source).type == type; }

std::optional<Shape> static_shape_of(Source source) {
  const PartialShape& shape = shape_of(source);
  return shape.is_static() ? std::optional(shape.to_shape()) : std::nullopt;
}

bool is_numpy(const Node& node) { return attribute_of(node, "auto_broadcast") == "numpy"; }

// values → Convert → [Subtract zero point]
bool trace_values(Source source, Weights& weights) {
  Node* node = source.node;
  if (node->type == "Subtract" && is_numpy(*node)) {
    weights.zero_point = node->inputs[1];
    weights.chain.push_back(node);
    node = node->inputs[0].node;
  }
  if (node->type != "Convert" || !is_type({node, 0}, ElementType::kF32)) return false;
  weights.chain.push_back(node);
  weights.values = node->inputs[0].node;
  weights.chain.push_back(weights.values);
  return weights.values->kind == NodeKind::kConstant &&
         ops::is_compressed_type(weights.values->constant->type());
}

// The above → [Multiply scale]
bool trace_scaled(Source source, Weights& weights) {
  Node* node = source.node;
  if (node->type != "Multiply" || !is_numpy(*node)) return trace_values(source, weights);
  for (size_t i = 0; i < 2; ++i) {
    Weights side = weights;
    side.chain.push_back(node);
    side.scale = node->inputs[1 - i];
    // The side that has all elements; a scale may be stored in f16, too.
    if (!trace_values(node->inputs[i], side) || !is_integral(side.values->constant->type())) continue;
    if (static_shape_of(node->inputs[i]) != static_shape_of(source)) continue;
    weights = std::move(side);
    return true;
  }
  return false;
}

// The above → [Reshape of groups] → [Transpose], as a matrix W [n][k] or (`transposed`) its transpose.
std::optional<Weights> trace(Source source, bool transposed) {
  Weights weights;
  std::optional<Shape> shape = static_shape_of(source);
  if (!shape || shape->size() != 2) return std::nullopt;
  if (source.node->type == "Transpose") {
    const auto order = constant_ints(source.node->inputs[1]);
    if (!order || !(*order == Ints{1, 0})) return std::nullopt;
    weights.chain.push_back(source.node);
    source = source.node->inputs[0];
    transposed = !transposed;
    shape = static_shape_of(source);
    if (!shape) return std::nullopt;
  }
  if (source.node->type == "Reshape") {
    weights.chain.push_back(source.node);
    source = source.node->inputs[0];
  }
  if (!trace_scaled(source, weights)) return std::nullopt;

  CompressedForm& form = weights.form;
  form.by_depth = transposed;
  form.n = static_cast<size_t>((*shape)[transposed ? 1 : 0]);
  form.k = static_cast<size_t>((*shape)[transposed ? 0 : 1]);
  const Shape& stored = weights.values->constant->shape();
  if (stored == *shape) {
    form.group = form.k;
    weights.row_axis = transposed ? 1 : 0;
    weights.group_axis = transposed ? 0 : 1;
    return weights;
  }
  // [n, groups, group] or [groups, group, n].
  if (stored.size() != 3) return std::nullopt;
  weights.row_axis = transposed ? 2 : 0;
  weights.group_axis = transposed ? 0 : 1;
  form.group = static_cast<size_t>(stored[weights.group_axis + 1]);
  if (stored[weights.row_axis] != static_cast<int64_t>(form.n) || form.group == 0 || form.k == 0)
    return std::nullopt;
  if (form.group != form.k && form.group % 4 != 0) return std::nullopt;
  return weights;
}

// Strides of a scale or zero point along rows and groups; nothing where it is not one value for each group.
struct Strides {
  size_t row, group;
};

std::optional<Strides> strides_of(const Shape& shape, const Weights& weights) {
  const Shape& stored = weights.values->constant->shape();
  if (shape.size() > stored.size()) return std::nullopt;
  const bool grouped = stored.size() == 3;
  const Ints steps = row_major_strides(shape);
  Strides strides = {0, 0};
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 1) continue;
    const size_t axis = stored.size() - shape.size() + i;
    if (shape[i] != stored[axis]) return std::nullopt;
    if (axis == weights.row_axis) {
      strides.row = static_cast<size_t>(steps[i]);
    } else if (axis == weights.group_axis && grouped) {
      strides.group = static_cast<size_t>(steps[i]);
    } else {
      return std::nullopt;
    }
  }
  return strides;
}

// A value for each row and group as CompressedMatrix has them: [panels, groups, 8], the last filled up with
// zeros.
std::optional<std::vector<float>> by_panels(Source source, const Weights& weights) {
  const std::optional<Shape> shape = static_shape_of(source);
  if (!shape || !is_type(source, ElementType::kF32)) return std::nullopt;
  const auto strides = strides_of(*shape, weights);
  if (!strides) return std::nullopt;
  const std::optional<Tensor> value = computed_value(source);
  if (!value) return std::nullopt;
  const size_t n = weights.form.n, groups = weights.form.groups(), panels = (n + kPanel - 1) / kPanel;
  std::vector<float> values(panels * groups * kPanel);
  for (size_t j = 0; j < n; ++j) {
    for (size_t g = 0; g < groups; ++g) {
      values[(j / kPanel * groups + g) * kPanel + j % kPanel] =
          value->data<float>()[j * strides->row + g * strides->group];
    }
  }
  return values;
}

class Compression {
 public:
  explicit Compression(Model& model) : model_(model) {}

  bool run() {
    for (const auto& node : model_.nodes) find(*node);
    drop_those_read_elsewhere();
    bool changed = false;
    for (Match& match : matches_) changed |= rewrite(match);
    return changed;
  }

 private:
  void find(Node& node) {
    if (node.kind != NodeKind::kOperation || !is_type({&node, 0}, ElementType::kF32)) return;
    std::optional<Weights> weights;
    if (node.type == "MatMul") {
      const PartialShape& data = node.inputs[0].node->outputs[node.inputs[0].port].shape;
      if (!data.has_rank() || attribute_of(node, "transpose_a") == "true") return;
      weights = trace(node.inputs[1], attribute_of(node, "transpose_b") != "true");
    } else if (node.type == "Gather") {
      const auto axis = constant_ints(node.inputs[2]);
      const std::string batch = attribute_of(node, "batch_dims");
      if (!axis || axis->size() != 1 || ((*axis)[0] != 0 && (*axis)[0] != -2)) return;
      if (!batch.empty() && batch != "0") return;
      weights = trace(node.inputs[0], false);
      if (weights && weights->form.by_depth) return;
    }
    if (weights) matches_.push_back({&node, std::move(*weights)});
  }

  // Where something else reads weights on the way, they are expanded for it; then that serves all.
  void drop_those_read_elsewhere() {
    for (bool changed = true; changed;) {
      std::vector<char> accepted(model_.nodes.size()), elsewhere(model_.nodes.size());  // by node
      for (const Match& match : matches_) {
        accepted[match.reader->index] = 1;
        for (const Node* node : match.weights.chain) accepted[node->index] = 1;
      }
      for (const auto& node : model_.nodes) {
        if (accepted[node->index]) continue;
        for (const Source& source : node->inputs) elsewhere[source.node->index] = 1;
      }
      const size_t before = matches_.size();
      std::erase_if(matches_, [&](const Match& match) {
        const std::vector<const Node*>& chain = match.weights.chain;
        return std::any_of(chain.begin(), chain.end(),
                           [&](const Node* node) { return elsewhere[node->index]; });
      });
      changed = matches_.size() != before;
    }
  }

  bool rewrite(Match& match) {
    Node& node = *match.reader;
    const bool gathers = node.type == "Gather";
    std::vector<Source> inputs = {node.inputs[gathers ? 1 : 0]};
    if (!add_weights(match.weights, inputs)) return false;
    std::shared_ptr<model::Op> op;
    if (gathers) {
      op = std::make_shared<ops::CompressedGather>(match.weights.form, node.version,
                                                   is_multiplied(match.weights));
    } else {
      op = std::make_shared<ops::CompressedMatMul>(match.weights.form);
    }
    auto made = remade(node, std::move(op), std::move(inputs));
    made->type = gathers ? ops::CompressedGather::kType : ops::CompressedMatMul::kType;
    made->version = 0;
    model_.replace_uses({&node, 0}, {model_.add(std::move(made)), 0});
    return true;
  }

  // Whether a MatMul reads the same values in the same form.
  bool is_multiplied(const Weights& weights) const {
    for (const Match& match : matches_) {
      if (match.reader->type == "MatMul" && match.weights.values == weights.values &&
          match.weights.form.n == weights.form.n && match.weights.form.k == weights.form.k &&
          match.weights.form.by_depth == weights.form.by_depth) {
        return true;
      }
    }
    return false;
  }

  // The inputs that CompressedForm tells of.
  bool add_weights(Weights& weights, std::vector<Source>& inputs) {
    const model::ConstantData& values = *weights.values->constant;
    inputs.push_back({weights.values, 0});
    if (!is_integral(values.type())) return !weights.scale && !weights.zero_point;

    const std::string name = weights.values->name;
    const float shift = static_cast<float>(ops::shift_of(values.type()));
    std::vector<float> scales, zeros;
    if (weights.scale) {
      auto found = by_panels(*weights.scale, weights);
      if (!found) return false;
      scales = std::move(*found);
    } else {
      scales.assign((weights.form.n + kPanel - 1) / kPanel * weights.form.groups() * kPanel, 1.0f);
    }
    if (weights.zero_point) {
      auto found = by_panels(*weights.zero_point, weights);
      if (!found) return false;
      zeros = std::move(*found);
    }
    const Shape shape = {static_cast<int64_t>((weights.form.n + kPanel - 1) / kPanel),
                         static_cast<int64_t>(weights.form.groups()), static_cast<int64_t>(kPanel)};
    weights.form.zero_point = shift;
    std::vector<uint8_t> points;
    for (const float zero : zeros) {
      const float point = zero + shift;
      if (!(point >= 0 && point <= 255) || point != std::floor(point)) return false;
      points.push_back(static_cast<uint8_t>(point));
    }
    inputs.push_back(add_floats(model_, name + "/scales", shape, scales));
    weights.form.has_scales = true;
    weights.form.has_zero_points = !points.empty();
    if (!points.empty()) {
      inputs.push_back(
          {model_.add_constant(name + "/zero_points", Tensor::of<uint8_t>(shape, points.data())), 0});
    }
    return true;
  }

  Model& model_;
  std::vector<Match> matches_;
};

}  // namespace

bool keep_compressed_weights(Model& model, const model::Registry&) { return Compression(model).run(); }

}  // namespace wasmvino::passes
