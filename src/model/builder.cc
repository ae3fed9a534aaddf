// SPDX-License-Identifier: Apache-2.0
#include "model/builder.h"

#include <algorithm>
#include <limits>

#include "core/call.h"
#include "core/float_types.h"
#include "model/attribute_writer.h"
#include "model/infer.h"
#include "model/problems.h"

namespace wasmvino::model {
namespace {

// Sets an operation's attributes to values that are given by name.
class AttributeSetter final : public AttributeVisitor {
 public:
  AttributeSetter(std::string_view type, const Attributes& attributes)
      : type_(type), attributes_(attributes), used_(attributes.size()) {}

  void visit(std::string_view name, AttributePlace place) override {
    const Attribute* found = find(name);
    if (found == nullptr) return;
    std::visit([&](auto* value) { set(*found, *value); }, place);
  }
  void on_choice(std::string_view name, int& value, std::initializer_list<std::string_view> words) override {
    const Attribute* found = find(name);
    if (found == nullptr) return;
    const std::string& word = get<std::string>(*found);
    std::string known;
    for (size_t i = 0; i < words.size(); ++i) {
      if (words.begin()[i] == word) {
        value = static_cast<int>(i);
        return;
      }
      known += cat(known.empty() ? "" : ", ", words.begin()[i]);
    }
    // Front ends pass on words of files.
    fail(ErrorCode::kUnsupported, "'", brief(word), "' is no value of '", name, "' of ", type_, ", expected ",
         known);
  }
  void require(std::string_view name) override {
    if (find(name) == nullptr)
      fail(ErrorCode::kInternal, type_, " was created without its attribute '", name, "'");
  }

  // Throws if an attribute was given that the operation does not have.
  void check_used() const {
    for (size_t i = 0; i < used_.size(); ++i) {
      if (!used_[i]) fail(ErrorCode::kInternal, type_, " has no attribute '", attributes_[i].name, "'");
    }
  }

 private:
  const Attribute* find(std::string_view name) {
    for (size_t i = 0; i < attributes_.size(); ++i) {
      if (attributes_[i].name != name) continue;
      used_[i] = 1;
      return &attributes_[i];
    }
    return nullptr;
  }

  template <typename T>
  const T& get(const Attribute& attribute) const {
    const T* value = std::get_if<T>(&attribute.value);
    if (value == nullptr)
      fail(ErrorCode::kInternal, type_, " was given '", attribute.name, "' in another type");
    return *value;
  }

  template <typename T>
  void set(const Attribute& attribute, T& value) const {
    value = get<T>(attribute);
  }
  void set(const Attribute& attribute, double& value) const {
    const auto* integer = std::get_if<int64_t>(&attribute.value);
    value = integer != nullptr ? static_cast<double>(*integer) : get<double>(attribute);
  }

