// SPDX-License-Identifier: Apache-2.0
#include "ops/internal/rotary_embedding.h"
#include "ops/movement/concat.h"
#include "ops/movement/slices.h"
#include "passes/match.h"
#include "passes/passes.h"

namespace wasmvino::passes {
namespace {

using model::Model;
using model::Node;
using model::Source;

// The size of the last axis; 0 if it is not known.
int64_t width_of(Source source) {
  const PartialShape& shape = shape_of(source);
  if (!shape.has_rank() || shape.rank() == 0) return 0;
  const Dimension last = shape[shape.rank() - 1];
  return last.is_static() ? last.size() : 0;
}

// Whether a constant with one element names the last axis of `data`.
bool is_last_axis(const std::optional<Ints>& axis, Source data) {
  const int64_t rank = static_cast<int64_t>(shape_of(data).rank());
  return axis && axis->size() == 1 && ((*axis)[0] == rank - 1 || (*axis)[0] == -1);
}

struct Half {
  Source data;
  bool second;
};

// The value, if it is the first or second half of the last axis of another one.
std::optional<Half> half_of(Source source) {
  const Node& node = *source.node;
  if (node.inputs.empty() || width_of(source) == 0 || width_of(node.inputs[0]) != 2 * width_of(source))
    return std::nullopt;
  const Source data = node.inputs[0];
  const int64_t half = width_of(source);
  if (made_by(source, "Split") != nullptr || made_by(source, "VariadicSplit") != nullptr) {
    if (node.outputs.size() != 2 || !is_last_axis(constant_ints(node.inputs[1]), data)) return std::nullopt;
    return Half{data, source.port == 1};
  }
  if (made_by(source, "Slice") == nullptr || node.inputs.size() != 5) return std::nullopt;
  const auto start = constant_ints(node.inputs[1]), stop = constant_ints(node.inputs[2]),
             step = constant_ints(node.inputs[3]);
  if (!is_last_axis(constant_ints(node.inputs[4]), data) || !start || !stop || !step || (*step)[0] != 1)
    return std::nullopt;
  const ops::SliceRange range = ops::slice_range((*start)[0], (*stop)[0], 1, 2 * half);
  if (range.begin % half != 0) return std::nullopt;
  return Half{data, range.begin == half};
}

// x, if the value is concat(-second half of x, first half of x).
std::optional<Source> rotated(Source source) {
  const Node* joined = made_by(source, "Concat");
  if (joined == nullptr || joined->inputs.size() != 2 || joined->users(0).size() != 1) return std::nullopt;
  const auto* concat = op_of<ops::concat::Concat>(*joined);
  const auto first = half_of(joined->inputs[1]);
  if (concat == nullptr || !first || first->second) return std::nullopt;
  if (!is_last_axis(Ints{concat->attributes().axis}, first->data)) return std::nullopt;
  std::optional<Source> negated = with_number(joined->inputs[0], "Multiply", -1);
  if (const Node* negative = made_by(joined->inputs[0], "Negative")) negated = negative->inputs[0];
  const auto second = negated ? half_of(*negated) : std::nullopt;
  if (!second || !second->second || !(second->data == first->data)) return std::nullopt;
  return first->data;
}

// The inputs of RotaryEmbedding, if a sum has this form: x * cos + rotated x * sin.
std::optional<std::vector<Source>> rotary_inputs(Node& sum) {
  if (made_by({&sum, 0}, "Add") == nullptr) return std::nullopt;
  for (const size_t at : {0, 1}) {
    const Node* turned = made_by(sum.inputs[at], "Multiply");
    const Node* straight = made_by(sum.inputs[1 - at], "Multiply");
    if (turned == nullptr || straight == nullptr) return std::nullopt;
    if (turned->users(0).size() != 1 || straight->users(0).size() != 1) return std::nullopt;
    for (const size_t i : {0, 1}) {
      const auto x = rotated(turned->inputs[i]);
      if (!x) continue;
      const Source sin = turned->inputs[1 - i];
      for (const size_t k : {0, 1}) {
        if (straight->inputs[k] == *x) return std::vector<Source>{*x, straight->inputs[1 - k], sin};
      }
    }
  }
  return std::nullopt;
}

}  // namespace

bool fuse_rotary(Model& model, const model::Registry&) {
  return rewrite_operations(model, [&](Node& node) {
    auto inputs = rotary_inputs(node);
    if (!inputs) return false;
    put_in_place(model, node, remade_as(node, std::make_shared<ops::RotaryEmbedding>(), std::move(*inputs)));
    return true;
  });
}

}  // namespace wasmvino::passes
