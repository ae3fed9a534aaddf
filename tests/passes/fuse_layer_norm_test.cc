// SPDX-License-Identifier: Apache-2.0
#include "tests/passes/pass_tester.h"

namespace wasmvino::passes {
namespace {

struct Builder {
  Model model;
  Source x = parameter(model, "x", {2, Dimension(), 70});
  int made = 0;

  Source number(float value) { return {model.add_constant("number", Tensor::scalar<float>(value)), 0}; }
  Source op(const std::string& type, std::vector<Source> inputs,
            const model::AttributeTexts& attributes = {}) {
    return add(model, type, "n" + std::to_string(++made), std::move(inputs), attributes);
  }
  Source mean(Source value, int64_t axis = -1) {
    return op("ReduceMean", {value, integers(model, "axis", {axis})}, {{"keep_dims", "true"}});
  }
  Source shifted(Source value) { return op("Add", {value, number(1e-3f)}); }
  Source scaled(Source value) { return op("Multiply", {weights(model, "gamma", {1, 1, 70}), value}); }

  void expect(const std::string& after, Source y) {
    result(model, y);
    model.index();
    model.infer();
    check_pass(fuse_layer_norm, model, outline(model), after.empty() ? outline(model) : after);
  }
};

TEST(FuseLayerNorm, Decomposed) {
  for (int squares = 0; squares < 4; ++squares) {
    Builder b;
    const Source mean = b.mean(b.x), difference = b.op("Subtract", {b.x, mean});
    const Source again = b.op("Subtract", {b.x, mean});
    const Source square = squares == 0   ? b.op("Power", {difference, b.number(2)})
                          : squares == 1 ? b.op("Multiply", {difference, difference})
                          : squares == 2 ? b.op("SquaredDifference", {b.x, mean})
                                         : b.op("Power", {again, b.number(2)});
    const Source root = b.op("Sqrt", {b.shifted(b.mean(square, 2))});
    const Source scaled = b.scaled(b.op("Divide", {difference, root}));
    const Source y = b.op("Add", {scaled, weights(b.model, "beta", {70}, 2)});
    b.expect("Parameter x; LayerNorm " + y.node->name + "(x)", y);
  }
}

TEST(FuseLayerNorm, RootsOfAllForms) {
  for (int form = 0; form < 4; ++form) {
    Builder b;
    const Source difference = b.op("Subtract", {b.x, b.mean(b.x)});
    const Source sum = b.shifted(b.mean(b.op("Multiply", {difference, difference})));
    const Source power = b.op("Power", {sum, b.number(form == 0 ? 0.5f : -0.5f)});
    const Source y = form == 0   ? b.op("Divide", {difference, power})
                     : form == 1 ? b.op("Multiply", {power, difference})
                     : form == 2
                         ? b.op("Multiply", {difference, b.op("Divide", {b.number(1), b.op("Sqrt", {sum})})})
                         : b.op("Multiply", {difference, b.op("Power", {b.op("Sqrt", {sum}), b.number(-1)})});
    b.expect("Parameter x; LayerNorm " + y.node->name + "(x)", y);
  }
}

TEST(FuseLayerNorm, AsBatchNorm) {
  for (const bool scaled : {true, false}) {
    Builder b;
    const Source mean = b.mean(b.x), sum = b.shifted(b.mean(b.op("SquaredDifference", {b.x, mean})));
    const Source root = b.op("Power", {sum, b.number(-0.5f)}), factor = scaled ? b.scaled(root) : root;
    const Source shift =
        b.op("Subtract", {weights(b.model, "beta", {70}, 2), b.op("Multiply", {mean, factor})});
    const Source y = b.op("Add", {b.op("Multiply", {b.x, factor}), shift});
    b.expect("Parameter x; LayerNorm " + y.node->name + "(x)", y);
  }
}

TEST(FuseLayerNorm, RmsNorm) {
  Builder b;
  const Source root = b.op("Sqrt", {b.shifted(b.mean(b.op("Power", {b.x, b.number(2)})))});
  const Source y = b.scaled(b.op("Multiply", {b.x, b.op("Divide", {b.number(1), root})}));
  b.expect("Parameter x; LayerNorm " + y.node->name + "(x)", y);
}

TEST(FuseLayerNorm, Mvn) {
  Builder b;
  const Source mvn = b.op("MVN", {b.x, integers(b.model, "axis", {2})},
                          {{"eps", "1e-3"}, {"normalize_variance", "true"}, {"eps_mode", "inside_sqrt"}});
  const Source y = b.op("Add", {b.scaled(mvn), weights(b.model, "beta", {1, 70}, 2)});
  b.expect("Parameter x; LayerNorm " + y.node->name + "(x)", y);
}

TEST(FuseLayerNorm, BetaWithoutGamma) {
  Builder b;
  const Source root = b.op("Sqrt", {b.shifted(b.mean(b.op("Power", {b.x, b.number(2)})))});
  const Source y = b.op("Add", {b.op("Divide", {b.x, root}), weights(b.model, "beta", {70})});
  b.expect("Parameter x; LayerNorm " + y.node->name + "(x)", y);
}

TEST(FuseLayerNorm, OtherStatisticsStay) {
  {
    Builder b;  // along another axis
    const Source difference = b.op("Subtract", {b.x, b.mean(b.x, 0)});
    const Source root = b.op("Sqrt", {b.shifted(b.mean(b.op("Power", {difference, b.number(2)}), 0))});
    b.expect("", b.op("Divide", {difference, root}));
  }
  {
    Builder b;  // squares of another value
    const Source difference = b.op("Subtract", {b.x, b.mean(b.x)});
    const Source root = b.op("Sqrt", {b.shifted(b.mean(b.op("Power", {b.x, b.number(2)})))});
    b.expect("", b.op("Divide", {difference, root}));
  }
  {
    Builder b;  // the mean of another value
    const Source mean = b.mean(b.x), other = b.mean(b.op("Exp", {b.x}));
    const Source factor =
        b.op("Power", {b.shifted(b.mean(b.op("SquaredDifference", {b.x, mean}))), b.number(-0.5f)});
    const Source shift =
        b.op("Subtract", {weights(b.model, "beta", {70}, 2), b.op("Multiply", {other, factor})});
    b.expect("", b.op("Add", {b.op("Multiply", {b.x, factor}), shift}));
  }
  {
    Builder b;
    const Source outside =
        b.op("MVN", {b.x, integers(b.model, "axis", {2})},
             {{"eps", "1e-3"}, {"normalize_variance", "true"}, {"eps_mode", "outside_sqrt"}});
    b.expect("", b.scaled(outside));
  }
}

}  // namespace
}  // namespace wasmvino::passes
