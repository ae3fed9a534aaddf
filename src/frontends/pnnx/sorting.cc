// SPDX-License-Identifier: Apache-2.0
// Sorted elements and their ranks, extremes and sums of all elements up to a position.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "frontends/pnnx/families.h"
#include "frontends/pnnx/functions.h"

namespace wasmvino::pnnx {
namespace {

void topk(Context& c) {
  const Source x = c.input();
  const int64_t axis = c.axis(c.integer("dim", -1), c.b().rank(x));
  const auto k = c.find("k") ? std::nullopt : c.find_input("k", 1);
  const Source found = top_k(c, x, k ? *k : c.b().scalar(c.integer("k")), axis, c.flag("largest", true),
                             c.flag("sorted", true));
  c.give({found, model::Builder::output(found, 1)});
}

// Values and indices in order along an axis. The order is always stable.
Source sorted(Context& c) {
  c.ignore("stable");
  const Source x = c.input();
  const int64_t axis = c.axis(c.integer("dim", -1), c.b().rank(x));
  return top_k(c, x, length_of(c, x, axis), axis, c.flag("descending", false), true);
}

void sort(Context& c) {
  const Source found = sorted(c);
  c.give({found, model::Builder::output(found, 1)});
}

void argsort(Context& c) { c.give(model::Builder::output(sorted(c), 1)); }

// Sorted along the first axis.
void msort(Context& c) {
  const Source x = c.input();
  const int64_t axis = c.axis(0, c.b().rank(x));
  c.give(top_k(c, x, length_of(c, x, axis), axis, false, true));
}

// The k-th smallest element along an axis, and its index. k counts from 1.
void give_kth(Context& c, const Source& x, int64_t axis, const Source& k, bool keep) {
  const Source found = top_k(c, x, k, axis, false, true);
  std::vector<Source> outputs;
  for (const size_t port : {size_t{0}, size_t{1}}) {
    const Source last =
        slice(c, model::Builder::output(found, port), axis, -1, std::numeric_limits<int64_t>::max());
    outputs.push_back(keep ? last : squeeze(c, last, axis));
  }
  c.give(outputs);
}

void kth_value(Context& c) {
  const Source x = c.input(0);
  const int64_t axis = c.axis(c.integer("dim", -1), c.b().rank(x));
  const Source k = number_as(c, c.number("k"), ElementType::kI64);
  give_kth(c, x, axis, k, c.flag("keepdim", false));
}

// The lower one of the two elements in the middle. Without an axis, of all elements.
void median(Context& c) {
  Source x = c.input(0);
  const bool all = !c.has("dim");
  if (all) x = reshape(c, x, {-1});
  const int64_t axis = all ? 0 : c.axis(c.integer("dim"), c.b().rank(x));
  const bool keep = !all && c.flag("keepdim", false);
  const Source k = with_number(c, "Divide", with_number(c, "Add", length_of(c, x, axis), 1), 2);
  if (!is_real(c.b().type(x))) {
    give_kth(c, x, axis, k, keep);
    return;
  }
  // NaN is the median of a row that has one: the last one in order, and the first of them.
  const Source nan = convert(c, c.b().add("IsNaN", {x}), ElementType::kI64);
  const Source any = reduce(c, "ReduceMax", nan, {axis}, true);
  const Source first = top_k(c, nan, c.b().scalar(int64_t{1}), axis, true, true);
  const Source found = top_k(c, x, k, axis, false, true);
  const Source is_nan = convert(c, any, ElementType::kBoolean);
  const auto last = [&](size_t port, const Source& otherwise) {
    const Source kth =
        slice(c, model::Builder::output(found, port), axis, -1, std::numeric_limits<int64_t>::max());
    const Source chosen = c.b().add("Select", {is_nan, otherwise, kth});
    return keep ? chosen : squeeze(c, chosen, axis);
  };
  c.give({last(0, number_like(c, NAN, x)), last(1, model::Builder::output(first, 1))});
}

// The values at given parts of the sorted elements along an axis, or of all elements. They lie between two
// elements.
void quantile(Context& c) {
  Source x = as_real(c, c.input(0));
  const bool all = !c.has("dim");
  if (all) x = reshape(c, x, {-1});
  const size_t rank = c.b().rank(x);
  const int64_t axis = all ? 0 : c.axis(c.integer("dim"), rank);
  const std::string mode = c.word("interpolation", "linear");
  const Source q = c.is_marked("q") ? convert(c, c.required_input("q", 1), c.b().type(x))
                                    : number_like(c, c.number("q"), x);
  const Source count = length_of(c, x, axis);
  const Source last = convert(c, with_number(c, "Subtract", count, 1), c.b().type(x));
  Source place = c.b().add("Multiply", {reshape(c, q, {-1}), last});
  if (mode == "nearest") {
    place = c.b().add("Round", {place}, {{"mode", "half_to_even"}});
  } else if (mode == "lower" || mode == "higher") {
    place = c.b().add(mode == "lower" ? "Floor" : "Ceiling", {place});
  } else if (mode != "linear" && mode != "midpoint") {
    fail(ErrorCode::kUnsupported, "interpolates in the unknown mode '", model::brief(mode), "'");
  }
  const Source ordered = top_k(c, x, count, axis, false, true);
  const auto at = [&](const Source& index) {
    return c.b().add("Gather", {ordered, convert(c, index, ElementType::kI64), c.b().scalar(axis)});
  };
  const Source before = c.b().add("Floor", {place}), low = at(before),
               high = at(c.b().add("Ceiling", {place}));
  Ints along(rank, 1);
  along[static_cast<size_t>(axis)] = -1;
  const Source part =
      mode == "midpoint" ? number_like(c, 0.5, x) : reshape(c, c.b().add("Subtract", {place, before}), along);
  // The other modes choose one element. NaN is the result, if an element is NaN.
  const bool between = mode == "linear" || mode == "midpoint";
  Source result = between ? interpolate(c, low, high, part) : low;
  const Source undefined = reduce(c, "ReduceLogicalOr", c.b().add("IsNaN", {x}), {axis}, true);
  result = c.b().add("Select", {undefined, number_like(c, NAN, x), result});
  int64_t reduced = axis;
  if (c.b().rank(q) > 0) {
    // The parts become the first axis, and a size of 1 takes their place.
    result = unsqueeze(c, result, 0);
    Ints order;
    for (size_t i = 0; i <= rank; ++i) order.push_back(static_cast<int64_t>(i));
    std::swap(order[0], order[static_cast<size_t>(++reduced)]);
    result = transpose(c, result, order);
  }
  if (!c.flag("keepdim", false)) {
    result = squeeze(c, result, reduced);
  } else if (all) {
    for (size_t i = 1; i < c.b().rank(c.input(0)); ++i) {
      result = unsqueeze(c, result, static_cast<int64_t>(c.b().rank(result)));
    }
  }
  c.give(result);
}

// For each position along an axis, a row with the elements up to it, and `other` behind: the axis moves to
// the last but one, and the rows are the last axis.
class Prefixes {
 public:
  // Without `other`, the element at the position itself is behind.
  Prefixes(Context& c, Source x, std::optional<double> other) : c_(c) {
    const size_t rank = c.b().rank(x);
    axis_ = c.axis(c.integer("dim"), rank);
    last_ = static_cast<int64_t>(rank) - 1;
    for (size_t i = 0; i < rank; ++i) swapped_.push_back(static_cast<int64_t>(i));
    std::swap(swapped_[static_cast<size_t>(axis_)], swapped_[static_cast<size_t>(last_)]);
    if (axis_ != last_) x = transpose(c, x, swapped_);
    const Source range = range_to(c, length_of(c, x, last_));
    const Source until = c.b().add("LessEqual", {range, unsqueeze(c, range, 1)});
    const Source behind = other ? number_like(c, *other, x) : unsqueeze(c, x, last_ + 1);
    rows_ = c.b().add("Select", {until, unsqueeze(c, x, last_), behind});
    positions_ = range;
  }

