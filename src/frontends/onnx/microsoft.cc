// SPDX-License-Identifier: Apache-2.0
// Activations, normalisations and fused products of com.microsoft.
#include <cmath>

#include "frontends/build/functions.h"
#include "frontends/onnx/families.h"
#include "frontends/onnx/filters.h"

namespace wasmvino::onnx {
namespace {

using namespace frontends::build;  // NOLINT: builder functions are written in terms of these throughout
using model::Builder;

// --- activations -------------------------------------------------------------------------------------------

Source gelu_of(Context& c, const Source& x, const char* mode) {
  return c.b().add("Gelu", {x}, {{"approximation_mode", mode}});
}

Source with_bias(Context& c, const Source& x, size_t bias) {
  return c.has_input(bias) ? c.b().add("Add", {x, c.input(bias)}) : x;
}

void gelu(Context& c) { c.give(gelu_of(c, c.input(), "ERF")); }
void bias_gelu(Context& c) { c.give(gelu_of(c, with_bias(c, c.input(), 1), "ERF")); }
void fast_gelu(Context& c) { c.give(gelu_of(c, with_bias(c, c.input(), 1), "TANH")); }

void quick_gelu(Context& c) {
  const Source x = c.input();
  c.give(c.b().add("Swish", {x, number_like(c.b(), c.real("alpha", 1.702), x)}));
}

void bias_add(Context& c) { c.give(c.b().add("Add", {with_bias(c, c.input(0), 1), c.input(2)})); }

void bias_split_gelu(Context& c) {
  Builder& b = c.b();
  const Source x = with_bias(c, c.input(0), 1);
  const Source halves = b.add("Split", {x, b.scalar(int64_t{-1})}, {{"num_splits", int64_t{2}}}, 2);
  c.give(b.add("Multiply", {halves, gelu_of(c, Builder::output(halves, 1), "ERF")}));
}

void bias_softmax(Context& c) {
  Builder& b = c.b();
  const Source x = c.input(0);
  const size_t rank = b.rank(x);
  const int64_t axis = c.axis(c.integer("axis", 1), rank);
  Source bias = c.input(1);
  if (!c.flag("is_inner_broadcast", true)) {
    // The bias repeats along the axes that its own first ones count.
    const int64_t own = static_cast<int64_t>(b.rank(bias));
    Ints axes;
    for (int64_t i = own - (static_cast<int64_t>(rank) - axis); i < axis; ++i) axes.push_back(i);
    if (!axes.empty() && own < static_cast<int64_t>(rank)) bias = unsqueeze(b, bias, axes);
  }
  const Source sum = b.add("Add", {x, bias});
  std::vector<Source> sizes;
  for (int64_t i = 0; i < axis; ++i) sizes.push_back(size_of(b, sum, i));
  sizes.push_back(b.list({-1}));
  const Source rows = reshape(b, sum, concat_lists(b, sizes));
  c.give(reshape(b, b.add("Softmax", {rows}, {{"axis", int64_t{-1}}}), shape_of(b, sum)));
}

// The activation of a fused operator. `parameter` gives its parameters by number.
template <typename Parameter>
Source activated(Context& c, const Source& x, const std::string& name, const Parameter& parameter) {
  Builder& b = c.b();
  const auto number = [&](size_t i, double otherwise) {
    return number_like(b, parameter(i).value_or(otherwise), x);
  };
  if (name.empty()) return x;
  for (const char* const same : {"Relu", "Tanh", "Sigmoid"}) {
    if (name == same) return b.add(name == "Relu" ? "ReLU" : same, {x});
  }
  if (name == "LeakyRelu") return b.add("PRelu", {x, reshape(b, number(0, 0.01), Ints{1})});
  if (name == "Elu") return b.add("Elu", {x}, {{"alpha", parameter(0).value_or(1)}});
  if (name == "Softplus") return b.add("SoftPlus", {x});
  if (name == "HardSigmoid") return b.add("HardSigmoid", {x, number(0, 0.2), number(1, 0.5)});
  if (name == "Clip") {
    constexpr double kMost = 3.4028234663852886e38;
    return b.add("Clamp", {x},
                 {{"min", parameter(0).value_or(-kMost)}, {"max", parameter(1).value_or(kMost)}});
  }
  fail(ErrorCode::kUnsupported, "has the activation '", name,
       "', expected Relu, Tanh, Sigmoid, LeakyRelu, Elu, Softplus, HardSigmoid or Clip");
}

// --- normalisations ----------------------------------------------------------------------------------------

// What a normalisation along the last axis gives, in f32 but for `y`.
struct Normalised {
  Source y, mean, inverse;
};

// (x - mean) / sqrt(variance + epsilon) * gamma + beta, computed in f32. beta may be absent.
Normalised layer_norm(Context& c, const Source& x, const Source& gamma, const std::optional<Source>& beta,
                      double epsilon) {
  Builder& b = c.b();
  const auto real = [&](const Source& value) { return convert(b, value, ElementType::kF32); };
  const Source data = real(x);
  Source y = b.add("MVN", {data, b.list({-1})},
                   {{"eps", epsilon}, {"normalize_variance", true}, {"eps_mode", "inside_sqrt"}});
  y = b.add("Multiply", {y, real(gamma)});
  if (beta) y = b.add("Add", {y, real(*beta)});
  Normalised result = {convert(b, y, b.type(x)), {}, {}};
  if (c.wants(1) || c.wants(2)) {
    result.mean = reduce(b, "ReduceMean", data, {-1}, true);
    const Source squares = b.add("SquaredDifference", {data, result.mean});
    const Source variance = reduce(b, "ReduceMean", squares, {-1}, true);
    const Source root = b.add("Sqrt", {b.add("Add", {variance, number_like(b, epsilon, data)})});
    result.inverse = b.add("Divide", {number_like(b, 1, data), root});
  }
  return result;
}

// x / sqrt(mean(x^2) + epsilon) * gamma, computed in f32.
Normalised rms_norm(Context& c, const Source& x, const Source& gamma, double epsilon) {
  Builder& b = c.b();
  const Source data = convert(b, x, ElementType::kF32);
  const Source mean = reduce(b, "ReduceMean", b.add("Multiply", {data, data}), {-1}, true);
  const Source root = b.add("Sqrt", {b.add("Add", {mean, number_like(b, epsilon, data)})});
  const Source inverse = b.add("Divide", {number_like(b, 1, data), root});
  const Source y =
      b.add("Multiply", {b.add("Multiply", {data, inverse}), convert(b, gamma, ElementType::kF32)});
  return {convert(b, y, b.type(x)), {}, inverse};
}

// Gives the outputs y, mean, inverse and sum, as far as they are wanted.
void give_normalised(Context& c, const Normalised& result, const Source& sum) {
  std::vector<Source> outputs = {result.y, result.mean, result.inverse, sum};
  for (size_t i = 1; i < 3; ++i) {
    if (outputs[i].node == nullptr && c.wants(i))
      fail(ErrorCode::kUnsupported, "its output ", i, " is not computed");
    if (outputs[i].node == nullptr) outputs[i] = result.y;
  }
  outputs.resize(std::min(outputs.size(), c.output_count()));
  c.give(outputs);
}

Source skip_sum(Context& c, size_t bias) {
  return with_bias(c, c.b().add("Add", {c.input(0), c.input(1)}), bias);
}

void skip_layer_norm(Context& c) {
  const Source sum = skip_sum(c, 4);
  give_normalised(c, layer_norm(c, sum, c.input(2), c.find_input(3), c.real("epsilon", 1e-12)), sum);
}

void skip_rms_norm(Context& c) {
  const Source sum = skip_sum(c, 3);
  give_normalised(c, rms_norm(c, sum, c.input(2), c.real("epsilon", 1e-12)), sum);
}

void simplified_layer_norm(Context& c) {
  const Source x = c.input(0);
  const int64_t axis = c.integer("axis", -1);
  if (axis != -1 && c.axis(axis, c.b().rank(x)) + 1 != static_cast<int64_t>(c.b().rank(x)))
    fail(ErrorCode::kUnsupported, "its attribute 'axis' is ", axis, ", expected the last axis");
  const Normalised result = rms_norm(c, x, c.input(1), c.real("epsilon", 1e-5));
  std::vector<Source> outputs = {result.y};
  if (c.wants(1)) outputs.push_back(result.inverse);
  c.give(outputs);
}

void embed_layer_norm(Context& c) {
  Builder& b = c.b();
  const auto rows = [&](const Source& table, const Source& ids) {
    return b.add("Gather", {table, ids, b.scalar(int64_t{0})});
  };
  const Source ids = c.input(0);
  Source sum = rows(c.input(2), ids);
  const Source positions = c.has_input(8) ? c.input(8) : range_to(b, squeeze(b, size_of(b, ids, 1), {0}));
  sum = b.add("Add", {sum, rows(c.input(3), positions)});
  if (c.has_input(1) && c.has_input(4)) sum = b.add("Add", {sum, rows(c.input(4), c.input(1))});
  const Normalised result = layer_norm(c, sum, c.input(5), c.input(6), c.real("epsilon", 1e-12));
  std::vector<Source> outputs = {result.y};
  if (c.output_count() > 1) {
    // How many keys each row of the mask shows.
    Source count =
        convert(b, b.add("Broadcast", {b.scalar(int64_t{0}), size_of(b, ids, 0)}), ElementType::kI32);
    if (c.has_input(7)) count = reduce(b, "ReduceSum", convert(b, c.input(7), ElementType::kI32), {1}, false);
    outputs.push_back(count);
  }
  if (c.output_count() > 2) outputs.push_back(sum);
  c.give(outputs);
}

void group_norm(Context& c) {
  Builder& b = c.b();
  Source x = c.input(0);
  const size_t rank = b.rank(x);
  const bool last = c.flag("channels_last", true);
  Ints first = {0, static_cast<int64_t>(rank) - 1}, back = {0};
  for (size_t i = 2; i < rank; ++i)
    first.push_back(static_cast<int64_t>(i) - 1), back.push_back(static_cast<int64_t>(i));
  back.push_back(1);
  if (last) x = transpose(b, x, first);
  const auto real = [&](const Source& value) { return convert(b, value, b.type(x)); };
  x = b.add("GroupNormalization", {x, real(c.input(1)), real(c.input(2))},
            {{"num_groups", c.count("groups")}, {"epsilon", c.real("epsilon", 1e-5)}});
  if (last) x = transpose(b, x, back);
  c.give(c.integer("activation") == 1 ? b.add("Swish", {x}) : x);
}

// --- products ----------------------------------------------------------------------------------------------

// transBatchA: the axis before the last one is moved in front of the batch.
Source batch_in_front(Context& c, const Source& x, bool moved) {
  if (!moved) return x;
  const size_t rank = c.b().rank(x);
  if (rank < 3) return x;
  Ints order;
  for (size_t i = 1; i + 1 < rank; ++i) order.push_back(static_cast<int64_t>(i));
  order.push_back(0);
  order.push_back(static_cast<int64_t>(rank) - 1);
  return transpose(c.b(), x, order);
}

void fused_mat_mul(Context& c) {
  Builder& b = c.b();
  const Source product = b.add("MatMul",
                               {batch_in_front(c, c.input(0), c.flag("transBatchA")),
                                batch_in_front(c, c.input(1), c.flag("transBatchB"))},
                               {{"transpose_a", c.flag("transA")}, {"transpose_b", c.flag("transB")}});
  const double alpha = c.real("alpha", 1);
  c.give(alpha == 1 ? product : b.add("Multiply", {product, number_like(b, alpha, product)}));
}

void fused_gemm(Context& c) {
  Builder& b = c.b();
  Source result = b.add("MatMul", {c.input(0), c.input(1)},
                        {{"transpose_a", c.flag("transA")}, {"transpose_b", c.flag("transB")}});
  const auto times = [&](const Source& x, double factor) {
    return factor == 1 ? x : b.add("Multiply", {x, number_like(b, factor, x)});
  };
  result = times(result, c.real("alpha", 1));
  if (const auto added = c.find_input(2)) result = b.add("Add", {result, times(*added, c.real("beta", 1))});
  const char* const names[] = {"activation_alpha", "activation_beta", "activation_gamma"};
  c.give(activated(c, result, c.word("activation", ""), [&](size_t i) {
    return c.has(names[i]) ? std::optional(c.real(names[i])) : std::nullopt;
  }));
}

void fused_conv(Context& c) {
  Builder& b = c.b();
  Source result = convolve(c, c.input(0), c.input(1));
  if (const auto bias = c.find_input(2)) {
    Ints channels(b.rank(c.input(1)) - 1, 1);
    channels[0] = -1;
    result = b.add("Add", {result, reshape(b, *bias, channels)});
  }
  if (const auto added = c.find_input(3)) result = b.add("Add", {result, *added});
  const model::Floats parameters = c.reals("activation_params");
  c.give(activated(c, result, c.word("activation", ""), [&](size_t i) {
    return i < parameters.size() ? std::optional(static_cast<double>(parameters[i])) : std::nullopt;
  }));
}

// --- others ------------------------------------------------------------------------------------------------

void expand_dims(Context& c) { c.give(c.b().add("Unsqueeze", {c.input(0), c.input(1)})); }

void inverse(Context& c) { c.give(c.b().add("Inverse", {c.input()}, {{"adjoint", false}})); }

// Distances between the rows of two matrices.
void distances(Context& c) {
  Builder& b = c.b();
  const std::string metric = c.word("metric", "sqeuclidean");
  const Source squares =
      b.add("SquaredDifference", {unsqueeze(b, c.input(0), {1}), unsqueeze(b, c.input(1), {0})});
  const Source sums = reduce(b, "ReduceSum", squares, {2}, false);
  if (metric == "sqeuclidean") return c.give(sums);
  if (metric == "euclidean") return c.give(b.add("Sqrt", {sums}));
  fail(ErrorCode::kUnsupported, "its attribute 'metric' is '", metric,
       "', expected euclidean or sqeuclidean");
}

constexpr Entry kEntries[] = {
    {"BiasAdd", kAllOpsets, bias_add, "Add", "com.microsoft"},
    {"BiasGelu", kAllOpsets, bias_gelu, "Gelu", "com.microsoft"},
    {"BiasSoftmax", kAllOpsets, bias_softmax, "Softmax", "com.microsoft"},
    {"BiasSplitGelu", kAllOpsets, bias_split_gelu, "Gelu Multiply", "com.microsoft"},
    {"CDist", kAllOpsets, distances, "SquaredDifference ReduceSum", "com.microsoft"},
    {"EmbedLayerNormalization", kAllOpsets, embed_layer_norm, "Gather MVN", "com.microsoft"},
    {"ExpandDims", kAllOpsets, expand_dims, "Unsqueeze", "com.microsoft"},
    {"FastGelu", kAllOpsets, fast_gelu, "Gelu", "com.microsoft"},
    {"FusedConv", kAllOpsets, fused_conv, "Convolution GroupConvolution", "com.microsoft"},
    {"FusedGemm", kAllOpsets, fused_gemm, "MatMul", "com.microsoft"},
    {"FusedMatMul", kAllOpsets, fused_mat_mul, "MatMul", "com.microsoft"},
    {"Gelu", kAllOpsets, gelu, "Gelu", "com.microsoft"},
    {"GroupNorm", kAllOpsets, group_norm, "GroupNormalization", "com.microsoft"},
    {"Inverse", kAllOpsets, inverse, "Inverse", "com.microsoft"},
    {"QuickGelu", kAllOpsets, quick_gelu, "Swish", "com.microsoft"},
    {"SimplifiedLayerNormalization", kAllOpsets, simplified_layer_norm, "ReduceMean Multiply"},
    {"SkipLayerNormalization", kAllOpsets, skip_layer_norm, "Add MVN", "com.microsoft"},
    {"SkipSimplifiedLayerNormalization", kAllOpsets, skip_rms_norm, "Add ReduceMean Multiply",
     "com.microsoft"},
    {"TransposeMatMul", kAllOpsets, fused_mat_mul, "MatMul", "com.microsoft"},
};

}  // namespace

std::span<const Entry> microsoft() { return kEntries; }

}  // namespace wasmvino::onnx
