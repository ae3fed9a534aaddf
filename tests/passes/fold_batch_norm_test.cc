// SPDX-License-Identifier: Apache-2.0
#include "tests/passes/pass_tester.h"

namespace wasmvino::passes {
namespace {

struct Builder {
  Model model;
  Source x = parameter(model, "x", {1, 4, Dimension(), 6});
  Source channels(const std::string& name, int64_t count, uint32_t seed) {
    return weights(model, name, {1, count, 1, 1}, seed);
  }
  Source convolution(Source data, int64_t out = 3) {
    return add(model, "Convolution", "conv", {data, weights(model, "filters", {out, 4, 3, 3})});
  }
};

TEST(FoldBatchNorm, ProductsBehindConvolutions) {
  Builder b;
  result(b.model, add(b.model, "Multiply", "scaled", {b.channels("factors", 3, 2), b.convolution(b.x)}));
  check_pass(fold_batch_norm, b.model, "Parameter x; Convolution conv(x); Multiply scaled(conv)",
             "Parameter x; Convolution conv(x)");
}

TEST(FoldBatchNorm, QuotientsAndProductsOfSums) {
  Builder b;
  const Source sum = add(b.model, "Add", "sum", {b.convolution(b.x), b.channels("bias", 3, 2)});
  const Source divisor = {b.model.add_constant("divisor", Tensor::of<float>({1}, {4})), 0};
  const Source quotient = add(b.model, "Divide", "quotient", {sum, divisor});
  result(b.model, add(b.model, "Add", "shifted", {quotient, b.channels("shift", 3, 3)}));
  check_pass(fold_batch_norm, b.model,
             "Parameter x; Convolution conv(x); Add sum(conv); Divide quotient(sum); Add shifted(quotient)",
             "Parameter x; Convolution conv(x); Add sum(conv); Add shifted(sum)");
}

TEST(FoldBatchNorm, ProductsBeforeConvolutions) {
  Builder b;
  const Source scaled = add(b.model, "Multiply", "scaled", {b.x, b.channels("factors", 4, 2)});
  result(b.model, b.convolution(scaled));
  check_pass(fold_batch_norm, b.model, "Parameter x; Multiply scaled(x); Convolution conv(scaled)",
             "Parameter x; Convolution conv(x)");
}

TEST(FoldBatchNorm, GroupedAndTransposed) {
  for (const std::string type :
       {"GroupConvolution", "ConvolutionBackpropData", "GroupConvolutionBackpropData"}) {
    Builder b;
    const Shape shape = type == "GroupConvolution"          ? Shape{2, 3, 2, 3, 3}
                        : type == "ConvolutionBackpropData" ? Shape{4, 6, 3, 3}
                                                            : Shape{2, 2, 3, 3, 3};
    const Source before = add(b.model, "Multiply", "before", {b.x, b.channels("first", 4, 2)});
    const Source conv = add(b.model, type, "conv", {before, weights(b.model, "filters", shape)});
    result(b.model, add(b.model, "Multiply", "behind", {conv, b.channels("second", 6, 3)}));
    check_pass(fold_batch_norm, b.model,
               "Parameter x; Multiply before(x); " + type + " conv(before); Multiply behind(conv)",
               "Parameter x; " + type + " conv(x)");
  }
}

TEST(FoldBatchNorm, BatchNormsOfBothVersions) {
  for (const bool old : {false, true}) {
    Builder b;
    const Source conv = b.convolution(b.x);
    const auto values = [&](const std::string& name, float first) {
      return Source{b.model.add_constant(name, Tensor::of<float>({3}, {first, first + 1, first + 2})), 0};
    };
    const Source gamma = values("gamma", -1), beta = values("beta", 2), mean = values("mean", 0.5f),
                 variance = values("variance", 1);
    const model::OpClass* found = registry().find("BatchNormInference", old ? 1 : 5);
    auto op = found->make();
    const model::AttributeTexts texts = {{"epsilon", "0.25"}};
    model::AttributeReader reader(texts);
    op->visit_attributes(reader);
    auto node = std::make_unique<Node>("norm", "BatchNormInference", found->since, std::move(op));
    node->inputs = old ? std::vector<Source>{gamma, beta, conv, mean, variance}
                       : std::vector<Source>{conv, gamma, beta, mean, variance};
    node->outputs.resize(1);
    result(b.model, {b.model.add(std::move(node)), 0});
    check_pass(fold_batch_norm, b.model, "Parameter x; Convolution conv(x); BatchNormInference norm(conv)",
               "Parameter x; Convolution conv(x); Add norm(conv)");
  }
}

TEST(FoldBatchNorm, LeavesWhatOthersReadOrWhatIsNotByChannel) {
  Builder b;
  const Source conv = b.convolution(b.x);
  result(b.model, add(b.model, "Multiply", "scaled", {conv, b.channels("factors", 3, 2)}));
  result(b.model, conv);
  const std::string shared = "Parameter x; Convolution conv(x); Multiply scaled(conv)";
  check_pass(fold_batch_norm, b.model, shared, shared);
  Builder c;
  const Source by_column = weights(c.model, "columns", {1, 1, 1, 4}, 2);
  result(c.model, add(c.model, "Multiply", "scaled", {c.convolution(c.x), by_column}));
  check_pass(fold_batch_norm, c.model, shared, shared);
}

}  // namespace
}  // namespace wasmvino::passes
