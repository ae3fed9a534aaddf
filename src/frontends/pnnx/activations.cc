// SPDX-License-Identifier: Apache-2.0
// Activation functions of torch.nn and torch.nn.functional, which have the same ones.
#include "frontends/pnnx/families.h"
#include "frontends/pnnx/functions.h"

namespace wasmvino::pnnx {
namespace {

// An operation with one input and no attributes.
void simple(Context& c, const char* type) { c.give(c.b().add(type, {c.input()})); }

void identity(Context& c) { c.give(c.input()); }

void dropout(Context& c) {
  c.ignore("p");
  if (c.flag("training", false))
    fail(ErrorCode::kUnsupported, "drops elements at random, as in training. Trace the network after eval()");
  identity(c);
}

void celu(Context& c) {
  const Scalar alpha = c.number("alpha", 1);
  const Source elu = c.b().add("Elu", {with_number(c, "Divide", c.input(), alpha)}, {{"alpha", 1.0}});
  c.give(with_number(c, "Multiply", elu, alpha));
}

void elu(Context& c) {
  const Source x = c.input();
  const Scalar alpha = c.number("alpha", 1);
  const Source result = c.b().add("Elu", {x}, {{"alpha", alpha.known.value_or(1)}});
  // An alpha that the graph computes multiplies what is below 0.
  c.give(alpha.known ? result
                     : c.b().add("Select", {with_number(c, "Less", x, 0),
                                            with_number(c, "Multiply", result, alpha), result}));
}

void gelu(Context& c) {
  const std::string mode = c.word("approximate", "none") == "tanh" ? "TANH" : "ERF";
  c.give(c.b().add("Gelu", {c.input()}, {{"approximation_mode", mode}}));
}

void glu(Context& c) {
  const int64_t axis = c.axis(c.integer("dim", -1), c.b().rank(c.input()));
  const Source halves = c.b().add("Split", {c.input(), c.b().scalar(axis)}, {{"num_splits", int64_t{2}}}, 2);
  const Source gate = c.b().add("Sigmoid", {model::Builder::output(halves, 1)});
  c.give(c.b().add("Multiply", {halves, gate}));
}

void hardshrink(Context& c) {
  const Source x = c.input();
  const Source small = with_number(c, "LessEqual", c.b().add("Abs", {x}), c.number("lambd", 0.5));
  c.give(c.b().add("Select", {small, number_like(c, 0, x), x}));
}

void clamp_between(Context& c, double low, double high) {
  c.give(c.b().add("Clamp", {c.input()}, {{"min", low}, {"max", high}}));
}

void hardtanh(Context& c) {
  const Scalar low = c.number("min_val", -1), high = c.number("max_val", 1);
  if (low.known && high.known) {
    clamp_between(c, *low.known, *high.known);
  } else {
    c.give(with_number(c, "Minimum", with_number(c, "Maximum", c.input(), low), high));
  }
}
void relu6(Context& c) { clamp_between(c, 0, 6); }

// The slope of negative numbers.
void give_sloped(Context& c, const Source& slope) {
  c.give(c.b().add("PRelu", {c.input(), unsqueeze(c, slope, 0)}));
}

void leaky_relu(Context& c) { give_sloped(c, number_like(c, c.number("negative_slope", 0.01), c.input())); }

// In inference, the slope is the mean of its bounds.
void rrelu(Context& c) {
  if (c.flag("training", false)) fail(ErrorCode::kUnsupported, "takes random slopes, as in training");
  const Scalar lower = c.number("lower", 1.0 / 8), upper = c.number("upper", 1.0 / 3);
  if (lower.known && upper.known) {
    give_sloped(c, number_like(c, (*lower.known + *upper.known) / 2, c.input()));
    return;
  }
  const Source sum = c.b().add("Add", {number_like(c, lower, c.input()), number_like(c, upper, c.input())});
  give_sloped(c, with_number(c, "Multiply", sum, 0.5));
}

void prelu(Context& c) {
  c.ignore("num_parameters");
  const auto given = c.has_weight("weight") ? std::nullopt : c.find_input("weight", 1);
  c.give(c.b().add("PRelu", {c.input(), given ? *given : c.weight("weight")}));
}

void log_sigmoid(Context& c) {
  const Source negative = c.b().add("Negative", {c.input()});
  c.give(c.b().add("Negative", {c.b().add("SoftPlus", {negative})}));
}

// PyTorch's default axis: that of channels for an image, else the last.
int64_t softmax_axis(Context& c) {
  const size_t rank = c.b().rank(c.input());
  return c.axis(c.integer("dim", rank == 0 || rank == 1 || rank == 3 ? 0 : 1), rank);
}

// The input in the type of the result: as the parameter dtype, or the declaration of the output, says.
Source softmax_input(Context& c) {
  return declared_real(c, convert(c, c.input(), c.dtype(c.b().type(c.input()))));
}

void softmax(Context& c) { c.give(c.b().add("SoftMax", {softmax_input(c)}, {{"axis", softmax_axis(c)}})); }
void log_softmax(Context& c) {
  c.give(c.b().add("LogSoftmax", {softmax_input(c)}, {{"axis", softmax_axis(c)}}));
}

void softmax_2d(Context& c) {
  c.give(c.b().add("SoftMax", {c.input()}, {{"axis", c.axis(-3, c.b().rank(c.input()))}}));
}

void softmin(Context& c) {
  c.give(c.b().add("SoftMax", {c.b().add("Negative", {softmax_input(c)})}, {{"axis", softmax_axis(c)}}));
}

void selu(Context& c) {
  const Source x = c.input();
  c.give(
      c.b().add("Selu", {x, number_like(c, 1.6732632423543772, x), number_like(c, 1.0507009873554805, x)}));
}

void softplus(Context& c) {
  const Scalar beta = c.number("beta", 1), threshold = c.number("threshold", 20);
  const Source x = c.input();
  const bool plain = beta.known == 1;
  const Source scaled = plain ? x : with_number(c, "Multiply", x, beta);
  Source result = c.b().add("SoftPlus", {scaled});
  if (!plain) result = with_number(c, "Divide", result, beta);
  // From 20 on, x and log(1 + exp(x)) are the same number in f32.
  if (!threshold.known || *threshold.known < 20)
    result = c.b().add("Select", {with_number(c, "Greater", scaled, threshold), x, result});
  c.give(result);
}

// x beyond lambd and -lambd, moved towards 0 by it.
void softshrink(Context& c) {
  const Source x = c.input(), lambd = number_like(c, c.number("lambd", 0.5), x);
  const Source inner =
      c.b().add("Minimum", {c.b().add("Maximum", {x, c.b().add("Negative", {lambd})}), lambd});
  c.give(c.b().add("Subtract", {x, inner}));
}

void tanhshrink(Context& c) {
  const Source x = as_real(c, c.input());
  c.give(c.b().add("Subtract", {x, c.b().add("Tanh", {x})}));
}

void threshold(Context& c) {
  const Source x = c.input();
  const Source replaced = with_number(c, "LessEqual", x, c.number("threshold"));
  c.give(c.b().add("Select", {replaced, number_like(c, c.number("value"), x), x}));
}

void relu(Context& c) { simple(c, "Relu"); }
void sigmoid(Context& c) { c.give(c.b().add("Sigmoid", {as_real(c, c.input())})); }
void tanh(Context& c) { c.give(c.b().add("Tanh", {as_real(c, c.input())})); }
void mish(Context& c) { simple(c, "Mish"); }
void silu(Context& c) { simple(c, "Swish"); }
void soft_sign(Context& c) { c.give(c.b().add("SoftSign", {as_real(c, c.input())})); }
void hard_swish(Context& c) { simple(c, "HSwish"); }
void hard_sigmoid(Context& c) { simple(c, "HSigmoid"); }

constexpr Entry kEntries[] = {
    {"nn.CELU", celu, "Divide Elu Multiply"},
    {"F.celu", celu, "Divide Elu Multiply"},
    {"nn.ELU", elu, "Elu Less Multiply Select"},
    {"F.elu", elu, "Elu Less Multiply Select"},
    {"nn.GELU", gelu, "Gelu"},
    {"F.gelu", gelu, "Gelu"},
    {"nn.GLU", glu, "Split Sigmoid Multiply"},
    {"F.glu", glu, "Split Sigmoid Multiply"},
    {"nn.Hardshrink", hardshrink, "Abs LessEqual Select"},
    {"F.hardshrink", hardshrink, "Abs LessEqual Select"},
    {"nn.Hardsigmoid", hard_sigmoid, "HSigmoid"},
    {"F.hardsigmoid", hard_sigmoid, "HSigmoid"},
    {"nn.Hardswish", hard_swish, "HSwish"},
    {"F.hardswish", hard_swish, "HSwish"},
    {"nn.Hardtanh", hardtanh, "Clamp Maximum Minimum"},
    {"F.hardtanh", hardtanh, "Clamp Maximum Minimum"},
    {"nn.LeakyReLU", leaky_relu, "PRelu"},
    {"F.leaky_relu", leaky_relu, "PRelu"},
    {"nn.LogSigmoid", log_sigmoid, "Negative SoftPlus"},
    {"F.logsigmoid", log_sigmoid, "Negative SoftPlus"},
    {"nn.LogSoftmax", log_softmax, "LogSoftmax"},
    {"F.log_softmax", log_softmax, "LogSoftmax"},
    {"nn.Mish", mish, "Mish"},
    {"F.mish", mish, "Mish"},
    {"nn.PReLU", prelu, "PRelu"},
    {"F.prelu", prelu, "PRelu"},
    {"nn.ReLU", relu, "Relu"},
    {"F.relu", relu, "Relu"},
    {"nn.ReLU6", relu6, "Clamp"},
    {"F.relu6", relu6, "Clamp"},
    {"nn.RReLU", rrelu, "PRelu Add Multiply"},
    {"F.rrelu", rrelu, "PRelu Add Multiply"},
    {"nn.SELU", selu, "Selu"},
    {"F.selu", selu, "Selu"},
    {"nn.SiLU", silu, "Swish"},
    {"F.silu", silu, "Swish"},
    {"nn.Sigmoid", sigmoid, "Sigmoid"},
    {"F.sigmoid", sigmoid, "Sigmoid"},
    {"nn.Softmax", softmax, "Softmax"},
    {"F.softmax", softmax, "Softmax"},
    {"nn.Softmax2d", softmax_2d, "Softmax"},
    {"nn.Softmin", softmin, "Negative Softmax"},
    {"F.softmin", softmin, "Negative Softmax"},
    {"nn.Softplus", softplus, "Multiply SoftPlus Divide Greater Select"},
    {"F.softplus", softplus, "Multiply SoftPlus Divide Greater Select"},
    {"nn.Softshrink", softshrink, "Maximum Minimum Negative Subtract"},
    {"F.softshrink", softshrink, "Maximum Minimum Negative Subtract"},
    {"nn.Softsign", soft_sign, "SoftSign"},
    {"F.softsign", soft_sign, "SoftSign"},
    {"nn.Tanh", tanh, "Tanh"},
    {"F.tanh", tanh, "Tanh"},
    {"nn.Tanhshrink", tanhshrink, "Tanh Subtract"},
    {"F.tanhshrink", tanhshrink, "Tanh Subtract"},
    {"nn.Threshold", threshold, "LessEqual Select"},
    {"F.threshold", threshold, "LessEqual Select"},
    // Dropout does nothing in inference.
    {"nn.AlphaDropout", dropout, ""},
    {"nn.Dropout", dropout, ""},
    {"nn.Dropout2d", dropout, ""},
    {"nn.Dropout3d", dropout, ""},
    {"nn.FeatureAlphaDropout", dropout, ""},
    {"nn.Identity", identity, ""},
    {"F.alpha_dropout", dropout, ""},
    {"F.dropout", dropout, ""},
    {"F.dropout2d", dropout, ""},
    {"F.dropout3d", dropout, ""},
    {"F.feature_alpha_dropout", dropout, ""},
};

}  // namespace

std::span<const Entry> activations() { return kEntries; }

}  // namespace wasmvino::pnnx
