// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/classes.h"

#include <numbers>

#include "frontends/build/functions.h"

namespace wasmvino::onnx {
namespace {

using namespace frontends::build;  // NOLINT: the file consists of its calls
using model::Builder;

Source number(Context& c, const char* type, const Source& x, double value) {
  return c.b().add(type, {x, number_like(c.b(), value, x)});
}

// sqrt(2) * erfinv(2 x - 1), with the approximation of erfinv that ONNX's reference and onnxruntime use.
Source probit(Context& c, const Source& x) {
  Builder& b = c.b();
  constexpr double kA = 0.147;
  const Source t = number(c, "Subtract", number(c, "Multiply", x, 2), 1);
  const Source product =
      b.add("Multiply", {b.add("Subtract", {number_like(b, 1, x), t}), number(c, "Add", t, 1)});
  const Source log = b.add("Log", {product});
  const Source v = number(c, "Add", number(c, "Multiply", log, 0.5), 2 / (std::numbers::pi * kA));
  const Source root =
      b.add("Sqrt", {b.add("Subtract", {b.add("Multiply", {v, v}), number(c, "Multiply", log, 1 / kA)})});
  const Source inverse = b.add("Sqrt", {b.add("Subtract", {root, v})});
  return number(c, "Multiply", b.add("Multiply", {inverse, b.add("Sign", {t})}), std::numbers::sqrt2);
}

// The softmax of the scores that are not 0. Scores of 0 stay 0.
Source softmax_without_zeros(Context& c, const Source& x) {
  Builder& b = c.b();
  const Source greatest = reduce(b, "ReduceMax", x, {-1}, true);
  const Source exponentials = b.add("Exp", {b.add("Subtract", {x, greatest})});
  const Source small = b.add("LessEqual", {b.add("Abs", {x}), number_like(b, 1e-7, x)});
  const Source shrunk = b.add("Multiply", {x, b.add("Exp", {b.add("Negative", {greatest})})});
  const Source values = b.add("Select", {small, shrunk, exponentials});
  return b.add("Divide", {values, reduce(b, "ReduceSum", values, {-1}, true)});
}

bool is_single(Context& c, const Source& scores) {
  const PartialShape shape = c.b().shape(scores);
  return shape.has_rank() && shape.rank() > 0 && shape[shape.rank() - 1] == Dimension(1);
}

}  // namespace

Source transform_scores(Context& c, const Source& scores, const std::string& function) {
  if (function == "PROBIT") return probit(c, scores);
  if (function == "NONE" || is_single(c, scores)) return scores;
  if (function == "LOGISTIC") return c.b().add("Sigmoid", {scores});
  if (function == "SOFTMAX") return c.b().add("Softmax", {scores}, {{"axis", int64_t{-1}}});
  if (function == "SOFTMAX_ZERO") return softmax_without_zeros(c, scores);
  fail(ErrorCode::kInvalidModel, "its attribute 'post_transform' is '", function,
       "', expected NONE, SOFTMAX, LOGISTIC, SOFTMAX_ZERO or PROBIT");
}

Source both_scores(Context& c, const Source& score, const std::string& function, bool is_signed) {
  Builder& b = c.b();
  const bool opposite = is_signed || function == "LOGISTIC";
  const Source other = b.add("Subtract", {number_like(b, opposite ? 0 : 1, score), score});
  const Source both = concat(b, {other, score}, -1);
  const bool transformed = function == "LOGISTIC" || function == "PROBIT";
  return transformed ? transform_scores(c, both, function) : both;
}

size_t label_count(Context& c, const char* integers) {
  return c.has("classlabels_strings") ? c.words("classlabels_strings").size() : c.ints(integers).size();
}

Source class_labels(Context& c, const char* integers) {
  if (!c.has("classlabels_strings")) return c.b().list(c.ints(integers));
  const std::vector<std::string> words = c.words("classlabels_strings");
  Tensor labels(ElementType::kString, {static_cast<int64_t>(words.size())});
  std::copy(words.begin(), words.end(), labels.mutable_data<std::string>());
  return c.b().constant(std::move(labels));
}

Source greatest_of_rows(Context& c, const Source& scores) {
  Builder& b = c.b();
  const Source best = b.add("TopK", {scores, b.scalar(int64_t{1})},
                            {{"axis", int64_t{-1}},
                             {"mode", "max"},
                             {"sort", "value"},
                             {"stable", true},
                             {"index_element_type", ElementType::kI64}},
                            2);
  return squeeze(b, Builder::output(best, 1), {-1});
}

Source labels_at(Context& c, const Source& places, const Source& labels) {
  Builder& b = c.b();
  return b.add("Gather", {labels, convert(b, places, ElementType::kI64), b.scalar(int64_t{0})});
}

Source rows_of(Context& c, const Source& x) {
  Builder& b = c.b();
  const Source real = b.type(x) == ElementType::kF64 ? x : convert(b, x, ElementType::kF32);
  const PartialShape shape = b.shape(real);
  return shape.has_rank() && shape.rank() == 1 ? unsqueeze(b, real, {0}) : real;
}

Source constant_reals(Context& c, const model::Floats& values, const Shape& shape, const Source& like) {
  if (CheckedSize(values.size()).value() != element_count(shape)) {
    fail(ErrorCode::kInvalidModel, "has ", values.size(), " numbers for ", shape);
  }
  return convert(c.b(), c.b().constant(Tensor::of<float>(shape, values.data())), c.b().type(like));
}

}  // namespace wasmvino::onnx
