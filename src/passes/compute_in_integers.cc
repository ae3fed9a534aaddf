// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "model/infer.h"
#include "ops/internal/channels_last_pooling.h"
#include "ops/internal/fused_convolution.h"
#include "ops/internal/fused_mat_mul.h"
#include "ops/internal/integer_batch_mat_mul.h"
#include "ops/internal/integer_binary.h"
#include "ops/internal/integer_convolution.h"
#include "ops/internal/integer_mat_mul.h"
#include "ops/internal/integer_max_pool.h"
#include "ops/internal/integer_mean.h"
#include "ops/internal/integer_mvn.h"
#include "ops/internal/look_up.h"
#include "ops/internal/quantize.h"
#include "ops/movement/concat.h"
#include "ops/quantised_data/quantization.h"
#include "ops/quantization/fake_quantize.h"
#include "passes/by_channel.h"
#include "passes/constants.h"
#include "passes/edit.h"
#include "passes/elementwise.h"
#include "passes/passes.h"
#include "passes/ranges.h"

namespace wasmvino::passes {
namespace {

using model::constant_ints;
using model::Layout;
using model::Model;
using model::Node;
using model::NodeKind;
using model::Quantization;
using model::SharedQuantization;
using model::Source;
using ops::FusedConvolution;
using ops::IntegerBatchMatMul;
using ops::IntegerBinary;
using ops::IntegerConvolution;
using ops::IntegerMatMul;
using ops::IntegerMean;
using ops::IntegerMvn;

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

class Rewriting {
 public:
  Rewriting(Model& model, const model::Registry& registry) : model_(model), registry_(registry) {}

  bool run() {
    const bool changed = rewrite_operations(model_, [&](Node& node) {
      return convolve(node) || multiply(node) || combine(node) || average(node) || normalise(node);
    });
    model_.index();  // without the values in u8 that no operation takes
    if (!changed) return false;
    dequantize();
    model_.index();
    infer_again(model_);
    return true;
  }

 private:
  // --- quantised values ------------------------------------------------------------------------------------

  // The value in u8, whose port has the quantisation. It is created if necessary. nullopt if the value is not
  // quantised.
  std::optional<Source> quantized(Source source) {
    const auto known = quantized_.find(source);
    if (known != quantized_.end()) return known->second;
    const std::optional<Source> made = one_deeper([&] { return make_quantized(source); });
    quantized_[source] = made;
    return made;
  }

  // The stack does not hold chains of any length. What is deeper stays f32.
  template <typename Make>
  std::optional<Source> one_deeper(const Make& make) {
    if (depth_ == kDeepest) return std::nullopt;
    ++depth_;
    const std::optional<Source> made = make();
    --depth_;
    return made;
  }

  static const Quantization& of(Source source) { return *model::port_of(source).quantization; }

  std::optional<Source> make_quantized(Source source) {
    Node& node = *source.node;
    if (op_of<ops::fake_quantize::FakeQuantize>(node) != nullptr) return quantize(node);
    if (node.type == "Pad") return pad(node);
    if (node.op != nullptr && node.op->copies_elements()) return copy(source);
    if (node.type == "Concat") return concat(node);
    if (const auto* pool = op_of<ops::ChannelsLastPooling>(node)) return this->pool(node, *pool);
    return std::nullopt;
  }

  Source add_u8(std::unique_ptr<Node> made, const PartialShape& shape, SharedQuantization quantization) {
    made->outputs.assign(1, {ElementType::kU8, shape, {}, std::move(quantization)});
    return {model_.add(std::move(made)), 0};
  }

  // `users`: the number of users of the data if no other node needs them.
  std::optional<Source> quantize(Node& node, size_t users = 1) {
    SharedQuantization quantization = quantization_of(node);
    if (quantization == nullptr) return std::nullopt;
    if (const auto found = look_up(node, quantization)) return found;
    const auto quantise_parts = [&] { return quantize_parts(node, *quantization, users); };
    if (const auto parts = one_deeper(quantise_parts)) return parts;
    return add_quantize(node, std::move(quantization));
  }

