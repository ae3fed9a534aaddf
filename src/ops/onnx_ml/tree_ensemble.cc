// SPDX-License-Identifier: Apache-2.0
// TreeEnsemble: the sum, average, minimum or maximum of what trees give for each row, in f64. The front end
// brings TreeEnsemble, TreeEnsembleClassifier and TreeEnsembleRegressor into this form.
// https://onnx.ai/onnx/operators/onnx_aionnxml_TreeEnsemble.html
#include <algorithm>
#include <string>

#include "core/dispatch.h"
#include "core/nan.h"
#include "model/registry.h"
#include "ops/inputs/checks.h"

namespace wasmvino::ops::tree_ensemble {

// roots: of each tree, the number of a node, or ~n for leaf n. nodes: mode, feature, and where to go if the
// comparison is true and if it is false, both as roots. thresholds: of each node. leaves: the first and last
// entry of each leaf. targets, weights: of each entry. base: one value per target, or none.
enum Input : size_t { kData, kRoots, kNodes, kThresholds, kLeaves, kTargets, kWeights, kBase, kInputs };
constexpr std::string_view kNames[] = {"data",   "roots",   "nodes",   "thresholds",
                                       "leaves", "targets", "weights", "base"};

enum Mode : int32_t { kLessEqual, kLess, kGreaterEqual, kGreater, kEqual, kNotEqual, kModes };
// Added to the mode of a node that sends NaN where a true comparison goes.
constexpr int32_t kNanIsTrue = 8;

enum class Aggregate { kSum, kAverage, kMin, kMax };

struct Attributes {
  int64_t targets = 1;
  Aggregate aggregate = Aggregate::kSum;
  ElementType output_type = ElementType::kF32;
};

struct NodeRecord {
  int32_t mode, feature, if_true, if_false;
};

bool compare(int32_t mode, double x, double threshold) {
  switch (mode) {
    case kLessEqual:
      return x <= threshold;
    case kLess:
      return x < threshold;
    case kGreaterEqual:
      return x >= threshold;
    case kGreater:
      return x > threshold;
    case kEqual:
      return x == threshold;
    case kNotEqual:
      return x != threshold;
    default:
      fail(ErrorCode::kInvalidValue, "a node has mode ", mode, ", expected 0 to 5");
  }
}

template <typename T>
double to_double(T value) {
  return static_cast<double>(value);
}
double to_double(Float16 value) { return static_cast<double>(static_cast<float>(value)); }
double to_double(BFloat16 value) { return static_cast<double>(static_cast<float>(value)); }

double real_at(const TensorView& tensor, size_t i) {
  return tensor.type == ElementType::kF64 ? tensor.data<double>()[i]
                                          : static_cast<double>(tensor.data<float>()[i]);
}

size_t checked_index(int64_t index, size_t size, std::string_view what) {
  if (index >= 0 && static_cast<uint64_t>(index) < size) return static_cast<size_t>(index);
  fail(ErrorCode::kInvalidValue, what, ' ', index, " does not exist, there are ", size);
}

class Walking final : public Kernel {
 public:
  Walking(CompileContext& context, const Attributes& attributes)
      : attributes_(attributes), targets_(static_cast<size_t>(attributes.targets)) {
    // A sum and the number of entries for each target.
    context.request_scratch(CheckedSize(context.parallel().threads()) * targets_ * sizeof(Score));
  }

  void run(EvalContext& context) override {
    with_numeric(context.input(kData).type, [&]<typename T>() { walk<T>(context); });
  }

 private:
  struct Score {
    double value;
    size_t count;
  };

  template <typename T>
  void walk(EvalContext& context) const {
    const TensorView& data = context.input(kData);
    const auto features = static_cast<size_t>(data.shape.back());
    const size_t rows = features == 0 ? 0 : data.size() / features;
    const size_t trees = context.input(kRoots).size();
    const size_t grain = std::max<size_t>(1, 2048 / (trees + 1));
    parallel_for(context.parallel(), rows, grain, [&](size_t begin, size_t end, size_t thread) {
      Score* scores = static_cast<Score*>(context.scratch()) + thread * targets_;
      for (size_t row = begin; row < end; ++row) {
        std::fill_n(scores, targets_, Score{0, 0});
        const T* x = data.data<T>() + row * features;
        for (size_t tree = 0; tree < trees; ++tree) {
          const size_t leaf = leaf_of(context, x, features, context.input(kRoots).data<int32_t>()[tree]);
          add_leaf(context, leaf, scores);
        }
        finish(context, scores, row, trees);
      }
    });
  }

  template <typename T>
  size_t leaf_of(const EvalContext& context, const T* x, size_t features, int32_t at) const {
    const TensorView& thresholds = context.input(kThresholds);
    const auto* nodes = context.input(kNodes).data<NodeRecord>();
    const size_t count = thresholds.size();
    // A walk through more nodes than there are is in a circle.
    for (size_t steps = 0; at >= 0; ++steps) {
      if (steps > count) fail(ErrorCode::kInvalidValue, "the nodes of a tree form a circle");
      const size_t i = checked_index(at, count, "node");
      const NodeRecord& node = nodes[i];
      const double value = to_double(x[checked_index(node.feature, features, "feature")]);
      const bool taken = is_nan(value) && node.mode >= kNanIsTrue
                             ? true
                             : compare(node.mode & (kNanIsTrue - 1), value, real_at(thresholds, i));
      at = taken ? node.if_true : node.if_false;
    }
    return checked_index(~at, context.input(kLeaves).size() / 2, "leaf");
  }

