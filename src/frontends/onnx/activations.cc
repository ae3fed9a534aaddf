// SPDX-License-Identifier: Apache-2.0
// Activations, softmax and operators that training uses.
#include <cmath>

#include "frontends/onnx/families.h"
#include "frontends/onnx/operands.h"

namespace wasmvino::onnx {
namespace {

using namespace frontends::build;  // NOLINT: builder functions are written in terms of these throughout

Source number(Context& c, double value) { return number_like(c.b(), value, c.input()); }

void leaky_relu(Context& c) { c.give(c.b().add("PRelu", {c.input(), number(c, c.real("alpha", 0.01))})); }

void prelu(Context& c) {
  const Source x = c.input(0);
  Source slope = c.input(1);
  const size_t rank = c.b().rank(x), own = c.b().rank(slope);
  // PRelu applies a list to the channels. ONNX broadcasts it from the last axis.
  if (own > 0 && own < rank) {
    Ints added;
    for (size_t i = own; i < rank; ++i) added.push_back(static_cast<int64_t>(i - own));
    slope = unsqueeze(c.b(), slope, added);
  }
  const PartialShape& shape = c.b().shape(slope);
  bool by_channel = rank > 1;
  for (size_t i = 0; i < shape.rank(); ++i) by_channel &= i == 1 || shape[i] == Dimension(1);
  if (own == 0 || (by_channel && own > 0)) {
    c.give(c.b().add("PRelu", {x, own == 0 ? slope : reshape(c.b(), slope, Ints{-1})}));
  } else {
    const Source zero = number(c, 0);
    const Source negative = c.b().add("Multiply", {c.b().add("Minimum", {x, zero}), slope});
    c.give(c.b().add("Add", {c.b().add("Maximum", {x, zero}), negative}));
  }
}

void elu(Context& c) { c.give(c.b().add("Elu", {c.input()}, {{"alpha", c.real("alpha", 1)}})); }

void celu(Context& c) {
  const double alpha = c.real("alpha", 1);
  const Source x = c.input();
  const Source scaled = c.b().add("Divide", {x, number(c, alpha)});
  const Source made = c.b().add("Elu", {scaled}, {{"alpha", 1.0}});
  c.give(c.b().add("Multiply", {made, number(c, alpha)}));
}

void selu_with(Context& c, double alpha, double gamma) {
  c.give(
      c.b().add("Selu", {c.input(), number(c, c.real("alpha", alpha)), number(c, c.real("gamma", gamma))}));
}
void legacy_selu(Context& c) { selu_with(c, 1.6732, 1.0507); }
void selu(Context& c) { selu_with(c, 1.67326319217681884765625, 1.05070102214813232421875); }

void hard_sigmoid(Context& c) {
  c.give(
      c.b().add("HardSigmoid", {c.input(), number(c, c.real("alpha", 0.2)), number(c, c.real("beta", 0.5))}));
}

void gelu(Context& c) {
  const std::string mode = c.word("approximate", "none");
  if (mode != "none" && mode != "tanh")
    fail(ErrorCode::kInvalidModel, "its attribute approximate is '", mode, "', expected none or tanh");
  c.give(c.b().add("Gelu", {c.input()}, {{"approximation_mode", mode == "tanh" ? "TANH" : "ERF"}}));
}

void thresholded_relu(Context& c) {
  const Source x = c.input();
  const Source above = c.b().add("Greater", {x, number(c, c.real("alpha", 1))});
  c.give(c.b().add("Select", {above, x, number(c, 0)}));
}

void shrink(Context& c) {
  const Source x = c.input();
  const double limit = c.real("lambd", 0.5), bias = c.real("bias", 0);
  const Source low = c.b().add("Less", {x, number(c, -limit)});
  const Source high = c.b().add("Greater", {x, number(c, limit)});
  const Source shifted =
      c.b().add("Select", {high, c.b().add("Subtract", {x, number(c, bias)}), number(c, 0)});
  c.give(c.b().add("Select", {low, c.b().add("Add", {x, number(c, bias)}), shifted}));
}

void swish(Context& c) {
  const double alpha = c.real("alpha", 1);
  if (alpha == 1) return c.give(c.b().add("Swish", {c.input()}));
  c.give(c.b().add("Swish", {c.input(), number(c, alpha)}));
}

void swiglu(Context& c) {
  const Source gate = c.b().add("Swish", {c.input(0), number(c, c.real("alpha", 1))});
  c.give(c.b().add("Multiply", {gate, c.input(1)}));
}

void softmax(Context& c) {
  c.give(c.b().add(c.operation(), std::vector{c.input()}, {{"axis", c.integer("axis", -1)}}));
}

// A value as a matrix whose columns begin at the attribute `axis`, given to `build`, and back.
template <typename BuildMatrix>
void as_matrix(Context& c, BuildMatrix build) {
  const Source x = c.input();
  const size_t rank = c.b().rank(x);
  const int64_t axis = rank == 0 ? 0 : c.axis(c.integer("axis", 1), rank);
  if (rank > 0 && axis == static_cast<int64_t>(rank) - 1) return c.give(build(x, axis));
  Ints rows, columns;
  for (int64_t i = 0; i < static_cast<int64_t>(rank); ++i) (i < axis ? rows : columns).push_back(i);
  const Source shape = shape_of(c.b(), x);
  const auto count = [&](const Ints& axes) {
    const Source sizes = c.b().add("Gather", {shape, c.b().list(axes), c.b().scalar(int64_t{0})});
    return reduce(c.b(), "ReduceProd", sizes, {0}, true);
  };
  const Source matrix = reshape(c.b(), x, concat_lists(c.b(), {count(rows), count(columns)}));
  c.give(reshape(c.b(), build(matrix, 1), shape));
}

void softmax_of_matrix(Context& c) {
  as_matrix(c, [&](const Source& x, int64_t axis) {
    return c.b().add(c.operation(), std::vector{x}, {{"axis", axis}});
  });
}

// 1 for the first of the largest elements of an axis, 0 for all others.
Source hardmax_along(Context& c, const Source& x, int64_t axis) {
  const Source top = c.b().add(
      "TopK", {x, c.b().scalar(int64_t{1})},
      {{"axis", axis}, {"mode", "max"}, {"sort", "value"}, {"index_element_type", ElementType::kI64}}, 2);
  const Source first = squeeze(c.b(), model::Builder::output(top, 1), {axis});
  const Source depth = squeeze(c.b(), size_of(c.b(), x, axis), {0});
  return c.b().add("OneHot", {first, depth, number(c, 1), number(c, 0)}, {{"axis", axis}});
}
void hardmax(Context& c) {
  c.give(hardmax_along(c, c.input(), c.axis(c.integer("axis", -1), c.b().rank(c.input()))));
}
void hardmax_of_matrix(Context& c) {
  as_matrix(c, [&](const Source& x, int64_t axis) { return hardmax_along(c, x, axis); });
}

void identity(Context& c) {
  if (c.node().outputs.size() == 1) c.give_value(0, c.value(0));
}

// The mask of a Dropout that drops nothing.
void dropout(Context& c) {
  if (const auto training = c.find_input(2)) {
    const auto known = c.b().known_ints(*training);
    if (!known || known->empty() || (*known)[0] != 0) {
      fail(ErrorCode::kUnsupported, "drops values at random, as in training. Export the model for inference");
    }
  }
  const Source x = c.input();
  std::vector<Source> outputs = {x};
  if (c.wants(1)) {
    const Source mask = c.b().scalar(1, c.opset() < 10 ? c.b().type(x) : ElementType::kBoolean);
    outputs.push_back(c.b().add("Broadcast", {mask, shape_of(c.b(), x)}));
  }
  c.give(outputs);
}

constexpr Entry kEntries[] = {
    {"Celu", kAllOpsets, celu, "Elu"},
    {"Dropout", kAllOpsets, dropout, ""},
    {"Elu", kAllOpsets, elu, "Elu"},
    {"Gelu", kAllOpsets, gelu, "Gelu"},
    {"HardSigmoid", kAllOpsets, hard_sigmoid, "HardSigmoid"},
    {"HardSwish", kAllOpsets, unary, "HSwish"},
    {"Hardmax", until(12), hardmax_of_matrix, "TopK OneHot"},
    {"Hardmax", since(13), hardmax, "TopK OneHot"},
    {"Identity", kAllOpsets, identity, ""},
    {"LeakyRelu", kAllOpsets, leaky_relu, "PRelu"},
    {"LogSoftmax", until(12), softmax_of_matrix, "LogSoftmax"},
    {"LogSoftmax", since(13), softmax, "LogSoftmax"},
    {"Mish", kAllOpsets, unary, "Mish"},
    {"PRelu", kAllOpsets, prelu, "PRelu"},
    {"Relu", kAllOpsets, unary, "Relu"},
    {"Selu", until(5), legacy_selu, "Selu"},
    {"Selu", since(6), selu, "Selu"},
    {"Shrink", kAllOpsets, shrink, "Select"},
    {"Sigmoid", kAllOpsets, unary, "Sigmoid"},
    {"Softmax", until(12), softmax_of_matrix, "Softmax"},
    {"Softmax", since(13), softmax, "Softmax"},
    {"Softplus", kAllOpsets, unary, "SoftPlus"},
    {"Softsign", kAllOpsets, unary, "SoftSign"},
    {"SwiGLU", kAllOpsets, swiglu, "Swish Multiply"},
    {"Swish", kAllOpsets, swish, "Swish"},
    {"ThresholdedRelu", kAllOpsets, thresholded_relu, "Select"},
};

}  // namespace

std::span<const Entry> activations() { return kEntries; }

}  // namespace wasmvino::onnx