  // Quantises the parts of a Concat, if it has no other user. Operations that compute parts can then store
  // levels. Parts may be such Concats too.
  std::optional<Source> quantize_parts(Node& node, const Quantization& levels, size_t users) {
    Node& concat = *node.inputs[0].node;
    if (concat.type != "Concat" || levels.channels() > 1 || concat.users(0).size() != users)
      return std::nullopt;
    std::vector<Source> parts;
    for (const Source& part : concat.inputs) {
      std::vector<Source> inputs = node.inputs;
      inputs[0] = part;
      auto made = model::remade(node, node.op, std::move(inputs));
      made->name += "/" + std::to_string(parts.size());
      made->outputs.assign(1, {ElementType::kF32, shape_of(part), {}});
      // The part is used by the Concat and, from now on, by `made`.
      const auto levels_of_part = quantize(*model_.add(std::move(made)), 2);
      if (!levels_of_part) return std::nullopt;
      parts.push_back(*levels_of_part);
    }
    const SharedQuantization quantization = model::port_of(parts[0]).quantization;
    return add_u8(model::remade(concat, concat.op, std::move(parts)), node.outputs[0].shape, quantization);
  }

  // Multiplications and additions by channel become part of the Quantize. A Relu before levels that represent
  // no negative numbers changes nothing.
  Source add_quantize(Node& node, SharedQuantization quantization) {
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

  // How elementwise operations compute a value from one quantised value.
  struct Function {
    Source data;                // in u8
    std::vector<Source> steps;  // results of LookUps in u8 and of operations in f32, each after its inputs
    size_t channels = 1;        // 1 if no step depends on the channel
  };

  std::optional<Function> function_of(Source source) {
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
      const auto found = std::find_if(
          data.begin(), data.end(), [](Source value) { return op_of<ops::LookUp>(*value.node) != nullptr; });
      if (found == data.end() || function.steps.size() == kMostSteps) return std::nullopt;
      const Source table = *found, input = table.node->inputs[0];
      function.steps.insert(function.steps.begin(), table);
      data.erase(found);
      if (!contains(data, input)) data.push_back(input);
    }
    function.data = data.front();
    function.channels = of(function.data).scale.size();
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

  // The result of a function for all levels of its data, one row of channels for each.
  Tensor values_of(const Function& function, Source result, size_t channels) {
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
        ops::dequantize(of(*data), from + i, numbers.mutable_data<float>() + i, channels);
      return numbers;
    };
    for (const Source& step : function.steps) {
      std::vector<Tensor> inputs;
      const bool is_table = op_of<ops::LookUp>(*step.node) != nullptr;
      for (const Source& input : step.node->inputs) {
        inputs.push_back(is_table             ? values.at(input)
                         : is_constant(input) ? constant_of(input)
                                              : in_f32(input));
      }
      values[step] = model::evaluate_node(*step.node, inputs)[0];
    }
    return in_f32(result);
  }

  // Whether all negative numbers become level 0, as 0 does.
  static bool clamps_negatives(const Quantization& q) {
    return std::all_of(q.shift.begin(), q.shift.end(), [](float shift) { return shift == 0; }) &&
           std::all_of(q.inverse.begin(), q.inverse.end(), [](float inverse) { return inverse > 0; });
  }

  // If elementwise operations lead from a quantised value to a FakeQuantize, each level of that value gives
  // one level of the result.
  std::optional<Source> look_up(Node& node, const SharedQuantization& levels) {
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
    if (same_levels(of(data), *levels) && is_identity(tables, of(data).most)) return data;
    // A table of a table is a table, too.
    while (const auto* first = op_of<ops::LookUp>(*data.node)) {
      tables = composed(first->tables(), tables);
      data = data.node->inputs[0];
    }
    auto made = remade_as(node, std::make_shared<ops::LookUp>(std::move(tables), levels), {data});
    return add_u8(std::move(made), shape, levels);
  }

