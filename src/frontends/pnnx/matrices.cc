// SPDX-License-Identifier: Apache-2.0
// Matrix multiplication, linear layers and embeddings.
#include "frontends/pnnx/families.h"
#include "frontends/pnnx/functions.h"

namespace wasmvino::pnnx {
namespace {

void mat_mul(Context& c) { c.give(c.b().add("MatMul", {c.input(0), c.input(1)})); }

void linear(Context& c) {
  const bool stored = c.has_weight("weight");
  const auto given = stored ? std::nullopt : c.find_input("weight", 1);
  Source result =
      c.b().add("MatMul", {c.input(), given ? *given : c.weight("weight")}, {{"transpose_b", true}});
  if (c.has_weight("bias")) {
    result = c.b().add("Add", {result, c.weight("bias")});
  } else if (c.op().find("bias") == nullptr) {
    if (const auto bias = c.find_input("bias", 2)) result = c.b().add("Add", {result, *bias});
  }
  c.give(result);
}

// beta * input + alpha * (a @ b)
void add_mat_mul(Context& c) {
  Source product = c.b().add("MatMul", {c.input(1), c.input(2)});
  Source added = c.input(0);
  if (c.real("alpha", 1) != 1) product = with_number(c, "Multiply", product, c.real("alpha"));
  if (c.real("beta", 1) != 1) added = with_number(c, "Multiply", added, c.real("beta"));
  c.give(c.b().add("Add", {added, product}));
}

void einsum(Context& c) {
  std::vector<Source> inputs;
  for (size_t i = 0; i < c.input_count(); ++i) inputs.push_back(c.input(i));
  c.give(c.b().add("Einsum", inputs, {{"equation", c.word("equation", "")}}));
}

void outer(Context& c) {
  c.give(binary(c, "Multiply", unsqueeze(c, c.input(0), 1), unsqueeze(c, c.input(1), 0)));
}

void embedding(Context& c) {
  // The function takes the indices first.
  const auto given = c.has_weight("weight") ? std::nullopt : c.find_input("weight", 1);
  c.give(c.b().add("Gather", {given ? *given : c.weight("weight"), c.input(0), c.b().scalar(int64_t{0})}));
}

constexpr Entry kEntries[] = {
    {"torch.matmul", mat_mul},      {"torch.bmm", mat_mul},       {"torch.mm", mat_mul},
    {"torch.mv", mat_mul},          {"torch.dot", mat_mul},       {"nn.Linear", linear},
    {"F.linear", linear},           {"torch.addmm", add_mat_mul}, {"torch.addmv", add_mat_mul},
    {"torch.baddbmm", add_mat_mul}, {"torch.einsum", einsum},     {"torch.outer", outer},
    {"torch.ger", outer},           {"aten::outer", outer},       {"nn.Embedding", embedding},
    {"F.embedding", embedding},
};

}  // namespace

std::span<const Entry> matrices() { return kEntries; }

}  // namespace wasmvino::pnnx
