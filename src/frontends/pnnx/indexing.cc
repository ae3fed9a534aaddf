// SPDX-License-Identifier: Apache-2.0
// Slices, and elements chosen by indices.
#include <limits>

#include "frontends/pnnx/expression.h"
#include "frontends/pnnx/families.h"
#include "frontends/pnnx/functions.h"

namespace wasmvino::pnnx {
namespace {

// pnnx writes C's INT_MAX for an end that is not given and for an axis that is not selected.
constexpr int64_t kNotGiven = std::numeric_limits<int32_t>::max();

void select_index(Context& c) {
  const Source x = c.input(0);
  const int64_t axis = c.axis(c.integer("dim"), c.b().rank(x));
  const auto index = c.op().find("index") ? std::nullopt : c.find_input("index", 1);
  if (!index) {
    c.give(select(c, x, axis, c.integer("index")));
  } else {
    c.give(
        c.b().add("Gather", {x, reshape(c, convert(c, *index, ElementType::kI64), {}), c.b().scalar(axis)}));
  }
}

void narrow(Context& c) {
  const Source x = c.input(0);
  const int64_t axis = c.axis(c.integer("dim"), c.b().rank(x)), start = c.integer("start");
  int64_t end = 0;
  if (__builtin_add_overflow(start, c.integer("length"), &end))
    fail(ErrorCode::kInvalidModel, "its length is too large");
  // From the end of the axis, 0 would be its begin.
  c.give(slice(c, x, axis, start, start < 0 && end == 0 ? std::numeric_limits<int64_t>::max() : end));
}

// One bound of a slice, for each of its axes: a parameter, singular or plural, or an input.
class Bounds {
 public:
  Bounds(Context& c, std::string_view name, size_t count, int64_t otherwise) {
    const std::string plural = cat(name, "s");
    if (c.op().find(plural) != nullptr) {
      known_ = c.ints(plural, count);
    } else if (c.op().find(name) != nullptr) {
      known_ = c.ints(name, count, otherwise);
    } else {
      for (size_t i = 0; i < c.op().inputs.size(); ++i) {
        if (c.op().input_names[i] != name && c.op().input_names[i] != plural) continue;
        for (const Source part : c.value(i).tensors) {
          computed_.push_back(reshape(c, convert(c, part, ElementType::kI64), {-1}));
        }
      }
      if (computed_.empty()) {
        for (size_t i = 0; i < count; ++i) known_.push_back(otherwise);
      }
    }
    if (!computed_.empty() && computed_.size() != count) {
      fail(ErrorCode::kInvalidModel, "has ", computed_.size(), " computed bounds for ", count, " axes");
    }
  }

  Source list(Context& c, size_t i) const {
    return computed_.empty() ? c.b().list({known_[i]}) : computed_[i];
  }
  // The number for an axis, where it is known.
  std::optional<int64_t> known(Context& c, size_t i) const {
    if (computed_.empty()) return known_[i];
    const std::optional<Ints> value = c.b().known_ints(computed_[i]);
    return value && value->size() == 1 ? std::optional((*value)[0]) : std::nullopt;
  }

