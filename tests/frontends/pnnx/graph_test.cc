// SPDX-License-Identifier: Apache-2.0
// The runtime graph point by point: inputs and outputs, links, order, declared shapes, attributes, unknown
// things.
#include <limits>

#include "core/call.h"
#include "pnnx_tester.h"

namespace wasmvino::test {
namespace {

using testing::Test;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

#define EXPECT_CONTAINS(text, part) EXPECT_PRED2(contains, text, part)

const std::string kInput = "pnnx.Input pnnx_input_0 0 1 0 #0=(?,2)f32";

TEST(Pnnx, RecognisesItsFilesByContent) {
  EXPECT_TRUE(pnnx::frontend().recognises("7767517\n3 2\n"));
  EXPECT_TRUE(pnnx::frontend().recognises("7767517\r\n3 2\r\n"));
  EXPECT_FALSE(pnnx::frontend().recognises("77675170\n"));
  EXPECT_FALSE(pnnx::frontend().recognises("<?xml"));
}

TEST(Pnnx, FindsInputsAndOutputsAndLinksByOperandNames) {
  const auto model = read_pnnx(param({
      "pnnx.Input pnnx_input_0 0 1 a #a=(?,2)f32",
      "pnnx.Input pnnx_input_1 0 1 b #b=(?,2)f32",
      "pnnx.Expression sum 2 1 a b s expr=add(@0,@1)",
      "pnnx.Expression difference 2 1 a b d expr=sub(@0,@1)",
      "prim::TupleConstruct both 2 1 s d t",
      "pnnx.Output pnnx_output_0 1 0 t",
  }));
  ASSERT_EQ(model->parameters.size(), 2u);
  EXPECT_EQ(model->parameters[1]->name, "pnnx_input_1");
  EXPECT_EQ(model->parameters[1]->outputs[0].names, std::vector<std::string>{"pnnx_input_1"});
  ASSERT_EQ(model->results.size(), 2u);
  EXPECT_EQ(model->results[0]->output_names, std::vector<std::string>{"pnnx_output_0.0"});
  EXPECT_EQ(model->results[1]->output_names, std::vector<std::string>{"pnnx_output_0.1"});
  EXPECT_EQ(model->results[0]->inputs[0].node->name, "sum");
  EXPECT_EQ(model->results[0]->inputs[0].node->line, 5);
  const auto outputs = run(*model, {Tensor::of<float>({1, 2}, {5, 7}), Tensor::of<float>({1, 2}, {1, 2})});
  EXPECT_EQ(values(outputs[0]), (std::vector<float>{6, 9}));
  EXPECT_EQ(values(outputs[1]), (std::vector<float>{4, 5}));
}

TEST(Pnnx, RunsOtherBatchesThanTheExportedOne) {
  const std::string text = param(
      {kInput, "nn.Linear fc 1 1 0 1 bias=True in_features=2 out_features=1 @bias=(1)f32 @weight=(1,2)f32",
       "pnnx.Output out 1 0 1 #1=(?,1)f32"});
  const auto model = read_pnnx(text, zip({{"fc.bias", floats({10})}, {"fc.weight", floats({2, 3})}}));
  EXPECT_EQ(values(run(*model, {Tensor::of<float>({1, 2}, {1, 1})})[0]), std::vector<float>{15});
  EXPECT_EQ(values(run(*model, {Tensor::of<float>({3, 2}, {1, 1, 0, 1, 1, 0})})[0]),
            (std::vector<float>{15, 13, 12}));
}

TEST(Pnnx, KeepsTheOrderOfExecution) {
  const auto model =
      read_pnnx(param({kInput, "nn.ReLU first 1 1 0 1", "nn.ReLU second 1 1 1 2", "pnnx.Output out 1 0 2"}));
  std::string order;
  for (const auto& node : model->nodes) order += node->name + " ";
  EXPECT_EQ(order, "pnnx_input_0 first second out ");
}

TEST(Pnnx, RefusesAnOperandThatIsReadBeforeItIsGiven) {
  EXPECT_CONTAINS(problems_of(param(
                      {kInput, "nn.ReLU first 1 1 2 1", "nn.ReLU second 1 1 0 2", "pnnx.Output out 1 0 1"})),
                  "reads the operand '2', which no operator before it gives");
}

TEST(Pnnx, RefusesAnOperandThatIsGivenTwice) {
  EXPECT_CONTAINS(problems_of(param({kInput, "nn.ReLU first 1 1 0 0", "pnnx.Output out 1 0 0"})),
                  "gives the operand '0', which an operator before it gives");
}

TEST(Pnnx, RefusesUnknownWordsOfAttributes) {
  EXPECT_CONTAINS(
      problems_of(param({"pnnx.Input x 0 1 0 #0=(1,1,2,2)f32", "pnnx.Input grid 0 1 1 #1=(1,2,2,2)f32",
                         "F.grid_sample s 2 1 0 1 2 mode=odd", "pnnx.Output out 1 0 2"})),
      "'odd' is no value of 'mode' of GridSample, expected bilinear, bicubic, nearest");
}

TEST(Pnnx, SaturatesNumbersBeyond64Bits) {
  EXPECT_CONTAINS(problems_of(param(
                      {kInput, "pnnx.Expression size 1 1 0 1 expr=size(@0,1e300)", "pnnx.Output out 1 0 1"})),
                  "its axis 9223372036854775807 is none of an input with 2");
  const auto model =
      read_pnnx(param({"pnnx.Input x 0 1 0 #0=(1)i64", "pnnx.Expression list 0 1 1 expr=[1e300]",
                       "torch.cat cat 2 1 0 1 2 dim=0", "pnnx.Output out 1 0 2"}));
  EXPECT_EQ(run(*model, {Tensor::of<int64_t>({1}, {5})})[0].data<int64_t>()[1],
            std::numeric_limits<int64_t>::max());
}

TEST(Pnnx, BoundsTheLayers) {
  const auto read_within = [](size_t layers) {
    const Limits limits = {.layers = layers};
    const Call call(limits);
    const CallScope scope(call);
    read_pnnx(param({kInput, "nn.ReLU relu 1 1 0 1", "pnnx.Output out 1 0 1"}));
  };
  read_within(3);
  try {
    read_within(2);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kLimitExceeded);
    EXPECT_CONTAINS(std::string(error.what()), "3 layers exceed the limit of 2");
  }
}

TEST(Pnnx, BoundsTuplesOfTuples) {
  const auto nested = [](int levels) {
    std::vector<std::string> lines = {kInput};
    for (int i = 1; i <= levels; ++i)
      lines.push_back(cat("prim::TupleConstruct t 2 1 ", i - 1, " ", i - 1, " ", i));
    lines.push_back(cat("pnnx.Output out 1 0 ", levels));
    return param(lines);
  };
  EXPECT_EQ(read_pnnx(nested(3))->results.size(), 8u);
  EXPECT_CONTAINS(problems_of(nested(40)), "makes a tuple of 131072 tensors, expected at most 65536");
  // Each tuple contains the one before it and one tensor.
  std::vector<std::string> lines = {kInput};
  for (int i = 1; i <= 2000; ++i) lines.push_back(cat("prim::TupleConstruct t 2 1 ", i - 1, " 0 ", i));
  lines.push_back("pnnx.Output out 1 0 0");
  EXPECT_CONTAINS(problems_of(param(lines)), "tensors together, expected at most 1048576");
}

TEST(Pnnx, NamesEachInputOfALineOnce) {
  EXPECT_CONTAINS(
      problems_of(param({kInput, "torch.cat c 2 1 0 0 1 $a=0 $b=0 $c=0 dim=0", "pnnx.Output out 1 0 1"})),
      "$c names the operand '0', which is none of its inputs");
  EXPECT_CONTAINS(problems_of(param({kInput, "nn.ReLU r 1 1 0 1 #2=(1)f32", "pnnx.Output out 1 0 1"})),
                  "#2 declares an operand that is none of its inputs and outputs");
  EXPECT_CONTAINS(problems_of(param({kInput, "nn.ReLU r 1 1 0 1 a=1 b=2 a=3", "pnnx.Output out 1 0 1"})),
                  "has the parameter a twice");
}

TEST(Pnnx, ChecksShapesAgainstThoseDeclaredAndNamesBoth) {
  const std::string problem =
      problems_of(param({kInput, "nn.ReLU r 1 1 0 1 #1=(?,3)f32", "pnnx.Output out 1 0 1"}));
  EXPECT_CONTAINS(problem, "gives '1' the shape [?,2], the file declares [?,3]");
  EXPECT_CONTAINS(problem, "nn.ReLU");
  EXPECT_CONTAINS(problem, "line 4");
}

TEST(Pnnx, MakesTheSpaceOfAnOutputOnce) {
  const auto model =
      read_pnnx(param({kInput, "nn.ReLU r 1 1 0 1 #1=(?,2)f32", "pnnx.Output out 1 0 1 #1=(?,2)f32"}));
  const auto compiled = runtime::CompiledModel::compile(*model, ops::registry(), {});
  const auto request = compiled->create_infer_request();
  const auto run_once = [&](const Tensor& input) {
    request->set_input(0, input);
    request->infer();
    return request->output(0).data<float>();
  };
  const float* space = run_once(Tensor::of<float>({1, 2}, {-1, 2}));
  EXPECT_EQ(run_once(Tensor::of<float>({1, 2}, {3, -4})), space);
  EXPECT_EQ(space[0], 3);
  EXPECT_EQ(space[1], 0);
  run_once(Tensor::of<float>({3, 2}, {1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(to_string(request->output(0).shape()), "[3,2]");
}

TEST(Pnnx, ChecksTypesAgainstThoseDeclared) {
  EXPECT_CONTAINS(problems_of(param({kInput, "nn.ReLU r 1 1 0 1 #1=(?,2)i64", "pnnx.Output out 1 0 1"})),
                  "gives '1' the type f32, the file declares i64");
}

TEST(Pnnx, RefusesUnknownTypesOfOperandsAndAttributes) {
  EXPECT_CONTAINS(problems_of(param({"pnnx.Input in 0 1 0 #0=(1,2)c16", "pnnx.Output out 1 0 0"})),
                  "the operand '0' has the element type 'c16', expected f32");
  EXPECT_CONTAINS(problems_of(param({"pnnx.Attribute w 0 1 0 @data=(1)q8", "pnnx.Output out 1 0 0"})),
                  "its attribute @data has the element type 'q8'");
}

TEST(Pnnx, RefusesParametersOfAnUnknownForm) {
  EXPECT_CONTAINS(
      problems_of(param({kInput, "F.elu e 1 1 0 1 alpha=1.0e+00+2.0e+00i", "pnnx.Output out 1 0 1"})),
      "its parameter alpha is '1.0e+00+2.0e+00i', expected None, a boolean, a number, a word or a list");
  EXPECT_CONTAINS(
      problems_of(param({kInput, "F.elu e 1 1 0 1 alpha=1.0e+00+2.0e+00j", "pnnx.Output out 1 0 1"})),
      "its parameter alpha is not a number (alpha=1.0e+00+2.0e+00j)");
  EXPECT_CONTAINS(problems_of(param({kInput, "F.elu e 1 1 0 1 alpha=word", "pnnx.Output out 1 0 1"})),
                  "its parameter alpha is not a number (alpha=word)");
}

TEST(Pnnx, ListsAllUnknownOperatorsAtOnce) {
  const std::string problems = problems_of(param(
      {kInput, "torch.fancy f 1 1 0 1 dim=3 mode=odd", "aten::strange g 1 1 1 2", "pnnx.Output out 1 0 2"}));
  EXPECT_CONTAINS(problems, "torch.fancy");
  EXPECT_CONTAINS(problems, "(1 inputs, 1 outputs, dim=3 mode=odd)");
  EXPECT_CONTAINS(problems, "aten::strange");
  EXPECT_CONTAINS(problems, "line 5");
}

TEST(Pnnx, SaysWhyAnOperatorCannotBeRead) {
  const auto problems = [](std::string_view type) {
    return problems_of(param({kInput, cat(type, " f 1 1 0 1 size=(2,2)"), "pnnx.Output out 1 0 1"}));
  };
  EXPECT_CONTAINS(
      problems("prim::If"),
      "cannot be read (1 inputs, 1 outputs, size=(2,2)): pnnx writes neither the condition's branches");
  EXPECT_CONTAINS(problems("prim::Loop"), "Trace the network");
  EXPECT_CONTAINS(problems("torch.as_strided"), "Use slices or Tensor.unfold");
  EXPECT_CONTAINS(problems("aten::rand_like"), "random numbers");
  EXPECT_CONTAINS(problems("aten::linalg_svd"), "decomposes matrices");
  EXPECT_CONTAINS(problems("nn.quantized.Conv2d"), "NNCF");
}

TEST(Pnnx, ChecksTheBytesOfAttributes) {
  const std::string text = param({"pnnx.Attribute w 0 1 0 @data=(2)f32", "pnnx.Output out 1 0 0"});
  EXPECT_CONTAINS(problems_of(text, zip({{"w.data", floats({1})}})),
                  "its weight 'w.data' has 4 bytes in the .bin, f32 [2] takes 8");
  EXPECT_CONTAINS(problems_of(text, zip({})), "its weight 'w.data' is not in the .bin");
  EXPECT_EQ(values(run(*read_pnnx(text, zip({{"w.data", floats({1, 2})}})), {})[0]),
            (std::vector<float>{1, 2}));
}

TEST(Pnnx, SaysThatWeightsAreMissing) {
  const std::string text = param({"pnnx.Attribute w 0 1 0 @data=(2)f32", "pnnx.Output out 1 0 0"});
  try {
    pnnx::frontend().read(bytes(text), {}, ops::registry());
    FAIL() << "it was read";
  } catch (const model::ReadError& error) {
    EXPECT_CONTAINS(error.what(), "needs its weight 'w.data' from the .pnnx.bin, but no weights were given");
  }
}

TEST(Pnnx, RefusesFilesThatAreCutOff) {
  EXPECT_CONTAINS(problems_of("7767517\n3 2\n" + kInput + "\n"), "has 1 operators, line 2 declares 3");
  EXPECT_CONTAINS(problems_of("7767517\n"), "expected the numbers of operators and operands");
  EXPECT_CONTAINS(problems_of(param({kInput, "nn.ReLU r 1 1 0"})),
                  "the line ends before all outputs are named");
  EXPECT_CONTAINS(problems_of(param({kInput, "nn.ReLU r 99999999999 1 0 1"})),
                  "its number of inputs is '99999999999'");
}

TEST(Pnnx, FillsWhatIsNotSetWithZeros) {
  const auto model = read_pnnx(param(
      {kInput, "Tensor.new_empty e 1 1 0 1 size=(1,2) #1=(1,2)f32", "torch.empty_like l 1 1 0 2 #2=(?,2)f32",
       "pnnx.Expression s 2 1 1 2 3 expr=add(@0,@1)", "pnnx.Output out 1 0 3"}));
  EXPECT_EQ(values(run(*model, {Tensor::of<float>({1, 2}, {5, 7})})[0]), (std::vector<float>{0, 0}));
}

// Indices come as a list that a pnnx.Expression makes; sizes do, too.
TEST(Pnnx, TellsListsOfIndicesFromListsOfSizes) {
  const auto model = read_pnnx(
      param({kInput, "pnnx.Attribute w 0 1 w @data=(2)i64 #w=(2)i64", "pnnx.Expression l 1 1 w l expr=[@0]",
             "Tensor.index i 2 1 0 l 1 $input=0 $expr=l #1=(2,2)f32",
             "pnnx.Expression n 1 1 0 n expr=[size(@0,1),2]", "Tensor.reshape r 2 1 1 n 2 $input=1 $shape=n",
             "pnnx.Output out 1 0 2"}),
      zip({{"w.data", std::string("\2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16)}}));
  EXPECT_EQ(values(run(*model, {Tensor::of<float>({3, 2}, {1, 2, 3, 4, 5, 6})})[0]),
            (std::vector<float>{5, 6, 1, 2}));
}

// x[:, mask], where the mask depends on values: its positions are an index.
TEST(Pnnx, TakesAMaskBesideOtherIndices) {
  const auto model =
      read_pnnx(param({"pnnx.Input x 0 1 0 #0=(?,3)f32", "pnnx.Input m 0 1 n #n=(3)f32",
                       "torch.gt g 1 1 n m other=0 #m=(3)bool", "pnnx.Expression l 1 1 m l expr=[None,@0]",
                       "Tensor.index i 2 1 0 l 1 $input=0 $expr=l", "pnnx.Output out 1 0 1"}));
  const std::vector<Tensor> inputs = {Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6}),
                                      Tensor::of<float>({3}, {1, 0, 1})};
  EXPECT_EQ(values(run(*model, inputs)[0]), (std::vector<float>{1, 3, 4, 6}));
  EXPECT_CONTAINS(problems_of(param({"pnnx.Input x 0 1 0 #0=(3)f32", "torch.gt g 1 1 0 m other=0 #m=(3)bool",
                                     "pnnx.Expression l 1 1 m l expr=[None,@0]",
                                     "Tensor.index i 2 1 0 l 1 $input=0 $expr=l", "pnnx.Output out 1 0 1"})),
                  "has 1 indices for an input with 1 axes");
}

// Keys and values of two heads, which four heads of queries share. The keys are equal, so each head's result
// is the mean of the values that it shares.
TEST(Pnnx, SharesKeysAmongHeads) {
  const auto model =
      read_pnnx(param({"pnnx.Input q 0 1 q #q=(1,4,1,1)f32", "pnnx.Input k 0 1 k #k=(1,2,2,1)f32",
                       "pnnx.Input v 0 1 v #v=(1,2,2,1)f32",
                       "F.scaled_dot_product_attention a 3 1 q k v o attn_mask=None enable_gqa=True "
                       "is_causal=False #o=(1,4,1,1)f32",
                       "pnnx.Output out 1 0 o"}));
  const auto outputs = run(
      *model, {Tensor::of<float>({1, 4, 1, 1}, {1, 2, 3, 4}), Tensor::of<float>({1, 2, 2, 1}, {1, 1, 1, 1}),
               Tensor::of<float>({1, 2, 2, 1}, {1, 3, 10, 20})});
  EXPECT_EQ(values(outputs[0]), (std::vector<float>{2, 2, 15, 15}));
}

// One head of width 1 whose weights are all 1, and a mask that leaves one key to each query.
TEST(Pnnx, HidesPaddingFromAttention) {
  const auto text = [](const std::string& inputs, const std::string& names) {
    return param({"pnnx.Input x 0 1 x #x=(?,2,1)f32", "pnnx.Input m 0 1 m #m=(?,2)f32",
                  "pnnx.Input n 0 1 n #n=(2,2)f32", "torch.gt g 1 1 m h other=0 #h=(?,2)bool",
                  "torch.gt f 1 1 n k other=0 #k=(2,2)bool",
                  cat("nn.MultiheadAttention a ", inputs,
                      " embed_dim=1 num_heads=1 batch_first=True bias=False @in_proj_weight=(3,1)f32 "
                      "@out_proj.weight=(1,1)f32 $query=x ",
                      names),
                  "pnnx.Output out 1 0 o"});
  };
  const std::string weights =
      zip({{"a.in_proj_weight", floats({1, 1, 1})}, {"a.out_proj.weight", floats({1})}});
  const auto attended = [&](const std::string& inputs, const std::string& names) {
    return values(run(*read_pnnx(text(inputs, names), weights),
                      {Tensor::of<float>({2, 2, 1}, {3, 5, 7, 9}), Tensor::of<float>({2, 2}, {0, 1, 1, 0}),
                       Tensor::of<float>({2, 2}, {0, 0, 0, 0})})[0]);
  };
  const std::vector<float> expected = {3, 3, 9, 9};
  EXPECT_EQ(attended("2 1 x h o", "$attn_mask=h"), expected);
  EXPECT_EQ(attended("2 1 x h o", "$key_padding_mask=h"), expected);
  EXPECT_EQ(attended("3 1 x k h o", "$attn_mask=k $key_padding_mask=h"), expected);
  EXPECT_CONTAINS(problems_of(text("3 1 x n h o", "$attn_mask=n $key_padding_mask=h"), weights),
                  "has masks of two types, f32 and boolean");
}

TEST(Pnnx, InspectsWhatItCannotRead) {
  const auto seen = pnnx::frontend().inspect(
      bytes(
          param({kInput, "torch.fancy f 1 1 0 1", "nn.ReLU r 1 1 1 2", "pnnx.Output out 1 0 2 #2=(?,2)f32"})),
      {}, ops::registry());
  ASSERT_EQ(seen.inputs.size(), 1u);
  EXPECT_EQ(to_string(seen.inputs[0].shape), "[?,2]");
  EXPECT_EQ(seen.problems.size(), 1u);
  std::string unsupported;
  for (const auto& operation : seen.operations) unsupported += operation.supported ? "" : operation.type;
  EXPECT_EQ(unsupported, "torch.fancy");
}

// Every prefix and every changed byte is read or refused with words.
TEST(Pnnx, SurvivesBrokenFiles) {
  const std::string text = param(
      {kInput,
       "nn.Linear fc 1 1 0 1 bias=True in_features=2 out_features=1 @bias=(1)f32 @weight=(1,2)f32 $input=0",
       "pnnx.Expression e 1 1 1 2 expr=add(mul(@0,2),[1])", "pnnx.Output out 1 0 1 #1=(?,1)f32"});
  const std::string archive = zip({{"fc.bias", floats({10})}, {"fc.weight", floats({2, 3})}});
  for (size_t i = 0; i < text.size(); ++i) {
    EXPECT_FALSE(problems_of(text.substr(0, i), archive).empty());
    for (const char letter : {'9', '(', '@', ' ', '\n', '\0'}) {
      std::string changed = text;
      changed[i] = letter;
      EXPECT_FALSE(problems_of(changed, archive).empty());
    }
  }
}

}  // namespace
}  // namespace wasmvino::test
