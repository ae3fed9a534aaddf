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

}  // namespace
}  // namespace wasmvino::test