  std::string_view type_;
  const Attributes& attributes_;
  std::vector<char> used_;
};

template <typename T>
Tensor one_element(ElementType type, T value) {
  Tensor tensor(type, Shape());
  *tensor.mutable_data<T>() = value;
  return tensor;
}

template <typename T>
Tensor one_integer(ElementType type, double value) {
  // The largest value of a 64-bit type is not representable as a double, but the largest value + 1 is.
  constexpr double kLow = static_cast<double>(std::numeric_limits<T>::min());
  constexpr double kHigh = static_cast<double>(std::numeric_limits<T>::max() / 2 + 1) * 2;
  if (!(value >= kLow && value < kHigh)) {
    fail(ErrorCode::kInvalidValue, "the value ", value, " does not fit ", type);
  }
  return one_element(type, static_cast<T>(value));
}

Tensor scalar_tensor(double value, ElementType type) {
  switch (type) {
    case ElementType::kF32:
      return one_element(type, static_cast<float>(value));
    case ElementType::kF64:
      return one_element(type, value);
    case ElementType::kF16:
      return one_element(type, f32_to_f16(static_cast<float>(value)));
    case ElementType::kBf16:
      return one_element(type, f32_to_bf16(static_cast<float>(value)));
    case ElementType::kI64:
      return one_integer<int64_t>(type, value);
    case ElementType::kI32:
      return one_integer<int32_t>(type, value);
    case ElementType::kI16:
      return one_integer<int16_t>(type, value);
    case ElementType::kI8:
      return one_integer<int8_t>(type, value);
    case ElementType::kU8:
      return one_integer<uint8_t>(type, value);
    case ElementType::kBoolean:
      return one_element(type, static_cast<uint8_t>(value != 0));
    default:
      fail(ErrorCode::kUnsupported, "cannot create a scalar of type ", type);
  }
}

}  // namespace

Builder::Builder(Model& model, const Registry& registry, int opset)
    : model_(model), registry_(registry), opset_(opset) {
  for (const auto& node : model.nodes) {
    for (const OutputPort& port : node->outputs) values_.push_back({port.type, port.shape, node->constant});
  }
}

void Builder::begin(std::string name, int line) {
  name_ = std::move(name);
  line_ = line;
  made_ = 0;
}

std::string Builder::next_name(std::string_view type) {
  return cat(name_, name_.empty() ? "" : "/", type, "_", made_++);
}

Node* Builder::append(std::unique_ptr<Node> node) {
  check_limit(current_call().limits().layers, model_.nodes.size() + 1, "layers");
  node->line = line_;
  node->index = model_.nodes.size();
  node->first_value = values_.size();
  return model_.add(std::move(node));
}

Source Builder::add(const char* type, std::initializer_list<Source> inputs,
                    std::initializer_list<Attribute> attributes, size_t outputs) {
  return add(std::string_view(type), std::vector<Source>(inputs), Attributes(attributes), outputs);
}

Source Builder::add(std::string_view type, const std::vector<Source>& inputs, const Attributes& attributes,
                    size_t outputs) {
  return infer_and_append(make(registry_.find(type, opset_), type, inputs, attributes, outputs));
}

Source Builder::add_of(std::string_view domain, std::string_view type, const std::vector<Source>& inputs,
                       const Attributes& attributes, size_t outputs) {
  return infer_and_append(make(registry_.find_newest(type, domain), type, inputs, attributes, outputs));
}

Source Builder::add_with_bodies(std::string_view type, const std::vector<Source>& inputs,
                                std::vector<Body> bodies, size_t outputs) {
  auto made = make(registry_.find(type, opset_), type, inputs, {}, outputs);
  made->bodies = std::move(bodies);
  return infer_and_append(std::move(made));
}

std::unique_ptr<Node> Builder::make(const OpClass* found, std::string_view type,
                                    const std::vector<Source>& inputs, const Attributes& attributes,
                                    size_t outputs) {
  if (found == nullptr)
    fail(ErrorCode::kUnsupported, "needs the operation ", type, ", which this build does not have");
  std::shared_ptr<Op> op = found->make();
  AttributeSetter setter(found->type, attributes);
  op->visit_attributes(setter);
  setter.check_used();
  auto made = std::make_unique<Node>(next_name(type), std::string(found->type), found->since, std::move(op));
  made->inputs = inputs;
  made->outputs.resize(outputs);
  return made;
}

Source Builder::add_by_texts(std::string_view type, const std::vector<Source>& inputs,
                             const AttributeTexts& texts, size_t outputs) {
  const OpClass* found = registry_.find_newest(type);
  if (found == nullptr) fail(ErrorCode::kInvalidArgument, "this build has no operation '", brief(type), "'");
  auto made = registry_.make_node(type, next_name(found->type), inputs, texts, outputs);
  if (!made->op->reads_variable().empty() || !made->op->writes_variable().empty())
    fail(ErrorCode::kInvalidArgument, found->type, " cannot be added, because it needs a variable");
  AttributeWriter known;
  made->op->visit_attributes(known);
  for (const auto& [name, text] : texts) {
    if (std::none_of(known.texts().begin(), known.texts().end(),
                     [&](const auto& each) { return each.first == name; })) {
      fail(ErrorCode::kInvalidArgument, found->type, " has no attribute '", brief(name), "'");
    }
  }
  return infer_and_append(std::move(made));
}

Source Builder::infer_and_append(std::unique_ptr<Node> made) {
  made->outputs.resize(std::max(made->outputs.size(), made->op->least_outputs()));
  std::vector<const ValueInfo*> known;
  for (const Source& source : made->inputs) known.push_back(&info(source));
  std::vector<ValueInfo> inferred = infer_and_fold(*made, known).outputs;
  for (size_t i = 0; i < inferred.size(); ++i) {
    made->outputs[i].type = inferred[i].type;
    made->outputs[i].shape = inferred[i].shape;
  }
  Node* node = append(std::move(made));
  for (ValueInfo& value : inferred) values_.push_back(std::move(value));
  return {node, 0};
}

Source Builder::parameter(ElementType type, PartialShape shape, std::vector<std::string> names) {
  auto op = std::make_shared<ParameterOp>();
  op->type = type;
  op->shape = shape;
  auto made = std::make_unique<Node>(name_, "Parameter", 1, std::move(op), NodeKind::kParameter);
  made->outputs.push_back({type, shape, std::move(names)});
  Node* node = append(std::move(made));
  model_.parameters.push_back(node);
  values_.push_back({type, std::move(shape), nullptr});
  return {node, 0};
}

Source Builder::constant(std::shared_ptr<const ConstantData> value) {
  auto made = std::make_unique<Node>(next_name("Constant"), "Constant", 1, std::make_shared<ConstantOp>(),
                                     NodeKind::kConstant);
  made->outputs.push_back({value->type(), value->shape(), {}});
  made->constant = value;
  Node* node = append(std::move(made));
  values_.push_back({value->type(), value->shape(), value});
  return {node, 0};
}

Source Builder::scalar(int64_t value) { return constant(one_element(ElementType::kI64, value)); }

Source Builder::list(const Ints& values) {
  Tensor tensor(ElementType::kI64, Shape{static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), tensor.mutable_data<int64_t>());
  return constant(std::move(tensor));
}

Source Builder::scalar(double value, ElementType type) { return constant(scalar_tensor(value, type)); }

void Builder::result(const Source& source, std::vector<std::string> names) {
  auto made = std::make_unique<Node>(name_, "Result", 1, std::make_shared<ResultOp>(), NodeKind::kResult);
  made->inputs.push_back(source);
  made->output_names = std::move(names);
  model_.results.push_back(append(std::move(made)));
}

size_t Builder::rank(const Source& source) const {
  if (!shape(source).has_rank()) fail(ErrorCode::kUnsupported, "the number of axes of its input is unknown");
  return shape(source).rank();
}

std::optional<Ints> Builder::known_ints(const Source& source) const {
  const ValueInfo& value = info(source);
  if (value.constant == nullptr) return std::nullopt;
  const Tensor tensor = value.constant->value();
  return to_ints(tensor.view());
}

void Builder::name(const Source& source) {
  if (source.node->kind == NodeKind::kOperation && !name_.empty()) source.node->name = name_;
}

}  // namespace wasmvino::model
