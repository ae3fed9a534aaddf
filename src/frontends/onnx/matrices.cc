// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "frontends/onnx/families.h"
#include "frontends/onnx/operands.h"

namespace wasmvino::onnx {
namespace {

using namespace frontends::build;  // NOLINT: builder functions are written in terms of these throughout

Source scaled(Context& c, const Source& x, double factor) {
  return factor == 1 ? x : c.b().add("Multiply", {x, number_like(c.b(), factor, x)});
}

void gemm(Context& c) {
  const Source product = c.b().add("MatMul", {c.input(0), c.input(1)},
                                   {{"transpose_a", c.flag("transA")}, {"transpose_b", c.flag("transB")}});
  const Source made = scaled(c, product, c.real("alpha", 1));
  const auto added = c.find_input(2);
  c.give(added ? c.b().add("Add", {made, scaled(c, *added, c.real("beta", 1))}) : made);
}

void einsum(Context& c) {
  std::vector<Source> inputs;
  for (size_t i = 0; i < c.input_count(); ++i) inputs.push_back(c.input(i));
  std::string equation = c.word("equation");
  equation.erase(std::remove(equation.begin(), equation.end(), ' '), equation.end());
  c.give(c.b().add("Einsum", inputs, {{"equation", equation}}));
}

constexpr Entry kEntries[] = {
    {"Einsum", kAllOpsets, einsum, "Einsum"},
    {"Gemm", kAllOpsets, gemm, "MatMul Add"},
    {"MatMul", kAllOpsets, binary, "MatMul"},
};

}  // namespace

std::span<const Entry> matrices() { return kEntries; }

}  // namespace wasmvino::onnx
