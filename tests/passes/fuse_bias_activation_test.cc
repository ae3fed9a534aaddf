// SPDX-License-Identifier: Apache-2.0
#include "tests/passes/pass_tester.h"

namespace wasmvino::passes {
namespace {

struct Builder {
  Model model;
  Source x = parameter(model, "x", {2, 4, Dimension(), 6});
  Source bias(const std::string& name = "bias", uint32_t seed = 2) {
    return weights(model, name, {1, 3, 1, 1}, seed);
  }
  Source convolution() {
    return add(model, "Convolution", "conv", {x, weights(model, "filters", {3, 4, 3, 3})});
  }
};

TEST(FuseBiasActivation, BiasThenActivation) {
  Builder b;
  const Source sum = add(b.model, "Add", "sum", {b.bias(), b.convolution()});
  result(b.model, add(b.model, "Relu", "relu", {sum}));
  check_pass(fuse_bias_activation, b.model, "Parameter x; Convolution conv(x); Add sum(conv); Relu relu(sum)",
             "Parameter x; FusedConvolution conv(x)");
}

TEST(FuseBiasActivation, SumsOfSeveralConstants) {
  Builder b;
  const Source sum = add(b.model, "Add", "sum", {b.convolution(), b.bias()});
  const Source less = add(b.model, "Subtract", "less", {sum, b.bias("mean", 3)});
  result(b.model, add(b.model, "Swish", "swish", {less}));
  check_pass(fuse_bias_activation, b.model,
             "Parameter x; Convolution conv(x); Add sum(conv); Subtract less(sum); Swish swish(less)",
             "Parameter x; FusedConvolution conv(x)");
}

TEST(FuseBiasActivation, Activations) {
  struct Case {
    std::string type;
    model::AttributeTexts attributes;
    size_t numbers = 0;
  };
  for (const Case& c :
       {Case{"Clamp", {{"min", "-0.5"}, {"max", "0.75"}}}, Case{"Sigmoid", {}}, Case{"Tanh", {}},
        Case{"HSwish", {}}, Case{"Elu", {{"alpha", "0.5"}}}, Case{"Gelu", {}}, Case{"PRelu", {}, 1},
        Case{"Swish", {}, 1}, Case{"HardSigmoid", {}, 2}, Case{"Selu", {}, 2}}) {
    Builder b;
    std::vector<Source> inputs = {b.convolution()};
    for (size_t i = 0; i < c.numbers; ++i) {
      const float number = i == 0 ? 0.25f : 1.5f;
      inputs.push_back({b.model.add_constant("number", Tensor::scalar<float>(number)), 0});
    }
    result(b.model, add(b.model, c.type, "y", inputs, c.attributes));
    check_pass(fuse_bias_activation, b.model, "Parameter x; Convolution conv(x); " + c.type + " y(conv)",
               "Parameter x; FusedConvolution conv(x)");
  }
}

TEST(FuseBiasActivation, TransposedWithOutputShape) {
  Builder b;
  const Source conv =
      add(b.model, "ConvolutionBackpropData", "conv",
          {b.x, weights(b.model, "filters", {4, 3, 3, 3}), integers(b.model, "size", {9, 10})},
          {{"strides", "2,2"}});
  result(b.model, add(b.model, "Relu", "relu", {add(b.model, "Add", "sum", {conv, b.bias()})}));
  check_pass(fuse_bias_activation, b.model,
             "Parameter x; ConvolutionBackpropData conv(x); Add sum(conv); Relu relu(sum)",
             "Parameter x; FusedConvolution conv(x)");
}

TEST(FuseBiasActivation, LeavesTheRest) {
  Builder b;  // a function, then a sum
  const Source relu = add(b.model, "Relu", "relu", {b.convolution()});
  result(b.model, add(b.model, "Add", "sum", {relu, b.bias()}));
  check_pass(fuse_bias_activation, b.model,
             "Parameter x; Convolution conv(x); Relu relu(conv); Add sum(relu)",
             "Parameter x; FusedConvolution conv(x); Add sum(conv)");
  Builder c;  // a slope for each channel, and a value that others read
  const Source conv = c.convolution();
  result(c.model, add(c.model, "PRelu", "relu", {conv, weights(c.model, "slopes", {3})}));
  const std::string slopes = "Parameter x; Convolution conv(x); PRelu relu(conv)";
  check_pass(fuse_bias_activation, c.model, slopes, slopes);
  Builder d;
  const Source shared = d.convolution();
  result(d.model, add(d.model, "Relu", "relu", {shared}));
  result(d.model, shared);
  const std::string read = "Parameter x; Convolution conv(x); Relu relu(conv)";
  check_pass(fuse_bias_activation, d.model, read, read);
}

}  // namespace
}  // namespace wasmvino::passes
