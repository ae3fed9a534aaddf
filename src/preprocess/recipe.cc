// SPDX-License-Identifier: Apache-2.0
#include "preprocess/recipe.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/number_text.h"
#include "core/text.h"
#include "preprocess/chain.h"

namespace wasmvino::preprocess {
namespace {

using model::Node;
using model::Source;

// Parses a setting, or the value of a step.
template <typename T>
T read(std::string_view key, const std::string& text) {
  T value{};
  const model::AttributeTexts texts = {{std::string(key), text}};
  model::AttributeReader(texts).on(key, value);
  return value;
}

ColorFormat read_color(const std::string& text) {
  int format = 0;
  const model::AttributeTexts texts = {{"color", text}};
  model::AttributeReader(texts).on_choice(
      "color", format,
      {"UNDEFINED", "NV12_SINGLE_PLANE", "NV12_TWO_PLANES", "I420_SINGLE_PLANE", "I420_THREE_PLANES", "RGB",
       "BGR", "GRAY", "RGBX", "BGRX"});
  return static_cast<ColorFormat>(format);
}

// What a recipe says about one input or output.
struct Subject {
  bool is_input = true;
  size_t position = 0;
  std::optional<ElementType> type;
  std::optional<PartialShape> shape, spatial;
  Layout layout, model_layout;
  ColorFormat color = ColorFormat::kUndefined;
  std::vector<std::string> planes;
  model::AttributeTexts steps;
};

std::vector<Subject> read_recipe(std::span<const std::string> recipe) {
  std::vector<Subject> subjects;
  for (size_t i = 0; i + 1 < recipe.size(); i += 2) {
    const std::string& key = recipe[i];
    const std::string& value = recipe[i + 1];
    if (key == "input" || key == "output") {
      Subject& next = subjects.emplace_back();
      next.is_input = key == "input";
      next.position = static_cast<size_t>(read<int64_t>(key, value));
      continue;
    }
    if (subjects.empty())
      fail(ErrorCode::kInvalidArgument, "a recipe begins with an input or output, not '", key, "'");
    Subject& subject = subjects.back();
    if (key == "type") {
      subject.type = read<ElementType>(key, value);
    } else if (key == "shape") {
      subject.shape = read<PartialShape>(key, value);
    } else if (key == "spatial") {
      subject.spatial = read<PartialShape>(key, value);
    } else if (key == "layout") {
      subject.layout = Layout(value);
    } else if (key == "modelLayout") {
      subject.model_layout = Layout(value);
    } else if (key == "color") {
      subject.color = read_color(value);
    } else if (key == "planes") {
      subject.planes = read<std::vector<std::string>>(key, value);
    } else {
      subject.steps.emplace_back(key, value);
    }
  }
  return subjects;
}

Ints half(const Ints& both, bool second) {
  const size_t middle = both.size() / 2;
  return second ? Ints(both.begin() + middle, both.end()) : Ints(both.begin(), both.begin() + middle);
}

// The height or width of the model's input.
int64_t model_size(std::string_view axis, const Subject& subject, const PartialShape& shape) {
  const std::optional<size_t> at = subject.model_layout.find(axis, shape.rank());
  if (!at || !shape[*at].is_static()) {
    fail(ErrorCode::kInvalidArgument, "resize() without sizes uses those of the model, but its input ", shape,
         " of layout ", to_string(subject.model_layout), " has no fixed size ", axis,
         ". Give sizes, or set the model's layout");
  }
  return shape[*at].size();
}

void resize(Chain& chain, const std::string& value, const Subject& subject, const PartialShape& model_shape) {
  const std::vector<std::string> parts = read<std::vector<std::string>>("resize", value);
  if (parts.size() != 3)
    fail(ErrorCode::kInvalidArgument, "resize takes a mode and two sizes, not '", value, "'");
  const auto size = [&](size_t i, std::string_view axis) {
    const int64_t wanted = read<int64_t>("resize", parts[i]);
    return wanted >= 0 ? wanted : model_size(axis, subject, model_shape);
  };
  const int64_t height = size(1, "H");
  chain.resize(parts[0], height, size(2, "W"));
}

// The most outputs of a node of a custom step. CustomStep.add() has the same limit.
constexpr int64_t kMostOutputs = 65536;

Tensor read_constant(const std::string& text) {
  const std::vector<std::string> lines = lines_of(text);
  if (lines.size() != 3) fail(ErrorCode::kInvalidArgument, "customConstant takes three lines");
  const auto type = read<ElementType>("type", lines[0]);
  const auto shape = read<PartialShape>("shape", lines[1]);
  // Strings are objects, which bytes must not overwrite.
  if (type == ElementType::kString || type == ElementType::kDynamic || !shape.is_static())
    fail(ErrorCode::kInvalidArgument, "customConstant takes numbers and a static shape");
  Tensor tensor(type, shape.to_shape());
  const std::string& digits = lines[2];
  if (digits.size() != 2 * tensor.byte_size())
    fail(ErrorCode::kInvalidArgument, "customConstant takes ", tensor.byte_size(), " bytes");
  auto* bytes = tensor.mutable_data<uint8_t>();
  for (size_t i = 0; i < tensor.byte_size(); ++i) {
    const char* const begin = digits.data() + 2 * i;
    if (std::from_chars(begin, begin + 2, bytes[i], 16).ptr != begin + 2)
      fail(ErrorCode::kInvalidArgument, "customConstant takes hexadecimal digits");
  }
  return tensor;
}

CustomNode::Input read_input(const std::string& text) {
  const size_t dot = std::min(text.find('.'), text.size());
  return {static_cast<size_t>(read<int64_t>("node", text.substr(0, dot))),
          static_cast<size_t>(read<int64_t>("output", text.substr(std::min(dot + 1, text.size()))))};
}

CustomNode read_node(const std::string& text) {
  const std::vector<std::string> lines = lines_of(text);
  if (lines.size() < 3 || lines.size() % 2 == 0)
    fail(ErrorCode::kInvalidArgument, "customNode takes three lines and pairs of lines");
  CustomNode node;
  node.type = lines[0];
  for (const std::string& input : read<std::vector<std::string>>("inputs", lines[1]))
    node.inputs.push_back(read_input(input));
  const auto outputs = read<int64_t>("outputs", lines[2]);
  if (outputs < 1 || outputs > kMostOutputs)
    fail(ErrorCode::kInvalidArgument, "customNode takes 1 to ", kMostOutputs, " outputs");
  node.outputs = static_cast<size_t>(outputs);
  for (size_t i = 3; i < lines.size(); i += 2) node.attributes.emplace_back(lines[i], lines[i + 1]);
  return node;
}

// What error messages call a step: the method of PrePostProcessor that adds it.
std::string method_of(const std::string& step) {
  if (step == "convertType") return "convertElementType()";
  if (step == "transpose") return "convertLayout()";
  return cat(step, "()");
}

// The value after all steps, converted to the type and layout of the other side, if these are given.
Source run_steps(Chain& chain, const Subject& subject, const PartialShape& model_shape,
                 std::optional<ElementType> type, const Layout& layout) {
  std::string pad_mode = "constant";
  float pad_value = 0;
  std::vector<CustomNode> custom;
  for (const auto& [step, value] : subject.steps) {
    chain.begin(method_of(step));
    if (step == "convertType") {
      chain.convert_type(read<ElementType>(step, value));
    } else if (step == "convertLayout") {
      chain.convert_layout(Layout(value));
    } else if (step == "transpose") {
      chain.transpose(read<Ints>(step, value));
    } else if (step == "mean") {
      chain.subtract(read<model::Floats>(step, value));
    } else if (step == "scale") {
      chain.divide(read<model::Floats>(step, value));
    } else if (step == "resize") {
      resize(chain, value, subject, model_shape);
    } else if (step == "convertColor") {
      chain.convert_color(read_color(value));
    } else if (step == "crop") {
      const Ints both = read<Ints>(step, value);
      chain.crop(half(both, false), half(both, true));
    } else if (step == "padMode") {
      pad_mode = value;
    } else if (step == "padValue") {
      pad_value = read<float>(step, value);
    } else if (step == "pad") {
      const Ints both = read<Ints>(step, value);
      chain.pad(half(both, false), half(both, true), pad_mode, pad_value);
    } else if (step == "reverseChannels") {
      chain.reverse_channels();
    } else if (step == "customConstant") {
      custom.emplace_back().constant = read_constant(value);
    } else if (step == "customNode") {
      custom.push_back(read_node(value));
    } else if (step == "custom") {
      chain.custom(custom, read_input(value));
      custom.clear();
    } else {
      fail(ErrorCode::kInvalidArgument, "unknown step '", step, "'");
    }
  }
  const ColorFormat color = chain.color();
  if (color != ColorFormat::kUndefined && (color < ColorFormat::kRgb || color > ColorFormat::kGray)) {
    fail(ErrorCode::kInvalidArgument,
         "model shall have RGB/BGR/GRAY color format. Consider add 'convertColor' "
         "preprocessing operation to convert current color format '",
         name(color), "' to RGB/BGR/GRAY");
  }
  chain.begin("the conversion to the type and layout");
  if (type) chain.convert_type(*type);
  chain.convert_layout(layout);
  return chain.value();
}

// The shape of the caller's tensor, and its layout if the recipe does not state one.
PartialShape given_shape(Subject& subject, const PartialShape& model_shape) {
  const size_t rank = model_shape.rank();
  PartialShape shape = model_shape;
  if (subject.layout.empty()) {
    // Starts from the model's layout and undoes the transpositions.
    Layout layout = subject.model_layout;
    for (auto step = subject.steps.rbegin(); step != subject.steps.rend(); ++step) {
      if (step->first != "transpose") continue;
      const Ints order = read<Ints>(step->first, step->second);
      Ints back(rank, 0);
      if (order.size() != rank) continue;
      PartialShape before = shape;
      for (size_t i = 0; i < rank; ++i) {
        if (order[i] < 0 || order[i] >= static_cast<int64_t>(rank))
          fail(ErrorCode::kInvalidArgument, "convertLayout() refers to axis ", order[i],
               ", but the array has rank ", rank);
        before[static_cast<size_t>(order[i])] = shape[i];
        back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
      }
      shape = before;
      layout = layout.transposed(back);
    }
    subject.layout = layout;
  } else if (!subject.shape) {
    const Ints order = order_between(subject.model_layout, subject.layout, rank);
    for (size_t i = 0; i < order.size(); ++i) shape[i] = model_shape[static_cast<size_t>(order[i])];
  }
  if (subject.shape) shape = *subject.shape;
  if (subject.spatial) {
    for (const size_t i : {0, 1}) {
      const std::optional<size_t> axis = subject.layout.find(i == 0 ? "H" : "W", shape.rank());
      if (!axis || subject.spatial->rank() != 2) {
        fail(ErrorCode::kInvalidArgument, "the layout ", to_string(subject.layout),
             " has no axes H and W for the sizes ", *subject.spatial);
      }
      shape[*axis] = (*subject.spatial)[i];
    }
  }
  return shape;
}

Dimension part_of(Dimension size, int64_t numerator, int64_t denominator) {
  const auto scaled = [&](int64_t bound) {
    return bound == Dimension::kUnbounded ? bound : bound / denominator * numerator;
  };
  return {scaled(size.min), scaled(size.max)};
}

struct Plane {
  std::string name;
  PartialShape shape;
};

// The planes of which an image of this shape consists.
std::vector<Plane> planes_of(const Subject& subject, PartialShape shape) {
  const auto of = [&](std::string_view name) { return *subject.layout.find(name, shape.rank()); };
  const auto plane = [&](std::string_view name, int64_t parts, int64_t whole, int64_t width_by,
                         int64_t channels) {
    PartialShape part = shape;
    part[of("H")] = part_of(shape[of("H")], parts, whole);
    part[of("W")] = part_of(shape[of("W")], 1, width_by);
    part[of("C")] = channels;
    return Plane{std::string(name), part};
  };
  switch (subject.color) {
    case ColorFormat::kNv12SinglePlane:
    case ColorFormat::kI420SinglePlane:
      return {plane("", 3, 2, 1, 1)};
    case ColorFormat::kNv12TwoPlanes:
      return {plane("Y", 1, 1, 1, 1), plane("UV", 1, 2, 2, 2)};
    case ColorFormat::kI420ThreePlanes:
      return {plane("Y", 1, 1, 1, 1), plane("U", 1, 2, 2, 1), plane("V", 1, 2, 2, 1)};
    case ColorFormat::kRgb:
    case ColorFormat::kBgr:
      return {plane("", 1, 1, 1, 3)};
    case ColorFormat::kGray:
      return {plane("", 1, 1, 1, 1)};
    case ColorFormat::kRgbx:
    case ColorFormat::kBgrx:
      return {plane("", 1, 1, 1, 4)};
    case ColorFormat::kUndefined:
      break;
  }
  return {{"", shape}};
}

// An input and the value after its steps.
struct Prepared {
  std::string name;
  Source value;
  PartialShape model_shape;
};

class Editor {
 public:
  Editor(model::Model& model, const model::Registry& registry)
      : model_(model), builder_(model, registry, model::kLastOpset) {
    for (Node* parameter : model.parameters) parameters_.push_back({parameter});
  }

