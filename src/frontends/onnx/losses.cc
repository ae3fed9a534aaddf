// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/families.h"
#include "frontends/onnx/operands.h"

namespace wasmvino::onnx {
namespace {

using namespace frontends::build;  // NOLINT: builder functions are written in terms of these throughout

// -weight * x at the class that the target names: x is [N, C, ...], the target [N, ...].
Source likelihood_loss(Context& c, const Source& x) {
  model::Builder& b = c.b();
  Source target = convert(b, c.input(1), ElementType::kI64);
  std::optional<Source> counts;
  if (c.has("ignore_index")) {
    counts = b.add("NotEqual", {target, b.scalar(c.integer("ignore_index"))});
    target = b.add("Select", {*counts, target, b.scalar(int64_t{0})});
  }
  const Source chosen = b.add("GatherElements", {x, unsqueeze(b, target, {1})}, {{"axis", int64_t{1}}});
  Source loss = b.add("Negative", {squeeze(b, chosen, {1})});
  std::optional<Source> weights;
  if (c.has_input(2)) weights = b.add("Gather", {c.input(2), target, b.scalar(int64_t{0})});
  if (counts) {
    const Source one = weights ? *weights : number_like(b, 1, loss);
    weights = b.add("Select", {*counts, one, number_like(b, 0, loss)});
  }
  if (weights) loss = b.add("Multiply", {loss, *weights});
  const std::string reduction = c.word("reduction", "mean");
  if (reduction == "none") return loss;
  const auto over_all = [&](const char* type, const Source& value) {
    return b.add(type, {value, all_axes(c, value)}, {{"keep_dims", false}});
  };
  if (reduction == "sum") return over_all("ReduceSum", loss);
  if (reduction != "mean")
    fail(ErrorCode::kInvalidModel, "its attribute reduction is '", reduction,
         "', expected none, sum or mean");
  if (!weights) return over_all("ReduceMean", loss);
  return b.add("Divide", {over_all("ReduceSum", loss), over_all("ReduceSum", *weights)});
}

void negative_log_likelihood(Context& c) { c.give(likelihood_loss(c, c.input(0))); }

void softmax_cross_entropy(Context& c) {
  const Source logarithms = c.b().add("LogSoftmax", {c.input(0)}, {{"axis", int64_t{1}}});
  c.give({likelihood_loss(c, logarithms), logarithms});
}

constexpr Entry kEntries[] = {
    {"NegativeLogLikelihoodLoss", kAllOpsets, negative_log_likelihood, "GatherElements"},
    {"SoftmaxCrossEntropyLoss", kAllOpsets, softmax_cross_entropy, "LogSoftmax GatherElements"},
};

}  // namespace

std::span<const Entry> losses() { return kEntries; }

}  // namespace wasmvino::onnx
