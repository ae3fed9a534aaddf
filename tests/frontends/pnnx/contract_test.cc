// SPDX-License-Identifier: Apache-2.0
// Gives every operator too few or too many inputs of various shapes, without parameters or with some that
// many operators have.
#include "frontends/pnnx/families.h"
#include "pnnx_tester.h"

namespace wasmvino::test {
namespace {

constexpr const char* kInputs[] = {"()f32",        "(8)f32", "(2,8)f32", "(1,8,6,4)f32",
                                   "(?,8,6,4)f32", "(3)i64", "(2,4)c64"};
constexpr const char* kParameters[] = {"",
                                       " dim=0",
                                       " dim=7",
                                       " dim=(0,-1) keepdim=True",
                                       " value=1",
                                       " size=(2,2)",
                                       " kernel_size=(1,1)",
                                       " dim=() index=9223372036854775807"};

TEST(PnnxContract, RefusesOrTakesAnyInputsAndParameters) {
  size_t taken = 0;
  for (const auto& family : pnnx::all_families()) {
    for (const pnnx::Entry& entry : family) {
      for (const char* input : kInputs) {
        for (int inputs = 0; inputs < 4; ++inputs) {
          for (const char* parameters : kParameters) {
            std::string line = cat(entry.type, " tested ", inputs, " 1");
            for (int i = 0; i < inputs; ++i) line += " 0";
            const std::string text = param(
                {cat("pnnx.Input in 0 1 0 #0=", input), line + " 1" + parameters, "pnnx.Output out 1 0 1"});
            try {
              read_pnnx(text);
              ++taken;
            } catch (const Error& error) {
              EXPECT_NE(error.code(), ErrorCode::kInternal) << text << error.what();
              EXPECT_FALSE(error.reason().empty()) << text;
            }
          }
        }
      }
    }
  }
  EXPECT_GT(taken, 1000u);
}

// The line of an operator whose inputs are all the same operand.
std::string line_of(const pnnx::Entry& entry, const char* input, int inputs, const std::string& more,
                    const std::string& marks = "") {
  std::string line = cat(entry.type, " tested ", inputs + (marks.empty() ? 0 : 1), " 1");
  for (int i = 0; i < inputs; ++i) line += " 0";
  if (!marks.empty()) line += " size";
  std::vector<std::string> lines = {cat("pnnx.Input in 0 1 0 #0=", input)};
  if (!marks.empty()) lines.push_back("pnnx.Expression computed 1 1 0 size expr=size(@0,0)");
  lines.push_back(line + " 1" + more + marks);
  lines.push_back("pnnx.Output out 1 0 1");
  return param(lines);
}

// What a builder does not read has no effect, so it is refused: a parameter, a number that the graph
// computes, a weight.
TEST(PnnxContract, RefusesWhatABuilderDoesNotRead) {
  size_t tested = 0;
  for (const auto& family : pnnx::all_families()) {
    for (const pnnx::Entry& entry : family) {
      bool taken = false;
      for (const char* input : kInputs) {
        for (int inputs = 0; inputs < 4; ++inputs) {
          for (const char* parameters : kParameters) {
            if (problems_of(line_of(entry, input, inputs, parameters)) != "it was read") continue;
            taken = true;
            const std::string more = cat(parameters, " surplus=7");
            EXPECT_NE(problems_of(line_of(entry, input, inputs, more)).find("the parameter 'surplus'"),
                      std::string::npos)
                << entry.type;
            // Calls by position have no marks, and expressions and tuples take any number of inputs.
            const bool joins = entry.type.starts_with("pnnx.") || entry.type.starts_with("prim::");
            if (entry.arguments.empty() && inputs == 1 && !joins && input[1] != ')') {
              EXPECT_NE(problems_of(line_of(entry, input, inputs, parameters, " $input=0 $surplus=size")),
                        "it was read")
                  << entry.type;
            }
            EXPECT_NE(problems_of(line_of(entry, input, inputs, cat(parameters, " @surplus=(1)f32"))),
                      "it was read")
                << entry.type;
            break;
          }
        }
      }
      tested += taken ? 1 : 0;
    }
  }
  EXPECT_GT(tested, 250u);
}

TEST(PnnxContract, TakesNumbersThatTheGraphComputes) {
  const auto model =
      read_pnnx(param({"pnnx.Input in 0 1 x #x=(2,?)f32", "pnnx.Expression n 1 1 x n expr=size(@0,1)",
                       "F.leaky_relu a 2 1 x n y $input=x $negative_slope=n", "pnnx.Output out 1 0 y"}));
  const auto outputs = run(*model, {Tensor::of<float>({2, 2}, {1, -2, -0.5, 3})});
  EXPECT_EQ(values(outputs[0]), (std::vector<float>{1, -4, -1, 3}));
}

TEST(PnnxContract, SaysWhichParameterMustBeInTheFile) {
  const std::string text =
      problems_of(param({"pnnx.Input in 0 1 x #x=(2,?)f32", "pnnx.Expression n 1 1 x n expr=size(@0,1)",
                         "F.glu a 2 1 x n y $input=x $dim=n", "pnnx.Output out 1 0 y"}));
  EXPECT_NE(
      text.find(
          "its parameter dim is computed by the graph, as the operand 'n', expected a value in the file"),
      std::string::npos)
      << text;
}

}  // namespace
}  // namespace wasmvino::test
