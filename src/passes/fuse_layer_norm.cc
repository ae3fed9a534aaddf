// SPDX-License-Identifier: Apache-2.0
#include "ops/internal/layer_norm.h"
#include "ops/normalization/mvn.h"
#include "passes/by_channel.h"
#include "passes/match.h"
#include "passes/passes.h"

namespace wasmvino::passes {
namespace {

using model::Model;
using model::Node;
using model::Source;
using ops::LayerNorm;
using ops::LayerNormSpec;

// The value that is normalised, and how.
struct Quotient {
  Source data;
  bool centered;
  float epsilon;
};

std::optional<Source> mean_along_last(Source source) {
  size_t axis = 0;
  const auto data = reduced_along(source, "ReduceMean", axis);
  if (!data || axis + 1 != shape_of(*data).rank()) return std::nullopt;
  return data;
}

// Returns x if a value is x - mean(x).
std::optional<Source> centered(Source source) {
  const Node* node = made_by(source, "Subtract");
  if (node == nullptr) return std::nullopt;
  const auto data = mean_along_last(node->inputs[1]);
  return data && *data == node->inputs[0] ? data : std::nullopt;
}

// Returns x if a value is sqrt(x), or 1 / sqrt(x) if `inverse`.
std::optional<Source> root(Source source, bool inverse) {
  if (inverse) {
    if (const auto data = with_number(source, "Power", -0.5f)) return data;
    if (const auto data = with_number(source, "Power", -1.0f)) return root(*data, false);
    const Node* node = made_by(source, "Divide");
    if (node == nullptr || number_of(node->inputs[0]) != 1.0f) return std::nullopt;
    if (shape_of(node->inputs[0]).rank() > shape_of(node->inputs[1]).rank()) return std::nullopt;
    return root(node->inputs[1], false);
  }
  if (const Node* node = made_by(source, "Sqrt")) return node->inputs[0];
  return with_number(source, "Power", 0.5f);
}

// Returns x if a value is x^2.
std::optional<Source> squared(Source source) {
  if (const auto data = with_number(source, "Power", 2.0f)) return data;
  const Node* node = made_by(source, "Multiply");
  if (node == nullptr || !(node->inputs[0] == node->inputs[1])) return std::nullopt;
  return node->inputs[0];
}

// Matches the radicand: the mean of squares plus a number. `data` is the squared value, or x if that value is
// x - mean(x) (`centered`).
std::optional<Quotient> moment_of(Source radicand) {
  const auto sum = with_number(radicand, "Add");
  const auto squares = sum ? mean_along_last(sum->data) : std::nullopt;
  if (!squares) return std::nullopt;
  if (const Node* node = made_by(*squares, "SquaredDifference")) {
    if (mean_along_last(node->inputs[1]) != node->inputs[0]) return std::nullopt;
    return Quotient{node->inputs[0], true, sum->number};
  }
  const auto base = squared(*squares);
  if (!base) return std::nullopt;
  if (const auto data = centered(*base)) return Quotient{*data, true, sum->number};
  return Quotient{*base, false, sum->number};
}

// Matches `numerator` divided by the root of the mean of its own squares plus a number.
std::optional<Quotient> quotient_of(Source numerator, std::optional<Source> radicand) {
  const auto moment = radicand ? moment_of(*radicand) : std::nullopt;
  if (!moment) return std::nullopt;
  // Exporters may write the difference twice, so the nodes need not be identical.
  const bool same = moment->centered ? centered(numerator) == moment->data : numerator == moment->data;
  return same ? moment : std::nullopt;
}

// The other factor of a multiplication, if `is` accepts one factor.
template <typename Is>
std::optional<Source> factor_beside(Source source, const Is& is) {
  const Node* node = made_by(source, "Multiply");
  for (size_t i = 0; node != nullptr && i < 2; ++i) {
    if (is(node->inputs[i])) return node->inputs[1 - i];
  }
  return std::nullopt;
}

// x m + (beta - mean m), where m is gamma divided by the root of the variance: layer norm in the form of
// batch norm.
struct Affine {
  Quotient quotient;
  Source gamma, beta;  // constants; gamma's node may be null
};

std::optional<Affine> affine_of(Node& node) {
  if (made_by({&node, 0}, "Add") == nullptr) return std::nullopt;
  for (size_t i = 0; i < 2; ++i) {
    const Node* shift = made_by(node.inputs[1 - i], "Subtract");
    if (shift == nullptr || shift->inputs[0].node->kind != model::NodeKind::kConstant) continue;
    std::optional<Source> data;
    const auto is_mean = [&](Source source) { return (data = mean_along_last(source)).has_value(); };
    const auto scale = factor_beside(shift->inputs[1], is_mean);
    if (!scale) continue;
    if (factor_beside(node.inputs[i], [&](Source source) { return source == *data; }) != scale) continue;
    Affine affine = {{}, {}, shift->inputs[0]};
    auto radicand = root(*scale, true);
    if (!radicand) {
      const auto is_root = [&](Source source) { return (radicand = root(source, true)).has_value(); };
      const auto gamma = factor_beside(*scale, is_root);
      if (!gamma) continue;
      affine.gamma = *gamma;
    }
    const auto moment = moment_of(*radicand);
    if (!moment || !moment->centered || !(moment->data == *data)) continue;
    affine.quotient = *moment;
    return affine;
  }
  return std::nullopt;
}

std::optional<Quotient> quotient_of(Node& node) {
  const Source source = {&node, 0};
  if (made_by(source, "Divide") != nullptr) return quotient_of(node.inputs[0], root(node.inputs[1], false));
  if (made_by(source, "Multiply") != nullptr) {
    for (size_t i = 0; i < 2; ++i) {
      if (auto quotient = quotient_of(node.inputs[i], root(node.inputs[1 - i], true))) return quotient;
    }
  }
  const auto* mvn = op_of<ops::mvn::MVN>(node);
  if (mvn == nullptr || node.version < 6) return std::nullopt;
  const std::optional<Ints> axes = constant_ints(node.inputs[1]);
  const PartialShape& shape = shape_of(node.inputs[0]);
  if (!axes || axes->size() != 1 || !shape.has_rank() || shape.rank() == 0) return std::nullopt;
  const bool last = axes->front() == -1 || axes->front() == static_cast<int64_t>(shape.rank()) - 1;
  const ops::mvn::MvnAttributes& attributes = mvn->attributes();
  const bool inside = attributes.eps_mode == ops::mvn::EpsMode::kInsideSqrt;
  if (!last || !attributes.normalize_variance || !inside) return std::nullopt;
  return Quotient{node.inputs[0], true, static_cast<float>(attributes.eps)};
}

class Fusion {
 public:
  explicit Fusion(Model& model) : model_(model) {}

