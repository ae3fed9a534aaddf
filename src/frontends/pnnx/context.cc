// SPDX-License-Identifier: Apache-2.0
#include "frontends/pnnx/context.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <unordered_set>

#include "core/checked.h"

namespace wasmvino::pnnx {
namespace {

// Axes, sizes and offsets of tensors. Their sums and products do not overflow.
constexpr int64_t kMostInteger = int64_t{1} << 31;

// The element type that PyTorch's enumeration ScalarType has at `number`.
ElementType numbered_type(int64_t number) {
  constexpr ElementType kTypes[] = {ElementType::kU8,  ElementType::kI8,  ElementType::kI16,
                                    ElementType::kI32, ElementType::kI64, ElementType::kF16,
                                    ElementType::kF32, ElementType::kF64};
  if (number >= 0 && static_cast<size_t>(number) < std::size(kTypes)) return kTypes[number];
  constexpr int64_t kBoolean = 11, kBf16 = 15;
  if (number == kBoolean) return ElementType::kBoolean;
  if (number == kBf16) return ElementType::kBf16;
  fail(ErrorCode::kUnsupported, "has the unsupported element type number ", number);
}

}  // namespace

const Value& Context::value(size_t i) const {
  if (i >= op_.inputs.size()) {
    fail(ErrorCode::kInvalidModel, "has ", op_.inputs.size(), " inputs, expected ", i + 1, " at least");
  }
  read_inputs_[i] = 1;
  return values_[op_.inputs[i]];
}

Source Context::input(size_t i) const {
  if (value(i).is_complex) {
    fail(ErrorCode::kUnsupported, "its input ", i, ", the operand '",
         model::brief(graph_.operands[op_.inputs[i]].name), "', is complex, expected real numbers");
  }
  return any_input(i);
}

Source Context::any_input(size_t i) const {
  const Value& found = value(i);
  if (found.is_tuple || found.tensors.size() != 1) {
    fail(ErrorCode::kUnsupported, "its input ", i, ", the operand '",
         model::brief(graph_.operands[op_.inputs[i]].name), "', is ",
         found.is_tuple ? "a tuple" : "no tensor", ", expected a tensor");
  }
  return found.tensors[0];
}

size_t Context::marked(std::string_view name) const {
  const auto found = std::find(op_.input_names.begin(), op_.input_names.end(), name);
  return static_cast<size_t>(found - op_.input_names.begin());
}

bool Context::is_marked(const char* name) const { return marked(name) < op_.inputs.size(); }

std::optional<Source> Context::find_input(const char* name, size_t position) const {
  if (const size_t i = marked(name); i < op_.inputs.size()) return input(i);
  const bool any =
      std::any_of(op_.input_names.begin(), op_.input_names.end(), [](const auto& n) { return !n.empty(); });
  if (any || position >= op_.inputs.size()) return std::nullopt;
  return input(position);
}

Source Context::required_input(const char* name, size_t position) const {
  const std::optional<Source> found = find_input(name, position);
  if (!found) fail(ErrorCode::kInvalidModel, "lacks its parameter or input ", name);
  return *found;
}

const Parameter* Context::find(std::string_view name) const {
  for (size_t i = 0; i < op_.parameters.size(); ++i) {
    if (op_.parameters[i].first != name) continue;
    read_parameters_[i] = 1;
    return &op_.parameters[i].second;
  }
  return nullptr;
}

const Parameter& Context::get(const char* name) const {
  const Parameter* found = find(name);
  if (found != nullptr) return *found;
  if (is_marked(name)) {
    fail(ErrorCode::kUnsupported, "its parameter ", name, " is computed by the graph, as the operand '",
         model::brief(operand_name(marked(name))), "', expected a value in the file");
  }
  fail(ErrorCode::kInvalidModel, "lacks its parameter ", name);
}

void Context::refuse(const char* name, const char* wanted) const {
  fail(ErrorCode::kInvalidModel, "its parameter ", name, " is not ", wanted, " (", op_.parameter_text, ")");
}

bool Context::has(const char* name) const {
  const Parameter* found = find(name);
  return found != nullptr ? !std::holds_alternative<None>(*found) : is_marked(name);
}

Ints Context::integers_of(const char* name, const char* wanted) const {
  const Parameter& found = get(name);
  const auto* value = std::get_if<int64_t>(&found);
  const auto* list = std::get_if<Ints>(&found);
  if (value == nullptr && list == nullptr) refuse(name, wanted);
  const Ints integers = value != nullptr ? Ints{*value} : *list;
  for (const int64_t integer : integers) {
    if (integer < -kMostInteger || integer > kMostInteger) refuse(name, "between -2^31 and 2^31");
  }
  return integers;
}

int64_t Context::integer(const char* name) const {
  const Ints list = integers_of(name, "an integer");
  if (list.size() != 1) refuse(name, "an integer");
  return list[0];
}

double Context::real(const char* name) const {
  const Parameter& found = get(name);
  if (const auto* value = std::get_if<double>(&found)) return *value;
  if (const auto* value = std::get_if<int64_t>(&found)) return static_cast<double>(*value);
  // Infinity and NaN are words: "-inf", "nan.0".
  if (const auto* text = std::get_if<std::string>(&found)) {
    if (const std::optional<double> special = parse_special_number(*text)) return *special;
  }
  refuse(name, "a number");
}

Scalar Context::number(const char* name) const {
  if (is_marked(name)) {
    Source computed = input(marked(name));
    if (builder_.rank(computed) != 0)
      computed = builder_.add("Reshape", {computed, builder_.list({})}, {{"special_zero", false}});
    return {std::nullopt, false, computed};
  }
  const double known = real(name);
  return {known, std::holds_alternative<int64_t>(get(name)), {}};
}

Scalar Context::number(const char* name, double otherwise) const {
  return has(name) ? number(name) : Scalar{otherwise, std::trunc(otherwise) == otherwise, {}};
}

bool Context::flag(const char* name, bool otherwise) const {
  if (!has(name)) return otherwise;
  const Parameter& found = get(name);
  if (const auto* value = std::get_if<bool>(&found)) return *value;
  // Older versions of pnnx wrote 1 and 0.
  const auto* number = std::get_if<int64_t>(&found);
  if (number == nullptr || *number < 0 || *number > 1) refuse(name, "a boolean");
  return *number == 1;
}

std::string Context::word(const char* name, const char* otherwise) const {
  if (!has(name)) return std::string(otherwise);
  const auto* value = std::get_if<std::string>(&get(name));
  if (value == nullptr) refuse(name, "a word");
  return *value;
}

Ints Context::ints(const char* name) const {
  if (std::holds_alternative<None>(get(name))) return {};
  return integers_of(name, "a list of integers");
}

Ints Context::ints(const char* name, size_t count) const {
  Ints list = ints(name);
  if (list.size() == 1) {
    while (list.size() < count) list.push_back(list[0]);
  }
  if (list.size() != count) {
    fail(ErrorCode::kInvalidModel, "its parameter ", name, " has ", list.size(), " numbers, expected ",
         count);
  }
  return list;
}

Ints Context::ints(const char* name, size_t count, int64_t otherwise) const {
  if (has(name)) return ints(name, count);
  Ints list;
  while (list.size() < count) list.push_back(otherwise);
  return list;
}

ElementType Context::dtype(ElementType otherwise) const {
  if (!has("dtype")) return otherwise;
  if (const auto* number = std::get_if<int64_t>(&get("dtype"))) return numbered_type(*number);
  const std::string text = word("dtype", "");
  constexpr std::pair<std::string_view, ElementType> kTypes[] = {
      {"torch.float", ElementType::kF32},     {"torch.float32", ElementType::kF32},
      {"torch.double", ElementType::kF64},    {"torch.float64", ElementType::kF64},
      {"torch.half", ElementType::kF16},      {"torch.float16", ElementType::kF16},
      {"torch.bfloat16", ElementType::kBf16}, {"torch.long", ElementType::kI64},
      {"torch.int64", ElementType::kI64},     {"torch.int", ElementType::kI32},
      {"torch.int32", ElementType::kI32},     {"torch.short", ElementType::kI16},
      {"torch.int8", ElementType::kI8},       {"torch.uint8", ElementType::kU8},
      {"torch.bool", ElementType::kBoolean}};
  for (const auto& [name, type] : kTypes) {
    if (name == text) return type;
  }
  fail(ErrorCode::kUnsupported, "has the unsupported element type ", text);
}

void Context::ignore(std::string_view names) const {
  while (!names.empty()) {
    const std::string_view name = names.substr(0, names.find(' '));
    names.remove_prefix(std::min(name.size() + 1, names.size()));
    find(name);
    if (const size_t i = marked(name); i < op_.inputs.size()) read_inputs_[i] = 1;
  }
}

void Context::check_read() const {
  // Where a tensor is, whether it is written in place, and what only training uses.
  ignore("device layout memory_format pin_memory requires_grad non_blocking copy inplace");
  for (size_t i = 0; i < op_.parameters.size(); ++i) {
    // None stands for the default.
    if (read_parameters_[i] || std::holds_alternative<None>(op_.parameters[i].second)) continue;
    fail(ErrorCode::kUnsupported, "has the parameter '", model::brief(op_.parameters[i].first),
         "', which this form of the operator does not use (", op_.parameter_text, ")");
  }
  std::unordered_set<size_t> used;  // operands
  for (size_t i = 0; i < op_.inputs.size(); ++i) {
    if (read_inputs_[i]) used.insert(op_.inputs[i]);
  }
  for (size_t i = 0; i < op_.inputs.size(); ++i) {
    // pnnx lists an operand twice that a module uses twice.
    if (read_inputs_[i] || (op_.input_names[i].empty() && used.contains(op_.inputs[i]))) continue;
    const std::optional<Parameter>& literal = values_[op_.inputs[i]].literal;
    if (literal && std::holds_alternative<None>(*literal)) continue;
    const std::string& name = op_.input_names[i];
    fail(ErrorCode::kUnsupported, "its input ", i, name.empty() ? "" : ", its parameter ", model::brief(name),
         ", is computed by the graph, as the operand '", model::brief(operand_name(i)),
         "', but this form of the operator does not use it");
  }
  for (size_t i = 0; i < op_.attributes.size(); ++i) {
    if (read_weights_[i]) continue;
    fail(ErrorCode::kUnsupported, "has the weight @", model::brief(op_.attributes[i].name),
         ", which this form of the operator does not use");
  }
}

bool Context::has_weight(std::string_view name) const {
  return std::any_of(op_.attributes.begin(), op_.attributes.end(),
                     [&](const auto& text) { return text.name == name; });
}

const AttributeText& Context::weight_text(std::string_view name) const {
  for (size_t i = 0; i < op_.attributes.size(); ++i) {
    if (op_.attributes[i].name != name) continue;
    read_weights_[i] = 1;
    return op_.attributes[i];
  }
  fail(ErrorCode::kInvalidModel, "lacks its weight @", name);
}

std::shared_ptr<const model::ConstantData> Context::read(const AttributeText& text, const Shape& shape,
                                                         uint64_t first_row) const {
  const std::string entry_name = cat(op_.name, ".", text.name);
  if (text.is_complex && op_.type != "pnnx.Attribute") {
    fail(ErrorCode::kUnsupported, "its weight @", text.name, " is complex, expected real numbers");
  }
  if (weights_ == nullptr) {
    fail(ErrorCode::kInvalidModel, "needs its weight '", entry_name,
         "' from the .pnnx.bin, but no weights were given");
  }
  const StoredZip::Entry* entry = weights_->zip.find(entry_name);
  if (entry == nullptr) fail(ErrorCode::kInvalidModel, "its weight '", entry_name, "' is not in the .bin");
  const size_t bytes = storage_bytes(text.type, element_count(text.shape));
  if (entry->size != bytes) {
    fail(ErrorCode::kInvalidModel, "its weight '", entry_name, "' has ", entry->size, " bytes in the .bin, ",
         text.type, " ", text.shape, " takes ", bytes);
  }
  const size_t used = storage_bytes(text.type, element_count(shape));
  const size_t offset =
      first_row == 0 ? 0 : (CheckedSize(first_row) * (bytes / static_cast<size_t>(text.shape[0]))).value();
  return std::make_shared<model::ConstantData>(text.type, shape, weights_->bytes, entry->offset + offset,
                                               used);
}

Source Context::weight(std::string_view name) {
  const AttributeText& text = weight_text(name);
  return builder_.constant(read(text, text.shape, 0));
}

Source Context::weight(std::string_view name, const Shape& shape) {
  const AttributeText& text = weight_text(name);
  if (element_count(shape) != element_count(text.shape)) {
    fail(ErrorCode::kInvalidModel, "its weight @", name, " has the shape ", text.shape,
         ", expected the elements of ", shape);
  }
  return builder_.constant(read(text, shape, 0));
}

Source Context::weight_rows(std::string_view name, int64_t begin, int64_t count) {
  const AttributeText& text = weight_text(name);
  if (text.shape.empty() || begin < 0 || count < 0 || begin > text.shape[0] ||
      count > text.shape[0] - begin) {
    fail(ErrorCode::kInvalidModel, "its weight @", name, " has the shape ", text.shape, ", expected ", begin,
         " + ", count, " rows at least");
  }
  Shape shape = text.shape;
  shape[0] = count;
  return builder_.constant(read(text, shape, static_cast<uint64_t>(begin)));
}

int64_t Context::axis(int64_t axis, size_t rank) const {
  const int64_t count = static_cast<int64_t>(rank);
  if (axis < -count || axis >= count)
    fail(ErrorCode::kInvalidModel, "its axis ", axis, " is none of an input with ", rank);
  return axis < 0 ? axis + count : axis;
}

void Context::give(const std::vector<Source>& outputs) {
  if (outputs.size() < op_.outputs.size()) {
    fail(ErrorCode::kUnsupported, "has ", op_.outputs.size(), " outputs, expected at most ", outputs.size());
  }
  for (size_t i = 0; i < op_.outputs.size(); ++i) values_[op_.outputs[i]].tensors = {outputs[i]};
}

void Context::give_first(const Source& output) {
  for (size_t i = 1; i < op_.outputs.size(); ++i) {
    if (graph_.operands[op_.outputs[i]].is_read) {
      fail(ErrorCode::kUnsupported, "its output ", i, ", the operand '",
           model::brief(graph_.operands[op_.outputs[i]].name), "', is read, but only output 0 is computed");
    }
  }
  if (!op_.outputs.empty()) values_[op_.outputs[0]].tensors = {output};
}

void Context::give_list(std::vector<Source> parts) {
  Value value;
  value.is_tuple = true;
  value.tensors = std::move(parts);
  give_value(std::move(value));
}

void Context::give_complex(const Source& output) {
  Value value;
  value.tensors = {output};
  value.is_complex = true;
  give_value(std::move(value));
}

void Context::give_value(Value value) {
  if (op_.outputs.size() != 1)
    fail(ErrorCode::kInvalidModel, "has ", op_.outputs.size(), " outputs, expected one");
  values_[op_.outputs[0]] = std::move(value);
}

}  // namespace wasmvino::pnnx
