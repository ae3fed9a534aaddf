// SPDX-License-Identifier: Apache-2.0
// Linear models and support vector machines of ai.onnx.ml.
#include <numeric>

#include "frontends/build/functions.h"
#include "frontends/onnx/classes.h"
#include "frontends/onnx/families.h"

namespace wasmvino::onnx {
namespace {

using namespace frontends::build;  // NOLINT: builder functions are written in terms of these throughout
using model::Builder;
using model::Floats;

int64_t rows_for(const Floats& numbers, int64_t rows, std::string_view name) {
  const auto count = static_cast<int64_t>(numbers.size());
  if (rows < 1 || count == 0 || count % rows != 0)
    fail(ErrorCode::kInvalidModel, "has ", count, " of '", name, "' for ", rows, " rows");
  return count / rows;
}

// x W^T + intercepts, for a matrix W of `rows` rows.
Source linear(Context& c, const Source& x, int64_t rows) {
  const Floats coefficients = c.reals("coefficients"), intercepts = c.reals("intercepts");
  const int64_t columns = rows_for(coefficients, rows, "coefficients");
  const Source weights = constant_reals(c, coefficients, {rows, columns}, x);
  const Source scores = c.b().add("MatMul", {x, weights}, {{"transpose_b", true}});
  if (intercepts.empty()) return scores;
  return c.b().add("Add", {scores, constant_reals(c, intercepts, {rows}, x)});
}

void linear_regressor(Context& c) {
  const Source scores = linear(c, rows_of(c, c.input()), c.count("targets", 1));
  c.give(transform_scores(c, convert(c.b(), scores, ElementType::kF32), c.word("post_transform", "NONE")));
}

void linear_classifier(Context& c) {
  Builder& b = c.b();
  const auto labels = static_cast<int64_t>(label_count(c, "classlabels_ints"));
  const Source x = rows_of(c, c.input()), names = class_labels(c, "classlabels_ints");
  const std::string function = c.word("post_transform", "NONE");
  const auto coefficients = static_cast<int64_t>(c.reals("coefficients").size());
  const PartialShape shape = b.shape(x);
  const auto intercepts = static_cast<int64_t>(c.reals("intercepts").size());
  // One row of coefficients may decide between two classes.
  const bool one_row =
      labels == 2 &&
      (intercepts == 1 || (shape.has_rank() && shape.rank() == 2 && shape[1] == Dimension(coefficients)));
  const Source scores = convert(b, linear(c, x, one_row ? 1 : labels), ElementType::kF32);
  if (one_row) {
    const Source second = squeeze(b, b.add("Greater", {scores, number_like(b, 0, scores)}), {1});
    c.give({labels_at(c, second, names), both_scores(c, scores, function, false)});
    return;
  }
  c.give({labels_at(c, greatest_of_rows(c, scores), names), transform_scores(c, scores, function)});
}

// The kernel function of each row of x and each support vector: [n, vectors].
Source kernel_matrix(Context& c, const Source& x, const Floats& vectors, int64_t count) {
  Builder& b = c.b();
  const std::string type = c.word("kernel_type", "LINEAR");
  const Floats parameters = c.reals("kernel_params");
  const auto parameter = [&](size_t i) {
    return number_like(b, i < parameters.size() ? static_cast<double>(parameters[i]) : 0, x);
  };
  const Source support = constant_reals(c, vectors, {count, rows_for(vectors, count, "support_vectors")}, x);
  if (type == "RBF") {
    // Differences, because the form with products loses digits.
    const Source squares = b.add("SquaredDifference", {unsqueeze(b, x, {1}), support});
    const Source distance = reduce(b, "ReduceSum", squares, {2}, false);
    return b.add("Exp", {b.add("Negative", {b.add("Multiply", {distance, parameter(0)})})});
  }
  const Source products = b.add("MatMul", {x, support}, {{"transpose_b", true}});
  if (type == "LINEAR") return products;
  const Source moved = b.add("Add", {b.add("Multiply", {products, parameter(0)}), parameter(1)});
  if (type == "POLY") return b.add("Power", {moved, parameter(2)});
  if (type == "SIGMOID") return b.add("Tanh", {moved});
  fail(ErrorCode::kInvalidModel, "its attribute 'kernel_type' is '", type,
       "', expected LINEAR, POLY, RBF or SIGMOID");
}

void svm_regressor(Context& c) {
  Builder& b = c.b();
  const Source x = convert(b, rows_of(c, c.input()), ElementType::kF32);
  const Floats coefficients = c.reals("coefficients"), rho = c.reals("rho");
  const int64_t supports = c.integer("n_supports", 0);
  const auto count = static_cast<int64_t>(coefficients.size());
  if (rho.empty()) fail(ErrorCode::kInvalidModel, "lacks its attribute 'rho'");
  const Source values = supports > 0 ? kernel_matrix(c, x, c.reals("support_vectors"), supports) : x;
  const Source sums = b.add("MatMul", {values, constant_reals(c, coefficients, {count, 1}, x)});
  Source result = b.add("Add", {sums, number_like(b, static_cast<double>(rho[0]), x)});
  if (c.flag("one_class")) {
    const Source inside = b.add("Greater", {result, number_like(b, 0, x)});
    result = b.add("Select", {inside, number_like(b, 1, x), number_like(b, -1, x)});
  }
  c.give(transform_scores(c, result, c.word("post_transform", "NONE")));
}

// A support vector machine compares all pairs of classes. Each pair uses the vectors of its two classes.
struct Pairs {
  int64_t classes, vectors;
  Ints first;  // vector of each class
  Ints count;  // of vectors of each class

