// SPDX-License-Identifier: Apache-2.0
// Gives bodies f32 parameters and results instead of f16 and bf16 ones. compute_f16_in_f32 then removes the
// conversions on both sides, and later passes find f32 cells and matmuls in the body.
#include <algorithm>

#include "ops/type/convert.h"
#include "passes/edit.h"
#include "passes/passes.h"

namespace wasmvino::passes {
namespace {

using model::Body;
using model::Model;
using model::Node;
using model::Source;
using ops::convert::Convert;

bool is_half(const Source& source) { return is_half_precision(port_of(source).type); }

class Widening {
 public:
  Widening(Model& model, const model::Registry& registry) : model_(model), registry_(registry) {}

  bool run(Node& node) {
    if (!can_widen(node)) return false;
    for (Body& body : node.bodies) {
      widen(*body.model);
      for (const model::BodyInput& map : body.inputs) {
        if (map.purpose != model::BodyInput::Purpose::kNone || !is_half(node.inputs[map.input])) continue;
        node.inputs.set(map.input, convert(model_, node.inputs[map.input], ElementType::kF32));
      }
    }
    for (size_t port = 0; port < node.outputs.size(); ++port) widen_uses(model_, {&node, port});
    return true;
  }

 private:
  // Whether values of f16 or bf16 enter or leave the bodies, and the types of all results are known: a
  // state's result must be widened with its parameter.
  static bool can_widen(Node& node) {
    const auto& outputs = node.outputs;
    const bool has_half =
        std::any_of(node.inputs.begin(), node.inputs.end(), is_half) ||
        std::any_of(outputs.begin(), outputs.end(), [](auto& port) { return is_half_precision(port.type); });
    if (node.bodies.empty() || !has_half) return false;
    for (const Body& body : node.bodies) {
      infer_again(*body.model);
      for (const Node* const result : body.model->results) {
        if (port_of(result->inputs[0]).type == ElementType::kDynamic) return false;
      }
    }
    return true;
  }

  void widen(Model& body) {
    for (Node* const parameter : body.parameters) {
      if (!is_half({parameter, 0})) continue;
      auto op = std::make_shared<model::ParameterOp>(static_cast<const model::ParameterOp&>(*parameter->op));
      op->type = ElementType::kF32;
      parameter->op = std::move(op);
      widen_uses(body, {parameter, 0});
    }
    for (Node* const result : body.results) {
      const Source value = result->inputs[0];
      if (is_half(value)) result->inputs.set(0, convert(body, value, ElementType::kF32));
    }
    body.index();
  }

  // Makes a value f32. Its users get it converted to the type that it had.
  void widen_uses(Model& model, Source source) {
    if (!is_half(source)) return;
    const auto users = source.node->users(source.port);
    const std::vector<model::User> before(users.begin(), users.end());
    const Source narrow = convert(model, source, port_of(source).type);
    for (const model::User& user : before) user.node->inputs.set(user.input, narrow);
    source.node->outputs[source.port].type = ElementType::kF32;
  }

  Source convert(Model& model, Source source, ElementType type) {
    auto node = registry_.make_node<Convert>(cat(source.node->name, "/", name(type)), {source},
                                             {.destination_type = type});
    node->outputs[0] = {type, shape_of(source), {}};
    return {model.add(std::move(node)), 0};
  }

  Model& model_;
  const model::Registry& registry_;
};

}  // namespace

bool widen_bodies(Model& model, const model::Registry& registry) {
  return rewrite_operations(model, [&](Node& node) { return Widening(model, registry).run(node); });
}

}  // namespace wasmvino::passes
