// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <string>

#include "ops/infrastructure/read_value.h"
#include "ops/internal/compressed_cache.h"
#include "ops/movement/concat.h"
#include "ops/movement/gather.h"
#include "ops/sequence/scaled_dot_product_attention.h"
#include "passes/edit.h"
#include "passes/passes.h"

namespace wasmvino::passes {
namespace {

using model::CachePrecision;
using model::Model;
using model::Node;
using model::NodeKind;
using model::Source;
using model::VariablePrecision;
using ops::concat::Concat;
using ops::gather::Gather;
using ops::read_value::ReadValue;
using ops::scaled_dot_product_attention::ScaledDotProductAttention;

// [batch, heads, positions, width] to [batch, positions, heads, width], and back.
const Ints kOrder = {0, 2, 1, 3};
constexpr int64_t kPositions = 2;  // axis of the model's variable

// The number of operations that use each variable, bodies included.
using Uses = std::map<std::string, int, std::less<>>;

void count_uses(const Model& model, Uses& uses) {
  for (const auto& node : model.nodes) {
    for (const model::Body& body : node->bodies) count_uses(*body.model, uses);
    for (const std::string_view id : {node->op->reads_variable(), node->op->writes_variable()}) {
      if (!id.empty()) ++uses[std::string(id)];
    }
  }
}

// A variable that keeps the keys or values of all positions so far: ReadValue, an optional Gather by beams, a
// Concat with those of new positions, Assign.
struct Cache {
  Node* read;
  Node* gather;  // or nullptr
  Node* concat;
  Node* assign;
  bool compressible;  // only attention reads its elements
};

// The input of attention that uses the value, directly or after Unsqueeze, Broadcast and Reshape have
// repeated its heads.
std::optional<size_t> input_of_attention(model::User user) {
  for (const std::string_view type : {"Unsqueeze", "Broadcast", "Reshape"}) {
    if (user.node->type != type) continue;
    if (only_user(*user.node) == nullptr) return std::nullopt;
    user = user.node->users(0)[0];
  }
  if (op_of<ScaledDotProductAttention>(*user.node) == nullptr) return std::nullopt;
  return user.input;
}

bool is_read_by_attention(const Node& node) {
  const auto users = node.users(0);
  return std::any_of(users.begin(), users.end(),
                     [](const model::User& user) { return input_of_attention(user).has_value(); });
}

// The precision of a cache. What attention reads as keys and as values needs the more precise one.
VariablePrecision precision_of(const Cache& cache, CachePrecision wanted) {
  const auto reads = [&](size_t input) {
    for (const Node* node : {cache.read, cache.gather, cache.concat}) {
      if (node == nullptr) continue;
      for (const model::User& user : node->users(0)) {
        if (input_of_attention(user) == input) return true;
      }
    }
    return false;
  };
  const bool keys = reads(1), values = reads(2);
  if (keys != values) return keys ? wanted.keys : wanted.values;
  return std::min(wanted.keys, wanted.values);
}

// Whether all other operations that use the value ask for its shape only.
bool has_only_attention(const Node* node, std::initializer_list<const Node*> others) {
  if (node == nullptr) return true;
  const auto users = node->users(0);
  return std::all_of(users.begin(), users.end(), [&](const model::User& user) {
    return std::find(others.begin(), others.end(), user.node) != others.end() ||
           user.node->type == "ShapeOf" || input_of_attention(user).has_value();
  });
}

bool has_rank_4(Source source) { return shape_of(source).has_rank() && shape_of(source).rank() == 4; }

// Whether rows have this width, which must be known.
bool has_width(Source source, const Dimension& width) {
  return width.is_static() && has_rank_4(source) && shape_of(source)[3] == width;
}

bool is_compressible(const Cache& cache) {
  const Source all = {cache.concat, 0}, read = {cache.read, 0};
  const Dimension& width = shape_of(all)[3];
  return cache.concat->outputs[0].type == ElementType::kF32 && has_width(read, width) &&
         has_width(cache.concat->inputs[1], width) &&
         (cache.read->inputs.empty() || has_rank_4(cache.read->inputs[0])) &&
         has_only_attention(cache.read, {cache.gather, cache.concat}) &&
         has_only_attention(cache.gather, {cache.concat}) && has_only_attention(cache.concat, {cache.assign});
}

std::optional<Cache> cache_of(Node& assign, const Uses& uses) {
  const std::string_view id = assign.op->writes_variable();
  const auto used = uses.find(id);
  if (used == uses.end() || used->second != 2 || !assign.users(0).empty()) return std::nullopt;
  Cache cache = {nullptr, nullptr, assign.inputs[0].node, &assign, false};
  const auto* concat = op_of<Concat>(*cache.concat);
  if (concat == nullptr || cache.concat->inputs.size() != 2 || !has_rank_4({cache.concat, 0}))
    return std::nullopt;
  const int64_t axis = concat->attributes().axis;
  if (axis != kPositions && axis != kPositions - 4) return std::nullopt;
  Node* before = cache.concat->inputs[0].node;
  if (const auto* gather = op_of<Gather>(*before)) {
    const PartialShape& beams = shape_of(before->inputs[1]);
    if (gather->attributes().batch_dims != 0 || constant_ints(before->inputs[2]) != Ints{0} ||
        !beams.has_rank() || beams.rank() != 1) {
      return std::nullopt;
    }
    cache.gather = before;
    before = before->inputs[0].node;
  }
  if (op_of<ReadValue>(*before) == nullptr || before->op->reads_variable() != id || !has_rank_4({before, 0}))
    return std::nullopt;
  cache.read = before;
  if (!is_read_by_attention(*cache.concat)) return std::nullopt;
  cache.compressible = is_compressible(cache);
  return cache;
}

class Rewrite {
 public:
  Rewrite(Model& model, const model::Registry& registry, CachePrecision wanted)
      : model_(model), registry_(registry), wanted_(wanted) {}