  void add_leaf(const EvalContext& context, size_t leaf, Score* scores) const {
    const int32_t* range = context.input(kLeaves).data<int32_t>() + leaf * 2;
    const TensorView& weights = context.input(kWeights);
    for (int32_t entry = range[0]; entry < range[1]; ++entry) {
      const size_t i = checked_index(entry, weights.size(), "entry");
      Score& score = scores[checked_index(context.input(kTargets).data<int32_t>()[i], targets_, "target")];
      const double weight = real_at(weights, i);
      const bool first = score.count++ == 0;
      if (attributes_.aggregate == Aggregate::kMin) {
        score.value = first ? weight : std::min(score.value, weight);
      } else if (attributes_.aggregate == Aggregate::kMax) {
        score.value = first ? weight : std::max(score.value, weight);
      } else {
        score.value += weight;
      }
    }
  }

  void finish(const EvalContext& context, const Score* scores, size_t row, size_t trees) const {
    const TensorView& base = context.input(kBase);
    TensorView& output = context.output(0);
    for (size_t target = 0; target < targets_; ++target) {
      double value = scores[target].value;
      if (attributes_.aggregate == Aggregate::kAverage && trees > 0) value /= static_cast<double>(trees);
      if (base.size() > 0) value += real_at(base, target);
      const size_t to = row * targets_ + target;
      if (output.type == ElementType::kF64) {
        output.mutable_data<double>()[to] = value;
      } else {
        output.mutable_data<float>()[to] = static_cast<float>(value);
      }
    }
  }

  Attributes attributes_;
  size_t targets_;
};

class TreeEnsemble final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.on("n_targets", attributes_.targets);
    visitor.on_enum("aggregate_function", attributes_.aggregate, {"SUM", "AVERAGE", "MIN", "MAX"});
    visitor.on("output_type", attributes_.output_type);
  }

  void infer(InferContext& context) const override {
    const ElementType output_type = attributes_.output_type;
    if (output_type != ElementType::kF32 && output_type != ElementType::kF64)
      fail(ErrorCode::kInvalidModel, "attribute 'output_type' is ", output_type, ", expected f32 or f64");
    if (attributes_.targets < 1)
      fail(ErrorCode::kInvalidModel, "attribute 'n_targets' is ", attributes_.targets,
           ", expected 1 or more");
    context.expect_inputs(kInputs);
    expect_rank(context, kData, 2, 2, kNames[kData]);
    for (const Input list : {kRoots, kThresholds, kTargets, kWeights, kBase})
      expect_rank(context, list, 1, 1, kNames[list]);
    expect_rows(context, kNodes, 4);
    expect_rows(context, kLeaves, 2);
    expect_same_length(context, kNodes, kThresholds);
    expect_same_length(context, kTargets, kWeights);
    if (const PartialShape& base = context.input_shape(kBase);
        base.has_rank() && base[0].is_static() && base[0].min != 0)
      expect_size(context, kBase, kNames[kBase], 0, attributes_.targets, "attribute 'n_targets'");
    const PartialShape& data = context.input_shape(kData);
    context.set_output(0, attributes_.output_type,
                       {data.has_rank() ? data[0] : Dimension(), Dimension(attributes_.targets)});
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    return std::make_unique<Walking>(context, attributes_);
  }

 private:
  static void expect_rows(const InferContext& context, size_t i, int64_t columns) {
    expect_rank(context, i, 2, 2, kNames[i]);
    if (context.input_shape(i).has_rank()) expect_size(context, i, kNames[i], 1, columns, "a record");
  }
  static void expect_same_length(const InferContext& context, size_t a, size_t b) {
    if (context.input_shape(a).has_rank() && context.input_shape(b).has_rank())
      expect_size(context, b, kNames[b], 0, context.input_shape(a)[0], kNames[a]);
  }

  Attributes attributes_;
};

}  // namespace wasmvino::ops::tree_ensemble

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(tree_ensemble) {
  constexpr TypeSet kReals = {ElementType::kF32, ElementType::kF64};
  registry.add<tree_ensemble::TreeEnsemble>({"TreeEnsemble",
                                             {1},
                                             "TreeEnsemble",
                                             {{"data", kNumbers},
                                              {"roots", ElementType::kI32},
                                              {"nodes", ElementType::kI32},
                                              {"thresholds", kReals},
                                              {"leaves", ElementType::kI32},
                                              {"targets", ElementType::kI32},
                                              {"weights", kReals},
                                              {"base", kReals}},
                                             kLastOpset,
                                             "ai.onnx.ml"});
}
}  // namespace wasmvino::ops