  void edit_input(Subject subject) {
    if (subject.position >= parameters_.size())
      fail(ErrorCode::kInvalidArgument, "the model has no input ", subject.position);
    Node& old = *model_.parameters[subject.position];
    const model::OutputPort port = old.outputs[0];
    if (!port.shape.has_rank())
      fail(ErrorCode::kUnsupported, "input '", old.name,
           "' has a dynamic rank: call reshape() on the model first");
    const bool in_planes =
        subject.color >= ColorFormat::kNv12SinglePlane && subject.color <= ColorFormat::kI420ThreePlanes;
    if (in_planes && subject.layout.empty()) subject.layout = Layout("NHWC");
    const PartialShape shape = given_shape(subject, port.shape);
    if (!subject.layout.empty()) subject.layout.names(shape.rank());
    if (!subject.model_layout.empty()) subject.model_layout.names(port.shape.rank());
    if (subject.color != ColorFormat::kUndefined && !subject.layout.empty()) {
      for (const std::string_view axis : {"H", "W", "C"}) {
        if (!subject.layout.find(axis, shape.rank()))
          fail(ErrorCode::kInvalidArgument, "an image in the color format ", name(subject.color),
               " needs the axes H, W and C, but the layout ", to_string(subject.layout), " has no ", axis);
      }
    }
    // Without a layout, it is unknown which sizes the color format determines.
    const std::vector<Plane> planes =
        subject.layout.empty() ? std::vector<Plane>{{"", shape}} : planes_of(subject, shape);
    if (!subject.planes.empty() && subject.planes.size() != planes.size()) {
      fail(ErrorCode::kInvalidArgument, "the color format ", name(subject.color), " has ", planes.size(),
           " planes, but ", subject.planes.size(), " names were given");
    }
    const ElementType type = subject.type.value_or(port.type);
    std::vector<Node*>& made = parameters_[subject.position];
    made.clear();
    std::vector<Source> sources;
    for (size_t i = 0; i < planes.size(); ++i) {
      const std::string suffix =
          planes.size() == 1 ? "" : cat("/", subject.planes.empty() ? planes[i].name : subject.planes[i]);
      std::vector<std::string> names = port.names;
      for (std::string& name : names) name += suffix;
      builder_.begin(old.name + suffix, 0);
      sources.push_back(builder_.parameter(type, planes[i].shape, std::move(names)));
      made.push_back(sources.back().node);
    }
    Chain chain(builder_, old.name, std::move(sources), {subject.layout, subject.color});
    const Source value = run_steps(chain, subject, port.shape, port.type, subject.model_layout);
    model_.replace_uses({&old, 0}, value);
    prepared_.push_back({old.name, value, port.shape});
  }

