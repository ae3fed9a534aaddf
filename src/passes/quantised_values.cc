// SPDX-License-Identifier: Apache-2.0
#include "passes/quantised_values.h"

#include <algorithm>
#include <cmath>

#include "model/infer.h"
#include "ops/internal/integer_max_pool.h"
#include "ops/internal/look_up.h"
#include "ops/internal/quantize.h"
#include "ops/movement/concat.h"
#include "ops/quantised_data/quantization.h"
#include "ops/quantization/fake_quantize.h"
#include "passes/by_channel.h"
#include "passes/constants.h"
#include "passes/elementwise.h"
#include "passes/ranges.h"

namespace wasmvino::passes {
namespace {

using model::constant_ints;
using model::Layout;
using model::Node;
using model::NodeKind;
using model::Quantization;
using model::SharedQuantization;
using model::Source;

// Values that are quantised because of each other: 200 take about 100 KB of the stack.
constexpr size_t kDeepest = 200;
// Operations that become one table. Each one is evaluated on all levels of all channels.
constexpr size_t kMostSteps = 32;
// Tables of more channels would no longer be in L2 while they are used.
constexpr size_t kMostTables = 1024, kLevels = 256;
// Copies of more channels with ranges of their own would take more memory than the data.
constexpr int64_t kMostChannels = 4096;

bool contains(const std::vector<Source>& sources, Source source) {
  return std::find(sources.begin(), sources.end(), source) != sources.end();
}

// Whether an f32 constant that is broadcast to `shape` is a number, or varies along the last axis only.
bool is_by_channel(Source source, const PartialShape& shape) {
  if (!is_constant(source) || source.node->constant->type() != ElementType::kF32) return false;
  const Shape& own = source.node->constant->shape();
  const size_t size = element_count(own);
  if (own.size() > shape.rank() || size == 0) return false;
  return size == 1 ||
         (own.back() == static_cast<int64_t>(size) && shape[shape.rank() - 1] == Dimension(own.back()));
}

// The inputs that a node computes element by element. All other inputs are constants by channel. These inputs
// have the shape of the result. Empty for other nodes.
std::vector<size_t> elementwise_inputs(const Node& node) {
  const PartialShape& shape = node.outputs[0].shape;
  if (node.kind != NodeKind::kOperation || node.outputs.size() != 1 || !shape.has_rank() ||
      shape.rank() == 0 || node.outputs[0].type != ElementType::kF32) {
    return {};
  }
  if (unary_function_of(node)) return {0};
  const auto* op = op_of<ops::ElementwiseOp>(node);
  // A slope of PRelu with one axis would apply to axis 1.
  const bool slopes = node.type == "PRelu" && shape_of(node.inputs[1]).rank() != 1;
  if (op == nullptr || node.inputs.size() > 2 || (node.inputs.size() == 2 && !is_numpy(node) && !slopes))
    return {};
  std::vector<size_t> data;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (is_by_channel(node.inputs[i], shape)) continue;
    if (!(shape_of(node.inputs[i]) == shape) || model::port_of(node.inputs[i]).type != ElementType::kF32)
      return {};
    data.push_back(i);
  }
  // Slopes of a PRelu do not broadcast its data.
  if (node.type == "PRelu" && data != std::vector<size_t>{0}) return {};
  return data;
}

// Whether all negative numbers become level 0, as 0 does.
bool clamps_negatives(const Quantization& q) {
  return std::all_of(q.shift.begin(), q.shift.end(), [](float shift) { return shift == 0; }) &&
         std::all_of(q.inverse.begin(), q.inverse.end(), [](float inverse) { return inverse > 0; });
}

// Tables that give what `second` gives for the levels of `first`.
std::vector<uint8_t> composed(const std::vector<uint8_t>& first, const std::vector<uint8_t>& second) {
  std::vector<uint8_t> tables(std::max(first.size(), second.size()));
  for (size_t i = 0; i < tables.size(); ++i) {
    const uint8_t level = first[i % first.size()];
    tables[i] = second[(i / kLevels * kLevels + level) % second.size()];
  }
  return tables;
}

// Whether tables leave the levels 0..most as they are.
bool is_identity(const std::vector<uint8_t>& tables, float most) {
  for (size_t i = 0; i < tables.size(); ++i) {
    const size_t level = i % kLevels;
    if (static_cast<float>(level) <= most && tables[i] != level) return false;
  }
  return true;
}

void add_channel(Quantization& to, const Quantization& from, size_t channel) {
  // Ranges of the data that was quantised may have had other channels, if those of the levels are the same.
  if (!from.by_channel()) channel = 0;
  to.inverse.push_back(from.inverse_of(channel));
  to.shift.push_back(from.shift_of(channel));
  to.scale.push_back(from.scale_of(channel));
  to.zero_point.push_back(from.zero_of(channel));
}

// What the node makes of the numbers of channels, for data with at most `most` rows along each axis. Empty
// if it does not accept them, or if a result has no elements.
std::vector<Tensor> copied_channels(const Node& node, int64_t most) {
  constexpr size_t kMostElements = size_t{1} << 22;
  // A size of Interpolate or a target of Broadcast is the same for fewer rows.
  for (const model::OutputPort& port : node.outputs) {
    size_t size = 1;
    for (const Dimension& d : port.shape) {
      const auto length = static_cast<size_t>(std::max<int64_t>(d.min, 1));
      if (length > kMostElements / size) return {};
      size *= length;
    }
  }
  const PartialShape& data = shape_of(node.inputs[0]);
  Shape shape;
  for (const Dimension& d : data)
    shape.push_back(shape.size() + 1 == data.rank()
                        ? d.min
                        : std::min(most, d.is_static() ? d.min : std::clamp<int64_t>(2, d.min, d.max)));
  if (!data[data.rank() - 1].is_static() || element_count(shape) > kMostElements) return {};
  std::vector<Tensor> inputs = {Tensor(ElementType::kI32, shape)};
  auto* const numbers = inputs[0].mutable_data<int32_t>();
  const auto columns = static_cast<size_t>(shape.back());
  for (size_t i = 0; i < inputs[0].size(); ++i)
    numbers[i] = i < columns ? static_cast<int32_t>(i) : numbers[i - columns];
  for (size_t i = 1; i < node.inputs.size(); ++i) {
    if (!is_constant(node.inputs[i])) return {};
    inputs.push_back(constant_of(node.inputs[i]));
  }
  std::vector<Tensor> outputs;
  try {
    outputs = model::evaluate_node(node, inputs);
  } catch (const Error& error) {
    if (is_about_the_call(error)) throw;
    return {};
  }
  if (std::any_of(outputs.begin(), outputs.end(), [](const Tensor& output) { return output.size() == 0; }))
    return {};
  return outputs;
}

// Makes quantisations by channel those of the outputs of a node that copies elements. The node copies the
// number of each element's channel, which shows the channels of the results. Returns false if they are not
// those of the last axis.
bool copy_channels(const Node& node, std::vector<SharedQuantization>& quantizations) {
  // Two rows along each axis show as much as all of them, unless a part is taken from behind them: a Split
  // of 400,000 elements took 16 ms.
  std::vector<Tensor> outputs = copied_channels(node, 2);
  if (outputs.empty()) outputs = copied_channels(node, Dimension::kUnbounded);
  if (outputs.empty()) return false;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const auto* const channels = outputs[i].data<int32_t>();
    const PartialShape& shape = node.outputs[i].shape;
    const int64_t row = outputs[i].shape().empty() ? 0 : outputs[i].shape().back();
    if (row == 0 || row > kMostChannels || !shape.has_rank() || shape.rank() != outputs[i].shape().size() ||
        !(shape[shape.rank() - 1] == Dimension(row)))
      return false;
    const auto columns = static_cast<size_t>(row);
    for (size_t k = columns; k < outputs[i].size(); ++k) {
      if (channels[k] != channels[k - columns]) return false;
    }
    auto picked = std::make_shared<Quantization>();
    for (size_t k = 0; k < columns; ++k)
      add_channel(*picked, *quantizations[i], static_cast<size_t>(channels[k]));
    picked->most = quantizations[i]->most;
    quantizations[i] = std::move(picked);
  }
  return true;
}