  Source rows() const { return rows_; }
  int64_t row_axis() const { return last_ + 1; }
  // 0, 1, 2 and so on for each position.
  Source positions() const { return positions_; }
  // The axes of the input, for a value per row.
  Source back(const Source& values) const {
    return axis_ == last_ ? values : transpose(c_, values, swapped_);
  }

 private:
  Context& c_;
  Source rows_, positions_;
  Ints swapped_;
  int64_t axis_ = 0, last_ = 0;
};

void cumprod(Context& c) {
  const Prefixes prefixes(c, declared_integer(c, widened(c, declared_real(c, c.input()))), 1);
  c.give(prefixes.back(reduce(c, "ReduceProd", prefixes.rows(), {prefixes.row_axis()}, false)));
}

void cumsum(Context& c) {
  const Source x = declared_integer(c, widened(c, declared_real(c, c.input())));
  c.give(c.b().add("CumSum", {x, c.b().scalar(c.axis(c.integer("dim"), c.b().rank(x)))}));
}

// The largest or smallest element up to each position, and its index: the last one of equal elements, which
// is the first one from the end.
void cumulative_extreme(Context& c, bool largest) {
  // NaN is both the largest and the smallest of numbers; for TopK it is the largest.
  const bool mirrored = !largest && is_real(c.b().type(c.input()));
  const auto mirror = [&](const Source& x) { return mirrored ? c.b().add("Negative", {x}) : x; };
  const Prefixes prefixes(c, mirror(c.input()), std::nullopt);
  const int64_t axis = prefixes.row_axis();
  constexpr int64_t kFirst = std::numeric_limits<int64_t>::min();
  const Source reversed = slice(c, prefixes.rows(), axis, -1, kFirst, -1);
  const Source found = top_k(c, reversed, c.b().scalar(int64_t{1}), axis, largest || mirrored, true);
  const auto output = [&](size_t port) { return squeeze(c, model::Builder::output(found, port), axis); };
  const Source last = with_number(c, "Subtract", length_of(c, prefixes.rows(), axis), 1);
  const Source index = c.b().add("Subtract", {last, output(1)});
  c.give(
      {mirror(prefixes.back(output(0))), prefixes.back(c.b().add("Minimum", {index, prefixes.positions()}))});
}

void cummax(Context& c) { cumulative_extreme(c, true); }
void cummin(Context& c) { cumulative_extreme(c, false); }

void log_cumulative_sum_exp(Context& c) {
  const Prefixes prefixes(c, c.input(), -HUGE_VAL);
  c.give(prefixes.back(log_sum_exp(c, prefixes.rows(), {prefixes.row_axis()}, false)));
}

// The position in sorted boundaries at which each value is inserted: before equal boundaries, or behind.
Source searched(Context& c, const Source& boundaries, const Source& values) {
  const ElementType common = promoted(c.b().type(boundaries), c.b().type(values));
  const bool right = c.word("side", c.flag("right", false) ? "right" : "left") == "right";
  const ElementType type = c.flag("out_int32", false) ? ElementType::kI32 : ElementType::kI64;
  return c.b().add("SearchSorted", {convert(c, boundaries, common), convert(c, values, common)},
                   {{"right_mode", right}, {"output_type", type}});
}

void search_sorted(Context& c) {
  if (c.is_marked("sorter")) fail(ErrorCode::kUnsupported, "takes the order of its boundaries as an input");
  const Source boundaries = c.required_input("sorted_sequence", 0);
  c.give(searched(c, boundaries, other_operand(c, "input", 1, boundaries)));
}

void bucketize(Context& c) {
  const Source boundaries = c.required_input("boundaries", 1);
  c.give(searched(c, boundaries, other_operand(c, "input", 0, boundaries)));
}

constexpr Entry kEntries[] = {
    {"torch.topk", topk, "TopK"},
    {"torch.sort", sort, "TopK"},
    {"aten::sort", sort, "TopK", false, "input dim descending|input stable dim descending"},
    {"aten::argsort", argsort, "TopK", false, "input dim descending|input stable dim descending"},
    {"aten::msort", msort, "TopK"},
    {"aten::kthvalue", kth_value, "TopK", false, "input k dim keepdim"},
    {"aten::median", median, "TopK Add Divide IsNaN ReduceMax Select", false, "input|input dim keepdim"},
    {"aten::quantile", quantile,
     "Subtract Multiply Floor Ceiling Round TopK Add Abs Less Select IsNaN ReduceLogicalOr", false,
     "input q dim keepdim interpolation"},
    {"torch.cumprod", cumprod, "Range LessEqual Select ReduceProd"},
    {"torch.cumsum", cumsum, "CumSum", true},
    {"aten::cummax", cummax, "Range LessEqual Select Slice TopK Subtract Minimum", false, "input dim"},
    {"aten::cummin", cummin, "Negative Range LessEqual Select Slice TopK Subtract Minimum", false,
     "input dim"},
    {"aten::logcumsumexp", log_cumulative_sum_exp,
     "Range LessEqual Select ReduceMax IsInf Subtract Exp ReduceSum Log Add", false, "input dim"},
    {"aten::searchsorted", search_sorted, "SearchSorted", false,
     "sorted_sequence input out_int32 right side sorter"},
    {"aten::bucketize", bucketize, "SearchSorted", false, "input boundaries out_int32 right"},
};

}  // namespace

std::span<const Entry> sorting() { return kEntries; }

}  // namespace wasmvino::pnnx
