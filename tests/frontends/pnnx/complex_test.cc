// SPDX-License-Identifier: Apache-2.0
// Complex numbers as real ones with a last axis of two parts. The goldens of PyTorch are in the cases `pnnx`.
#include "pnnx_tester.h"

namespace wasmvino::test {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

#define EXPECT_CONTAINS(text, part) EXPECT_PRED2(contains, text, part)

const std::string kComplex = "pnnx.Input pnnx_input_0 0 1 0 #0=(?)c64";
const std::string kReal = "pnnx.Input pnnx_input_1 0 1 r #r=(?)f32";

TEST(PnnxComplex, InputsAndOutputsHaveAnAxisOfParts) {
  const auto model = read_pnnx(
      param({kComplex, "pnnx.Expression e 1 1 0 1 expr=mul(@0,0.000000e+00+1.000000e+00j) #1=(?)c64",
             "pnnx.Output out 1 0 1 #1=(?)c64"}));
  const auto compiled = runtime::CompiledModel::compile(*model, ops::registry(), {});
  EXPECT_EQ(to_string(compiled->inputs()[0].shape), "[?,2]");
  EXPECT_EQ(compiled->inputs()[0].type, ElementType::kF32);
  EXPECT_EQ(values(run(*model, {Tensor::of<float>({2, 2}, {1, 2, 3, -4})})[0]),
            (std::vector<float>{-2, 1, 4, 3}));
}

TEST(PnnxComplex, TypesOfPartsFollowTheDeclaration) {
  const auto type_of = [](const std::string& type) {
    return read_pnnx(param({"pnnx.Input in 0 1 0 #0=(3)" + type, "pnnx.Output out 1 0 0"}))
        ->parameters[0]
        ->outputs[0]
        .type;
  };
  EXPECT_EQ(type_of("c64"), ElementType::kF32);
  EXPECT_EQ(type_of("c128"), ElementType::kF64);
  EXPECT_EQ(type_of("c32"), ElementType::kF16);
}

TEST(PnnxComplex, ConstantsAreReadInPlace) {
  const auto model = read_pnnx(param({"pnnx.Attribute w 0 1 0 @data=(2)c64 #0=(2)c64",
                                      "torch.imag i 1 1 0 1 #1=(2)f32", "pnnx.Output out 1 0 1"}),
                               zip({{"w.data", floats({1, 2, 3, 4})}}));
  EXPECT_EQ(values(run(*model, {})[0]), (std::vector<float>{2, 4}));
}

TEST(PnnxComplex, MovedElementsKeepTheirParts) {
  const auto model =
      read_pnnx(param({kComplex, "Tensor.slice s 1 1 0 1 dim=0 start=1 end=3 step=1 $input=0 #1=(2)c64",
                       "torch.flip f 1 1 1 2 dims=(0) $input=1 #2=(2)c64", "pnnx.Output out 1 0 2"}));
  EXPECT_EQ(values(run(*model, {Tensor::of<float>({3, 2}, {1, 2, 3, 4, 5, 6})})[0]),
            (std::vector<float>{5, 6, 3, 4}));
}

TEST(PnnxComplex, SizesLeaveOutTheAxisOfParts) {
  const auto model = read_pnnx(
      param({"pnnx.Input in 0 1 0 #0=(?,3)c64", "pnnx.Expression n 1 1 0 n expr=[size(@0,-1),size(@0,0)]",
             "Tensor.reshape r 2 1 0 n 1 $input=0 $shape=n", "pnnx.Output out 1 0 1"}));
  const Tensor output = run(*model, {Tensor::of<float>({1, 3, 2}, {1, 2, 3, 4, 5, 6})})[0];
  EXPECT_EQ(to_string(output.shape()), "[3,1,2]");
  EXPECT_EQ(values(output), (std::vector<float>{1, 2, 3, 4, 5, 6}));
}

TEST(PnnxComplex, OperatorsOfRealNumbersRefuseThem) {
  EXPECT_CONTAINS(problems_of(param({kComplex, "nn.ReLU r 1 1 0 1", "pnnx.Output out 1 0 1"})),
                  "its input 0, the operand '0', is complex, expected real numbers");
  EXPECT_CONTAINS(
      problems_of(param({kComplex, "pnnx.Expression e 1 1 0 1 expr=tanh(@0)", "pnnx.Output out 1 0 1"})),
      "applies 'tanh' to complex numbers");
  EXPECT_CONTAINS(
      problems_of(param({kComplex, "pnnx.Expression e 1 1 0 1 expr=maximum(@0,2)", "pnnx.Output out 1 0 1"})),
      "applies 'maximum' to complex numbers");
  EXPECT_CONTAINS(
      problems_of(param({kComplex, kReal, "torch.cat c 2 1 0 r 1 dim=0", "pnnx.Output out 1 0 1"})),
      "takes complex numbers and, as input 1, real ones");
  EXPECT_CONTAINS(problems_of(param({kReal, "torch.view_as_real v 1 1 r 1", "pnnx.Output out 1 0 1"})),
                  "its input has real numbers, expected complex ones");
  EXPECT_CONTAINS(problems_of(param({"pnnx.Input in 0 1 r #r=(2,3)f32", "torch.view_as_complex v 1 1 r 1",
                                     "pnnx.Output out 1 0 1"})),
                  "its input is [2,3], expected a last axis of 2");
  EXPECT_CONTAINS(
      problems_of(param({kComplex, "pnnx.Expression e 1 1 0 1 expr=[@0]", "pnnx.Output out 1 0 1"})),
      "is complex, expected real numbers");
  EXPECT_CONTAINS(problems_of(param({kComplex, "prim::TupleConstruct t 1 1 0 t",
                                     "prim::TupleUnpack u 1 1 t 1", "pnnx.Output out 1 0 1"})),
                  "takes complex numbers out of a tuple");
}

// An operator that fails leaves its inputs as they are, and its users out of the report.
TEST(PnnxComplex, AFailureConcernsOneOperator) {
  const std::string problems = problems_of(param(
      {kComplex, "torch.unsqueeze u 1 1 0 1 dim=7 $input=0", "nn.ReLU r 1 1 0 2", "pnnx.Output out 1 0 2"}));
  EXPECT_CONTAINS(problems, "its axis 7");
  EXPECT_CONTAINS(problems, "the operand '0', is complex");
}

TEST(PnnxComplex, DeclarationsAreChecked) {
  EXPECT_CONTAINS(problems_of(param({kComplex, "torch.real e 1 1 0 1 #1=(?)c64", "pnnx.Output out 1 0 1"})),
                  "gives '1' real numbers, the file declares complex ones");
  EXPECT_CONTAINS(problems_of(param({kReal, "torch.fft.fft e 1 1 r 1 dim=-1 n=None norm=None #1=(?)f32",
                                     "pnnx.Output out 1 0 1"})),
                  "gives '1' complex numbers, the file declares real ones");
}

TEST(PnnxComplex, TransformsRefuseWhatMakesNoSense) {
  const auto problem = [](const std::string& line) {
    return problems_of(param({"pnnx.Input in 0 1 0 #0=(?,16)f32", line, "pnnx.Output out 1 0 1"}));
  };
  EXPECT_CONTAINS(problem("torch.fft.fft f 1 1 0 1 dim=-1 n=None norm=odd"), "has the unknown norm 'odd'");
  EXPECT_CONTAINS(problem("torch.fft.fft2 f 1 1 0 1 dim=(0,1) s=(4) norm=None"), "has 1 sizes for 2 axes");
  EXPECT_CONTAINS(problem("torch.fft.rfft f 1 1 0 1 dim=2 n=None norm=None"), "its axis 2");
  EXPECT_CONTAINS(problem("torch.stft f 1 1 0 1 n_fft=0"), "has frames of 0 elements");
  EXPECT_CONTAINS(problem("torch.stft f 1 1 0 1 n_fft=2147483648"), "has frames of 2147483648");
  EXPECT_CONTAINS(problem("torch.stft f 1 1 0 1 n_fft=8 align_to_window=True"), "aligns frames to windows");
  EXPECT_CONTAINS(problem("torch.istft f 1 1 0 1 n_fft=8 length=-1"), "makes a signal of -1 elements");
  EXPECT_CONTAINS(problems_of(param({kReal, "torch.istft f 1 1 r 1 n_fft=8", "pnnx.Output out 1 0 1"})),
                  "its input has 1 axes, expected 2 or 3");
  EXPECT_CONTAINS(problem("torchaudio.functional.spectrogram f 1 1 0 1 n_fft=8 pad=-1"),
                  "pads the signal with -1");
  EXPECT_CONTAINS(problem("torchaudio.functional.spectrogram f 1 1 0 1 n_fft=8 normalized=odd"),
                  "is normalised by the unknown 'odd'");
}

}  // namespace
}  // namespace wasmvino::test
