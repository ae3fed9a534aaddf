// SPDX-License-Identifier: Apache-2.0
#include "passes/match.h"

#include <algorithm>
#include <cmath>

#include "ops/movement/transpose.h"
#include "ops/reduction/reduction.h"

namespace wasmvino::passes {

using model::Node;
using model::Source;

namespace {

// Whether, by numpy's rule, `data` keeps its shape when it is combined with a value of one element.
bool keeps_shape(Source data, Source number) {
  const PartialShape& shape = shape_of(data);
  const PartialShape& one = shape_of(number);
  return one.has_rank() && (one.rank() == 0 || (shape.has_rank() && one.rank() <= shape.rank()));
}

// The maximum depth of nested products. No known form has more than five.
constexpr int kDepth = 8;

void take_apart(Source source, int depth, Factors& factors) {
  const Node& node = *source.node;
  if (depth == 0 || (depth <= kDepth && node.users(0).size() != 1)) return factors.values.push_back(source);
  --depth;
  if (const auto scaled = with_number(source, "Multiply")) {
    factors.number *= scaled->number;
    return take_apart(scaled->data, depth, factors);
  }
  if (const auto divided = with_number(source, "Divide")) {
    factors.number /= divided->number;
    return take_apart(divided->data, depth, factors);
  }
  if (const auto power = with_number(source, "Power"); power && (power->number == 2 || power->number == 3)) {
    factors.values.insert(factors.values.end(), static_cast<size_t>(power->number), power->data);
    return;
  }
  if (made_by(source, "Multiply") != nullptr) {
    take_apart(node.inputs[0], depth, factors);
    return take_apart(node.inputs[1], depth, factors);
  }
  factors.values.push_back(source);
}

}  // namespace

Node* made_by(Source source, std::string_view type) {
  Node& node = *source.node;
  if (node.type != type || node.outputs[0].type != ElementType::kF32) return nullptr;
  return auto_broadcast(node).value_or(ops::AutoBroadcast::kNumpy) == ops::AutoBroadcast::kNumpy ? &node
                                                                                                 : nullptr;
}

Ints transpose_order(const Node& node) {
  if (op_of<ops::transpose::Transpose>(node) == nullptr) return {};
  return constant_ints(node.inputs[1]).value_or(Ints());
}

std::optional<WithNumber> with_number(Source source, std::string_view type) {
  const Node* node = made_by(source, type);
  if (node == nullptr || node->inputs.size() != 2) return std::nullopt;
  const bool commutes = type == "Add" || type == "Multiply" || type == "Maximum" || type == "Minimum";
  for (const size_t i : {1, 0}) {
    if (i == 0 && !commutes) break;
    const auto number = number_of(node->inputs[i]);
    const Source data = node->inputs[1 - i];
    if (number && keeps_shape(data, node->inputs[i])) return WithNumber{data, *number};
  }
  return std::nullopt;
}

std::optional<Source> with_number(Source source, std::string_view type, float number) {
  const auto found = with_number(source, type);
  if (!found || !about(found->number, number)) return std::nullopt;
  return found->data;
}

bool about(float value, float expected) { return std::abs(value - expected) <= 1e-5f * std::abs(expected); }

std::optional<Source> Factors::beside(Source value) const {
  if (values.size() != 2) return std::nullopt;
  if (values[0] == value) return values[1];
  if (values[1] == value) return values[0];
  return std::nullopt;
}

bool Factors::is_power_of(Source value, size_t exponent) const {
  return values.size() == exponent &&
         std::all_of(values.begin(), values.end(), [&](Source v) { return v == value; });
}

Factors factors_of(Source source) {
  Factors factors;
  take_apart(source, kDepth, factors);
  return factors;
}

Factors factors_of_all(Source source) {
  Factors factors;
  take_apart(source, kDepth + 1, factors);
  return factors;
}

std::optional<Source> reduced_along(Source source, std::string_view type, size_t& axis) {
  const Node* node = made_by(source, type);
  const auto* op = node != nullptr ? op_of<ops::ReduceOp>(*node) : nullptr;
  if (op == nullptr || !op->attributes().keep_dims) return std::nullopt;
  const std::optional<Ints> axes = constant_ints(node->inputs[1]);
  const PartialShape& shape = shape_of(node->inputs[0]);
  if (!axes || axes->size() != 1 || !shape.has_rank() || shape.rank() == 0) return std::nullopt;
  const int64_t rank = static_cast<int64_t>(shape.rank()), at = axes->front();
  axis = static_cast<size_t>(at < 0 ? at + rank : at);
  return node->inputs[0];
}

}  // namespace wasmvino::passes
