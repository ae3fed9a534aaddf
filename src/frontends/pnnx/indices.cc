// SPDX-License-Identifier: Apache-2.0
#include "frontends/pnnx/indices.h"

#include <algorithm>

#include "core/saturate.h"
#include "frontends/pnnx/expression.h"
#include "frontends/pnnx/functions.h"

namespace wasmvino::pnnx {
namespace {

// A literal list of indices, which may contain lists: [[1,2],[3,4]].
void collect(const Expression& list, Shape& shape, size_t depth, std::vector<int64_t>& values) {
  const int64_t count = static_cast<int64_t>(list.arguments.size());
  if (shape.size() == depth) shape.push_back(count);
  if (shape[depth] != count)
    fail(ErrorCode::kInvalidModel, "its list of indices has rows of different lengths");
  for (const Expression& element : list.arguments) {
    if (element.kind == Expression::Kind::kList) {
      collect(element, shape, depth + 1, values);
    } else if (element.kind == Expression::Kind::kNumber && element.integral && shape.size() == depth + 1) {
      values.push_back(saturated_int64(element.number));
    } else {
      fail(ErrorCode::kUnsupported, "its list of indices holds '", element.text, "', expected integers");
    }
  }
}

// [True,False]: stands for the positions where it is true.
bool is_literal_mask(const Expression& list) {
  return !list.arguments.empty() &&
         std::all_of(list.arguments.begin(), list.arguments.end(), [](const Expression& element) {
           return element.kind == Expression::Kind::kWord &&
                  (element.text == "True" || element.text == "False");
         });
}

Source index_tensor(Context& c, const Expression& part, const std::vector<Source>& inputs) {
  if (part.kind == Expression::Kind::kInput) {
    if (part.input >= inputs.size()) {
      fail(ErrorCode::kInvalidModel, "is indexed by @", part.input, " of ", inputs.size(), " inputs");
    }
    return inputs[part.input];
  }
  if (part.kind != Expression::Kind::kList) {
    fail(ErrorCode::kUnsupported, "is indexed by '", part.text, "', expected an input or a list of integers");
  }
  Shape shape;
  std::vector<int64_t> values;
  if (is_literal_mask(part)) {
    for (size_t i = 0; i < part.arguments.size(); ++i) {
      if (part.arguments[i].text == "True") values.push_back(static_cast<int64_t>(i));
    }
    return c.b().constant(Tensor::of<int64_t>({static_cast<int64_t>(values.size())}, values.data()));
  }
  collect(part, shape, 0, values);
  if (values.size() != element_count(shape)) {
    fail(ErrorCode::kInvalidModel, "its list of indices has rows of different lengths");
  }
  return c.b().constant(Tensor::of<int64_t>(shape, values.data()));
}

// The list as text, and the values of its @0, @1: inputs of this operator, or of the pnnx.Expression that
// makes the list.
std::pair<std::string, std::vector<Source>> list_of(Context& c, const char* name) {
  std::vector<Source> inputs;
  if (c.find(name) != nullptr) {
    for (size_t i = 0; i < c.input_count(); ++i) inputs.push_back(c.input(i));
    return {c.word(name, ""), std::move(inputs)};
  }
  const Value& value = c.value(1);
  const auto* text = value.literal ? std::get_if<std::string>(&*value.literal) : nullptr;
  if (text == nullptr) fail(ErrorCode::kUnsupported, "its indices are no list of tensors");
  return {*text, value.list_inputs};
}

}  // namespace

Bounds::Bounds(Context& c, const char* name, size_t count, int64_t otherwise) {
  const std::string plural = cat(name, "s");
  if (c.find(plural) != nullptr) {
    known_ = c.ints(plural.c_str(), count);
  } else if (c.find(name) != nullptr) {
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

std::optional<int64_t> Bounds::known(Context& c, size_t i) const {
  if (computed_.empty()) return known_[i];
  const std::optional<Ints> value = c.b().known_ints(computed_[i]);
  return value && value->size() == 1 ? std::optional((*value)[0]) : std::nullopt;
}

Indices indices_of(Context& c, const char* name, size_t rank) {
  const auto [text, inputs] = list_of(c, name);
  const Expression list = parse_expression(text);
  if (list.kind != Expression::Kind::kList) fail(ErrorCode::kInvalidModel, "its expression is no list");
  Indices found;
  int64_t axis = 0;
  for (const Expression& part : list.arguments) {
    if (part.kind == Expression::Kind::kWord && part.text == "None") {
      found.others.push_back(axis++);
      continue;
    }
    const Source index = index_tensor(c, part, inputs);
    if (!is_mask(c, index)) {
      found.axes.push_back(axis++);
      found.indices.push_back(convert(c, index, ElementType::kI64));
    } else if (list.arguments.size() == 1) {
      found.axes.push_back(axis++);
      found.indices.push_back(index);
    } else {
      // Beside other indices, a mask stands for the positions where it is true: one list for each of its
      // axes.
      const Source places = c.b().add("NonZero", {index}, {{"output_type", ElementType::kI64}});
      for (size_t i = 0; i < c.b().rank(index); ++i) {
        found.axes.push_back(axis++);
        found.indices.push_back(select(c, places, 0, static_cast<int64_t>(i)));
      }
    }
  }
  const int64_t last = static_cast<int64_t>(rank);
  for (int64_t i = axis; i < last; ++i) found.others.push_back(i);
  if (found.axes.empty() || axis > last) {
    fail(ErrorCode::kInvalidModel, "has ", found.axes.size(), " indices for an input with ", rank, " axes");
  }
  return found;
}

bool is_mask(Context& c, const Source& index) { return c.b().type(index) == ElementType::kBoolean; }

Source index_tuples(Context& c, const std::vector<Source>& indices) {
  Source sum = indices[0];
  for (size_t i = 1; i < indices.size(); ++i) sum = c.b().add("Add", {sum, indices[i]});
  const Source common = shape_of(c, sum);
  const int64_t rank = static_cast<int64_t>(c.b().rank(sum));
  std::vector<Source> tuples;
  for (const Source each : indices) {
    const Source spread = c.b().add("Broadcast", {each, common}, {{"mode", "bidirectional"}});
    tuples.push_back(unsqueeze(c, spread, rank));
  }
  return concat(c, tuples, rank);
}

Ints result_order(const Ints& axes, const Ints& others, size_t rank) {
  const bool adjacent = axes.back() - axes[0] == static_cast<int64_t>(axes.size()) - 1;
  if (!adjacent || axes[0] == 0) return {};
  Ints order;
  for (int64_t i = 0; i < axes[0]; ++i) order.push_back(static_cast<int64_t>(rank) + i);
  for (size_t i = 0; i < rank; ++i) order.push_back(static_cast<int64_t>(i));
  for (size_t i = rank + static_cast<size_t>(axes[0]); i < rank + others.size(); ++i) {
    order.push_back(static_cast<int64_t>(i));
  }
  return order;
}

Source places_of(Context& c, const Source& mask) {
  return transpose(c, c.b().add("NonZero", {mask}, {{"output_type", ElementType::kI64}}), {1, 0});
}

}  // namespace wasmvino::pnnx
