// SPDX-License-Identifier: Apache-2.0
// Mixtures of experts of com.microsoft. All experts compute all rows, and each row is the sum of its best
// ones.
#include <cmath>
#include <limits>

#include "frontends/build/functions.h"
#include "frontends/onnx/families.h"
#include "frontends/onnx/packed.h"

namespace wasmvino::onnx {
namespace {

using namespace frontends::build;  // NOLINT: builder functions are written in terms of these throughout
using model::Builder;

// The share of each expert in each row: [rows, experts], 0 for all but the best `k`.
Source shares_of(Context& c, const Source& logits) {
  Builder& b = c.b();
  const PartialShape shape = b.shape(logits);
  if (!shape.has_rank() || shape.rank() != 2 || !shape[1].is_static())
    fail(ErrorCode::kUnsupported, "its router_probs have shape ", shape, ", expected [rows, experts]");
  const Source best = b.add(
      "TopK", {logits, b.scalar(c.integer("k", 1))},
      {{"axis", int64_t{1}}, {"mode", "max"}, {"sort", "value"}, {"index_element_type", ElementType::kI64}},
      2);
  const Source among = b.add("OneHot",
                             {Builder::output(best, 1), b.scalar(shape[1].size()), number_like(b, 1, logits),
                              number_like(b, 0, logits)},
                             {{"axis", int64_t{-1}}});
  const Source chosen =
      b.add("Greater", {reduce(b, "ReduceSum", among, {1}, false), number_like(b, 0, logits)});
  const auto softmax = [&](const Source& x) { return b.add("Softmax", {x}, {{"axis", int64_t{-1}}}); };
  if (c.flag("normalize_routing_weights")) {
    const Source lowest = number_like(b, -std::numeric_limits<double>::infinity(), logits);
    return softmax(b.add("Select", {chosen, logits, lowest}));
  }
  return b.add("Select", {chosen, softmax(logits), number_like(b, 0, logits)});
}

// SwiGLU of pairs: gate and linear part alternate (1), or come one after the other (2).
Source swiglu(Context& c, const Source& x) {
  Builder& b = c.b();
  const int64_t fusion = c.integer("swiglu_fusion", 0);
  const PartialShape shape = b.shape(x);
  if (fusion != 1 && fusion != 2)
    fail(ErrorCode::kUnsupported, "its attribute 'swiglu_fusion' is ", fusion, ", expected 1 or 2");
  if (!shape.has_rank() || !shape[shape.rank() - 1].is_static() || shape[shape.rank() - 1].size() % 2 != 0)
    fail(ErrorCode::kUnsupported, "the size of its hidden layer is ", shape, ", expected an even number");
  const int64_t half = shape[shape.rank() - 1].size() / 2;
  std::vector<Source> parts;
  if (fusion == 2) {
    parts = split(b, x, -1, {half, half});
  } else {
    parts = {slice(b, x, -1, 0, 2 * half, 2), slice(b, x, -1, 1, 2 * half, 2)};
  }
  if (c.has("swiglu_limit")) {
    const double limit = c.real("swiglu_limit");
    parts[0] = b.add("Minimum", {parts[0], number_like(b, limit, x)});
    parts[1] = b.add("Clamp", {parts[1]}, {{"min", -limit}, {"max", limit}});
  }
  const Source gate = b.add("Swish", {parts[0], number_like(b, c.real("activation_alpha", 1), x)});
  return b.add("Multiply", {gate, b.add("Add", {parts[1], number_like(b, c.real("activation_beta", 0), x)})});
}

Source activated(Context& c, const Source& x) {
  Builder& b = c.b();
  const std::string name = c.word("activation_type", "relu");
  if (name == "relu") return b.add("ReLU", {x});
  if (name == "gelu") return b.add("Gelu", {x}, {{"approximation_mode", "TANH"}});
  if (name == "silu") return b.add("Swish", {x});
  if (name == "identity") return x;
  if (name == "swiglu") return swiglu(c, x);
  fail(ErrorCode::kInvalidModel, "its attribute 'activation_type' is '", name,
       "', expected relu, gelu, silu, swiglu or identity");
}

struct Layer {
  Source weights;  // [experts, out, in]
  std::optional<Source> bias;
};

void mix(Context& c, const Layer& first, const Layer& second, const std::optional<Layer>& gate) {
  Builder& b = c.b();
  const Source x = c.input(0), logits = convert(b, c.input(1), ElementType::kF32);
  const PartialShape shape = b.shape(x);
  const Source rows = unsqueeze(
      b,
      b.rank(x) == 2
          ? x
          : reshape(b, x,
                    concat_lists(b, {b.list({-1}), size_of(b, x, static_cast<int64_t>(shape.rank()) - 1)})),
      {0});
  const auto layer = [&](const Source& data, const Layer& l) {
    const Source product =
        b.add("MatMul", {convert(b, data, ElementType::kF32), convert(b, l.weights, ElementType::kF32)},
              {{"transpose_b", true}});
    return l.bias ? b.add("Add", {product, unsqueeze(b, convert(b, *l.bias, ElementType::kF32), {1})})
                  : product;
  };
  Source hidden = activated(c, layer(rows, first));
  if (gate) hidden = b.add("Multiply", {hidden, layer(rows, *gate)});
  const Source results = layer(hidden, second);
  const Source shares = unsqueeze(b, transpose(b, shares_of(c, logits), {1, 0}), {2});
  const Source sum = reduce(b, "ReduceSum", b.add("Multiply", {results, shares}), {0}, false);
  c.give(reshape(b, convert(b, sum, b.type(x)), shape_of(b, x)));
}

void mixture(Context& c) {
  if (c.flag("use_sparse_mixer")) fail(ErrorCode::kUnsupported, "its attribute 'use_sparse_mixer' is 1");
  std::optional<Layer> gate;
  if (c.has_input(6)) gate = {c.input(6), c.find_input(7)};
  mix(c, {c.input(2), c.find_input(3)}, {c.input(4), c.find_input(5)}, gate);
}

// Quantised weights at inputs `at` (data) and at + 1 (scales), with zero points at `zero`.
Layer quantised_layer(Context& c, size_t at, size_t zero) {
  Builder& b = c.b();
  const int64_t bits = c.integer("expert_weight_bits", 4), block = c.integer("block_size", 0);
  const Source data = c.input(at), scales = convert(b, c.input(at + 1), ElementType::kF32);
  const PartialShape shape = b.shape(data);
  if (!shape.is_static() || shape.rank() != 3)
    fail(ErrorCode::kUnsupported, "its weights have shape ", shape, ", expected [experts, rows, columns]");
  const Shape sizes = shape.to_shape();
  const int64_t columns = sizes[2] * 8 / bits;
  const int64_t blocks = block > 0 ? (columns + block - 1) / block : 1;
  if (columns % blocks != 0)
    fail(ErrorCode::kUnsupported, "has blocks of ", block, " for ", columns, " columns");
  const Ints in_blocks = {sizes[0], sizes[1], blocks, columns / blocks},
             per_block = {sizes[0], sizes[1], blocks, 1};
  Source value = convert(b, unpack(c, data, bits, columns), ElementType::kF32);
  value = reshape(b, value, in_blocks);
  Source offset = b.scalar(std::ldexp(1.0, static_cast<int>(bits) - 1), ElementType::kF32);
  if (const auto given = c.find_input(zero))
    offset = reshape(b, convert(b, unpack(c, *given, bits, blocks), ElementType::kF32), per_block);
  value = b.add("Multiply", {b.add("Subtract", {value, offset}), reshape(b, scales, per_block)});
  return {reshape(b, value, Ints{sizes[0], sizes[1], columns}), c.find_input(at + 2)};
}

void quantised_mixture(Context& c) {
  if (c.flag("use_sparse_mixer")) fail(ErrorCode::kUnsupported, "its attribute 'use_sparse_mixer' is 1");
  if (c.word("quant_type", "int") != "int")
    fail(ErrorCode::kUnsupported, "its attribute 'quant_type' is '", c.word("quant_type"), "', expected int");
  std::optional<Layer> gate;
  if (c.has_input(8)) gate = quantised_layer(c, 8, 13);
  mix(c, quantised_layer(c, 2, 11), quantised_layer(c, 5, 12), gate);
}

constexpr Entry kEntries[] = {
    {"MoE", kAllOpsets, mixture, "MatMul TopK OneHot", "com.microsoft"},
    {"QMoE", kAllOpsets, quantised_mixture, "MatMul TopK OneHot", "com.microsoft"},
};

}  // namespace

std::span<const Entry> experts() { return kEntries; }

}  // namespace wasmvino::onnx
