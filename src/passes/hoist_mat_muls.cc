// SPDX-License-Identifier: Apache-2.0
// Hoists matmuls out of loops. If a body multiplies each slice of an input by the same matrix, one MatMul
// before the loop multiplies all slices. The body then reads slices of the result. A step of a recurrent
// network multiplies one row by W and reads all of W for it; the MatMul of all steps reads W once.
//
// Operations that only change the shape may be between the slice and the MatMul, if rows of a slice stay
// rows.
#include "ops/matrix/mat_mul.h"
#include "ops/quantised_data/quantised_constant.h"
#include "ops/sequence/recurrent.h"
#include "ops/shape/reshape.h"
#include "passes/body_inputs.h"
#include "passes/constants.h"
#include "passes/edit.h"
#include "passes/passes.h"
#include "passes/projected_cells.h"

namespace wasmvino::passes {
namespace {

using model::Body;
using model::BodyInput;
using model::BodyOutput;
using model::Model;
using model::Node;
using model::NodeKind;
using model::Source;
using ops::CellInputs;
using ops::CellOp;
using ops::mat_mul::MatMul;
using ops::reshape::Reshape;

// If a slice has this many rows, a MatMul in the body reuses its weights often enough. It is then as fast as
// one before the loop, whose result would take memory.
constexpr int64_t kManyRows = 32;

// Whether the body is known to run for all slices. If it can end early, hoisted work may be wasted.
bool runs_to_the_end(const Node& node) {
  if (node.type == "TensorIterator") return true;
  if (node.type != "Loop") return false;
  for (const BodyOutput& map : node.bodies[0].outputs) {
    if (map.purpose != BodyOutput::Purpose::kExecutionCondition) continue;
    const Tensor value = constant_of(node.bodies[0].model->results[map.result]->inputs[0]);
    if (!value || value.size() != 1 || *value.data<uint8_t>() == 0) return false;
  }
  return true;
}

bool is_view(const Node& node) {
  return node.type == "Reshape" || node.type == "Squeeze" || node.type == "Unsqueeze";
}

// X times the transpose of W [n, k], or times W [k, n] itself: all or part of what a node of the body
// computes.
struct Product {
  Source x, w;
  bool transpose_w = true;
  int64_t n = 0, k = 0;
};

class Hoisting {
 public:
  Hoisting(Model& model, Node& loop, const model::Registry& registry)
      : model_(model), loop_(loop), body_(loop.bodies[0]), registry_(registry) {}

  bool run() {
    bool changed = false;
    infer_again(*body_.model);
    const size_t count = body_.model->nodes.size();
    for (size_t i = 0; i < count; ++i) {
      Node& node = *body_.model->nodes[i];
      changed |= op_of<CellOp>(node) != nullptr ? hoist_cell(node) : hoist_product(node);
    }
    if (changed) drop_unread_slices();
    return changed;
  }

 private:
  bool hoist_cell(Node& node) {
    const auto& op = *op_of<CellOp>(node);
    const Source last = node.inputs.back();
    const CellInputs inputs = op.inputs_of(node.inputs.size(), last.node->outputs[last.port].shape);
    const int64_t hidden = op.attributes().hidden_size;
    Product product = {node.inputs[0], node.inputs[inputs.w]};
    product.n = static_cast<int64_t>(op.attributes().gates()) * hidden;
    Source r = node.inputs[inputs.r];
    if (inputs.fused()) {
      const Node& both = *product.w.node;
      if (both.kind != NodeKind::kConstant || both.constant->type() != ElementType::kF32) return false;
      const Shape& shape = both.constant->shape();
      if (shape.size() != 2) return false;
      product.k = shape[1] - hidden;
      if (shape[0] != product.n || product.k < 1 || !can_hoist(product)) return false;
      r = columns_of(node.name + "/R", both, product.k, hidden);
      product.w = columns_of(node.name + "/W", both, 0, product.k);
    } else {
      product.k = outer_size(product.w, 1);
      if (outer_size(product.w, 0) != product.n || !can_hoist(product)) return false;
    }
    const PartialShape row = {Dimension(), product.n};
    replace_by_projected_cell(*body_.model, node, hoist(node, product, row), r);
    return true;
  }

