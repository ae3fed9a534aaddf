// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>

#include "model/infer.h"
#include "model/registry.h"

namespace wasmvino::model {
namespace {

class CopyOp final : public Op {
 public:
  explicit CopyOp(int version = 0) : version(version) {}
  int version;
  void infer(InferContext& context) const override {
    context.expect_inputs(1);
    context.set_output(0, context.input_type(0), context.input_shape(0));
  }
  void evaluate(EvalContext& context) const override { copy_elements(context.input(0), context.output(0)); }
};

Node* add(Model& model, const std::string& name, std::vector<Source> inputs) {
  auto node = std::make_unique<Node>(name, "Copy", 1, std::make_shared<CopyOp>());
  node->inputs = std::move(inputs);
  node->outputs.resize(1);
  return model.add(std::move(node));
}

void add_result(Model& model, Source source) {
  auto node = std::make_unique<Node>("result", "Result", 1, std::make_shared<ResultOp>(), NodeKind::kResult);
  node->inputs = {source};
  model.results.push_back(model.add(std::move(node)));
}

TEST(Model, SortsNodesAndDropsWhatNobodyNeeds) {
  Model model;
  Node* last = add(model, "last", {});
  Node* first = model.add_constant("first", Tensor::of<int32_t>({2}, {1, 2}));
  Node* middle = add(model, "middle", {{first, 0}});
  last->inputs = {{middle, 0}};
  add(model, "unused", {{first, 0}});
  add_result(model, {last, 0});
  model.index();
  ASSERT_EQ(model.nodes.size(), 4u);
  EXPECT_EQ(model.nodes[0].get(), first);
  EXPECT_EQ(model.nodes[1].get(), middle);
  EXPECT_EQ(model.nodes[2].get(), last);
  EXPECT_EQ(last->first_value, 2u);
  model.infer();
  EXPECT_EQ(to_string(last->outputs[0].shape), "[2]");
}

TEST(Model, NamesTheNodesOfACycle) {
  Model model;
  Node* a = add(model, "a", {});
  Node* b = add(model, "b", {{a, 0}});
  Node* c = add(model, "c", {{b, 0}});
  a->inputs = {{c, 0}};
  add_result(model, {c, 0});
  try {
    model.index();
    FAIL();
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_EQ(error.code(), ErrorCode::kInvalidModel);
    for (const char* name : {"'a'", "'b'", "'c'"}) EXPECT_NE(message.find(name), std::string::npos) << message;
  }
}

TEST(Model, SortsAChainOf50000Nodes) {
  Model model;
  Source at = {model.add_constant("first", Tensor::scalar<float>(1.0f)), 0};
  for (int i = 0; i < 50000; ++i) at = {add(model, "n", {at}), 0};
  add_result(model, at);
  model.index();
  EXPECT_EQ(model.nodes.size(), 50002u);
}

TEST(Model, ClonesShareOperationsAndNothingElse) {
  Model model;
  Node* first = model.add_constant("first", Tensor::of<int32_t>({2}, {1, 2}));
  Node* node = add(model, "node", {{first, 0}});
  add_result(model, {node, 0});
  model.index();
  const std::unique_ptr<Model> twin = model.clone();
  EXPECT_EQ(twin->nodes[1]->op, node->op);
  EXPECT_EQ(twin->nodes[1]->inputs[0].node, twin->nodes[0].get());
  twin->nodes[1]->name = "other";
  EXPECT_EQ(node->name, "node");
}

TEST(Inference, ComputesWhatIsKnown) {
  Model model;
  Node* first = model.add_constant("first", Tensor::of<int32_t>({2}, {1, 2}));
  Node* node = add(model, "node", {{first, 0}});
  add_result(model, {node, 0});
  model.index();
  const Inference inference = infer_model(model, {});
  const TensorView* value = inference.of({node, 0}).value();
  ASSERT_NE(value, nullptr);
  EXPECT_EQ(to_ints(*value), (Ints{1, 2}));
  EXPECT_TRUE(inference.folded[node->index]);
}

TEST(Registry, PicksTheVersionOfAnOpset) {
  Registry registry;
  registry.add<CopyOp>({"TopK", {1, 3, 11}, "sort/topk-11"});
  registry.add<CopyOp>({"Reverse", {1}, "movement/reverse-1", 1});
  const auto version = [&](std::string_view type, int opset) {
    const OpClass* found = registry.find(type, opset);
    return found == nullptr ? 0 : found->since;
  };
  EXPECT_EQ(version("TopK", 1), 1);
  EXPECT_EQ(version("TopK", 2), 1);
  EXPECT_EQ(version("topk", 10), 3);
  EXPECT_EQ(version("TOPK", 16), 11);
  EXPECT_EQ(version("TopK", 17), 0);
  EXPECT_EQ(version("Reverse", 1), 1);
  EXPECT_EQ(version("Reverse", 2), 0);
  EXPECT_EQ(version("Top", 3), 0);
  EXPECT_EQ(registry.find_newest("TopK")->since, 11);
  EXPECT_EQ(static_cast<const CopyOp&>(*registry.make_node("TopK", "n", {})->op).version, 11);
  EXPECT_THROW(registry.make_node("Nothing", "n", {}), Error);
}

// Weights of 8 bytes, which count how often they are read.
class CountedBytes final : public ByteSource {
 public:
  mutable int reads = 0;
  size_t size() const override { return 8; }
  void read(size_t offset, size_t count, void* to) const override {
    ++reads;
    const unsigned char bytes[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    std::memcpy(to, bytes + offset, count);
  }
};

TEST(ConstantData, ReadsWhenAskedAndAgainAfterDrop) {
  const auto source = std::make_shared<CountedBytes>();
  const ConstantData constant(ElementType::kU8, {3}, source, 1, 3);
  EXPECT_EQ(source->reads, 0);
  EXPECT_EQ(to_ints(constant.value().view()), (Ints{1, 2, 3}));
  constant.value();
  EXPECT_EQ(source->reads, 1);
  const Tensor held = constant.value();
  constant.drop();
  EXPECT_EQ(to_ints(held.view()), (Ints{1, 2, 3})) << "who holds the value keeps it";
  EXPECT_EQ(to_ints(constant.value().view()), (Ints{1, 2, 3}));
  EXPECT_EQ(source->reads, 2);
}

}  // namespace
}  // namespace wasmvino::model
