// SPDX-License-Identifier: Apache-2.0
#include "frontends/ir/legacy.h"

#include <algorithm>
#include <unordered_map>

#include "model/infer.h"

namespace wasmvino::ir {
namespace {

using model::Model;
using model::Node;
using model::Registry;
using model::Source;

void add_name(std::vector<std::string>& names, std::string name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
}

std::unique_ptr<Node> make_convert(const Registry& registry, std::string name, Source input,
                                   ElementType type) {
  return registry.make_node("Convert", std::move(name), {input},
                            {{"destination_type", std::string(wasmvino::name(type))}});
}

// Inserts `node`, which uses `value`, between the value and all its other users.
void put_behind(Model& model, Source value, std::unique_ptr<Node> node) {
  Node* const behind = model.add(std::move(node));
  const std::vector<model::User> users(value.node->users(value.port).begin(),
                                       value.node->users(value.port).end());
  for (const model::User& user : users) {
    if (user.node != behind) user.node->inputs.set(user.input, {behind, 0});
  }
}

// Version 10 returned all outputs as i32 or f32. Strings, which it did not have, stay.
ElementType output_type_of_version_10(ElementType type) {
  switch (type) {
    case ElementType::kI32:
    case ElementType::kI64:
    case ElementType::kU32:
    case ElementType::kU64:
      return ElementType::kI32;
    case ElementType::kString:
    case ElementType::kDynamic:
      return type;
    default:
      return ElementType::kF32;
  }
}

// Version 10 took all floating-point inputs as f32, and used their names as tensor names.
bool convert_inputs(Model& model, const Registry& registry) {
  bool changed = false;
  for (Node* parameter : model.parameters) {
    add_name(parameter->outputs[0].names, parameter->name);
    auto op = std::make_shared<model::ParameterOp>(static_cast<const model::ParameterOp&>(*parameter->op));
    if (op->type != ElementType::kF16) continue;
    op->type = ElementType::kF32;
    parameter->op = std::move(op);
    const Source input{parameter, 0};
    put_behind(model, input, make_convert(registry, cat(parameter->name, "/f16"), input, ElementType::kF16));
    changed = true;
  }
  return changed;
}

bool apply_version_10(Model& model, const Registry& registry) {
  bool changed = false;
  for (Node* result : model.results) {
    const Source source = result->inputs[0];
    const Node& producer = *source.node;
    add_name(result->output_names,
             producer.outputs.size() == 1 ? producer.name : cat(producer.name, ".", source.port));
    const ElementType type = producer.outputs[source.port].type;
    const ElementType wanted = output_type_of_version_10(type);
    if (type == wanted) continue;
    const std::string name = cat(result->name, "/", wasmvino::name(wanted));
    result->inputs.set(0, {model.add(make_convert(registry, name, source, wanted)), 0});
    changed = true;
  }
  return convert_inputs(model, registry) || changed;
}

[[noreturn]] void refuse(const PreProcessText& text, std::string reason) {
  throw Error(ErrorCode::kInvalidModel, cat("<pre-process> at line ", text.line, ": ", reason));
}

// The input with the name that <pre-process> refers to. Without a name, the first input that looks like an
// image (rank 4), or else the first.
Node& find_input(const PreProcessText& text, const Model& model) {
  for (Node* parameter : model.parameters) {
    const PartialShape& shape = parameter->outputs[0].shape;
    if (text.input.empty() ? shape.has_rank() && shape.rank() == 4 : parameter->name == text.input)
      return *parameter;
  }
  if (text.input.empty() && !model.parameters.empty()) return *model.parameters[0];
  refuse(text, cat("no input has the name '", model::brief(text.input), "'"));
}

// The means of all channels as a constant that broadcasts against the input.
Tensor make_means(const PreProcessText& text, const ConstantReader& constants, const Registry& registry,
                  const model::OutputPort& input) {
  if (!input.shape.is_static()) refuse(text, cat("its input has the dynamic shape ", to_string(input.shape)));
  const Shape shape = input.shape.to_shape();
  if (shape.size() < 2) refuse(text, cat("its input has the shape ", shape, ", expected channels at axis 1"));
  const size_t channel_axis = shape.size() == 3 ? 0 : 1;
  const size_t channels = static_cast<size_t>(shape[channel_axis]);
  Shape mean_shape(shape.begin() + channel_axis, shape.end());
  const bool scalars = text.means[0].value.has_value();
  if (scalars) std::fill(mean_shape.begin() + 1, mean_shape.end(), 1);
  if (text.means.size() != channels) {
    refuse(text, cat("it has means for ", text.means.size(), " channels, but its input has ", channels));
  }

  Tensor means(scalars ? ElementType::kF32 : input.type, mean_shape);
  const size_t bytes = means.byte_size() / channels;
  std::vector<char> seen(channels);
  for (const ChannelMean& mean : text.means) {
    const size_t channel = static_cast<size_t>(mean.channel);
    if (channel >= channels || seen[channel]++)
      refuse(text, cat("channel ", mean.channel, " is outside the input or occurs twice"));
    if (mean.value.has_value() != scalars) refuse(text, "some means are numbers and some are arrays");
    if (scalars) {
      means.mutable_data<float>()[channel] = static_cast<float>(*mean.value);
      continue;
    }
    if (*mean.size != bytes) refuse(text, cat("a mean has ", *mean.size, " bytes, expected ", bytes));
    if (!constants.obstacle().empty()) refuse(text, constants.obstacle());
    constants.check_range(*mean.offset, *mean.size);
    constants.weights()->read(static_cast<size_t>(*mean.offset), bytes,
                              means.mutable_data<char>() + channel * bytes);
  }
  if (means.type() == input.type) return means;
  const std::unique_ptr<Node> convert = make_convert(registry, "means", {}, input.type);
  return model::evaluate_node(*convert, std::vector<Tensor>{means})[0];
}

void subtract_means(const PreProcessText& text, const ConstantReader& constants, const Registry& registry,
                    Model& model) {
  Node& parameter = find_input(text, model);
  Tensor means = make_means(text, constants, registry, parameter.outputs[0]);
  Node* constant = model.add_constant(cat(parameter.name, "/mean"), std::move(means));
  const Source input{&parameter, 0};
  auto subtract =
      registry.make_node("Subtract", cat(parameter.name, "/subtract_mean"), {input, {constant, 0}});
  subtract->outputs[0] = {parameter.outputs[0].type, parameter.outputs[0].shape, {}};
  put_behind(model, input, std::move(subtract));
}

}  // namespace

bool apply_legacy_rules(const ModelText& text, const ConstantReader& constants, const Registry& registry,
                        Model& model) {
  bool changed = false;
  if (text.pre_process && !text.pre_process->means.empty()) {
    subtract_means(*text.pre_process, constants, registry, model);
    changed = true;
  }
  if (text.version == 10) changed |= apply_version_10(model, registry);
  return changed;
}

}  // namespace wasmvino::ir
