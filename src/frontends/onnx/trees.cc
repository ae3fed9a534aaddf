// SPDX-License-Identifier: Apache-2.0
// Trees: TreeEnsemble, TreeEnsembleClassifier and TreeEnsembleRegressor in the form of one operation.
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "core/call.h"
#include "frontends/build/functions.h"
#include "frontends/onnx/classes.h"
#include "frontends/onnx/families.h"

namespace wasmvino::onnx {
namespace {

using namespace frontends::build;  // NOLINT: the file consists of its calls
using model::Builder;

constexpr int32_t kEqual = 4, kNanIsTrue = 8;

// What the operation TreeEnsemble reads (src/ops/onnx_ml/tree_ensemble.cc).
struct Forest {
  std::vector<int32_t> roots, nodes, leaves, targets;  // nodes: four numbers each; leaves: two each
  std::vector<double> thresholds, weights, base;
  bool wide = false;  // thresholds and weights of f64

  size_t node_count() const { return thresholds.size(); }
  void add_node(int32_t mode, int64_t feature, double threshold) {
    nodes.insert(nodes.end(), {mode, checked(feature), 0, 0});
    thresholds.push_back(threshold);
  }
  void connect(size_t node, int32_t if_true, int32_t if_false) {
    nodes[node * 4 + 2] = if_true;
    nodes[node * 4 + 3] = if_false;
  }
  static int32_t checked(int64_t number) {
    if (number < std::numeric_limits<int32_t>::min() || number > std::numeric_limits<int32_t>::max())
      fail(ErrorCode::kInvalidModel, "has the number ", number, " in its trees, expected 32 bits");
    return static_cast<int32_t>(number);
  }
};

template <typename T>
Source list_of(Builder& b, const std::vector<T>& values, int64_t columns = 0) {
  const auto count = static_cast<int64_t>(values.size());
  const Shape shape = columns == 0 ? Shape{count} : Shape{count / columns, columns};
  return b.constant(Tensor::of<T>(shape, values.data()));
}

Source reals_of(Builder& b, const std::vector<double>& values, bool wide) {
  if (wide) return list_of(b, values);
  return list_of(b, std::vector<float>(values.begin(), values.end()));
}

Source scores_of(Context& c, const Forest& forest, int64_t targets, const char* aggregate, ElementType type) {
  Builder& b = c.b();
  return b.add_of(
      "ai.onnx.ml", "TreeEnsemble",
      {c.input(), list_of(b, forest.roots), list_of(b, forest.nodes, 4),
       reals_of(b, forest.thresholds, forest.wide), list_of(b, forest.leaves, 2), list_of(b, forest.targets),
       reals_of(b, forest.weights, forest.wide), reals_of(b, forest.base, forest.wide)},
      {{"n_targets", targets}, {"aggregate_function", aggregate}, {"output_type", type}});
}

// The attribute `name`, or the tensor `name`_as_tensor, which may be f64.
std::vector<double> reals(Context& c, const std::string& name, bool& wide) {
  const std::string tensor = name + "_as_tensor";
  std::vector<double> values;
  if (c.has(tensor.c_str())) {
    const Tensor data = c.tensor_data(tensor.c_str())->value();
    wide |= data.type() == ElementType::kF64;
    for (const double value : to_doubles(data.view())) values.push_back(value);
  } else {
    for (const float value : c.reals(name.c_str())) values.push_back(static_cast<double>(value));
  }
  return values;
}

void expect_count(size_t count, size_t expected, std::string_view name) {
  if (count != expected)
    fail(ErrorCode::kInvalidModel, "has ", count, " of '", name, "', expected ", expected);
}

int32_t mode_of(const std::string& word) {
  constexpr std::string_view kModes[] = {"BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE",
                                         "BRANCH_GT",  "BRANCH_EQ", "BRANCH_NEQ"};
  for (int32_t mode = 0; mode < 6; ++mode) {
    if (word == kModes[mode]) return mode;
  }
  if (word == "LEAF") return -1;
  fail(ErrorCode::kInvalidModel, "has the mode '", word,
       "', expected LEAF or BRANCH_LEQ, _LT, _GTE, _GT, _EQ or _NEQ");
}

// The trees of TreeEnsembleClassifier ("class") and TreeEnsembleRegressor ("target").
class OldForest {
 public:
  OldForest(Context& c, const std::string& kind) : c_(c) {
    read_nodes();
    read_leaves(kind);
    forest_.base = reals(c, "base_values", forest_.wide);
  }

