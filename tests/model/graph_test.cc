// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <new>

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

Node* add_parameter(Model& model, const std::string& name) {
  auto op = std::make_shared<ParameterOp>();
  op->type = ElementType::kF32;
  op->shape = {Dimension()};
  auto node = std::make_unique<Node>(name, "Parameter", 1, std::move(op), NodeKind::kParameter);
  node->outputs.resize(1);
  model.parameters.push_back(model.add(std::move(node)));
  return model.parameters.back();
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
    for (const char* name : {"'a'", "'b'", "'c'"})
      EXPECT_NE(message.find(name), std::string::npos) << message;
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
  const auto& value = inference.of({node, 0}).constant;
  ASSERT_NE(value, nullptr);
  EXPECT_EQ(to_ints(value->value().view()), (Ints{1, 2}));
  EXPECT_TRUE(inference.folded[node->index]);
}

TEST(Inference, TakesWhatAnEarlierOneFound) {
  Model model;
  Node* known = model.add_constant("known", Tensor::of<int32_t>({2}, {1, 2}));
  Node* folded = add(model, "folded", {{known, 0}});
  add_result(model, {folded, 0});
  model.index();
  const Inference first = infer_model(model, {});
  EXPECT_TRUE(first.unchanged.empty());
  const Inference second = infer_model(model, {}, nullptr, nullptr, first);
  EXPECT_EQ(second.of({folded, 0}).constant, first.of({folded, 0}).constant);
  EXPECT_TRUE(second.unchanged[folded->first_value]);
  EXPECT_TRUE(second.folded[folded->index]);
}

TEST(Inference, TellsWhatHasChangedSinceAnEarlierOne) {
  Model model;
  Node* x = add_parameter(model, "x");
  Node* y = add_parameter(model, "y");
  Node* copy = add(model, "copy", {{x, 0}});
  add_result(model, {copy, 0});
  model.index();
  const auto infer = [&](PartialShape shape, Inference earlier) {
    const ValueInfo parameters[] = {{ElementType::kF32, std::move(shape), nullptr},
                                    {ElementType::kF32, {1}, nullptr}};
    return infer_model(model, parameters, nullptr, nullptr, std::move(earlier));
  };
  const auto unchanged = [](const Inference& inference, const Node* node) {
    return inference.unchanged[node->first_value] != 0;
  };
  Inference first = infer({2}, {});
  Inference grown = infer({3}, first);
  EXPECT_EQ(grown.of({copy, 0}).shape, (PartialShape{3}));
  EXPECT_FALSE(unchanged(grown, x));
  EXPECT_FALSE(unchanged(grown, copy));
  EXPECT_TRUE(unchanged(grown, y));
  EXPECT_TRUE(grown.same_form);
  // Changes add up ...
  Inference again = infer({3}, grown);
  EXPECT_FALSE(unchanged(again, copy));
  // ... until they are forgotten.
  again.forget_changes();
  again = infer({3}, again);
  EXPECT_TRUE(unchanged(again, copy));
  Inference open = infer({Dimension()}, again);
  EXPECT_FALSE(open.same_form);
  EXPECT_FALSE(infer({Dimension(1, 2)}, open).same_form);
}