 private:
  Ints known_;
  std::vector<Source> computed_;
};

void slice_axes(Context& c) {
  Source x = c.input(0);
  const Ints dims = c.ints(c.op().find("dims") ? "dims" : "dim");
  const Bounds starts(c, "start", dims.size(), 0), ends(c, "end", dims.size(), kNotGiven),
      steps(c, "step", dims.size(), 1), selects(c, "select", dims.size(), kNotGiven);
  const size_t rank = c.b().rank(x);
  int64_t dropped = 0;
  // Axes count from the front as they were, less those that were dropped before; dims rise.
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t axis = c.axis(dims[i], rank) - dropped;
    if (selects.known(c, i) != kNotGiven) {
      x = c.b().add("Gather", {x, reshape(c, selects.list(c, i), {}), c.b().scalar(axis)});
      ++dropped;
      continue;
    }
    if (starts.known(c, i) == 0 && ends.known(c, i) == kNotGiven && steps.known(c, i) == 1) continue;
    x = c.b().add("Slice", {x, starts.list(c, i), ends.list(c, i), steps.list(c, i), c.b().list({axis})});
  }
  c.give(x);
}

void gather(Context& c) {
  const int64_t axis = c.axis(c.integer("dim"), c.b().rank(c.input(0)));
  c.give(c.b().add("GatherElements", {c.input(0), c.input(1)}, {{"axis", axis}}));
}

void index_select(Context& c) {
  const Source x = c.input(0);
  c.give(c.b().add("Gather", {x, c.input(1), c.b().scalar(c.axis(c.integer("dim"), c.b().rank(x)))}));
}

// A literal list of indices, which may hold lists: [[1,2],[3,4]].
void collect(const Expression& list, Shape& shape, size_t depth, std::vector<int64_t>& values) {
  const int64_t count = static_cast<int64_t>(list.arguments.size());
  if (shape.size() == depth) shape.push_back(count);
  if (shape[depth] != count)
    fail(ErrorCode::kInvalidModel, "its list of indices has rows of different lengths");
  for (const Expression& element : list.arguments) {
    if (element.kind == Expression::Kind::kList) {
      collect(element, shape, depth + 1, values);
    } else if (element.kind == Expression::Kind::kNumber && element.integral && shape.size() == depth + 1) {
      values.push_back(static_cast<int64_t>(element.number));
    } else {
      fail(ErrorCode::kUnsupported, "its list of indices holds '", element.text, "', expected integers");
    }
  }
}

Source index_tensor(Context& c, const Expression& part) {
  if (part.kind == Expression::Kind::kInput) {
    const Source indices = c.input(part.input);
    if (c.b().type(indices) == ElementType::kBoolean) {
      fail(ErrorCode::kUnsupported, "chooses elements by a boolean mask");
    }
    return indices;
  }
  if (part.kind != Expression::Kind::kList) {
    fail(ErrorCode::kUnsupported, "is indexed by '", part.text, "', expected an input or a list of integers");
  }
  Shape shape;
  std::vector<int64_t> values;
  collect(part, shape, 0, values);
  if (values.size() != element_count(shape)) {
    fail(ErrorCode::kInvalidModel, "its list of indices has rows of different lengths");
  }
  return c.b().constant(Tensor::of<int64_t>(shape, values.data()));
}

// x[None, i, j]: None keeps an axis. Several indices are broadcast and taken together.
void index(Context& c) {
  const Expression list = parse_expression(c.word("expr", ""));
  if (list.kind != Expression::Kind::kList) fail(ErrorCode::kInvalidModel, "its expression is no list");
  Source x = c.input(0);
  const size_t rank = c.b().rank(x);
  Ints axes, others;
  std::vector<Source> indices;
  for (size_t i = 0; i < list.arguments.size(); ++i) {
    const Expression& part = list.arguments[i];
    const bool kept = part.kind == Expression::Kind::kWord && part.text == "None";
    (kept ? others : axes).push_back(static_cast<int64_t>(i));
    if (!kept) indices.push_back(convert(c, index_tensor(c, part), ElementType::kI64));
  }
  for (size_t i = list.arguments.size(); i < rank; ++i) others.push_back(static_cast<int64_t>(i));
  if (axes.empty() || list.arguments.size() > rank) {
    fail(ErrorCode::kInvalidModel, "has ", axes.size(), " indices for an input with ", rank, " axes");
  }
  if (axes.size() == 1) {
    c.give(c.b().add("Gather", {x, indices[0], c.b().scalar(axes[0])}));
    return;
  }
  // The indexed axes to the front, then tuples of indices.
  Ints order = axes;
  for (const int64_t axis : others) order.push_back(axis);
  const bool in_front = order == [&] {
    Ints rising;
    for (size_t i = 0; i < rank; ++i) rising.push_back(static_cast<int64_t>(i));
    return rising;
  }();
  if (!in_front) x = transpose(c, x, order);
  Source sum = indices[0];
  for (size_t i = 1; i < indices.size(); ++i) sum = c.b().add("Add", {sum, indices[i]});
  const Source common = shape_of(c, sum);
  const size_t index_rank = c.b().rank(sum);
  std::vector<Source> tuples;
  for (const Source each : indices) {
    const Source spread = c.b().add("Broadcast", {each, common}, {{"mode", "bidirectional"}});
    tuples.push_back(unsqueeze(c, spread, static_cast<int64_t>(index_rank)));
  }
  Source result = c.b().add("GatherND", {x, concat(c, tuples, static_cast<int64_t>(index_rank))});
  // Adjacent indices put their axes where the first of them was, others to the front.
  const bool adjacent = axes.back() - axes[0] == static_cast<int64_t>(axes.size()) - 1;
  if (adjacent && axes[0] > 0) {
    Ints back;
    for (int64_t i = 0; i < axes[0]; ++i) back.push_back(static_cast<int64_t>(index_rank) + i);
    for (size_t i = 0; i < index_rank; ++i) back.push_back(static_cast<int64_t>(i));
    for (size_t i = index_rank + static_cast<size_t>(axes[0]); i < index_rank + others.size(); ++i) {
      back.push_back(static_cast<int64_t>(i));
    }
    result = transpose(c, result, back);
  }
  c.give(result);
}

void scatter_add(Context& c) {
  const Source x = c.input(0);
  const int64_t axis = c.axis(c.integer("dim"), c.b().rank(x));
  c.give(c.b().add("ScatterElementsUpdate", {x, c.input(1), c.input(2), c.b().scalar(axis)},
                   {{"reduction", "sum"}}));
}

constexpr Entry kEntries[] = {
    {"Tensor.select", select_index}, {"torch.select", select_index},     {"torch.narrow", narrow},
    {"Tensor.slice", slice_axes},    {"torch.gather", gather},           {"torch.index_select", index_select},
    {"Tensor.index", index},         {"torch.scatter_add", scatter_add},
};

}  // namespace

std::span<const Entry> indexing() { return kEntries; }

}  // namespace wasmvino::pnnx
