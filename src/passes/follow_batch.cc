// SPDX-License-Identifier: Apache-2.0
#include "passes/follow_batch.h"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

#include "ops/matrix/mat_mul.h"
#include "ops/shape/reshape.h"
#include "passes/edit.h"

namespace wasmvino::passes {
namespace {

using model::Model;
using model::Node;
using model::Source;
using ops::mat_mul::MatMul;
using ops::reshape::Reshape;

// A Reshape whose target is constant.
struct Target {
  Node* node;
  Ints sizes;
  PartialShape input;
};

std::optional<Target> target_of(Node& node) {
  if (op_of<Reshape>(node) == nullptr) return std::nullopt;
  std::optional<Ints> sizes = model::constant_ints(node.inputs[1]);
  if (!sizes || sizes->empty()) return std::nullopt;
  return Target{&node, std::move(*sizes), shape_of(node.inputs[0])};
}

bool all_positive(const Ints& sizes) {
  return std::all_of(sizes.begin(), sizes.end(), [](int64_t size) { return size > 0; });
}

// The size of an axis, counted from the end; 0 if it is unknown.
int64_t size_from_end(const PartialShape& shape, size_t back) {
  if (!shape.has_rank() || shape.rank() < back) return 0;
  const Dimension& size = shape[shape.rank() - back];
  return size.is_static() ? size.size() : 0;
}

class Following {
 public:
  explicit Following(Model& model) : model_(model) {}

  void run() {
    for (const auto& node : model_.nodes) {
      const bool varies =
          node->inputs.empty()
              ? node->kind != model::NodeKind::kConstant
              : std::any_of(node->inputs.begin(), node->inputs.end(),
                            [&](const Source& input) { return varying_.contains(input.node); });
      if (varies) varying_.insert(node.get());
    }
    rewrite_operations(model_, [&](Node& node) {
      const std::optional<Target> target = target_of(node);
      return target && (keep_axes_around_product(*target) || follow(*target));
    });
  }

 private:
  bool follow(const Target& target) {
    Ints sizes = target.sizes;
    if (sizes.size() == 1) {
      sizes[0] = -1;
    } else if (const std::optional<Ints> rows = rows_of_product(target)) {
      sizes = *rows;
    } else if (all_positive(sizes) && target.input.has_rank() && target.input.rank() > 0 &&
               target.input[0].is_static() && target.input[0].size() == sizes[0]) {
      sizes[0] = 0;
    }
    if (sizes == target.sizes) return false;
    set(*target.node, sizes);
    return true;
  }

  // If a MatMul multiplies the result, which is a matrix, by weights: the size that the weights have, and -1.
  std::optional<Ints> rows_of_product(const Target& target) {
    if (target.sizes.size() != 2) return std::nullopt;
    for (const model::User& user : target.node->users(0)) {
      const auto* op = op_of<MatMul>(*user.node);
      if (op == nullptr) continue;
      const Source weights = user.node->inputs[1 - user.input];
      if (varying_.contains(weights.node)) continue;
      const bool is_left = user.input == 0;
      const bool weights_transposed = is_left ? op->attributes().transpose_b : op->attributes().transpose_a;
      const bool transposed = is_left ? op->attributes().transpose_a : op->attributes().transpose_b;
      const int64_t depth = size_from_end(shape_of(weights), is_left != weights_transposed ? 2 : 1);
      if (depth <= 0) continue;
      return is_left != transposed ? Ints{-1, depth} : Ints{depth, -1};
    }
    return std::nullopt;
  }

  // [batch, n, k] -> [-1, k] -> times weights [k, m], plus a bias -> [1, n, m]: the axes are kept, and the
  // first one follows its input.
  bool keep_axes_around_product(const Target& after) {
    if (!all_positive(after.sizes)) return false;
    const Node* product = after.node->inputs[0].node;
    if (product->type == "Add" && model::is_constant(product->inputs[1])) {
      if (only_user(*product) == nullptr || size_from_end(shape_of(product->inputs[1]), 2) > 1) return false;
      product = product->inputs[0].node;
    }
    const auto* op = op_of<MatMul>(*product);
    if (op == nullptr || op->attributes().transpose_a || only_user(*product) == nullptr) return false;
    if (varying_.contains(product->inputs[1].node)) return false;
    const std::optional<Target> before = target_of(*product->inputs[0].node);
    if (!before || before->sizes.size() != 2 || before->sizes[0] != -1) return false;
    if (only_user(*before->node) == nullptr || !before->input.has_rank()) return false;
    const size_t rank = before->input.rank();
    if (rank < 3 || after.sizes.size() != rank) return false;
    if (size_from_end(before->input, 1) != before->sizes[1]) return false;
    if (size_from_end(product->outputs[0].shape, 1) != after.sizes.back()) return false;
    for (size_t axis = 1; axis + 1 < rank; ++axis) {
      if (size_from_end(before->input, rank - axis) != after.sizes[axis]) return false;
    }
    Ints kept(rank, 0);
    kept.back() = before->sizes[1];
    set(*before->node, kept);
    Ints sizes = after.sizes;
    sizes[0] = 0;
    set(*after.node, sizes);
    return true;
  }

  // 0 stands for the size of the input.
  void set(Node& node, const Ints& sizes) {
    auto op = std::make_shared<Reshape>();
    op->set_attributes({.special_zero = true});
    node.op = std::move(op);
    node.inputs.set(1, model_.add_ints(node.name + "/target", sizes));
  }

  Model& model_;
  std::unordered_set<const Node*> varying_;  // nodes that depend on an input or a variable of the model
};

}  // namespace

void follow_batch(Model& model) {
  Following(model).run();
  model.index();
}

}  // namespace wasmvino::passes