SharedQuantization concatenated(const std::vector<Source>& inputs) {
  auto all = std::make_shared<Quantization>();
  all->most = levels_of(inputs[0]).most;
  for (const Source& input : inputs) {
    const PartialShape& shape = shape_of(input);
    const Dimension channels = shape[shape.rank() - 1];
    if (!channels.is_static() || levels_of(input).most != all->most || channels.size() > kMostChannels)
      return nullptr;
    for (int64_t c = 0; c < channels.size(); ++c) add_channel(*all, levels_of(input), static_cast<size_t>(c));
  }
  return all;
}

// Whether a Concat joins channels. Its rank is known.
bool joins_channels(const Node& concat) {
  const int64_t axis = op_of<ops::concat::Concat>(concat)->attributes().axis;
  return axis == -1 || axis == static_cast<int64_t>(concat.outputs[0].shape.rank()) - 1;
}

}  // namespace

std::optional<Source> QuantisedValues::quantized(Source source) {
  const auto known = quantized_.find(source);
  if (known != quantized_.end()) return known->second;
  const std::optional<Source> made = one_deeper([&] { return make_quantized(source); });
  quantized_[source] = made;
  return made;
}

std::optional<Source> QuantisedValues::known(Source source) const {
  const auto found = quantized_.find(source);
  return found != quantized_.end() ? found->second : std::nullopt;
}