TEST(Registry, PicksTheVersionOfAnOpset) {
  Registry registry;
  registry.add<CopyOp>({"TopK", {1, 3, 11}, "sort/topk-11", {{"data", kAllTypes}}});
  registry.add<CopyOp>({"Reverse", {1}, "movement/reverse-1", {{"data", kAllTypes}}, 1});
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

TEST(Registry, KeepsDomainsApart) {
  Registry registry;
  registry.add<CopyOp>({"TopK", {1}, "", {{"data", kAllTypes}}, 16, "ai.onnx"});
  registry.add<CopyOp>({"TopK", {1, 3, 11}, "sort/topk-11", {{"data", kAllTypes}}});
  registry.add<CopyOp>({"Trie", {1}, "", {{"data", kAllTypes}}, 16, "extension"});
  EXPECT_EQ(registry.find_newest("TopK")->since, 11);
  EXPECT_EQ(registry.find_newest("topk", "ai.onnx")->domain, "ai.onnx");
  EXPECT_EQ(registry.find_newest("Trie"), nullptr);
  EXPECT_EQ(registry.find("Trie", 1), nullptr);
  EXPECT_EQ(registry.find_newest("Trie", "ai.onnx"), nullptr);
  EXPECT_EQ(registry.find_newest("Trie", "extension")->make()->version_of_layer(), "extension");
  EXPECT_EQ(registry.find_newest("TopK")->make()->version_of_layer(), "");
}

// Gives output 0 the shape it was made with, or fails as it was made to.
class ShapedOp final : public Op {
 public:
  explicit ShapedOp(PartialShape shape) : shape_(std::move(shape)) {}
  explicit ShapedOp(std::function<void()> failing) : failing_(std::move(failing)) {}
  void infer(InferContext& context) const override {
    if (failing_) failing_();
    context.set_output(0, ElementType::kF32, shape_);
  }
  bool is_pure() const override { return false; }

 private:
  PartialShape shape_;
  std::function<void()> failing_;
};

Error refusal_of(std::shared_ptr<Op> op) {
  Model model;
  auto node = std::make_unique<Node>("n", "Shaped", 1, std::move(op));
  node->outputs.resize(1);
  add_result(model, {model.add(std::move(node)), 0});
  model.index();
  try {
    model.infer();
  } catch (Error& error) {
    return error;
  }
  return Error(ErrorCode::kCancelled, "nothing was refused");
}

TEST(Infer, RefusesShapesThatNoTensorHas) {
  const Error deep = refusal_of(std::make_shared<ShapedOp>(PartialShape::of_rank(kMostAxes + 1)));
  EXPECT_STREQ(deep.what(), "Shaped 'n' (Shaped-1): output 0 would have 65 axes, at most 64 are supported");
  EXPECT_EQ(name(deep.code()), "INVALID_SHAPE");
  EXPECT_EQ(refusal_of(std::make_shared<ShapedOp>(PartialShape::of_rank(kMostAxes))).reason(),
            "nothing was refused");
  EXPECT_EQ(refusal_of(std::make_shared<ShapedOp>(PartialShape{2, -3})).reason(),
            "output 0 would have -3 elements along axis 1");
}

TEST(Infer, ThrowsErrorsAboutTheCallInsteadOfCollectingThem) {
  const auto collected = [](ErrorCode code) {
    Model model;
    Node* const node = add(model, "failing", {});
    node->op = std::make_shared<ShapedOp>([code] { fail(code, "not now"); });
    add_result(model, {node, 0});
    model.index();
    std::vector<Error> errors;
    model.infer(&errors);
    return errors.size();
  };
  EXPECT_EQ(collected(ErrorCode::kInvalidShape), 1u);
  for (const ErrorCode code : {ErrorCode::kCancelled, ErrorCode::kLimitExceeded, ErrorCode::kUnreadable}) {
    try {
      collected(code);
      FAIL() << name(code);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code);
      EXPECT_EQ(error.layer(), "failing");
    }
  }
}

TEST(Infer, LetsNoErrorOfAnotherLibraryOut) {
  const Error vector =
      refusal_of(std::make_shared<ShapedOp>([] { std::vector<double>().reserve(~size_t{0}); }));
  EXPECT_EQ(name(vector.code()), "OUT_OF_MEMORY");
  EXPECT_EQ(vector.layer(), "n");
  const Error memory = refusal_of(std::make_shared<ShapedOp>([] { throw std::bad_alloc(); }));
  EXPECT_EQ(name(memory.code()), "OUT_OF_MEMORY");
  const Error other = refusal_of(std::make_shared<ShapedOp>([] { std::string().at(3); }));
  EXPECT_EQ(name(other.code()), "INTERNAL");
  EXPECT_EQ(other.reason(), "the operation failed unexpectedly; please report this with the model");
}

std::string users_of(const Node& node) {
  std::vector<std::string> names;
  for (const User& user : node.users(0)) names.push_back(cat(user.node->name, ".", user.input));
  std::sort(names.begin(), names.end());
  std::string text;
  for (const std::string& name : names) text += name + " ";
  return text;
}

