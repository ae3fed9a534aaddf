// SPDX-License-Identifier: Apache-2.0
// Matrix multiplication, linear layers and embeddings.
#include <algorithm>

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

// ATen's call by position, with beta and alpha as literals.
void aten_add_mat_mul(Context& c) {
  for (const size_t position : {size_t{3}, size_t{4}}) {
    const auto factor = c.find_literal(position == 3 ? "beta" : "alpha", position);
    const int64_t* integer = factor ? std::get_if<int64_t>(&*factor) : nullptr;
    if (integer == nullptr || *integer != 1) fail(ErrorCode::kUnsupported, "has a factor other than 1");
  }
  c.give(c.b().add("Add", {c.input(0), c.b().add("MatMul", {c.input(1), c.input(2)})}));
}

// The cross product along an axis of three elements. Without an explicit axis, this is the first such axis.
void cross(Context& c) {
  const Source a = c.input(0), b = c.input(1);
  const size_t rank = c.b().rank(a);
  const PartialShape shape = c.b().shape(a);
  size_t axis = 0;
  if (c.has("dim")) {
    axis = static_cast<size_t>(c.axis(c.integer("dim"), rank));
  } else {
    while (axis < rank && !(shape[axis].is_static() && shape[axis].size() == 3)) ++axis;
  }
  if (axis == rank || (shape[axis].is_static() && shape[axis].size() != 3))
    fail(ErrorCode::kInvalidModel, "has no axis of three elements in ", shape);
  const auto turned = [&](Source x, const Ints& order) {
    return c.b().add("Gather", {x, c.b().list(order), c.b().scalar(static_cast<int64_t>(axis))});
  };
  const Ints next = {1, 2, 0}, last = {2, 0, 1};
  c.give(binary(c, "Subtract", binary(c, "Multiply", turned(a, next), turned(b, last)),
                binary(c, "Multiply", turned(a, last), turned(b, next))));
}

// A diagonal of a matrix, or a matrix with a diagonal.
void diagonal(Context& c) {
  const Source x = c.input();
  const PartialShape shape = c.b().shape(x);
  if (!shape.is_static() || shape.rank() < 1 || shape.rank() > 2)
    fail(ErrorCode::kUnsupported, "its input is ", shape, ", expected one or two known sizes");
  const int64_t offset = c.integer("diagonal", 0);
  constexpr int64_t kMost = 1 << 20;
  if (offset < -kMost || offset > kMost || element_count(shape.to_shape()) > size_t{kMost})
    fail(ErrorCode::kUnsupported, "its diagonal is too large (", c.op().parameter_text, ")");
  const int64_t right = std::max<int64_t>(offset, 0), down = right - offset;
  const bool takes = shape.rank() == 2;
  const int64_t rows = takes ? shape[0].size() : shape[0].size() + right + down;
  const int64_t columns = takes ? shape[1].size() : rows;
  Ints places;
  for (int64_t i = 0; i + down < rows && i + right < columns; ++i)
    places.push_back((i + down) * columns + i + right);
  if (takes) {
    c.give(c.b().add("Gather", {reshape(c, x, {-1}), c.b().list(places), c.b().scalar(int64_t{0})}));
    return;
  }
  const Source zeros = c.b().add("Broadcast", {number_like(c, 0, x), c.b().list({rows * columns})});
  const Source filled = c.b().add("ScatterUpdate", {zeros, c.b().list(places), x, c.b().scalar(int64_t{0})});
  c.give(reshape(c, filled, {rows, columns}));
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
  // The function's first argument is the indices.
  const auto given = c.has_weight("weight") ? std::nullopt : c.find_input("weight", 1);
  c.give(c.b().add("Gather", {given ? *given : c.weight("weight"), c.input(0), c.b().scalar(int64_t{0})}));
}

constexpr Entry kEntries[] = {
    {"torch.matmul", mat_mul, "MatMul"},
    {"torch.bmm", mat_mul, "MatMul"},
    {"torch.mm", mat_mul, "MatMul"},
    {"torch.mv", mat_mul, "MatMul"},
    {"torch.dot", mat_mul, "MatMul"},
    {"nn.Linear", linear, "MatMul Add"},
    {"F.linear", linear, "MatMul Add"},
    {"torch.addmm", add_mat_mul, "MatMul Multiply Add"},
    {"torch.addmv", add_mat_mul, "MatMul Multiply Add"},
    {"torch.baddbmm", add_mat_mul, "MatMul Multiply Add"},
    {"aten::dot", mat_mul, "MatMul"},
    {"aten::addmv", aten_add_mat_mul, "MatMul Add"},
    {"torch.cross", cross, "Gather Multiply Subtract"},
    {"torch.diag", diagonal, "Gather ScatterUpdate"},
    {"torch.einsum", einsum, "Einsum"},
    {"torch.outer", outer, "Multiply"},
    {"torch.ger", outer, "Multiply"},
    {"aten::outer", outer, "Multiply"},
    {"nn.Embedding", embedding, "Gather"},
    {"F.embedding", embedding, "Gather"},
};

}  // namespace

std::span<const Entry> matrices() { return kEntries; }

}  // namespace wasmvino::pnnx