template <typename Make>
std::optional<Source> QuantisedValues::one_deeper(const Make& make) {
  if (depth_ == kDeepest) return std::nullopt;
  ++depth_;
  const std::optional<Source> made = make();
  --depth_;
  return made;
}

std::optional<Source> QuantisedValues::make_quantized(Source source) {
  Node& node = *source.node;
  if (op_of<ops::fake_quantize::FakeQuantize>(node) != nullptr) return quantize(node);
  if (node.type == "Pad") return pad(node);
  if (node.op != nullptr && node.op->copies_elements()) return copy(source);
  if (node.type == "Concat") return concat(node);
  if (const auto* pool = op_of<ops::ChannelsLastPooling>(node)) return this->pool(node, *pool);
  return std::nullopt;
}

Source QuantisedValues::add_u8(std::unique_ptr<Node> made, const PartialShape& shape,
                               SharedQuantization quantization) {
  made->outputs.assign(1, {ElementType::kU8, shape, {}, std::move(quantization)});
  return {model_.add(std::move(made)), 0};
}

std::optional<Source> QuantisedValues::quantize(Node& node, size_t users) {
  SharedQuantization quantization = quantization_of(node);
  if (quantization == nullptr) return std::nullopt;
  if (const auto found = look_up(node, quantization)) return found;
  const auto joined = one_deeper([&] { return quantize_parts(node, quantization, users); });
  if (joined) return joined;
  return add_quantize(node, std::move(quantization));
}

std::optional<Source> QuantisedValues::quantize_parts(Node& node, const SharedQuantization& levels,
                                                      size_t users) {
  Node& concat = *node.inputs[0].node;
  if (concat.type != "Concat" || concat.users(0).size() != users) return std::nullopt;
  const bool cuts = levels->channels() > 1 && joins_channels(concat);
  if (cuts && levels->channels() > static_cast<size_t>(kMostChannels)) return std::nullopt;
  std::vector<Tensor> bounds;
  for (size_t i = 1; cuts && i < node.inputs.size(); ++i) bounds.push_back(constant_of(node.inputs[i]));
  std::vector<Source> parts;
  int64_t first = 0;  // channel
  for (const Source& part : concat.inputs) {
    current_call().poll();
    std::vector<Source> inputs = node.inputs;
    inputs[0] = part;
    if (cuts) {
      const PartialShape& shape = shape_of(part);
      if (!shape.has_rank() || shape.rank() == 0) return std::nullopt;
      const Dimension channels = shape[shape.rank() - 1];
      if (!channels.is_static()) return std::nullopt;
      for (size_t i = 1; i < inputs.size(); ++i) {
        if (bounds[i - 1].size() == 1) continue;
        const float* from = bounds[i - 1].data<float>() + first;
        inputs[i] = add_floats(model_, inputs[i].node->name + "/" + std::to_string(first), {channels.size()},
                               {from, from + channels.size()});
      }
      first += channels.size();
    }
    auto made = model::remade(node, node.op, std::move(inputs));
    made->name += "/" + std::to_string(parts.size());
    made->outputs.assign(1, {ElementType::kF32, shape_of(part), {}});
    // The part is used by the Concat and, from now on, by `made`.
    const auto levels_of_part = quantize(*model_.add(std::move(made)), 2);
    if (!levels_of_part) return std::nullopt;
    parts.push_back(*levels_of_part);
  }
  return add_u8(model::remade(concat, concat.op, std::move(parts)), node.outputs[0].shape, levels);
}

Source QuantisedValues::add_quantize(Node& node, SharedQuantization quantization) {
  Source input = node.inputs[0];
  const PartialShape& shape = node.outputs[0].shape;
  while (true) {
    if (const auto function = unary_function_of(*input.node);
        function && function->kind == ops::Unary::kRelu && clamps_negatives(*quantization)) {
      input = input.node->inputs[0];
      continue;
    }
    auto step = scaled_by_channel(*input.node, shape.rank() - 1);
    const bool scales = step.has_value();
    if (!scales) step = added_by_channel(*input.node, shape.rank() - 1);
    if (!step || !(shape_of(step->data) == shape)) break;
    const SharedQuantization folded =
        scales ? scaled(*quantization, step->values) : shifted(*quantization, step->values);
    if (folded == nullptr) break;
    quantization = folded;
    input = step->data;
  }
  auto made = remade_as(node, std::make_shared<ops::Quantize>(quantization), {input});
  return add_u8(std::move(made), shape, quantization);
}

