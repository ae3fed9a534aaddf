// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/scope.h"

namespace wasmvino::onnx {

void Scope::add_initializers(const Graph& graph) {
  for (const TensorText& text : graph.initializers) initializers_.emplace(text.name, &text);
  for (const SparseText& text : graph.sparse_initializers)
    sparse_initializers_.emplace(text.values.name, &text);
}

bool Scope::is_initializer(std::string_view name) const {
  return initializers_.count(name) > 0 || sparse_initializers_.count(name) > 0;
}

Value Scope::constant(std::string_view name, std::shared_ptr<const model::ConstantData> value) {
  const Source made = builder_.constant(std::move(value));
  made.node->name = std::string(name);
  return Value::of(made);
}

Source Scope::captured(std::string_view name, const Source& source) {
  model::Builder& outer = outer_->builder_;
  if (const auto& known = outer.info(source).constant) return constant(name, known).tensors[0];
  const std::pair<const model::Node*, size_t> key(source.node, source.port);
  if (const auto found = captured_.find(key); found != captured_.end()) return found->second;
  const Source parameter = builder_.parameter(outer.type(source), outer.shape(source), {std::string(name)});
  parameter.node->name = std::string(name);
  captures_.push_back({source, parameter});
  captured_.emplace(key, parameter);
  return parameter;
}

const Value* Scope::find(std::string_view name) {
  if (const auto found = values_.find(name); found != values_.end()) return &found->second;
  if (const auto found = initializers_.find(name); found != initializers_.end())
    return &(values_[name] = constant(name, tensors_.read(*found->second)));
  if (const auto found = sparse_initializers_.find(name); found != sparse_initializers_.end())
    return &(values_[name] = constant(name, tensors_.read(*found->second)));
  if (outer_ == nullptr) return nullptr;
  const Value* value = outer_->find(name);
  if (value == nullptr || &outer_->builder_ == &builder_) return value;
  Value inner = *value;
  for (Source& tensor : inner.tensors) tensor = captured(name, tensor);
  return &(values_[name] = std::move(inner));
}

}  // namespace wasmvino::onnx
