// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "ops/internal/compressed_gather.h"
#include "ops/internal/compressed_mat_mul.h"
#include "ops/matrix/mat_mul.h"
#include "ops/movement/gather.h"
#include "ops/movement/transpose.h"
#include "passes/constants.h"
#include "passes/edit.h"
#include "passes/passes.h"
#include "passes/stored_values.h"

namespace wasmvino::passes {
namespace {

using model::Model;
using model::Node;
using model::NodeKind;
using model::Source;
using ops::CompressedForm;
using ops::gather::Gather;
using ops::mat_mul::MatMul;

constexpr size_t kPanel = ops::kPanelColumns;

// The weights that a MatMul or Gather uses.
struct Weights {
  StoredValues stored;
  // Factors per column. `stored` does not contain them among its scales and zero points.
  std::vector<StoredFactor> column_scales, column_zero_points;
  CompressedForm form;  // completed by add_weights()
};

struct Match {
  Node* reader = nullptr;
  Weights weights;
  bool left = false;  // the weights are input 0 of a MatMul, which is computed as A B = (B^T A^T)^T
};

bool is_type(Source source, ElementType type) { return port_of(source).type == type; }

// Weights of matrices W [n][k] or, if `transposed`, of their transposes. std::nullopt if CompressedForm
// cannot represent the scales and zero points.
std::optional<Weights> trace(Source source, bool transposed) {
  std::optional<StoredValues> stored = trace_stored(source);
  if (!stored || stored->rank < 2) return std::nullopt;
  Weights weights;
  CompressedForm& form = weights.form;
  const Shape shape = shape_of(source).to_shape();
  const size_t rank = shape.size(), n_axis = rank - (transposed ? 1 : 2),
               k_axis = rank - (transposed ? 2 : 1);
  form.n = static_cast<size_t>(shape[n_axis]);
  form.k = form.group = static_cast<size_t>(shape[k_axis]);
  form.matrices.assign(shape.begin(), shape.end() - 2);
  form.of_matrices = stored->merged(0, rank - 2);
  form.of_n = stored->axis(n_axis);
  form.of_k = stored->axis(k_axis);

  // If the group size is not a multiple of 4, scaling takes a separate pass. So does one number per column,
  // which takes less memory.
  const auto is_of_columns = [&](const StoredFactor& factor) {
    const size_t run = factor.least_run(form.of_k);
    if (run % 4 != 0 && !factor.varies_along(form.of_n)) return true;
    if (run > 0) form.group = std::gcd(form.group, run);
    return false;
  };
  std::vector<StoredFactor> scales;
  for (StoredFactor& scale : stored->scales) {
    (is_of_columns(scale) ? weights.column_scales : scales).push_back(std::move(scale));
  }
  if (!stored->has_packed_zero_points()) return std::nullopt;
  if (stored->zero_point && is_of_columns(*stored->zero_point)) {
    weights.column_zero_points.push_back(std::move(*stored->zero_point));
    stored->zero_point.reset();
  }
  form.has_column_scales = !weights.column_scales.empty();
  form.has_column_zero_points = !weights.column_zero_points.empty();
  weights.stored = std::move(*stored);
  weights.stored.scales = std::move(scales);
  return weights;
}

class Compression {
 public:
  Compression(Model& model, const model::Registry& registry) : model_(model), registry_(registry) {}

  bool run() {
    for (const auto& node : model_.nodes) find(*node);
    drop_those_read_elsewhere();
    for (Match& match : matches_) rewrite(match);
    return !matches_.empty();
  }

 private:
  void find(Node& node) {
    if (node.kind != NodeKind::kOperation || !is_type({&node, 0}, ElementType::kF32)) return;
    std::optional<Weights> weights;
    bool left = false;
    if (const auto* product = op_of<MatMul>(node)) {
      const auto [transpose_a, transpose_b] = product->attributes();
      const PartialShape &a = shape_of(node.inputs[0]), &b = shape_of(node.inputs[1]);
      if (a.has_rank()) weights = trace(node.inputs[1], !transpose_b);
      if (!weights && b.has_rank() && b.rank() > 1) {
        weights = trace(node.inputs[0], transpose_a);
        left = true;
        const size_t depth = b.rank() - (transpose_b ? 1 : 2);
        if (weights && !fits_for_sure(b, depth, weights->form)) return;
      }
    } else if (const auto* gather = op_of<Gather>(node)) {
      const auto axis = constant_ints(node.inputs[2]);
      if (!axis || axis->size() != 1 || ((*axis)[0] != 0 && (*axis)[0] != -2)) return;
      if (gather->attributes().batch_dims != 0) return;
      weights = trace(node.inputs[0], false);
      if (weights && !weights->form.matrices.empty()) return;
    }
    if (weights) matches_.push_back({&node, std::move(*weights), left});
  }

  // Whether every possible shape of `data` is valid. Otherwise an error would name the inputs in the wrong
  // order.
  static bool fits_for_sure(const PartialShape& data, size_t depth, const CompressedForm& form) {
    bool fits = data[depth].is_static();
    for (size_t axis = 0; axis + 2 < data.rank(); ++axis) {
      fits = fits && (form.matrices.empty() || data[axis].is_static());
    }
    return fits;
  }

  // Drops matches whose weights, or a value on the way to them, have other users. The weights are converted
  // for those users anyway, and the result serves all users.
  void drop_those_read_elsewhere() {
    for (bool changed = true; changed;) {
      std::vector<char> accepted(model_.nodes.size()), elsewhere(model_.nodes.size());  // by node
      for (const Match& match : matches_) {
        accepted[match.reader->index] = 1;
        for (const Node* node : match.weights.stored.chain) accepted[node->index] = 1;
      }
      for (const auto& node : model_.nodes) {
        if (accepted[node->index]) continue;
        for (const Source& source : node->inputs) elsewhere[source.node->index] = 1;
      }
      const size_t before = matches_.size();
      std::erase_if(matches_, [&](const Match& match) {
        const std::vector<const Node*>& chain = match.weights.stored.chain;
        return std::any_of(chain.begin(), chain.end(),
                           [&](const Node* node) { return elsewhere[node->index]; });
      });
      changed = matches_.size() != before;
    }
  }