  bool run() {
    return rewrite_operations(model_, [&](Node& node) {
      if (node.outputs.empty() || node.outputs[0].type != ElementType::kF32) return false;
      if (const auto affine = affine_of(node)) return replace(node, *affine);
      const auto quotient = quotient_of(node);
      return quotient && replace(node, *quotient);
    });
  }

 private:
  bool replace(Node& node, const Quotient& quotient) {
    LayerNormSpec spec = {quotient.centered, quotient.epsilon};
    std::vector<Source> inputs = {quotient.data};
    Node* last = &node;
    spec.gamma = take(last, "Multiply", inputs);
    spec.beta = take(last, "Add", inputs);
    return replace(*last, spec, std::move(inputs));
  }

  bool replace(Node& node, const Affine& affine) {
    LayerNormSpec spec = {true, affine.quotient.epsilon};
    std::vector<Source> inputs = {affine.quotient.data};
    const PartialShape& shape = shape_of(affine.quotient.data);
    spec.gamma = affine.gamma.node != nullptr;
    spec.beta = true;
    if (spec.gamma && !give(affine.gamma, shape, inputs)) return false;
    return give(affine.beta, shape, inputs) && replace(node, spec, std::move(inputs));
  }

  bool replace(Node& last, const LayerNormSpec& spec, std::vector<Source> inputs) {
    put_in_place(model_, last, remade_as(last, std::make_shared<LayerNorm>(spec), std::move(inputs)));
    return true;
  }

  // Matches an operation of this type that is the only user of `last` and whose other input has one number
  // per element of a row. If it matches, moves `last` to that operation and adds the numbers to `inputs`.
  bool take(Node*& last, std::string_view type, std::vector<Source>& inputs) {
    Node* next = next_of(*last);
    if (next == nullptr || made_by({next, 0}, type) == nullptr) return false;
    const Source other = other_input(*next, *last);
    if (!give(other, last->outputs[0].shape, inputs)) return false;
    last = next;
    return true;
  }

  // If `source` is a constant with one number per element of a row of `shape`, adds it to `inputs`. Returns
  // false for other values.
  bool give(Source source, const PartialShape& shape, std::vector<Source>& inputs) {
    const auto values = values_by_channel(source, shape, shape.rank() - 1);
    if (!values) return false;
    const Shape row = {static_cast<int64_t>(values->size())};
    inputs.push_back(add_floats(model_, source.node->name, row, *values));
    return true;
  }

  Model& model_;
};

}  // namespace

bool fuse_layer_norm(Model& model, const model::Registry&) { return Fusion(model).run(); }

}  // namespace wasmvino::passes