  const Forest& forest() const { return forest_; }
  Forest& forest() { return forest_; }

 private:
  using Id = std::pair<int64_t, int64_t>;  // of the tree, of the node in it

  void read_nodes() {
    const Ints trees = c_.ints("nodes_treeids"), ids = c_.ints("nodes_nodeids"),
               features = c_.ints("nodes_featureids"), if_true = c_.ints("nodes_truenodeids"),
               if_false = c_.ints("nodes_falsenodeids"), missing = c_.ints("nodes_missing_value_tracks_true");
    const std::vector<std::string> modes = c_.words("nodes_modes");
    const std::vector<double> thresholds = reals(c_, "nodes_values", forest_.wide);
    const size_t count = ids.size();
    expect_count(trees.size(), count, "nodes_treeids");
    expect_count(modes.size(), count, "nodes_modes");
    expect_count(features.size(), count, "nodes_featureids");
    expect_count(thresholds.size(), count, "nodes_values");
    expect_count(if_true.size(), count, "nodes_truenodeids");
    expect_count(if_false.size(), count, "nodes_falsenodeids");
    if (!missing.empty()) expect_count(missing.size(), count, "nodes_missing_value_tracks_true");
    std::vector<Id> inner;
    for (size_t i = 0; i < count; ++i) {
      if (i % 1024 == 0) current_call().poll();
      const int32_t mode = mode_of(modes[i]);
      int32_t& place = places_[{trees[i], ids[i]}];
      if (mode < 0) {
        place = ~static_cast<int32_t>(leaf_count_++);
        continue;
      }
      place = static_cast<int32_t>(forest_.node_count());
      const bool nan_is_true = !missing.empty() && missing[i] != 0;
      forest_.add_node(mode + (nan_is_true ? kNanIsTrue : 0), features[i], thresholds[i]);
    }
    std::set<Id> children;
    for (size_t i = 0; i < count; ++i) {
      const int32_t place = places_.at({trees[i], ids[i]});
      if (place < 0) continue;
      forest_.connect(static_cast<size_t>(place), place_of({trees[i], if_true[i]}),
                      place_of({trees[i], if_false[i]}));
      children.insert({{trees[i], if_true[i]}, {trees[i], if_false[i]}});
    }
    for (size_t i = 0; i < count; ++i) {
      if (!children.contains({trees[i], ids[i]})) forest_.roots.push_back(places_.at({trees[i], ids[i]}));
    }
  }

  void read_leaves(const std::string& kind) {
    const Ints trees = c_.ints((kind + "_treeids").c_str()), nodes = c_.ints((kind + "_nodeids").c_str()),
               targets = c_.ints((kind + "_ids").c_str());
    const std::vector<double> weights = reals(c_, kind + "_weights", forest_.wide);
    expect_count(trees.size(), nodes.size(), kind + "_treeids");
    expect_count(targets.size(), nodes.size(), kind + "_ids");
    expect_count(weights.size(), nodes.size(), kind + "_weights");
    std::vector<std::vector<size_t>> of_leaf(leaf_count_);
    for (size_t i = 0; i < nodes.size(); ++i) {
      const int32_t place = place_of({trees[i], nodes[i]});
      if (place >= 0) {
        fail(ErrorCode::kInvalidModel, "gives a weight to node ", nodes[i], " of tree ", trees[i],
             ", which is no leaf");
      }
      of_leaf[static_cast<size_t>(~place)].push_back(i);
    }
    for (const std::vector<size_t>& entries : of_leaf) {
      forest_.leaves.push_back(static_cast<int32_t>(forest_.weights.size()));
      for (const size_t i : entries) {
        forest_.targets.push_back(Forest::checked(targets[i]));
        forest_.weights.push_back(weights[i]);
      }
      forest_.leaves.push_back(static_cast<int32_t>(forest_.weights.size()));
    }
  }