  void rewrite(Match& match) {
    Node& node = *match.reader;
    const bool gathers = op_of<Gather>(node) != nullptr;
    const size_t data = gathers || match.left ? 1 : 0;
    std::vector<Source> inputs = {node.inputs[data]};
    add_weights(match.weights, inputs);
    const CompressedForm& form = match.weights.form;
    if (gathers) {
      const bool packed = is_multiplied(match.weights) || !form.is_plain() || form.has_columns();
      replace_with(model_, node,
                   remade_as(node, std::make_shared<ops::CompressedGather>(form, node.version, packed),
                             std::move(inputs)));
      return;
    }
    const auto [transpose_a, transpose_b] = op_of<MatMul>(node)->attributes();
    const bool transposed = match.left ? transpose_b : transpose_a;
    auto product = remade_as(node, std::make_shared<ops::CompressedMatMul>(form, transposed != match.left),
                             std::move(inputs));
    if (!match.left) {
      replace_with(model_, node, std::move(product));
      return;
    }
    PartialShape& shape = product->outputs[0].shape;
    Ints order(shape.rank());
    std::iota(order.begin(), order.end(), 0);
    std::swap(order[order.size() - 1], order[order.size() - 2]);
    std::swap(shape[order.size() - 1], shape[order.size() - 2]);
    product->outputs[0].names.clear();
    const Source turned = {model_.add(std::move(product)), 0};
    replace_with(model_, node,
                 registry_.make_node(ops::transpose::Transpose::kType, node.name + "/turned",
                                     {turned, model_.add_ints(node.name + "/order", order)}));
  }

  // Whether a MatMul uses the same values in the same form.
  bool is_multiplied(const Weights& weights) const {
    return std::any_of(matches_.begin(), matches_.end(), [&](const Match& match) {
      return op_of<MatMul>(*match.reader) != nullptr &&
             match.weights.stored.constant == weights.stored.constant &&
             match.weights.form.packs_like(weights.form);
    });
  }

  // Adds the inputs that CompressedForm describes.
  void add_weights(Weights& weights, std::vector<Source>& inputs) {
    CompressedForm& form = weights.form;
    const StoredValues& stored = weights.stored;
    const ElementType type = stored.data().type();
    const std::string& name = stored.constant->name;
    form.zero_point = static_cast<float>(ops::shift_of(type));
    form.has_scales = is_integral(type) || !stored.scales.empty();
    form.has_zero_points = stored.zero_point.has_value();

    // [matrices..., panels, groups, 8]. The last panel is padded: scales with ones, zero points with zeros.
    const size_t matrices = element_count(form.matrices), groups = form.groups(), panels = form.panels();
    Shape shape = form.matrices;
    for (const size_t size : {panels, groups, kPanel}) shape.push_back(static_cast<int64_t>(size));
    std::vector<float> scales(element_count(shape), 1.0f);
    std::vector<uint8_t> zeros(form.has_zero_points ? scales.size() : 0);
    for (size_t i = 0; i < matrices; ++i) {
      for (size_t j = 0; j < form.n; ++j) {
        for (size_t g = 0; g < groups; ++g) {
          const size_t place = ops::place_of(form.of_matrices, i) + ops::place_of(form.of_n, j) +
                               ops::place_of(form.of_k, g * form.group);
          const size_t at = ((i * panels + j / kPanel) * groups + g) * kPanel + j % kPanel;
          for (const StoredFactor& scale : stored.scales) scales[at] *= scale.at(place);
          if (form.has_zero_points) zeros[at] = *stored.packed_zero_point(place);
        }
      }
    }
    inputs.push_back({stored.constant, 0});
    if (form.has_scales) inputs.push_back(add_floats(model_, name + "/scales", shape, scales));
    if (form.has_zero_points) {
      inputs.push_back(
          {model_.add_constant(name + "/zero_points", Tensor::of<uint8_t>(shape, zeros.data())), 0});
    }
    if (form.has_column_scales) {
      inputs.push_back(add_columns(form, weights.column_scales, 0.0f, name + "/column_scales"));
    }
    if (form.has_column_zero_points) {
      inputs.push_back(add_columns(form, weights.column_zero_points, form.zero_point, name + "/zero_points"));
    }
  }

  // For each column of all matrices: the product of the factors, plus a number.
  Source add_columns(const CompressedForm& form, const std::vector<StoredFactor>& factors, float plus,
                     std::string name) {
    std::vector<float> values;
    for (size_t i = 0; i < element_count(form.matrices); ++i) {
      for (size_t p = 0; p < form.k; ++p) {
        const size_t place = ops::place_of(form.of_matrices, i) + ops::place_of(form.of_k, p);
        values.push_back(1.0f);
        for (const StoredFactor& factor : factors) values.back() *= factor.at(place);
        values.back() += plus;
      }
    }
    Shape shape = form.matrices;
    shape.push_back(static_cast<int64_t>(form.k));
    return add_floats(model_, std::move(name), shape, values);
  }

  Model& model_;
  const model::Registry& registry_;
  std::vector<Match> matches_;
};

}  // namespace

bool keep_quantised_weights(Model& model, const model::Registry& registry) {
  return Compression(model, registry).run();
}

}  // namespace wasmvino::passes
