// SPDX-License-Identifier: Apache-2.0
// Matrices made of blocks, and tuples of the elements of lists.
#include "frontends/pnnx/calls.h"
#include "frontends/pnnx/families.h"
#include "frontends/pnnx/functions.h"

namespace wasmvino::pnnx {
namespace {

// The tensors of a list, in a common type.
std::vector<Source> list_of_one_type(Context& c) {
  std::vector<Source> parts = tensors_of(c, 0);
  if (parts.empty()) fail(ErrorCode::kInvalidModel, "its list is empty");
  ElementType common = c.b().type(parts[0]);
  for (const Source part : parts) common = promoted(common, c.b().type(part));
  for (Source& part : parts) part = convert(c, part, common);
  return parts;
}

// Each element of `a` times all of `b`: axes alternate between both, then each pair becomes one.
void kronecker(Context& c) {
  Source a = c.input(0), b = c.input(1);
  const size_t rank = std::max(c.b().rank(a), c.b().rank(b));
  while (c.b().rank(a) < rank) a = unsqueeze(c, a, 0);
  while (c.b().rank(b) < rank) b = unsqueeze(c, b, 0);
  if (rank == 0) {
    c.give(binary(c, "Multiply", a, b));
    return;
  }
  Ints behind, before;
  std::vector<Source> sizes;
  for (int64_t i = 0; i < static_cast<int64_t>(rank); ++i) {
    behind.push_back(2 * i + 1);
    before.push_back(2 * i);
    sizes.push_back(c.b().add("Multiply", {size_of(c, a, i), size_of(c, b, i)}));
  }
  const Source product = binary(c, "Multiply", c.b().add("Unsqueeze", {a, c.b().list(behind)}),
                                c.b().add("Unsqueeze", {b, c.b().list(before)}));
  c.give(c.b().add("Reshape", {product, concat_lists(c, sizes)}, {{"special_zero", false}}));
}

// Matrices on the diagonal, zeros beside them. Lists count as rows, numbers as matrices of one element.
void block_diagonal(Context& c) {
  std::vector<Source> parts = list_of_one_type(c);
  Source width = c.b().list({0});
  for (Source& part : parts) {
    while (c.b().rank(part) < 2) part = unsqueeze(c, part, 0);
    if (c.b().rank(part) > 2)
      fail(ErrorCode::kInvalidModel, "has a part of the shape ", c.b().shape(part), ", expected matrices");
    width = c.b().add("Add", {width, size_of(c, part, 1)});
  }
  const Source zero = c.b().list({0});
  Source begin = zero;
  for (Source& part : parts) {
    const Source end = c.b().add("Add", {begin, size_of(c, part, 1)});
    const Source after = c.b().add("Subtract", {width, end});
    part = c.b().add(
        "Pad",
        {part, concat_lists(c, {zero, begin}), concat_lists(c, {zero, after}), number_like(c, 0, part)},
        {{"pad_mode", "constant"}});
    begin = end;
  }
  c.give(concat(c, parts, 0));
}

// All tuples of an element of each list, as rows.
void cartesian_product(Context& c) {
  std::vector<Source> parts = list_of_one_type(c);
  if (parts.size() == 1) {
    c.give(parts[0]);
    return;
  }
  std::vector<Source> sizes;
  for (const Source part : parts) sizes.push_back(size_of(c, part, 0));
  const Source grid = concat_lists(c, sizes);
  for (size_t i = 0; i < parts.size(); ++i) {
    Ints shape(parts.size(), 1);
    shape[i] = -1;
    const Source spread = c.b().add("Broadcast", {reshape(c, parts[i], shape), grid});
    parts[i] = reshape(c, spread, {-1, 1});
  }
  c.give(concat(c, parts, 1));
}

// All choices of r of the elements, in order, as rows.
void combinations(Context& c) {
  const Source x = c.input();
  const PartialShape& shape = c.b().shape(x);
  const int64_t r = c.integer("r", 2);
  const bool repeats = c.flag("with_replacement", false);
  if (!shape.is_static() || shape.rank() != 1)
    fail(ErrorCode::kUnsupported, "chooses of an input of the shape ", shape, ", expected one known size");
  const int64_t count = shape[0].size();
  constexpr int64_t kMostIndices = 1 << 20;
  if (r < 1 || r > kMostIndices) fail(ErrorCode::kUnsupported, "chooses ", r, " elements");
  Ints indices, chosen;
  const auto step = [&](int64_t i) { return repeats ? 0 : i; };
  for (int64_t i = 0; i < r; ++i) chosen.push_back(step(i));
  while (count > 0 && chosen.back() < count) {
    if (static_cast<int64_t>(indices.size()) > kMostIndices - r)
      fail(ErrorCode::kUnsupported, "makes more than ", kMostIndices, " indices");
    for (const int64_t each : chosen) indices.push_back(each);
    // The last place that can grow. Those behind it begin again.
    int64_t place = r - 1;
    const auto most = [&](int64_t i) { return repeats ? count - 1 : count - r + i; };
    while (place > 0 && chosen[static_cast<size_t>(place)] == most(place)) --place;
    const int64_t first = chosen[static_cast<size_t>(place)] + 1;
    for (int64_t i = place; i < r; ++i) chosen[static_cast<size_t>(i)] = first + step(i - place);
  }
  const int64_t rows = static_cast<int64_t>(indices.size()) / r;
  c.give(c.b().add("Gather", {x, c.b().constant(Tensor::of<int64_t>({rows, r}, indices.data())),
                              c.b().scalar(int64_t{0})}));
}

constexpr Entry kEntries[] = {
    {"aten::kron", kronecker, "Multiply"},
    {"aten::block_diag", block_diagonal, "Add Subtract Pad"},
    {"aten::cartesian_prod", cartesian_product, "Broadcast Concat"},
    {"aten::combinations", combinations, "Gather", false, "input r with_replacement"},
};

}  // namespace

std::span<const Entry> blocks() { return kEntries; }

}  // namespace wasmvino::pnnx