  bool hoist_product(Node& node) {
    Product product;
    if (const auto* op = op_of<MatMul>(node); op != nullptr && !op->attributes().transpose_a) {
      product = {node.inputs[0], node.inputs[1], op->attributes().transpose_b};
      if (rank_of(product.w) != 2) return false;
      product.n = outer_size(product.w, product.transpose_w ? 0 : 1);
      product.k = outer_size(product.w, product.transpose_w ? 1 : 0);
    }
    if (product.n < 1 || !can_hoist(product)) return false;
    // A view of the slice has a different shape. The body must declare the slice's true shape to derive it.
    const PartialShape& shape = node.outputs[0].shape;
    if (is_view(*product.x.node)) {
      if (!shape.has_rank() || shape.rank() < 2 || !declared_truly(*slice_of(product.x))) return false;
      size_t open = 0;
      for (const Dimension& size : shape) open += size.is_static() ? 0 : 1;
      if (open > 1) return false;
    }
    body_.model->replace_uses({&node, 0}, hoist(node, product, shape));
    return true;
  }

  // The slice that a value of the body is a view of, or nullptr.
  const BodyInput* slice_of(Source source) const {
    while (is_view(*source.node)) source = source.node->inputs[0];
    for (const BodyInput& map : body_.inputs) {
      if (map.axis && body_.model->parameters[map.parameter] == source.node) return &map;
    }
    return nullptr;
  }

  PartialShape shape_of_slice(const BodyInput& map) const {
    const Source source = loop_.inputs[map.input];
    PartialShape shape = source.node->outputs[source.port].shape;
    if (shape.has_rank()) shape[axis_of(map)] = std::abs(map.stride);
    return shape;
  }

  size_t axis_of(const BodyInput& map) const {
    const Source source = loop_.inputs[map.input];
    const size_t rank = source.node->outputs[source.port].shape.rank();
    return static_cast<size_t>(*map.axis < 0 ? *map.axis + static_cast<int64_t>(rank) : *map.axis);
  }

  // Whether the body declares the actual shape of its slices.
  bool declared_truly(const BodyInput& map) const {
    return body_.model->parameters[map.parameter]->outputs[0].shape == shape_of_slice(map);
  }

  // For a value of the body that is the same in all iterations, the value outside the loop. Null for other
  // values.
  Source outer(Source source) const {
    for (const BodyInput& map : body_.inputs) {
      if (body_.model->parameters[map.parameter] != source.node) continue;
      if (map.axis || map.purpose != BodyInput::Purpose::kNone) return {};
      for (const model::BackEdge& edge : body_.back_edges) {
        if (edge.parameter == map.parameter) return {};
      }
      return loop_.inputs[map.input];
    }
    return source.node->kind == NodeKind::kConstant ? source : Source{};
  }

  PartialShape outer_shape(Source source) const {
    const Source found = outer(source);
    return found.node != nullptr ? found.node->outputs[found.port].shape : PartialShape();
  }
  size_t rank_of(Source source) const {
    const PartialShape shape = outer_shape(source);
    return shape.has_rank() ? shape.rank() : 0;
  }
  // -1 if it is unknown.
  int64_t outer_size(Source source, size_t axis) const {
    const PartialShape shape = outer_shape(source);
    return shape.has_rank() && axis < shape.rank() && shape[axis].is_static() ? shape[axis].size() : -1;
  }

  // Whether X consists of slices whose rows have k elements, with few enough rows to benefit.
  bool can_hoist(const Product& product) const {
    const BodyInput* const map = slice_of(product.x);
    if (map == nullptr || outer(product.w).node == nullptr) return false;
    const PartialShape shape = shape_of_slice(*map);
    if (!shape.has_rank() || shape.rank() < 2 || axis_of(*map) + 1 >= shape.rank()) return false;
    if (!shape[shape.rank() - 1].is_static() || shape[shape.rank() - 1].size() != product.k) return false;
    int64_t rows = 1;
    for (size_t axis = 0; axis + 1 < shape.rank(); ++axis) {
      if (shape[axis].is_static()) rows *= shape[axis].size();
    }
    return rows < kManyRows;
  }

