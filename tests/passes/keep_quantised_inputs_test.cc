// SPDX-License-Identifier: Apache-2.0
#include "ops/quantised_data/stored_constant.h"
#include "tests/passes/stored_weights.h"

namespace wasmvino::passes {
namespace {

using Integers = std::vector<int64_t>;

// What the pass makes of a graph whose last node is `reader`: inputs `first` to `last` tell what is stored.
void check(Model& model, Source reader, size_t first, size_t last, const std::string& after) {
  result(model, reader);
  model.index();
  model.infer();
  const std::vector<Tensor> expected = compute(model);
  EXPECT_TRUE(keep_quantised_inputs(model, registry()));
  model.index();
  model.infer();
  EXPECT_EQ(outline(model), after);
  for (size_t i = first; i <= last; ++i)
    EXPECT_NE(ops::stored_of(*reader.node->inputs[i].node), nullptr) << i;
  expect_same(compute(model), expected);
}

// Weights of `shape` with zero points, where integers, and scales for each row, or for groups of the last
// axis.
Source compressed(Model& model, const std::string& name, ElementType type, Shape shape, int64_t group = 0) {
  const Shape whole = shape;
  if (group > 0) {
    shape.back() /= group;
    shape.push_back(group);
  }
  Shape scale = shape;
  scale.back() = 1;
  Source value = in_f32(model, name + " in f32", stored(model, name, type, shape));
  if (is_integral(type)) {
    const Source zero = in_f32(model, name + " zero", stored(model, name + " zeros", type, scale, 5));
    value = add(model, "Subtract", name + " shifted", {value, zero});
  }
  value = add(model, "Multiply", name + " scaled", {value, weights(model, name + " scale", scale, 7)});
  if (group == 0) return value;
  const Source to = {
      model.add_constant(name + " shape", Tensor::of<int64_t>({static_cast<int64_t>(whole.size())},
                                                              Integers(whole.begin(), whole.end()).data())),
      0};
  return add(model, "Reshape", name + " whole", {value, to});
}

struct Form {
  ElementType type;
  int64_t group;
};
constexpr Form kForms[] = {{ElementType::kF16, 0}, {ElementType::kI8, 0}, {ElementType::kU8, 4},
                           {ElementType::kI4, 8},  {ElementType::kU4, 2}, {ElementType::kNf4, 0}};

TEST(KeepQuantisedInputs, WeightsOfCells) {
  struct Cell {
    const char* type;
    int64_t gates, biases;
    model::AttributeTexts attributes;
  };
  const Cell cells[] = {{"LSTMCell", 4, 4, {{"hidden_size", "8"}}},
                        {"GRUCell", 3, 3, {{"hidden_size", "8"}}},
                        {"GRUCell", 3, 4, {{"hidden_size", "8"}, {"linear_before_reset", "true"}}},
                        {"RNNCell", 1, 1, {{"hidden_size", "8"}}}};
  for (const Cell& cell : cells) {
    for (const Form& form : kForms) {
      SCOPED_TRACE(testing::Message() << cell.type << cell.biases << " " << cat(form.type));
      Model model;
      std::vector<Source> inputs = {parameter(model, "x", {3, 16}), parameter(model, "h", {3, 8})};
      const bool lstm = cell.gates == 4;
      if (lstm) inputs.push_back(parameter(model, "c", {3, 8}));
      const size_t w = inputs.size();
      inputs.push_back(compressed(model, "W", form.type, {cell.gates * 8, 16}, form.group));
      inputs.push_back(compressed(model, "R", form.type, {cell.gates * 8, 8}, form.group));
      inputs.push_back(weights(model, "B", {cell.biases * 8}, 3));
      const Source y = add(model, cell.type, "y", inputs, cell.attributes, lstm ? 2 : 1);
      check(model, y, w, w + 1,
            std::string("Parameter x; Parameter h; ") + (lstm ? "Parameter c; " : "") + cell.type +
                " y(x, h" + (lstm ? ", c)" : ")"));
    }
  }
}

TEST(KeepQuantisedInputs, WeightsOfSequencesInBothDirections) {
  for (const char* type : {"LSTMSequence", "GRUSequence", "RNNSequence"}) {
    for (const Form& form : kForms) {
      SCOPED_TRACE(testing::Message() << type << " " << cat(form.type));
      const int64_t gates = type[0] == 'L' ? 4 : type[0] == 'G' ? 3 : 1;
      Model model;
      std::vector<Source> inputs = {parameter(model, "x", {2, 5, 16}), parameter(model, "h", {2, 2, 8})};
      if (gates == 4) inputs.push_back(parameter(model, "c", {2, 2, 8}));
      inputs.push_back(integers(model, "lengths", {5, 3}));
      const size_t w = inputs.size();
      inputs.push_back(compressed(model, "W", form.type, {2, gates * 8, 16}, form.group));
      inputs.push_back(compressed(model, "R", form.type, {2, gates * 8, 8}, form.group));
      inputs.push_back(weights(model, "B", {2, gates * 8}, 3));
      const Source y = add(model, type, "y", inputs, {{"hidden_size", "8"}, {"direction", "bidirectional"}},
                           gates == 4 ? 3 : 2);
      check(model, y, w, w + 1,
            std::string("Parameter x; Parameter h; ") + (gates == 4 ? "Parameter c; " : "") + type +
                " y(x, h" + (gates == 4 ? ", c)" : ")"));
    }
  }
}

TEST(KeepQuantisedInputs, TablesOfRows) {
  struct Reader {
    const char* type;
    std::vector<Source> (*inputs)(Model&);
    model::AttributeTexts attributes;
  };
  const Reader readers[] = {
      {"Gather",
       [](Model& m) -> std::vector<Source> {
         return {integers(m, "i", {3, -1, 0, 90}), integers(m, "axis", {1})};
       },
       {}},
      {"GatherND",
       [](Model& m) -> std::vector<Source> {
         const int64_t tuples[] = {3, 7, 0, -2, 5, 15};
         return {Source{m.add_constant("i", Tensor::of<int64_t>({3, 2}, tuples)), 0}};
       },
       {}},
      {"GatherElements",
       [](Model& m) -> std::vector<Source> {
         std::vector<int64_t> indices(3 * 16);
         for (size_t i = 0; i < indices.size(); ++i) indices[i] = static_cast<int64_t>(i % 6);
         return {Source{m.add_constant("i", Tensor::of<int64_t>({3, 16}, indices.data())), 0}};
       },
       {{"axis", "0"}}},
      {"EmbeddingBagOffsetsSum",
       [](Model& m) -> std::vector<Source> {
         return {integers(m, "i", {3, 1, 0, 5}), integers(m, "o", {0, 1})};
       },
       {}},
      {"EmbeddingBagPacked",
       [](Model& m) -> std::vector<Source> {
         const int64_t bags[] = {3, 5, 0, 2};
         return {Source{m.add_constant("i", Tensor::of<int64_t>({2, 2}, bags)), 0}};
       },
       {{"reduction", "mean"}}},
      {"EmbeddingSegmentsSum",
       [](Model& m) -> std::vector<Source> {
         const int64_t count = 3;
         return {integers(m, "i", {3, 1, 0, 5}), integers(m, "s", {0, 0, 2, 2}),
                 Source{m.add_constant("n", Tensor::of<int64_t>({}, &count)), 0}};
       },
       {}},
  };
  for (const Reader& reader : readers) {
    for (const Form& form : kForms) {
      SCOPED_TRACE(testing::Message() << reader.type << " " << cat(form.type));
      Model model;
      std::vector<Source> inputs = {compressed(model, "table", form.type, {6, 16}, form.group)};
      for (const Source& input : reader.inputs(model)) inputs.push_back(input);
      const Source y = add(model, reader.type, "y", inputs, reader.attributes);
      check(model, y, 0, 0, std::string(reader.type) + " y");
    }
  }
}

TEST(KeepQuantisedInputs, FiltersOfDeformableConvolution) {
  for (const Form& form :
       {Form{ElementType::kF16, 0}, Form{ElementType::kU8, 0}, Form{ElementType::kI4, 0}}) {
    SCOPED_TRACE(cat(form.type));
    Model model;
    const Source x = parameter(model, "x", {1, 6, 7, 8}),
                 offsets = parameter(model, "offsets", {1, 18, 5, 6});
    const Source filters = compressed(model, "filters", form.type, {9, 6, 3, 3});
    const Source y =
        add(model, "DeformableConvolution", "y", {x, offsets, filters},
            {{"strides", "1,1"}, {"dilations", "1,1"}, {"pads_begin", "0,0"}, {"pads_end", "0,0"}});
    check(model, y, 2, 2, "Parameter x; Parameter offsets; DeformableConvolution y(x, offsets)");
  }
}

TEST(KeepQuantisedInputs, SeveralReadersShareOneConstant) {
  Model model;
  const Source x = parameter(model, "x", {2, 8}), h = parameter(model, "h", {2, 8});
  const Source w = compressed(model, "W", ElementType::kI8, {8, 8});
  const Source first =
      add(model, "RNNCell", "first", {x, h, w, w, weights(model, "B", {8})}, {{"hidden_size", "8"}});
  const Source second =
      add(model, "RNNCell", "second", {first, h, w, w, weights(model, "C", {8}, 2)}, {{"hidden_size", "8"}});
  check(model, second, 2, 3, "Parameter x; Parameter h; RNNCell first(x, h); RNNCell second(first, h)");
  EXPECT_EQ(first.node->inputs[2], second.node->inputs[3]);
}

TEST(KeepQuantisedInputs, LeavesWhatIsNotStoredSo) {
  Model model;
  const Source x = parameter(model, "x", {2, 8}), h = parameter(model, "h", {2, 8});
  const Source values = in_f32(model, "values", stored(model, "stored", ElementType::kU8, {8, 8}));
  const Source zero = {model.add_constant("zero", Tensor::of<float>({1}, {7.5f})), 0};
  const Source shifted = add(model, "Subtract", "shifted", {values, zero});
  result(model,
         add(model, "RNNCell", "y", {x, h, weights(model, "W", {8, 8}), shifted, weights(model, "B", {8})},
             {{"hidden_size", "8"}}));
  const std::string same =
      "Parameter x; Parameter h; Convert values; Subtract shifted(values); RNNCell y(x, h, shifted)";
  check_pass(keep_quantised_inputs, model, same, same);
}

// An operation that no pass knows. Input 1 stays quantised because it says so.
class OwnOp final : public model::Op {
 public:
  void infer(model::InferContext& context) const override {
    context.set_output(0, context.input_type(1), context.input_shape(1));
  }
  void evaluate(model::EvalContext& context) const override {
    copy_elements(context.input(1), context.output(0));
  }
  model::InputRange quantised_inputs(const Node&) const override { return {1, 2}; }
};

TEST(KeepQuantisedInputs, NewOperationsTakePartByTheirOwnFile) {
  Model model;
  const Source x = parameter(model, "x", {4, 8});
  const Source first = compressed(model, "first", ElementType::kI8, {4, 8});
  const Source second = compressed(model, "second", ElementType::kI8, {4, 8});
  auto node = std::make_unique<Node>("y", "Own", 1, std::make_shared<OwnOp>());
  node->inputs = {add(model, "Add", "sum", {x, first}), second};
  node->outputs.resize(1);
  const Source y = {model.add(std::move(node)), 0};
  const Node& sum = *y.node->inputs[0].node;
  result(model, y);
  model.index();
  model.infer();
  EXPECT_TRUE(keep_quantised_inputs(model, registry()));
  EXPECT_NE(ops::stored_of(*y.node->inputs[1].node), nullptr);
  EXPECT_EQ(ops::stored_of(*sum.inputs[1].node), nullptr) << "Add reads f32";
}

}  // namespace
}  // namespace wasmvino::passes
