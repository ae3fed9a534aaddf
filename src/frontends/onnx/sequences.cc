// SPDX-License-Identifier: Apache-2.0
// Sequences and optional values. They exist only while a model is read: the number of tensors of a sequence,
// and whether an optional value is there, must be known.
#include <limits>

#include "frontends/onnx/families.h"
#include "frontends/onnx/operands.h"

namespace wasmvino::onnx {
namespace {

using namespace frontends::build;  // NOLINT: builder functions are written in terms of these throughout

void give_sequence(Context& c, std::vector<Source> tensors) {
  c.count_made(tensors.size());
  c.give_value(0, {Value::Kind::kSequence, std::move(tensors)});
}

const std::vector<Source>& sequence(Context& c, size_t i = 0) {
  const Value& value = c.value(i);
  if (value.kind != Value::Kind::kSequence)
    fail(ErrorCode::kInvalidModel, "its input ", i, " is a tensor, expected a sequence");
  return value.tensors;
}

// A number that is known while the model is read.
int64_t known_number(Context& c, size_t i) {
  const auto known = c.b().known_ints(c.input(i));
  if (!known || known->size() != 1) {
    fail(ErrorCode::kUnsupported, "its input ", i,
         " is computed by the graph, expected a constant: a sequence has the same tensors in every run");
  }
  return (*known)[0];
}

// A position among `count`, counted from the front.
size_t position(Context& c, size_t i, size_t count) {
  const auto all = static_cast<int64_t>(count);
  const int64_t at = known_number(c, i);
  if (at < -all || at >= all)
    fail(ErrorCode::kInvalidModel, "has the position ", at, " of a sequence with ", count, " tensors");
  return static_cast<size_t>(at < 0 ? at + all : at);
}

void construct(Context& c) {
  std::vector<Source> tensors;
  for (size_t i = 0; i < c.input_count(); ++i) tensors.push_back(c.input(i));
  give_sequence(c, std::move(tensors));
}

void empty(Context& c) { give_sequence(c, {}); }

void insert(Context& c) {
  std::vector<Source> tensors = sequence(c);
  const size_t at = c.has_input(2) ? position(c, 2, tensors.size() + 1) : tensors.size();
  tensors.insert(tensors.begin() + static_cast<ptrdiff_t>(at), c.input(1));
  give_sequence(c, std::move(tensors));
}

void erase(Context& c) {
  std::vector<Source> tensors = sequence(c);
  const size_t at = c.has_input(1) ? position(c, 1, tensors.size()) : tensors.size() - 1;
  if (tensors.empty()) fail(ErrorCode::kInvalidModel, "takes a tensor out of an empty sequence");
  tensors.erase(tensors.begin() + static_cast<ptrdiff_t>(at));
  give_sequence(c, std::move(tensors));
}

void length(Context& c) { c.give(c.b().scalar(static_cast<int64_t>(sequence(c).size()))); }

void at(Context& c) {
  const std::vector<Source>& tensors = sequence(c);
  const Source place = c.input(1);
  if (c.b().known_ints(place)) return c.give(tensors[position(c, 1, tensors.size())]);
  // Tensors of one shape are rows of one tensor.
  std::vector<Source> rows;
  for (const Source& tensor : tensors) {
    const PartialShape& shape = c.b().shape(tensor);
    if (!shape.is_static() || shape != c.b().shape(tensors[0])) {
      fail(ErrorCode::kUnsupported, "chooses among tensors of the shapes ", c.b().shape(tensors[0]), " and ",
           shape, " by a computed position, expected tensors of one shape, or a constant position");
    }
    rows.push_back(unsqueeze(c.b(), tensor, {0}));
  }
  if (rows.empty()) fail(ErrorCode::kInvalidModel, "takes a tensor out of an empty sequence");
  c.give(c.b().add("Gather", {concat(c.b(), rows, 0), index_scalar(c, place), c.b().scalar(int64_t{0})}));
}

void split_up(Context& c) {
  model::Builder& b = c.b();
  const Source x = c.input(0);
  const int64_t axis = c.axis(c.integer("axis", 0), b.rank(x));
  const Dimension size = b.shape(x)[static_cast<size_t>(axis)];
  const bool single = !c.has_input(1);
  const auto given = single ? Ints{1} : b.known_ints(c.input(1)).value_or(Ints());
  Ints sizes = given;
  if (single || b.shape(c.input(1)) == PartialShape(Shape())) {
    if (given.size() != 1 || !size.is_static()) {
      fail(ErrorCode::kUnsupported, "splits axis ", axis, " of ", b.shape(x),
           " into a number of tensors that depends on the input, expected known sizes");
    }
    if (given[0] < 1) fail(ErrorCode::kInvalidModel, "splits into tensors of size ", given[0]);
    c.count_made(static_cast<size_t>(size.size() / given[0]));
    sizes = Ints(static_cast<size_t>(size.size() / given[0]), given[0]);
    if (size.size() % given[0] != 0) sizes.push_back(size.size() % given[0]);
  } else if (given.empty()) {
    fail(ErrorCode::kUnsupported, "its sizes are computed by the graph, expected constants");
  }
  std::vector<Source> tensors;
  if (!sizes.empty()) tensors = split(b, x, axis, sizes);
  if (single && !c.flag("keepdims", true)) {
    for (Source& tensor : tensors) tensor = squeeze(b, tensor, {axis});
  }
  give_sequence(c, std::move(tensors));
}

void concatenate(Context& c) {
  std::vector<Source> tensors = sequence(c);
  if (tensors.empty()) fail(ErrorCode::kUnsupported, "joins the tensors of an empty sequence");
  const int64_t axis = c.integer("axis");
  if (c.flag("new_axis")) {
    for (Source& tensor : tensors) tensor = unsqueeze(c.b(), tensor, {axis});
  }
  c.give(concat(c.b(), tensors, axis));
}

// Runs a graph for each tensor of a sequence.
void map(Context& c) {
  const size_t count = sequence(c).size();
  std::vector<std::vector<Source>> made(c.output_count());
  for (size_t i = 0; i < count; ++i) {
    std::vector<Value> inputs;
    for (size_t k = 0; k < c.input_count(); ++k) {
      const Value& value = c.value(k);
      if (value.kind == Value::Kind::kSequence && value.tensors.size() != count) {
        fail(ErrorCode::kInvalidModel, "its input ", k, " has ", value.tensors.size(),
             " tensors, its input 0 has ", count);
      }
      inputs.push_back(value.kind == Value::Kind::kSequence ? Value::of(value.tensors[i]) : value);
    }
    const std::vector<Value> outputs = c.merged("body", inputs);
    for (size_t k = 0; k < made.size(); ++k) {
      if (k >= outputs.size() || outputs[k].kind != Value::Kind::kTensor)
        fail(ErrorCode::kUnsupported, "its body's output ", k, " is no tensor");
      made[k].push_back(outputs[k].tensors[0]);
    }
  }
  for (size_t k = 0; k < made.size(); ++k) {
    c.count_made(count);
    c.give_value(k, {Value::Kind::kSequence, std::move(made[k])});
  }
}

void optional(Context& c) { c.give_value(0, c.has_input(0) ? c.value(0) : Value{Value::Kind::kNone, {}}); }

void optional_has_element(Context& c) {
  const bool has = c.has_input(0) && c.value(0).kind != Value::Kind::kNone;
  c.give(c.b().scalar(has ? 1 : 0, ElementType::kBoolean));
}

void optional_get_element(Context& c) {
  if (c.value(0).kind == Value::Kind::kNone)
    fail(ErrorCode::kInvalidModel, "takes the content of an empty optional value");
  c.give_value(0, c.value(0));
}

constexpr Entry kEntries[] = {
    {"ConcatFromSequence", kAllOpsets, concatenate, "Concat"},
    {"Optional", kAllOpsets, optional, ""},
    {"OptionalGetElement", kAllOpsets, optional_get_element, ""},
    {"OptionalHasElement", kAllOpsets, optional_has_element, ""},
    {"SequenceAt", kAllOpsets, at, "Gather"},
    {"SequenceConstruct", kAllOpsets, construct, ""},
    {"SequenceEmpty", kAllOpsets, empty, ""},
    {"SequenceErase", kAllOpsets, erase, ""},
    {"SequenceInsert", kAllOpsets, insert, ""},
    {"SequenceLength", kAllOpsets, length, ""},
    {"SequenceMap", kAllOpsets, map, ""},
    {"SplitToSequence", kAllOpsets, split_up, "VariadicSplit"},
};

}  // namespace

std::span<const Entry> sequences() { return kEntries; }

}  // namespace wasmvino::onnx