std::optional<QuantisedValues::Function> QuantisedValues::function_of(Source source) {
  Function function;
  std::vector<Source> data;
  std::vector<std::pair<Source, bool>> pending = {{source, false}};  // true: the inputs are there
  for (size_t count = 0; !pending.empty();) {
    const auto [value, ready] = pending.back();
    pending.pop_back();
    if (contains(function.steps, value)) continue;
    if (ready) {
      function.steps.push_back(value);
      continue;
    }
    if (const auto levels = quantized(value)) {
      if (!contains(data, *levels)) data.push_back(*levels);
      continue;
    }
    const std::vector<size_t> inputs = elementwise_inputs(*value.node);
    if (inputs.empty() || ++count > kMostSteps) return std::nullopt;
    pending.emplace_back(value, true);
    for (const size_t input : inputs) pending.emplace_back(value.node->inputs[input], false);
  }
  // x * sigmoid(x) reads x and a table of x, if the sigmoid is quantised, too.
  while (data.size() > 1) {
    const auto found = std::find_if(data.begin(), data.end(),
                                    [](Source value) { return op_of<ops::LookUp>(*value.node) != nullptr; });
    if (found == data.end() || function.steps.size() == kMostSteps) return std::nullopt;
    const Source table = *found, input = table.node->inputs[0];
    function.steps.insert(function.steps.begin(), table);
    data.erase(found);
    if (!contains(data, input)) data.push_back(input);
  }
  function.data = data.front();
  function.channels = levels_of(function.data).scale.size();
  for (const Source& step : function.steps) {
    if (const auto* table = op_of<ops::LookUp>(*step.node))
      function.channels = std::max(function.channels, table->tables().size() / kLevels);
    for (const Source& input : step.node->inputs) {
      if (is_constant(input))
        function.channels = std::max(function.channels, element_count(input.node->constant->shape()));
    }
  }
  const size_t rank = shape_of(source).rank();
  if (function.channels > kMostTables || (function.channels > 1 && rank == 1)) return std::nullopt;
  return function;
}

Tensor QuantisedValues::values_of(const Function& function, Source result, size_t channels) {
  const size_t rank = shape_of(result).rank();
  Shape every_level(rank, 1);
  every_level.back() = static_cast<int64_t>(channels);
  every_level.front() = static_cast<int64_t>(kLevels * (rank == 1 ? channels : 1));
  Tensor levels(ElementType::kU8, every_level);
  for (size_t i = 0; i < kLevels * channels; ++i)
    levels.mutable_data<uint8_t>()[i] = static_cast<uint8_t>(i / channels);
  std::unordered_map<Source, Tensor, SourceHash> values = {{function.data, std::move(levels)}};
  const auto in_f32 = [&](Source source) {
    const auto data = quantized(source);
    if (!data) return values.at(source);
    const uint8_t* from = values.at(*data).data<uint8_t>();
    Tensor numbers(ElementType::kF32, every_level);
    for (size_t i = 0; i < kLevels * channels; i += channels)
      ops::dequantize(levels_of(*data), from + i, numbers.mutable_data<float>() + i, channels);
    return numbers;
  };
  for (const Source& step : function.steps) {
    std::vector<Tensor> inputs;
    const bool is_table = op_of<ops::LookUp>(*step.node) != nullptr;
    for (const Source& input : step.node->inputs) {
      inputs.push_back(is_table ? values.at(input) : is_constant(input) ? constant_of(input) : in_f32(input));
    }
    values[step] = model::evaluate_node(*step.node, inputs)[0];
  }
  return in_f32(result);
}

std::optional<Source> QuantisedValues::look_up(Node& node, const SharedQuantization& levels) {
  const Source source = node.inputs[0];
  const auto function = function_of(source);
  if (!function) return std::nullopt;
  const size_t channels = std::max(function->channels, levels->channels());
  const PartialShape& shape = node.outputs[0].shape;
  if (channels > kMostTables || (channels > 1 && shape.rank() == 1)) return std::nullopt;

  const Tensor values = values_of(*function, source, channels);
  std::vector<uint8_t> tables((CheckedSize(channels) * kLevels).value()), row(channels);
  for (size_t level = 0; level < kLevels; ++level) {
    ops::quantize(*levels, values.data<float>() + level * channels, row.data(), channels);
    for (size_t c = 0; c < channels; ++c) tables[c * kLevels + level] = row[c];
  }
  Source data = function->data;
  if (same_levels(levels_of(data), *levels) && is_identity(tables, levels_of(data).most)) return data;
  // A table of a table is a table, too.
  while (const auto* first = op_of<ops::LookUp>(*data.node)) {
    tables = composed(first->tables(), tables);
    data = data.node->inputs[0];
  }
  auto made = remade_as(node, std::make_shared<ops::LookUp>(std::move(tables), levels), {data});
  return add_u8(std::move(made), shape, levels);
}