  void edit_output(const Subject& subject) {
    if (subject.position >= model_.results.size())
      fail(ErrorCode::kInvalidArgument, "the model has no output ", subject.position);
    Node& result = *model_.results[subject.position];
    const Source source = result.inputs[0];
    const model::OutputPort port = source.node->outputs[source.port];
    if (!port.shape.has_rank())
      fail(ErrorCode::kUnsupported, "output '", result.name,
           "' has a dynamic rank: call reshape() on the model first");
    if (result.output_names.empty()) result.output_names = port.names;
    Chain chain(builder_, source.node->name, {source}, {subject.model_layout, {}});
    result.inputs.set(0, run_steps(chain, subject, port.shape, subject.type, subject.layout));
  }

  void finish() {
    model_.parameters.clear();
    for (const std::vector<Node*>& each : parameters_)
      model_.parameters.insert(model_.parameters.end(), each.begin(), each.end());
    model_.index();
    std::vector<Error> errors;
    model_.infer(&errors);
    for (const auto& [name, value, model_shape] : prepared_) {
      const PartialShape& shape = value.node->outputs[value.port].shape;
      if (shape.compatible(model_shape)) continue;
      throw Error(ErrorCode::kInvalidShape,
                  cat("Resulting shape '", shape,
                      "' after preprocessing is not aligned with original parameter's shape: ", model_shape,
                      ", input parameter: ", name))
          .port(name)
          .expected(cat(model_shape))
          .actual(cat(shape));
    }
    if (!errors.empty()) throw errors.front();
  }

 private:
  model::Model& model_;
  model::Builder builder_;
  std::vector<std::vector<Node*>> parameters_;  // for each input: the parameters that replace it
  std::vector<Prepared> prepared_;
};

}  // namespace

void apply(model::Model& model, const model::Registry& registry, std::span<const std::string> recipe) {
  Editor editor(model, registry);
  for (const Subject& subject : read_recipe(recipe)) {
    if (subject.is_input) {
      editor.edit_input(subject);
    } else {
      editor.edit_output(subject);
    }
  }
  editor.finish();
}

}  // namespace wasmvino::preprocess