  // Tables that give what `second` gives for the levels of `first`.
  static std::vector<uint8_t> composed(const std::vector<uint8_t>& first,
                                       const std::vector<uint8_t>& second) {
    std::vector<uint8_t> tables(std::max(first.size(), second.size()));
    for (size_t i = 0; i < tables.size(); ++i) {
      const uint8_t level = first[i % first.size()];
      tables[i] = second[(i / kLevels * kLevels + level) % second.size()];
    }
    return tables;
  }

  // Whether tables leave the levels 0..most as they are.
  static bool is_identity(const std::vector<uint8_t>& tables, float most) {
    for (size_t i = 0; i < tables.size(); ++i) {
      const size_t level = i % kLevels;
      if (static_cast<float>(level) <= most && tables[i] != level) return false;
    }
    return true;
  }

  // Layout operations copy elements, so they can copy bytes.
  std::optional<Source> copy(Source source) {
    Node& node = *source.node;
    const auto data = quantized(node.inputs[0]);
    if (!data) return std::nullopt;
    std::vector<SharedQuantization> copied(node.outputs.size(), model::port_of(*data).quantization);
    if (of(*data).by_channel() && !copy_channels(node, copied)) return std::nullopt;
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

  // Makes quantisations by channel those of the outputs of a node that copies elements. The node copies the
  // number of each element's channel, which shows the channels of the results. Returns false if they are not
  // those of the last axis.
  static bool copy_channels(const Node& node, std::vector<SharedQuantization>& quantizations) {
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

  // What the node makes of the numbers of channels, for data with at most `most` rows along each axis. Empty
  // if it does not accept them, or if a result has no elements.
  static std::vector<Tensor> copied_channels(const Node& node, int64_t most) {
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
      if (is_about_the_call(error) || error.code() == ErrorCode::kOutOfMemory) throw;
      return {};
    }
    if (std::any_of(outputs.begin(), outputs.end(), [](const Tensor& output) { return output.size() == 0; }))
      return {};
    return outputs;
  }

  static void add_channel(Quantization& to, const Quantization& from, size_t channel) {
    // Ranges of the data that was quantised may have had other channels, if those of the levels are the same.
    if (!from.by_channel()) channel = 0;
    to.inverse.push_back(from.inverse_of(channel));
    to.shift.push_back(from.shift_of(channel));
    to.scale.push_back(from.scale_of(channel));
    to.zero_point.push_back(from.zero_of(channel));
  }

  // Concatenates u8 values if all inputs have the same levels. Along channels, they may have others if one of
  // them has its own for each channel.
  std::optional<Source> concat(Node& node) {
    std::vector<Source> inputs;
    bool by_channel = false, same = true;
    for (const Source& input : node.inputs) {
      const auto data = quantized(input);
      if (!data) return std::nullopt;
      inputs.push_back(*data);
      by_channel |= of(*data).by_channel();
      same = same && same_levels(of(*data), of(inputs[0]));
    }
    SharedQuantization quantization = model::port_of(inputs[0]).quantization;
    const PartialShape& shape = node.outputs[0].shape;
    if (by_channel) {
      if (!shape.has_rank()) return std::nullopt;
      const int64_t axis = op_of<ops::concat::Concat>(node)->attributes().axis,
                    last = static_cast<int64_t>(shape.rank()) - 1;
      if (axis == -1 || axis == last) {
        quantization = concatenated(inputs);
        same = quantization != nullptr;
      }
    }
    if (!same) return std::nullopt;
    return add_u8(model::remade(node, node.op, std::move(inputs)), shape, quantization);
  }

  static SharedQuantization concatenated(const std::vector<Source>& inputs) {
    auto all = std::make_shared<Quantization>();
    all->most = of(inputs[0]).most;
    for (const Source& input : inputs) {
      const PartialShape& shape = shape_of(input);
      const Dimension channels = shape[shape.rank() - 1];
      if (!channels.is_static() || of(input).most != all->most || channels.size() > kMostChannels)
        return nullptr;
      for (int64_t c = 0; c < channels.size(); ++c) add_channel(*all, of(input), static_cast<size_t>(c));
    }
    return all;
  }

  // Pads with a constant, which must be a level, the same one for all channels.
  std::optional<Source> pad(Node& node) {
    const auto data = quantized(node.inputs[0]);
    if (!data) return std::nullopt;
    const std::optional<float> value = node.inputs.size() > 3 ? number_of(node.inputs[3]) : 0.0f;
    if (!value) return std::nullopt;
    const Quantization& levels = of(*data);
    for (size_t i = 1; i <= 2 && levels.by_channel(); ++i) {
      const auto pads = constant_ints(node.inputs[i]);
      if (!pads || pads->empty() || pads->back() != 0) return std::nullopt;
    }
    const auto level_of = [&](size_t c) { return *value / levels.scale[c] + levels.zero_point[c]; };
    const float rounded = std::nearbyint(level_of(0));
    if (!(rounded >= 0 && rounded <= levels.most)) return std::nullopt;
    for (size_t c = 0; c < levels.scale.size(); ++c) {
      if (!(std::abs(level_of(c) - rounded) <= kZeroTolerance)) return std::nullopt;
    }
    const auto byte = static_cast<uint8_t>(rounded);
    std::vector<Source> inputs = node.inputs;
    inputs.resize(4);
    inputs[0] = *data;
    inputs[3] = {model_.add_constant(node.name + "/value", Tensor::of<uint8_t>({}, &byte)), 0};
    return add_u8(model::remade(node, node.op, std::move(inputs)), node.outputs[0].shape,
                  model::port_of(*data).quantization);
  }

  std::optional<Source> pool(Node& node, const ops::ChannelsLastPooling& pool) {
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

  // --- operations ------------------------------------------------------------------------------------------

  // Makes a residual its quantised form, if it has one that is not by channel.
  void take_quantized(Source& residual) {
    const auto value = quantized(residual);
    if (value && !of(*value).by_channel()) residual = *value;
  }

  bool convolve(Node& node) {
    const auto* op = op_of<FusedConvolution>(node);
    if (op == nullptr || node.outputs[0].type != ElementType::kF32 || !node.outputs[0].shape.has_rank())
      return false;
    IntegerConvolution::Parts parts = {op->spec(), op->fusion()};
    ops::ConvolutionFusion& fusion = parts.fusion;
    const ops::QuantisedConstant* filters = ops::quantised_of(*node.inputs[1].node);
    if (filters == nullptr || fusion.output_shape) return false;
    if (fusion.bias && node.inputs[fusion.bias_input()].node->kind != NodeKind::kConstant) return false;
    const auto data = quantized(node.inputs[0]);
    if (!data) return false;
    const bool by_channel = of(*data).by_channel();
    if (!IntegerConvolution::takes(parts.spec, *filters, by_channel, fusion.residual)) return false;
    if (by_channel && fusion.in == Layout::kChannelsFirst)
      return false;  // its last axis is not the channel axis

    std::vector<Source> inputs = node.inputs;
    inputs[0] = *data;
    if (fusion.in == Layout::kChannelsFirst)
      inputs[0] = add_transpose(model_, registry_, inputs[0],
                                model::order_to_channels_last(shape_of(inputs[0]).rank()),
                                node.name + "/channels_last");
    if (fusion.residual && !ops::may_broadcast(node, fusion)) take_quantized(inputs[fusion.residual_input()]);
    Node* const slopes = ops::may_broadcast(node, fusion) ? nullptr : prelu_after(node, fusion.out);
    if (slopes != nullptr) parts.slopes = slopes_of(*slopes);
    const Layout out = fusion.out;
    fusion.in = fusion.out = Layout::kChannelsLast;
    auto made = remade_as(node, std::make_shared<IntegerConvolution>(std::move(parts)), std::move(inputs));
    made->outputs[0].shape = ops::relaid(node.outputs[0].shape, out, Layout::kChannelsLast);
    Source result = {model_.add(std::move(made)), 0};
    if (out == Layout::kChannelsFirst) {
      result.node->outputs[0].names.clear();
      result =
          add_transpose(model_, registry_, result, model::order_to_channels_first(shape_of(result).rank()),
                        node.name + "/channels_first");
      result.node->outputs[0].names = node.outputs[0].names;
    }
    if (slopes != nullptr) result.node->outputs[0].names = slopes->outputs[0].names;
    model_.replace_uses({slopes != nullptr ? slopes : &node, 0}, result);
    return true;
  }

  static std::shared_ptr<std::vector<float>> slopes_of(const Node& prelu) {
    const PartialShape& shape = prelu.outputs[0].shape;
    return std::make_shared<std::vector<float>>(*values_by_channel(prelu.inputs[1], shape, shape.rank() - 1));
  }

  // The only user of a node, if it is a PRelu with constant slopes by channel.
  static Node* prelu_after(const Node& node, Layout layout) {
    Node* const next = next_of(node);
    const PartialShape& shape = node.outputs[0].shape;
    if (!shape.has_rank() || shape.rank() == 0) return nullptr;
    if (next == nullptr || next->type != "PRelu" || next->inputs[0].node != &node ||
        layout != Layout::kChannelsLast || shape_of(next->inputs[1]).rank() == 1 ||
        !values_by_channel(next->inputs[1], shape, shape.rank() - 1))
      return nullptr;
    return next;
  }

  bool multiply(Node& node) {
    const auto view = ops::as_mat_mul(node);
    if (!view || view->row_group > 0 || node.outputs[0].type != ElementType::kF32) return false;
    const ops::QuantisedConstant* weights = ops::quantised_of(*node.inputs[1].node);
    if (weights == nullptr) return multiply_data(node, *view);
    IntegerMatMul::Parts parts = {view->spec, view->fusion};
    const ops::MatMulFusion& fusion = parts.fusion;
    if (fusion.bias && !is_constant(node.inputs[fusion.bias_input()])) return false;
    const auto data = quantized(node.inputs[0]);
    if (!data || of(*data).by_channel()) return false;
    if (!IntegerMatMul::takes(view->spec, *weights)) return false;

    std::vector<Source> inputs = node.inputs;
    inputs[0] = *data;
    if (fusion.residual && !ops::may_broadcast(node, fusion)) take_quantized(inputs.back());
    put_in_place(model_, node,
                 remade_as(node, std::make_shared<IntegerMatMul>(std::move(parts)), std::move(inputs)));
    return true;
  }

  // A matmul of two quantised values.
  bool multiply_data(Node& node, const ops::MatMulView& view) {
    if (!view.fusion.empty() || is_constant(node.inputs[0]) || is_constant(node.inputs[1])) return false;
    const auto a = quantized(node.inputs[0]);
    const auto b = a ? quantized(node.inputs[1]) : std::nullopt;
    if (!b || of(*a).by_channel() || of(*b).by_channel()) return false;
    if (!shape_of(*a).has_rank() || !shape_of(*b).has_rank() ||
        !IntegerBatchMatMul::takes(view.spec, shape_of(*a), shape_of(*b), of(*b)))
      return false;
    IntegerBatchMatMul::Parts parts;
    parts.spec = view.spec;
    put_in_place(model_, node,
                 remade_as(node, std::make_shared<IntegerBatchMatMul>(std::move(parts)), {*a, *b}));
    return true;
  }

  // Whether a FakeQuantize after the node becomes a table, because both inputs are functions of one value. Its
  // levels are then not made from the result of the node.
  bool becomes_table(const Node& node) {
    Node* const next = next_of(node);
    if (next == nullptr || op_of<ops::fake_quantize::FakeQuantize>(*next) == nullptr) return false;
    const auto levels = quantized({next, 0});
    return levels && levels->node->inputs[0].node != &node;
  }

  // A function of two quantised values.
  bool combine(Node& node) {
    const auto* op = op_of<ops::ElementwiseOp>(node);
    if (op == nullptr || node.inputs.size() != 2 || node.outputs[0].type != ElementType::kF32 ||
        !is_numpy(node))
      return false;
    const ops::ElementwiseFunction function = op->function(ElementType::kF32);
    if (!ops::is_binary_kernel(function) || !IntegerBinary::takes(function.parameters.binary)) return false;
    const auto a = quantized(node.inputs[0]);
    const auto b = a ? quantized(node.inputs[1]) : std::nullopt;
    if (!b || of(*a).by_channel() || of(*b).by_channel() || becomes_table(node)) return false;
    IntegerBinary::Parts parts;
    parts.function = function.parameters.binary;
    Node* last = &node;
    if (Node* next = next_of(node); next != nullptr && next->inputs[0].node == &node) {
      if (const auto function = unary_function_of(*next)) {
        parts.activation = *function;
        last = next;
      } else if (Node* const prelu = prelu_after(node, Layout::kChannelsLast)) {
        parts.slopes = slopes_of(*prelu);
        last = prelu;
      }
    }
    auto made = remade_as(node, std::make_shared<IntegerBinary>(std::move(parts)), {*a, *b});
    put_in_place(model_, *last, std::move(made));
    return true;
  }

  bool average(Node& node) {
    if (node.outputs[0].type != ElementType::kF32 || !IntegerMean::takes(node)) return false;
    const auto data = quantized(node.inputs[0]);
    if (!data) return false;
    std::vector<Source> inputs = node.inputs;
    inputs[0] = *data;
    IntegerMean::Parts parts;
    parts.mean = node.op;
    put_in_place(model_, node,
                 remade_as(node, std::make_shared<IntegerMean>(std::move(parts)), std::move(inputs)));
    return true;
  }

  bool normalise(Node& node) {
    auto parts = node.outputs[0].type == ElementType::kF32 ? IntegerMvn::parts_of(node) : std::nullopt;
    const auto data = parts ? quantized(node.inputs[0]) : std::nullopt;
    if (!data || (of(*data).by_channel() && parts->to_last)) return false;
    Node* last = &node;
    const auto take = [&](const auto& match, auto& numbers) {
      Node* const next = next_of(*last);
      const auto step = next != nullptr ? match(*next, shape_of(*data).rank() - 1) : std::nullopt;
      if (!step || step->data.node != last) return;
      numbers = std::make_shared<std::vector<float>>(step->values);
      last = next;
    };
    if (!parts->to_last) {
      take(scaled_by_channel, parts->gamma);
      take(added_by_channel, parts->beta);
    }
    put_in_place(model_, *last, remade_as(node, std::make_shared<IntegerMvn>(std::move(*parts)), {*data}));
    return true;
  }

  // --- edges -----------------------------------------------------------------------------------------------

  // Each FakeQuantize that still has users in f32 becomes a Dequantize of its u8 value. Values in u8 that no
  // operation takes were removed from the model; their FakeQuantize stays, unless store_levels can make the
  // Quantize part of an operation on integers.
  void dequantize() {
    std::vector<Node*> nodes;
    for (const auto& node : model_.nodes) nodes.push_back(node.get());
    const std::unordered_set<const Node*> alive(nodes.begin(), nodes.end());
    for (Node* node : nodes) {
      if (node->type != "FakeQuantize") continue;
      const auto found = quantized_.find({node, 0});
      std::optional<Source> value = found != quantized_.end() ? found->second : std::nullopt;
      if (!value || !alive.contains(value->node)) value = stored_levels(*node);
      if (!value) continue;
      auto made = remade_as(*node, std::make_shared<ops::Dequantize>(), {*value});
      put_in_place(model_, *node, std::move(made));
    }
  }

  // The levels of a FakeQuantize of a value that an operation on integers computes for no other user.
  std::optional<Source> stored_levels(Node& node) {
    const Node& stores = *node.inputs[0].node;
    if (op_of<ops::IntegerOp>(stores) == nullptr || stores.users(0).size() != 1) return std::nullopt;
    SharedQuantization levels = quantization_of(node);
    if (levels == nullptr) return std::nullopt;
    return add_quantize(node, std::move(levels));
  }

  Model& model_;
  const model::Registry& registry_;
  std::unordered_map<Source, std::optional<Source>, SourceHash> quantized_;
  size_t depth_ = 0;
};

}  // namespace

bool compute_in_integers(Model& model, const model::Registry& registry) {
  return Rewriting(model, registry).run();
}

}  // namespace wasmvino::passes