std::optional<Source> QuantisedValues::copy(Source source) {
  Node& node = *source.node;
  const auto data = quantized(node.inputs[0]);
  if (!data) return std::nullopt;
  std::vector<SharedQuantization> copied(node.outputs.size(), model::port_of(*data).quantization);
  if (levels_of(*data).by_channel() && !copy_channels(node, copied)) return std::nullopt;
  std::vector<Source> inputs = node.inputs;
  inputs[0] = *data;
  auto made = model::remade(node, node.op, std::move(inputs));
  made->outputs = node.outputs;
  for (size_t i = 0; i < copied.size(); ++i) {
    auto& port = made->outputs[i];
    port.type = ElementType::kU8;
    port.names.clear();
    port.quantization = copied[i];
  }
  Node* const copies = model_.add(std::move(made));
  for (size_t i = 0; i < node.outputs.size(); ++i) quantized_[{&node, i}] = Source{copies, i};
  return quantized_[source];
}

std::optional<Source> QuantisedValues::concat(Node& node) {
  std::vector<Source> inputs;
  bool by_channel = false, same = true;
  for (const Source& input : node.inputs) {
    const auto data = quantized(input);
    if (!data) return std::nullopt;
    inputs.push_back(*data);
    by_channel |= levels_of(*data).by_channel();
    same = same && same_levels(levels_of(*data), levels_of(inputs[0]));
  }
  SharedQuantization quantization = model::port_of(inputs[0]).quantization;
  const PartialShape& shape = node.outputs[0].shape;
  if (by_channel) {
    if (!shape.has_rank()) return std::nullopt;
    if (joins_channels(node)) {
      quantization = concatenated(inputs);
      same = quantization != nullptr;
    }
  }
  if (!same) return std::nullopt;
  return add_u8(model::remade(node, node.op, std::move(inputs)), shape, quantization);
}

std::optional<Source> QuantisedValues::pad(Node& node) {
  const auto data = quantized(node.inputs[0]);
  if (!data) return std::nullopt;
  const std::optional<float> value = node.inputs.size() > 3 ? number_of(node.inputs[3]) : 0.0f;
  if (!value) return std::nullopt;
  const Quantization& levels = levels_of(*data);
  for (size_t i = 1; i <= 2 && levels.by_channel(); ++i) {
    const auto pads = constant_ints(node.inputs[i]);
    if (!pads || pads->empty() || pads->back() != 0) return std::nullopt;
  }
  const auto level_of = [&](size_t c) { return *value / levels.scale[c] + levels.zero_point[c]; };
  const float rounded = std::nearbyint(level_of(0));
  if (!(rounded >= 0 && rounded <= levels.most)) return std::nullopt;
  const double tolerance = zero_tolerance(levels.most + 1);
  for (size_t c = 0; c < levels.scale.size(); ++c) {
    if (!(std::abs(level_of(c) - rounded) <= tolerance)) return std::nullopt;
  }
  const auto byte = static_cast<uint8_t>(rounded);
  std::vector<Source> inputs = node.inputs;
  inputs.resize(4);
  inputs[0] = *data;
  inputs[3] = {model_.add_constant(node.name + "/value", Tensor::of<uint8_t>({}, &byte)), 0};
  return add_u8(model::remade(node, node.op, std::move(inputs)), node.outputs[0].shape,
                model::port_of(*data).quantization);
}

std::optional<Source> QuantisedValues::pool(Node& node, const ops::ChannelsLastPooling& pool) {
  if (pool.kind() != ops::Pooling::kMaximum || !ops::IntegerMaxPool::takes(pool.attributes()))
    return std::nullopt;
  if (pool.edge_layouts()->in != Layout::kChannelsLast || pool.edge_layouts()->out != Layout::kChannelsLast)
    return std::nullopt;
  const auto data = quantized(node.inputs[0]);
  if (!data) return std::nullopt;
  auto op = std::make_shared<ops::IntegerMaxPool>(pool.version(), pool.attributes());
  return add_u8(remade_as(node, std::move(op), {*data}), node.outputs[0].shape,
                model::port_of(*data).quantization);
}

}  // namespace wasmvino::passes