TEST(Inputs, KeepTheListsOfUsers) {
  Model model;
  auto parameter =
      std::make_unique<Node>("x", "Parameter", 1, std::make_shared<ParameterOp>(), NodeKind::kParameter);
  parameter->outputs.resize(1);
  model.parameters.push_back(model.add(std::move(parameter)));
  Node* x = model.parameters[0];
  Node* a = add(model, "a", {{x, 0}});
  Node* b = add(model, "b", {{x, 0}, {a, 0}, {x, 0}});
  EXPECT_EQ(users_of(*x), "a.0 b.0 b.2 ");
  EXPECT_EQ(users_of(*a), "b.1 ");
  b->inputs.erase(0);
  EXPECT_EQ(users_of(*x), "a.0 b.1 ");
  EXPECT_EQ(users_of(*a), "b.0 ");
  b->inputs.set(0, {x, 0});
  EXPECT_EQ(users_of(*x), "a.0 b.0 b.1 ");
  EXPECT_TRUE(a->users(0).empty());
  EXPECT_TRUE(a->users(7).empty());
  Node* c = add(model, "c", {{b, 0}});
  model.replace_uses({x, 0}, {c, 0});
  EXPECT_EQ(users_of(*c), "a.0 b.0 b.1 ");
  EXPECT_TRUE(x->users(0).empty());
  b->inputs = {{x, 0}};
  EXPECT_EQ(users_of(*x), "b.0 ");
  EXPECT_EQ(users_of(*c), "a.0 ");
  add_result(model, {b, 0});
  model.index();
  EXPECT_EQ(users_of(*b), "result.0 ") << "nodes that are dropped use nothing";
  const std::unique_ptr<Model> copy = model.clone();
  EXPECT_EQ(users_of(*copy->parameters[0]), "b.0 ");
  EXPECT_NE(copy->parameters[0]->users(0)[0].node, b);
}

TEST(Model, ReleasesWhatNobodyUses) {
  Model model;
  Node* source = model.add_constant("source", Tensor::scalar<int32_t>(1));
  Node* a = add(model, "a", {{source, 0}});
  Node* b = add(model, "b", {{a, 0}});
  Node* c = add(model, "c", {{b, 0}, {source, 0}});
  Node* kept = add(model, "kept", {{source, 0}});
  add_result(model, {kept, 0});
  model.release(*b);
  EXPECT_EQ(users_of(*b), "c.0 ");
  model.release(*c);
  EXPECT_EQ(users_of(*source), "kept.0 ");
  model.sinks.push_back(kept);
  model.results.clear();
  model.release(*kept);
  EXPECT_EQ(users_of(*source), "kept.0 ");
}

// Weights of the bytes 0, 1, 2 …, which count how often they are read.
class CountedBytes final : public ByteSource {
 public:
  explicit CountedBytes(size_t size = 8) : size_(size) {}
  mutable int reads = 0;
  size_t size() const override { return size_; }
  void read(size_t offset, size_t count, void* to) const override {
    ++reads;
    for (size_t i = 0; i < count; ++i) static_cast<uint8_t*>(to)[i] = static_cast<uint8_t>(offset + i);
  }

 private:
  size_t size_;
};

TEST(ConstantData, ReadsSmallValuesOnce) {
  const auto source = std::make_shared<CountedBytes>();
  const ConstantData constant(ElementType::kU8, {3}, source, 1, 3);
  EXPECT_EQ(source->reads, 0);
  EXPECT_EQ(to_ints(constant.value().view()), (Ints{1, 2, 3}));
  EXPECT_EQ(to_ints(constant.value().view()), (Ints{1, 2, 3}));
  EXPECT_EQ(source->reads, 1);
}

TEST(ConstantData, KeepsLargeValuesAsLongAsSomebodyHoldsThem) {
  constexpr int64_t kSize = 5000;
  const auto source = std::make_shared<CountedBytes>(kSize);
  const ConstantData constant(ElementType::kU8, {kSize}, source, 0, kSize);
  {
    const Tensor held = constant.value();
    const Tensor same = constant.value();
    EXPECT_EQ(held.view().memory, same.view().memory);
    EXPECT_EQ(source->reads, 1);
  }
  EXPECT_EQ(constant.value().data<uint8_t>()[kSize - 1], static_cast<uint8_t>(kSize - 1));
  EXPECT_EQ(source->reads, 2);
}

}  // namespace
}  // namespace wasmvino::model
