// SPDX-License-Identifier: Apache-2.0
// Differences of neighbours along an axis, and integrals by the rule of trapezoids.
#include <limits>
#include <optional>

#include "frontends/pnnx/families.h"
#include "frontends/pnnx/functions.h"

namespace wasmvino::pnnx {
namespace {

// All elements along an axis but the first, and all but the last.
std::pair<Source, Source> neighbours(Context& c, const Source& x, int64_t axis) {
  return {slice(c, x, axis, 1, std::numeric_limits<int64_t>::max()), slice(c, x, axis, 0, -1)};
}

Source difference(Context& c, const Source& x, int64_t axis) {
  const auto [later, earlier] = neighbours(c, x, axis);
  return c.b().add(c.b().type(x) == ElementType::kBoolean ? "LogicalXor" : "Subtract", {later, earlier});
}

// The differences of neighbours, n times.
void differences(Context& c) {
  Source x = c.input(0);
  const int64_t axis = c.axis(c.integer("dim", -1), c.b().rank(x)), n = c.integer("n", 1);
  constexpr int64_t kMost = 1000;
  if (n < 0 || n > kMost)
    fail(ErrorCode::kUnsupported, "repeats its differences ", n, " times, expected 0 to ", kMost);
  std::vector<Source> parts;
  if (c.is_marked("prepend")) parts.push_back(convert(c, c.required_input("prepend", 3), c.b().type(x)));
  parts.push_back(x);
  if (c.is_marked("append")) parts.push_back(convert(c, c.required_input("append", 4), c.b().type(x)));
  x = concat(c, parts, axis);
  for (int64_t i = 0; i < n; ++i) x = difference(c, x, axis);
  c.give(x);
}

// The distance between all neighbours, if it is one number; nullopt if the points are given.
std::optional<Source> distance(Context& c, const Source& y) {
  if (!c.is_marked("x")) return number_like(c, c.number("x", 1), y);
  const Source x = c.required_input("x", 1);
  if (c.b().rank(x) > 0) return std::nullopt;
  return convert(c, x, c.b().type(y));
}

// The area under each pair of neighbours: their mean times their distance.
Source trapezoids(Context& c, const Source& y, int64_t axis) {
  const auto [later, earlier] = neighbours(c, y, axis);
  const Source half = with_number(c, "Multiply", c.b().add("Add", {later, earlier}), 0.5);
  if (const auto apart = distance(c, y)) return c.b().add("Multiply", {half, *apart});
  Source x = as_real(c, c.required_input("x", 1));
  if (c.b().rank(x) == 1) {
    Ints shape(c.b().rank(y), 1);
    shape[static_cast<size_t>(axis)] = -1;
    x = reshape(c, x, shape);
  }
  if (c.b().rank(x) != c.b().rank(y)) {
    fail(ErrorCode::kUnsupported, "has points of ", c.b().rank(x), " axes and values of ", c.b().rank(y),
         ", expected as many, or one axis");
  }
  return binary(c, "Multiply", half, difference(c, x, axis));
}

// With one distance, the sum of all elements but half of both ends, as PyTorch adds them up.
void trapezoid(Context& c) {
  const Source y = as_real(c, c.input(0));
  const int64_t axis = c.axis(c.integer("dim", -1), c.b().rank(y));
  const auto apart = distance(c, y);
  if (!apart) {
    c.give(reduce(c, "ReduceSum", trapezoids(c, y, axis), {axis}, false));
    return;
  }
  const Source ends = c.b().add("Add", {select(c, y, axis, 0), select(c, y, axis, -1)});
  const Source sum = c.b().add(
      "Subtract", {reduce(c, "ReduceSum", y, {axis}, false), with_number(c, "Multiply", ends, 0.5)});
  c.give(c.b().add("Multiply", {sum, *apart}));
}

void cumulative_trapezoid(Context& c) {
  const Source y = as_real(c, c.input(0));
  const int64_t axis = c.axis(c.integer("dim", -1), c.b().rank(y));
  c.give(c.b().add("CumSum", {trapezoids(c, y, axis), c.b().scalar(axis)}));
}

// The second argument is a tensor of points, or the distance between them.
constexpr std::string_view kPoints = "y x dim";

constexpr Entry kEntries[] = {
    {"aten::diff", differences, "Subtract LogicalXor", false, "input n dim prepend append"},
    {"aten::trapz", trapezoid, "Add Subtract Multiply ReduceSum", false, kPoints},
    {"aten::trapezoid", trapezoid, "Add Subtract Multiply ReduceSum", false, kPoints},
    {"aten::cumulative_trapezoid", cumulative_trapezoid, "Add Subtract Multiply CumSum", false, kPoints},
};

}  // namespace

std::span<const Entry> integrals() { return kEntries; }

}  // namespace wasmvino::pnnx
