// SPDX-License-Identifier: Apache-2.0
// Activation functions of torch.nn and torch.nn.functional, which have the same ones.
#include "frontends/pnnx/families.h"
#include "frontends/pnnx/functions.h"

namespace wasmvino::pnnx {
namespace {

// An operation with one input and no attributes.
void simple(Context& c, const char* type) { c.give(c.b().add(type, {c.input()})); }

void identity(Context& c) { c.give(c.input()); }

void celu(Context& c) {
  const double alpha = c.real("alpha", 1);
  const Source elu = c.b().add("Elu", {with_number(c, "Divide", c.input(), alpha)}, {{"alpha", 1.0}});
  c.give(with_number(c, "Multiply", elu, alpha));
}

void elu(Context& c) { c.give(c.b().add("Elu", {c.input()}, {{"alpha", c.real("alpha", 1)}})); }

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
  const Source large = with_number(c, "Greater", c.b().add("Abs", {x}), c.real("lambd", 0.5));
  c.give(c.b().add("Select", {large, x, number_like(c, 0, x)}));
}

void clamp_between(Context& c, double low, double high) {
  c.give(c.b().add("Clamp", {c.input()}, {{"min", low}, {"max", high}}));
}

void hardtanh(Context& c) { clamp_between(c, c.real("min_val", -1), c.real("max_val", 1)); }
void relu6(Context& c) { clamp_between(c, 0, 6); }

void leaky_relu(Context& c) {
  const Source slope =
      c.b().add("Unsqueeze", {number_like(c, c.real("negative_slope", 0.01), c.input()), c.b().list({0})});
  c.give(c.b().add("PRelu", {c.input(), slope}));
}

// In inference, the slope is the mean of its bounds.
void rrelu(Context& c) {
  const double slope = (c.real("lower", 1.0 / 8) + c.real("upper", 1.0 / 3)) / 2;
  c.give(c.b().add("PRelu",
                   {c.input(), c.b().add("Unsqueeze", {number_like(c, slope, c.input()), c.b().list({0})})}));
}

void prelu(Context& c) {
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

void softmax(Context& c) {
  c.give(c.b().add("SoftMax", {declared_real(c, c.input())}, {{"axis", softmax_axis(c)}}));
}
void log_softmax(Context& c) {
  c.give(c.b().add("LogSoftmax", {declared_real(c, c.input())}, {{"axis", softmax_axis(c)}}));
}

void softmax_2d(Context& c) {
  c.give(c.b().add("SoftMax", {c.input()}, {{"axis", c.axis(-3, c.b().rank(c.input()))}}));
}

void softmin(Context& c) {
  c.give(c.b().add("SoftMax", {c.b().add("Negative", {c.input()})}, {{"axis", softmax_axis(c)}}));
}

void selu(Context& c) {
  const Source x = c.input();
  c.give(
      c.b().add("Selu", {x, number_like(c, 1.6732632423543772, x), number_like(c, 1.0507009873554805, x)}));
}

void softplus(Context& c) {
  const double beta = c.real("beta", 1), threshold = c.real("threshold", 20);
  const Source x = c.input();
  const Source scaled = beta == 1 ? x : with_number(c, "Multiply", x, beta);
  Source result = c.b().add("SoftPlus", {scaled});
  if (beta != 1) result = with_number(c, "Divide", result, beta);
  // From 20 on, x and log(1 + exp(x)) are the same number in f32.
  if (threshold < 20) result = c.b().add("Select", {with_number(c, "Greater", scaled, threshold), x, result});
  c.give(result);
}

void softshrink(Context& c) {
  const double lambd = c.real("lambd", 0.5);
  const Source inner = c.b().add("Clamp", {c.input()}, {{"min", -lambd}, {"max", lambd}});
  c.give(c.b().add("Subtract", {c.input(), inner}));
}

void tanhshrink(Context& c) { c.give(c.b().add("Subtract", {c.input(), c.b().add("Tanh", {c.input()})})); }

void threshold(Context& c) {
  const Source x = c.input();
  const Source above = with_number(c, "Greater", x, c.real("threshold"));
  c.give(c.b().add("Select", {above, x, number_like(c, c.real("value"), x)}));
}

void relu(Context& c) { simple(c, "Relu"); }
void sigmoid(Context& c) { simple(c, "Sigmoid"); }
void tanh(Context& c) { simple(c, "Tanh"); }
void mish(Context& c) { simple(c, "Mish"); }
void silu(Context& c) { simple(c, "Swish"); }
void soft_sign(Context& c) { simple(c, "SoftSign"); }
void hard_swish(Context& c) { simple(c, "HSwish"); }
void hard_sigmoid(Context& c) { simple(c, "HSigmoid"); }

constexpr Entry kEntries[] = {
    {"nn.CELU", celu, "Divide Elu Multiply"},
    {"F.celu", celu, "Divide Elu Multiply"},
    {"nn.ELU", elu, "Elu"},
    {"F.elu", elu, "Elu"},
    {"nn.GELU", gelu, "Gelu"},
    {"F.gelu", gelu, "Gelu"},
    {"nn.GLU", glu, "Split Sigmoid Multiply"},
    {"F.glu", glu, "Split Sigmoid Multiply"},
    {"nn.Hardshrink", hardshrink, "Abs Greater Select"},
    {"F.hardshrink", hardshrink, "Abs Greater Select"},
    {"nn.Hardsigmoid", hard_sigmoid, "HSigmoid"},
    {"F.hardsigmoid", hard_sigmoid, "HSigmoid"},
    {"nn.Hardswish", hard_swish, "HSwish"},
    {"F.hardswish", hard_swish, "HSwish"},
    {"nn.Hardtanh", hardtanh, "Clamp"},
    {"F.hardtanh", hardtanh, "Clamp"},
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
    {"nn.RReLU", rrelu, "PRelu"},
    {"F.rrelu", rrelu, "PRelu"},
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
    {"nn.Softshrink", softshrink, "Clamp Subtract"},
    {"F.softshrink", softshrink, "Clamp Subtract"},
    {"nn.Softsign", soft_sign, "SoftSign"},
    {"F.softsign", soft_sign, "SoftSign"},
    {"nn.Tanh", tanh, "Tanh"},
    {"F.tanh", tanh, "Tanh"},
    {"nn.Tanhshrink", tanhshrink, "Tanh Subtract"},
    {"F.tanhshrink", tanhshrink, "Tanh Subtract"},
    {"nn.Threshold", threshold, "Greater Select"},
    {"F.threshold", threshold, "Greater Select"},
    // Dropout does nothing in inference.
    {"nn.AlphaDropout", identity, ""},
    {"nn.Dropout", identity, ""},
    {"nn.Dropout2d", identity, ""},
    {"nn.Dropout3d", identity, ""},
    {"nn.FeatureAlphaDropout", identity, ""},
    {"nn.Identity", identity, ""},
    {"F.alpha_dropout", identity, ""},
    {"F.dropout", identity, ""},
    {"F.dropout2d", identity, ""},
    {"F.dropout3d", identity, ""},
    {"F.feature_alpha_dropout", identity, ""},
};

}  // namespace

std::span<const Entry> activations() { return kEntries; }

}  // namespace wasmvino::pnnx
