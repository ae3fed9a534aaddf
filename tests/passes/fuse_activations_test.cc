// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "tests/passes/pass_tester.h"

namespace wasmvino::passes {
namespace {

// Graphs in few words.
struct Builder {
  Model model;
  Source x = parameter(model, "x", {2, Dimension(), 7});
  int made = 0;

  Source number(float value) { return {model.add_constant("number", Tensor::of<float>({1, 1}, {value})), 0}; }
  Source op(const std::string& type, std::vector<Source> inputs,
            const model::AttributeTexts& attributes = {}) {
    return add(model, type, "n" + std::to_string(++made), std::move(inputs), attributes);
  }
  Source times(Source a, Source b) { return op("Multiply", {a, b}); }
  Source times(Source a, float b) { return times(a, number(b)); }
  Source plus(Source a, float b) { return op("Add", {number(b), a}); }
  Source over(Source a, float b) { return op("Divide", {a, number(b)}); }
  Source power(Source a, float b) { return op("Power", {a, number(b)}); }
  Source clamp(Source a, const std::string& high) { return op("Clamp", {a}, {{"min", "0"}, {"max", high}}); }

  // The pass leaves one operation of this type.
  void expect(const std::string& type, Source y) {
    result(model, y);
    model.index();
    model.infer();
    check_pass(fuse_activations, model, outline(model), "Parameter x; " + type + " " + y.node->name + "(x)");
  }
  void expect_unchanged(Source y) {
    result(model, y);
    model.index();
    model.infer();
    check_pass(fuse_activations, model, outline(model), outline(model));
  }
};

constexpr float kRootOfTwo = 1.41421356f;

TEST(FuseActivations, GeluByErf) {
  const auto gate = [](Builder& b) { return b.plus(b.op("Erf", {b.over(b.x, kRootOfTwo)}), 1); };
  {
    Builder b;
    b.expect("Gelu", b.times(b.times(b.x, gate(b)), 0.5f));
  }
  {
    Builder b;
    b.expect("Gelu", b.times(gate(b), b.times(b.x, 0.5f)));
  }
  {
    Builder b;
    b.expect("Gelu", b.times(b.x, b.times(gate(b), 0.5f)));
  }
  {
    Builder b;
    const Source erf = b.op("Erf", {b.times(b.x, 1 / kRootOfTwo)});
    b.expect("Gelu", b.times(b.over(b.x, 2), b.plus(erf, 1)));
  }
}

TEST(FuseActivations, GeluByTanh) {
  {
    Builder b;
    const Source cube = b.times(b.power(b.x, 3), 0.044715f);
    const Source tanh = b.op("Tanh", {b.times(b.op("Add", {b.x, cube}), 0.79788456f)});
    b.expect("Gelu", b.times(b.times(b.x, 0.5f), b.plus(tanh, 1)));
  }
  {
    Builder b;
    const Source square = b.plus(b.times(b.times(b.x, 0.044715f), b.x), 1);
    const Source tanh = b.op("Tanh", {b.times(b.times(b.x, 0.79788456f), square)});
    b.expect("Gelu", b.times(b.times(b.x, 0.5f), b.plus(tanh, 1)));
  }
  {
    Builder b;
    const Source cube = b.times(b.times(b.times(b.x, b.x), b.x), 0.044715f);
    const Source tanh = b.op("Tanh", {b.times(b.op("Add", {cube, b.x}), 0.79788456f)});
    b.expect("Gelu", b.times(b.times(b.plus(tanh, 1), 0.5f), b.x));
  }
}

TEST(FuseActivations, Swish) {
  {
    Builder b;
    b.expect("Swish", b.times(b.x, b.op("Sigmoid", {b.x})));
  }
  {
    Builder b;
    b.expect("Swish", b.times(b.op("Sigmoid", {b.times(b.x, 1.702f)}), b.x));
  }
  {
    Builder b;
    b.expect("Swish", b.op("Divide", {b.x, b.plus(b.op("Exp", {b.op("Negative", {b.x})}), 1)}));
  }
  {
    Builder b;
    b.expect("Swish", b.op("Divide", {b.x, b.plus(b.op("Exp", {b.times(b.x, -1.5f)}), 1)}));
  }
}

TEST(FuseActivations, PRelu) {
  // Negative and Relu; a product with -1; the minimum with 0; x - |x|.
  const auto below = [](Builder& b, int form) {
    if (form == 0) return b.op("Relu", {b.op("Negative", {b.x})});
    if (form == 1) return b.op("Relu", {b.times(b.x, -1)});
    if (form == 2) return b.op("Minimum", {b.number(0), b.x});
    return b.op("Subtract", {b.x, b.op("Abs", {b.x})});
  };
  for (int form = 0; form < 4; ++form) {
    for (const char* type : {"Add", "Subtract"}) {
      for (const bool vector : {false, true}) {
        Builder b;
        const Source slopes = {
            b.model.add_constant("slopes", Tensor::of<float>({7}, {1, -2, .5f, 0, .25f, 3, 1})), 0};
        const Source scaled =
            vector ? b.times(b.times(below(b, form), slopes), 0.5f) : b.times(below(b, form), 0.5f);
        const Source y = b.op(type, {b.op("Relu", {b.x}), scaled});
        result(b.model, y);
        b.model.index();
        b.model.infer();
        check_pass(fuse_activations, b.model, outline(b.model), "Parameter x; PRelu " + y.node->name + "(x)");
      }
    }
  }
  Builder b;
  b.expect_unchanged(
      b.op("Subtract", {b.times(b.op("Relu", {b.op("Negative", {b.x})}), 0.5f), b.op("Relu", {b.x})}));
}

TEST(FuseActivations, PReluOfAnotherValueStays) {
  Builder b;
  const Source other = b.op("Exp", {b.x});
  b.expect_unchanged(
      b.op("Add", {b.op("Relu", {b.x}), b.times(b.op("Relu", {b.op("Negative", {other})}), 2)}));
  Builder c;
  c.expect_unchanged(c.op("Add", {c.op("Relu", {c.x}), c.times(c.op("Relu", {c.times(c.x, 3)}), 2)}));
}

TEST(FuseActivations, HSwishAndHSigmoid) {
  {
    Builder b;
    b.expect("HSwish", b.over(b.times(b.x, b.clamp(b.plus(b.x, 3), "6")), 6));
  }
  {
    Builder b;
    b.expect("HSwish", b.times(b.x, b.times(b.clamp(b.plus(b.x, 3), "6"), 1 / 6.0f)));
  }
  {
    Builder b;
    b.expect("HSwish", b.times(b.x, b.clamp(b.plus(b.times(b.x, 1 / 6.0f), 0.5f), "1")));
  }
  {
    Builder b;
    b.expect("HSwish", b.times(b.op("HardSigmoid", {b.x, b.number(1 / 6.0f), b.number(0.5f)}), b.x));
  }
  {
    Builder b;
    b.expect("HSigmoid", b.over(b.clamp(b.plus(b.x, 3), "6"), 6));
  }
}

TEST(FuseActivations, SoftPlusAndMish) {
  {
    Builder b;
    b.expect("SoftPlus", b.op("Log", {b.plus(b.op("Exp", {b.x}), 1)}));
  }
  {
    Builder b;
    b.expect("Mish", b.times(b.x, b.op("Tanh", {b.op("Log", {b.plus(b.op("Exp", {b.x}), 1)})})));
  }
}

TEST(FuseActivations, OtherNumbersStay) {
  {
    Builder b;
    const Source gate = b.plus(b.op("Erf", {b.over(b.x, 1.5f)}), 1);
    b.expect_unchanged(b.times(b.times(b.x, gate), 0.5f));
  }
  {
    Builder b;
    b.expect_unchanged(b.over(b.times(b.x, b.clamp(b.plus(b.x, 3), "5")), 6));
  }
  {
    Builder b;  // another value than the one that passes the gate
    b.expect_unchanged(b.times(b.op("Abs", {b.x}), b.op("Sigmoid", {b.x})));
  }
}

TEST(FuseActivations, LongProductsStay) {
  Builder b;
  Source y = b.op("Sigmoid", {b.x});
  for (int i = 0; i < 3000; ++i) y = b.times(y, 1.0f);
  b.expect_unchanged(b.times(b.x, y));
}

// A number with more axes than the data gives the result more axes, too.
TEST(FuseActivations, NumbersThatAddAxesStay) {
  Builder b;
  const Source number = {b.model.add_constant("number", Tensor::of<float>({1, 1, 1, 1}, {1.5f})), 0};
  b.expect_unchanged(b.times(b.x, b.op("Sigmoid", {b.times(b.x, number)})));
}

}  // namespace
}  // namespace wasmvino::passes