  void apply(const Cache& cache) {
    precision_ = precision_of(cache, wanted_);
    compressed_ = cache.compressible && precision_ != VariablePrecision::kF32;
    Node& read = *cache.read;
    auto of_read = op_of<ReadValue>(read)->attributes();
    of_read.shape = stored_shape(of_read.shape);
    of_read.form.order = kOrder;
    if (compressed_) {
      of_read.form.precision = precision_;
      of_read.type = ops::compressed_type(precision_);
    }
    std::vector<Source> initial;
    if (!read.inputs.empty()) initial = {stored(read.inputs[0], read.name + "/initial")};
    Source last = add(read, with(*op_of<ReadValue>(read), std::move(of_read)), std::move(initial));
    redirect(read, last, {cache.gather, cache.concat});
    if (cache.gather != nullptr) {
      Node& gather = *cache.gather;
      auto of_gather = op_of<Gather>(gather)->attributes();
      // Other indices would have to be computed before the rest is planned.
      of_gather.plans_for_one = gather.inputs[1].node->kind == NodeKind::kParameter;
      last = add(gather, with(*op_of<Gather>(gather), of_gather), {last, gather.inputs[1], gather.inputs[2]});
      redirect(gather, last, {cache.concat});
    }
    Node& concat = *cache.concat;
    const Source added = stored(concat.inputs[1], concat.name + "/added");
    last = add(concat, with(*op_of<Concat>(concat), {.axis = 1}), {last, added});
    cache.assign->inputs.set(0, last);
    redirect(concat, last, {});
  }

 private:
  template <typename T>
  static std::shared_ptr<T> with(const T& op, typename T::Attributes attributes) {
    auto made = std::make_shared<T>(op);
    made->set_attributes(std::move(attributes));
    return made;
  }

  Source add(const Node& node, std::shared_ptr<model::Op> op, std::vector<Source> inputs) {
    auto made = model::remade(node, std::move(op), std::move(inputs));
    made->outputs[0].shape = stored_shape(made->outputs[0].shape);
    if (compressed_) made->outputs[0].type = ops::compressed_type(precision_);
    return {model_.add(std::move(made)), 0};
  }

  PartialShape stored_shape(const PartialShape& declared) const {
    PartialShape shape = in_order(declared, kOrder);
    return compressed_ ? ops::compressed_shape(precision_, std::move(shape)) : shape;
  }

  // A value in the form of the variable.
  Source stored(Source source, const std::string& name) {
    const Source ordered = transposed(source, name);
    if (!compressed_) return ordered;
    return convert<ops::CompressCache>(ordered, ops::compressed_type(precision_),
                                       ops::compressed_shape(precision_, shape_of(ordered)),
                                       name + "/compressed");
  }

  // A value of the variable in the form that the model declares.
  Source declared(Source source, const std::string& name) {
    if (!compressed_) return transposed(source, name);
    const Source expanded = convert<ops::ExpandCache>(
        source, ElementType::kF32, ops::expanded_shape(precision_, shape_of(source)), name + "/expanded");
    return transposed(expanded, name);
  }

  template <typename T>
  Source convert(Source source, ElementType type, PartialShape shape, const std::string& name) {
    auto node = std::make_unique<Node>(name, std::string(T::kType), 0, std::make_shared<T>(precision_));
    node->inputs = {source};
    node->outputs = {{type, std::move(shape), {}}};
    return {model_.add(std::move(node)), 0};
  }

  Source transposed(Source source, const std::string& name) {
    return add_transpose(model_, registry_, source, kOrder, name);
  }

  // Users of `node`, except those in `handled`, get `laid_out` with the declared axes. Each gets a Transpose
  // of its own, which attention can absorb.
  void redirect(const Node& node, Source laid_out, std::initializer_list<const Node*> handled) {
    const std::vector<model::User> users(node.users(0).begin(), node.users(0).end());
    for (const model::User& user : users) {
      if (std::find(handled.begin(), handled.end(), user.node) != handled.end()) continue;
      user.node->inputs.set(user.input, declared(laid_out, node.name + "/as_declared"));
    }
  }

  Model& model_;
  const model::Registry& registry_;
  CachePrecision wanted_;
  // Of the variable that is rewritten:
  VariablePrecision precision_ = VariablePrecision::kF32;
  bool compressed_ = false;
};

}  // namespace

bool lay_out_caches(Model& model, const model::Registry& registry, CachePrecision wanted) {
  Uses uses;
  count_uses(model, uses);
  std::vector<Cache> caches;
  for (Node* sink : model.sinks) {
    if (sink->op->writes_variable().empty()) continue;
    if (const auto cache = cache_of(*sink, uses)) caches.push_back(*cache);
  }
  Rewrite rewrite(model, registry, wanted);
  for (const Cache& cache : caches) rewrite.apply(cache);
  return !caches.empty();
}

}  // namespace wasmvino::passes