  explicit Pairs(const Ints& per_class) : classes(static_cast<int64_t>(per_class.size())), vectors(0) {
    for (const int64_t size : per_class) {
      if (size < 0) fail(ErrorCode::kInvalidModel, "has ", size, " vectors of one class");
      first.push_back(vectors);
      count.push_back(size);
      vectors += size;
    }
  }
  int64_t pairs() const { return classes * (classes - 1) / 2; }

  // Calls visit(pair, i, j).
  template <typename Visit>
  void visit(const Visit& visit) const {
    for (int64_t i = 0, pair = 0; i < classes; ++i) {
      for (int64_t j = i + 1; j < classes; ++j) visit(pair++, i, j);
    }
  }
};

// The matrix [vectors, pairs] whose product with the kernel matrix is the sum of each pair.
Source pair_weights(Context& c, const Pairs& pairs, const Floats& coefficients, const Source& like) {
  const int64_t columns = pairs.pairs();
  rows_for(coefficients, std::max<int64_t>(1, (pairs.classes - 1) * pairs.vectors), "coefficients");
  Floats matrix(element_count({pairs.vectors, columns}), 0.0f);
  pairs.visit([&](int64_t pair, int64_t i, int64_t j) {
    const auto copy = [&](int64_t of, int64_t row) {
      for (int64_t k = 0; k < pairs.count[static_cast<size_t>(of)]; ++k) {
        const int64_t vector = pairs.first[static_cast<size_t>(of)] + k;
        matrix[static_cast<size_t>(vector * columns + pair)] =
            coefficients[static_cast<size_t>(row * pairs.vectors + vector)];
      }
    };
    copy(i, j - 1);
    copy(j, i);
  });
  return constant_reals(c, matrix, {pairs.vectors, columns}, like);
}

// Each positive pair is a vote for its first class, each other one for its second.
Source votes_of(Context& c, const Pairs& pairs, const Source& sums) {
  Builder& b = c.b();
  const size_t size = element_count({pairs.pairs(), pairs.classes});
  Floats difference(size, 0.0f), seconds(static_cast<size_t>(pairs.classes), 0.0f);
  pairs.visit([&](int64_t pair, int64_t i, int64_t j) {
    difference[static_cast<size_t>(pair * pairs.classes + i)] = 1;
    difference[static_cast<size_t>(pair * pairs.classes + j)] = -1;
    seconds[static_cast<size_t>(j)] += 1;
  });
  const Source positive = convert(b, b.add("Greater", {sums, number_like(b, 0, sums)}), b.type(sums));
  const Source moved =
      b.add("MatMul", {positive, constant_reals(c, difference, {pairs.pairs(), pairs.classes}, sums)});
  return b.add("Add", {moved, constant_reals(c, seconds, {pairs.classes}, sums)});
}

void svm_classifier(Context& c) {
  Builder& b = c.b();
  const Source x = convert(b, rows_of(c, c.input()), ElementType::kF32);
  const Source names = class_labels(c, "classlabels_ints");
  const auto labels = static_cast<int64_t>(label_count(c, "classlabels_ints"));
  const std::string function = c.word("post_transform", "NONE");
  const Floats coefficients = c.reals("coefficients"), rho = c.reals("rho");
  if (rho.empty()) fail(ErrorCode::kInvalidModel, "lacks its attribute 'rho'");
  const Pairs pairs(c.ints("vectors_per_class"));
  if (pairs.vectors == 0) {  // a linear machine: one row of coefficients for each class
    const Source weights =
        constant_reals(c, coefficients, {labels, rows_for(coefficients, labels, "coefficients")}, x);
    const Source products = b.add("MatMul", {x, weights}, {{"transpose_b", true}});
    const Source scores = b.add("Add", {products, number_like(b, static_cast<double>(rho[0]), x)});
    c.give({labels_at(c, greatest_of_rows(c, scores), names), transform_scores(c, scores, function)});
    return;
  }
  if (pairs.classes < 2 || pairs.classes != labels) {
    fail(ErrorCode::kInvalidModel, "has vectors of ", pairs.classes, " classes and ", labels,
         " labels, expected the same number, 2 or more");
  }
  const Source kernel = kernel_matrix(c, x, c.reals("support_vectors"), pairs.vectors);
  const Source products = b.add("MatMul", {kernel, pair_weights(c, pairs, coefficients, x)});
  const Source sums = b.add("Add", {products, constant_reals(c, rho, {pairs.pairs()}, x)});
  const Source best = greatest_of_rows(c, votes_of(c, pairs, sums));
  const Floats slopes = c.reals("prob_a"), offsets = c.reals("prob_b");
  Source scores = sums;
  if (!slopes.empty()) {
    const Shape row = {pairs.pairs()};
    const Source scaled = b.add("Multiply", {sums, constant_reals(c, slopes, row, x)});
    const Source logits = b.add("Add", {scaled, constant_reals(c, offsets, row, x)});
    // The probability of the first class of each pair.
    const Source firsts = b.add("Sigmoid", {b.add("Negative", {logits})});
    const Source bounded = b.add("Clamp", {firsts}, {{"min", 1e-7}, {"max", 1 - 1e-7}});
    scores = transform_scores(
        c, b.add_of("ai.onnx.ml", "PairwiseProbabilities", {bounded}, {{"classes", pairs.classes}}),
        function);
  } else if (pairs.pairs() == 1) {
    const bool opposite = function == "NONE" || function == "LOGISTIC";
    scores = both_scores(c, sums, function, opposite);
  } else {
    scores = transform_scores(c, sums, function);
  }
  c.give({labels_at(c, best, names), scores});
}

constexpr Entry kEntries[] = {
    {"LinearClassifier", kAllOpsets, linear_classifier, "MatMul TopK Gather", "ai.onnx.ml"},
    {"LinearRegressor", kAllOpsets, linear_regressor, "MatMul", "ai.onnx.ml"},
    {"SVMClassifier", kAllOpsets, svm_classifier, "MatMul PairwiseProbabilities TopK Gather", "ai.onnx.ml"},
    {"SVMRegressor", kAllOpsets, svm_regressor, "MatMul", "ai.onnx.ml"},
};

}  // namespace

std::span<const Entry> vectors() { return kEntries; }

}  // namespace wasmvino::onnx