  int32_t place_of(const Id& id) const {
    const auto found = places_.find(id);
    if (found == places_.end())
      fail(ErrorCode::kInvalidModel, "has no node ", id.second, " in tree ", id.first);
    return found->second;
  }

  Context& c_;
  Forest forest_;
  std::map<Id, int32_t> places_;
  size_t leaf_count_ = 0;
};

void regressor(Context& c) {
  const OldForest trees(c, "target");
  const std::string aggregate = c.word("aggregate_function", "SUM");
  const Source scores =
      scores_of(c, trees.forest(), c.count("n_targets", 1), aggregate.c_str(), ElementType::kF32);
  c.give(transform_scores(c, scores, c.word("post_transform", "NONE")));
}

void classifier(Context& c) {
  OldForest trees(c, "class");
  Forest& forest = trees.forest();
  Builder& b = c.b();
  const auto labels = static_cast<int64_t>(label_count(c, "classlabels_int64s"));
  const Source names = class_labels(c, "classlabels_int64s");
  const std::string function = c.word("post_transform", "NONE");
  const std::set<int32_t> used(forest.targets.begin(), forest.targets.end());
  const bool one_score = labels == 2 && used == std::set<int32_t>{0} && forest.base.size() < 2;
  if (one_score) {
    bool is_signed = false;
    for (const double weight : forest.weights) is_signed |= weight < 0;
    const Source score = scores_of(c, forest, 1, "SUM", ElementType::kF32);
    const Source threshold = number_like(b, is_signed ? 0 : 0.5, score);
    const Source second = squeeze(b, b.add("Greater", {score, threshold}), {1});
    c.give({labels_at(c, second, names), both_scores(c, score, function, is_signed)});
    return;
  }
  // onnxruntime ignores a single base value that stands for several classes.
  if (forest.base.size() != static_cast<size_t>(labels)) forest.base.clear();
  const Source scores = scores_of(c, forest, labels, "SUM", ElementType::kF32);
  c.give({labels_at(c, greatest_of_rows(c, scores), names), transform_scores(c, scores, function)});
}

// The members of each node that tests membership: lists that end with NaN.
std::vector<std::vector<double>> members_of(Context& c) {
  std::vector<std::vector<double>> lists(1);
  if (!c.has("membership_values")) return {};
  for (const double value : to_doubles(c.tensor_data("membership_values")->value().view())) {
    if (std::isnan(value)) {
      lists.emplace_back();
    } else {
      lists.back().push_back(value);
    }
  }
  return lists;
}

void ensemble(Context& c) {
  const Ints features = c.ints("nodes_featureids"), if_true = c.ints("nodes_truenodeids"),
             if_false = c.ints("nodes_falsenodeids"), true_leafs = c.ints("nodes_trueleafs"),
             false_leafs = c.ints("nodes_falseleafs"), missing = c.ints("nodes_missing_value_tracks_true");
  const Ints modes = to_ints(c.tensor_data("nodes_modes")->value().view());
  const Tensor splits = c.tensor_data("nodes_splits")->value(),
               weights = c.tensor_data("leaf_weights")->value();
  Forest forest;
  forest.wide = splits.type() == ElementType::kF64;
  const size_t count = modes.size();
  expect_count(splits.size(), count, "nodes_splits");
  expect_count(features.size(), count, "nodes_featureids");
  expect_count(if_true.size(), count, "nodes_truenodeids");
  expect_count(if_false.size(), count, "nodes_falsenodeids");
  expect_count(true_leafs.size(), count, "nodes_trueleafs");
  expect_count(false_leafs.size(), count, "nodes_falseleafs");
  if (!missing.empty()) expect_count(missing.size(), count, "nodes_missing_value_tracks_true");

  constexpr int64_t kMember = 6;
  const auto thresholds = to_doubles(splits.view());
  const std::vector<std::vector<double>> members = members_of(c);
  const auto flag = [&](size_t i) { return !missing.empty() && missing[i] != 0 ? kNanIsTrue : 0; };
  for (size_t i = 0; i < count; ++i) {
    if (modes[i] < 0 || modes[i] > kMember)
      fail(ErrorCode::kInvalidModel, "node ", i, " has mode ", modes[i], ", expected 0 to 6");
    const auto mode = static_cast<int32_t>(modes[i] == kMember ? kEqual : modes[i]);
    forest.add_node(mode + flag(i), features[i], thresholds[i]);
  }
  size_t member = 0;
  for (size_t i = 0; i < count; ++i) {
    const auto place = [&](int64_t id, bool is_leaf) { return Forest::checked(is_leaf ? ~id : id); };
    const int32_t accepted = place(if_true[i], true_leafs[i] != 0),
                  refused = place(if_false[i], false_leafs[i] != 0);
    if (modes[i] != kMember) {
      forest.connect(i, accepted, refused);
      continue;
    }
    // A test of membership becomes one node for each member.
    if (member >= members.size()) fail(ErrorCode::kInvalidModel, "lacks the members for node ", i);
    const std::vector<double>& list = members[member++];
    forest.thresholds[i] = list.empty() ? std::numeric_limits<double>::quiet_NaN() : list[0];
    size_t last = i;
    for (size_t k = 1; k < list.size(); ++k) {
      const size_t next = forest.node_count();
      forest.add_node(kEqual + flag(i), features[i], list[k]);
      forest.connect(last, accepted, Forest::checked(static_cast<int64_t>(next)));
      last = next;
    }
    forest.connect(last, accepted, refused);
  }
  for (const int64_t root : c.ints("tree_roots")) forest.roots.push_back(Forest::checked(root));
  const Ints targets = c.ints("leaf_targetids");
  expect_count(weights.size(), targets.size(), "leaf_weights");
  for (const double weight : to_doubles(weights.view())) forest.weights.push_back(weight);
  for (size_t i = 0; i < targets.size(); ++i) {
    forest.targets.push_back(Forest::checked(targets[i]));
    forest.leaves.insert(forest.leaves.end(), {static_cast<int32_t>(i), static_cast<int32_t>(i) + 1});
  }
  constexpr const char* kAggregates[] = {"AVERAGE", "SUM", "MIN", "MAX"};
  constexpr const char* kFunctions[] = {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"};
  const int64_t aggregate = c.integer("aggregate_function", 1), function = c.integer("post_transform", 0);
  if (aggregate < 0 || aggregate > 3)
    fail(ErrorCode::kInvalidModel, "its attribute 'aggregate_function' is ", aggregate, ", expected 0 to 3");
  if (function < 0 || function > 4)
    fail(ErrorCode::kInvalidModel, "its attribute 'post_transform' is ", function, ", expected 0 to 4");
  const ElementType type = c.b().type(c.input());
  const Source scores = scores_of(c, forest, c.count("n_targets", 1), kAggregates[aggregate],
                                  type == ElementType::kF64 ? ElementType::kF64 : ElementType::kF32);
  c.give(convert(c.b(), transform_scores(c, scores, kFunctions[function]), type));
}

constexpr Entry kEntries[] = {
    {"TreeEnsemble", kAllOpsets, ensemble, "TreeEnsemble", "ai.onnx.ml"},
    {"TreeEnsembleClassifier", kAllOpsets, classifier, "TreeEnsemble", "ai.onnx.ml"},
    {"TreeEnsembleRegressor", kAllOpsets, regressor, "TreeEnsemble", "ai.onnx.ml"},
};

}  // namespace

std::span<const Entry> trees() { return kEntries; }

}  // namespace wasmvino::onnx
