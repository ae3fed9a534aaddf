// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/context.h"

#include <algorithm>

#include "frontends/onnx/element_types.h"
#include "model/problems.h"

namespace wasmvino::onnx {
namespace {

// Axes, sizes and offsets of tensors. Their sums and products do not overflow.
constexpr int64_t kMostInteger = int64_t{1} << 31;

}  // namespace

int Frame::opset(std::string_view domain) const {
  const int64_t version = opset_of(*opsets, domain);
  return static_cast<int>(std::clamp<int64_t>(version, 1, kMostInteger - 1));
}

Context::Context(const NodeText& node, std::string_view operations, const Frame& frame, Scope& scope,
                 TensorReader& tensors, BodyBuilder& bodies)
    : node_(node), operations_(operations), frame_(frame), scope_(scope), tensors_(tensors), bodies_(bodies) {
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i].empty()) {
      values_.push_back(nullptr);
      continue;
    }
    const Value* value = scope.find(node.inputs[i]);
    if (value == nullptr) {
      fail(ErrorCode::kInvalidModel, "its input ", i, ", '", model::brief(node.inputs[i]),
           "', is no value of the graph");
    }
    values_.push_back(value);
  }
  while (!values_.empty() && values_.back() == nullptr) values_.pop_back();
}

const Value& Context::value(size_t i) const {
  if (!has_input(i))
    fail(ErrorCode::kInvalidModel, "lacks its input ", i, " (it has ", input_count(), " inputs)");
  const Value& found = *values_[i];
  if (found.kind == Value::Kind::kNotComputed) {
    fail(ErrorCode::kUnsupported, "its input ", i, ", '", model::brief(node_.inputs[i]),
         "', is an output that is not computed");
  }
  return found;
}

Source Context::input(size_t i) const {
  const Value& found = value(i);
  if (found.kind != Value::Kind::kTensor) {
    fail(ErrorCode::kUnsupported, "its input ", i, ", '", model::brief(node_.inputs[i]), "', is ",
         found.kind == Value::Kind::kSequence ? "a sequence" : "an empty optional value",
         ", expected a tensor");
  }
  return found.tensors[0];
}

std::optional<Source> Context::find_input(size_t i) const {
  if (!has_input(i)) return std::nullopt;
  return input(i);
}

const AttributeText* Context::find(const char* name) const {
  for (const AttributeText& attribute : node_.attributes) {
    if (attribute.name != name) continue;
    if (attribute.reference.empty()) return &attribute;
    const auto referred = frame_.attributes.find(attribute.reference);
    return referred == frame_.attributes.end() ? nullptr : referred->second;
  }
  return nullptr;
}

const AttributeText& Context::get(const char* name) const {
  const AttributeText* found = find(name);
  if (found == nullptr) fail(ErrorCode::kInvalidModel, "lacks its attribute ", name);
  return *found;
}

void Context::refuse(const char* name, const char* wanted) const {
  fail(ErrorCode::kInvalidModel, "its attribute ", name, " is not ", wanted);
}

int64_t Context::integer(const char* name) const {
  const AttributeText& found = get(name);
  if (found.type != AttributeText::kInt) refuse(name, "an integer");
  return found.integer;
}

int64_t Context::count(const char* name) const {
  const int64_t number = integer(name);
  if (number < 1 || number > kMostInteger)
    fail(ErrorCode::kInvalidModel, "its attribute ", name, " is ", number, ", expected 1 to 2^31");
  return number;
}

double Context::real(const char* name) const {
  const AttributeText& found = get(name);
  if (found.type == AttributeText::kInt) return static_cast<double>(found.integer);
  if (found.type != AttributeText::kFloat) refuse(name, "a number");
  return found.real;
}

std::string Context::word(const char* name) const {
  const AttributeText& found = get(name);
  if (found.type != AttributeText::kString) refuse(name, "a text");
  return found.text;
}

Ints Context::ints(const char* name) const {
  const AttributeText* found = find(name);
  if (found == nullptr) return {};
  if (found->type == AttributeText::kInt) return {found->integer};
  if (found->type != AttributeText::kInts) refuse(name, "a list of integers");
  return found->integers;
}

model::Floats Context::reals(const char* name) const {
  const AttributeText* found = find(name);
  if (found == nullptr) return {};
  // A list without elements has no type in files of old versions.
  if (found->type != AttributeText::kFloats && found->type != AttributeText::kNone)
    refuse(name, "a list of numbers");
  return found->reals;
}

std::vector<std::string> Context::words(const char* name) const {
  const AttributeText* found = find(name);
  if (found == nullptr) return {};
  if (found->type != AttributeText::kStrings && found->type != AttributeText::kNone)
    refuse(name, "a list of texts");
  return found->texts;
}

Ints Context::ints(const char* name, size_t count, int64_t otherwise) const {
  Ints list = ints(name);
  if (!has(name)) list = Ints(count, otherwise);
  if (list.size() != count) {
    fail(ErrorCode::kInvalidModel, "its attribute ", name, " has ", list.size(), " numbers, expected ",
         count);
  }
  for (const int64_t number : list) {
    if (number < -kMostInteger || number > kMostInteger) refuse(name, "between -2^31 and 2^31");
  }
  return list;
}

std::shared_ptr<const model::ConstantData> Context::tensor_data(const char* name) const {
  const AttributeText& found = get(name);
  if (found.type == AttributeText::kSparse && found.sparse.size() == 1) return tensors_.read(found.sparse[0]);
  if (found.type != AttributeText::kTensor || found.tensors.size() != 1) refuse(name, "a tensor");
  return tensors_.read(found.tensors[0]);
}

Source Context::tensor(const char* name) { return b().constant(tensor_data(name)); }

ElementType Context::element_type(const char* name) const { return onnx::element_type(integer(name)); }

const Graph& Context::graph(const char* name) const {
  const AttributeText& found = get(name);
  if (found.type != AttributeText::kGraph || found.graph == nullptr) refuse(name, "a graph");
  return *found.graph;
}

BodyGraph Context::body(const char* name, const std::vector<BodyParameter>& parameters,
                        const StackedAxes& stacked) {
  return bodies_.build(graph(name), parameters, stacked, scope_, frame_);
}

std::vector<Value> Context::merged(const char* name, const std::vector<Value>& inputs) {
  return bodies_.merge(graph(name), inputs, scope_, frame_);
}

int64_t Context::axis(int64_t axis, size_t rank) const {
  const auto count = static_cast<int64_t>(rank);
  if (axis < -count || axis >= count)
    fail(ErrorCode::kInvalidModel, "has the axis ", axis, " of a value with ", rank, " axes");
  return axis < 0 ? axis + count : axis;
}

void Context::give(const std::vector<Source>& outputs) {
  for (size_t i = 0; i < node_.outputs.size(); ++i) {
    give_value(i, i < outputs.size() ? Value::of(outputs[i]) : Value{Value::Kind::kNotComputed, {}});
  }
}

void Context::give_value(size_t output, Value value) {
  if (wants(output)) scope_.set(node_.outputs[output], std::move(value));
}

}  // namespace wasmvino::onnx