  // Hoists the matmul of node `node`. Returns the slice of its result, reshaped to `shape`, as a value of the
  // body.
  Source hoist(const Node& node, const Product& product, const PartialShape& shape) {
    const BodyInput map = *slice_of(product.x);
    PartialShape slice = shape_of_slice(map);
    slice[slice.rank() - 1] = product.n;
    const Source x = loop_.inputs[map.input];
    const model::OutputPort& port = x.node->outputs[x.port];
    Source w = outer(product.w);
    if (w.node->kind == NodeKind::kConstant) {
      const auto op = w.node->op;  // quantised constants stay quantised
      w = add_constant(model_, w.node->name, w.node->constant);
      w.node->op = op;
    }
    std::unique_ptr<Node> all = registry_.make_node<MatMul>(node.name + "/input_projection", {x, w},
                                                            {.transpose_b = product.transpose_w});
    all->outputs[0].type = port.type;
    all->outputs[0].shape = port.shape;
    all->outputs[0].shape[port.shape.rank() - 1] = product.n;
    Source projected = {model_.add(std::move(all)), 0};

    auto op = std::make_shared<model::ParameterOp>();
    op->type = port.type;
    op->shape = slice;
    auto parameter = std::make_unique<Node>(node.name + "/slice", "Parameter", 1, op, NodeKind::kParameter);
    parameter->outputs.push_back({port.type, slice, {}});
    Node* const added = body_.model->add(std::move(parameter));
    BodyInput made = map;
    made.input = loop_.inputs.size();
    made.parameter = body_.model->parameters.size();
    loop_.inputs.push_back(projected);
    body_.model->parameters.push_back(added);
    body_.inputs.push_back(made);
    if (!is_view(*product.x.node)) return {added, 0};
    Ints target;
    for (const Dimension& size : shape) target.push_back(size.is_static() ? size.size() : -1);
    const Source pattern = body_.model->add_ints(node.name + "/shape", target);
    auto view =
        registry_.make_node<Reshape>(node.name + "/row", {{added, 0}, pattern}, {.special_zero = false});
    view->outputs[0].type = port.type;
    view->outputs[0].shape = shape;
    return {body_.model->add(std::move(view)), 0};
  }

  // Slices whose only users were the matmuls are no longer needed. The slices of the results determine the
  // number of iterations.
  void drop_unread_slices() {
    body_.model->index();
    for (size_t i = body_.inputs.size(); i-- > 0;) {
      const BodyInput map = body_.inputs[i];
      if (!map.axis || !body_.model->parameters[map.parameter]->users(0).empty()) continue;
      drop_body_input(loop_, body_, i);
    }
    body_.model->index();
  }

  Source columns_of(std::string name, const Node& matrix, int64_t first, int64_t count) {
    if (const auto* quantised = ops::quantised_of(matrix)) {
      return {body_.model->add(ops::quantised_constant(std::move(name), quantised->columns(first, count))),
              0};
    }
    const Tensor all = matrix.constant->value();
    const size_t width = static_cast<size_t>(all.shape()[1]);
    std::vector<float> values;
    for (const float* row = all.data<float>(); row < all.data<float>() + all.size(); row += width) {
      values.insert(values.end(), row + first, row + first + count);
    }
    return add_floats(*body_.model, std::move(name), {all.shape()[0], count}, values);
  }

  Model& model_;
  Node& loop_;
  Body& body_;
  const model::Registry& registry_;
};

}  // namespace

bool hoist_mat_muls(Model& model, const model::Registry& registry) {
  bool changed = false;
  const size_t count = model.nodes.size();
  for (size_t i = 0; i < count; ++i) {
    Node& node = *model.nodes[i];
    if (node.bodies.size() == 1 && runs_to_the_end(node)) changed |= Hoisting(model, node, registry).run();
  }
  return changed;
}

}  // namespace wasmvino::passes
