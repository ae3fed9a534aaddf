// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ops/activation/gelu.h"
#include "passes/match.h"
#include "passes/passes.h"

namespace wasmvino::passes {
namespace {

using model::Model;
using model::Node;
using model::Source;
using ops::gelu::ApproximationMode;
using ops::gelu::Gelu;

constexpr float kSqrtHalf = 0.70710678f;   // 1 / sqrt(2)
constexpr float kTanhSlope = 0.79788456f;  // sqrt(2 / pi)
constexpr float kTanhCube = 0.044715f;
constexpr float kSixth = 0.16666667f;

// An operation that is equivalent to a group of nodes.
struct Found {
  Source data;
  std::string_view type;
  std::optional<float> beta = {};                    // an input, if present
  ApproximationMode mode = ApproximationMode::kErf;  // of Gelu
};

class Fusion {
 public:
  Fusion(Model& model, const model::Registry& registry) : model_(model), registry_(registry) {}

  bool run() {
    return rewrite_operations(model_, [&](Node& node) {
      if (const auto leaky = prelu({&node, 0})) {
        std::vector<Source> inputs = {leaky->data, add_constant(model_, node.name + "/slope", leaky->slope)};
        replace_with(model_, node, registry_.make_node("PRelu", node.name, std::move(inputs)));
        return true;
      }
      const auto found = find({&node, 0});
      if (!found) return false;
      std::vector<Source> inputs = {found->data};
      if (found->beta) inputs.push_back(add_floats(model_, node.name + "/beta", {}, {*found->beta}));
      auto made = found->type == Gelu::kType ? registry_.make_node<Gelu>(node.name, std::move(inputs),
                                                                         {.approximation_mode = found->mode})
                                             : registry_.make_node(found->type, node.name, std::move(inputs));
      replace_with(model_, node, std::move(made));
      return true;
    });
  }

 private:
  std::optional<Found> find(Source source) const {
    if (const auto data = softplus(source)) return Found{*data, "SoftPlus"};
    if (const auto found = quotient(source)) return found;
    const bool scaled = made_by(source, "Multiply") != nullptr || made_by(source, "Divide") != nullptr;
    if (!scaled) return std::nullopt;
    const Factors factors = factors_of_all(source);
    if (factors.values.size() == 1 && about(factors.number, kSixth)) {
      if (const auto data = clamped(factors.values[0], 3, 6)) return Found{*data, "HSigmoid"};
    }
    // x f(x)
    for (const Source& x : factors.values) {
      const auto gate = factors.beside(x);
      if (!gate) continue;
      if (about(factors.number, 0.5f)) {
        if (is_gelu_gate(*gate, x, false)) return Found{x, Gelu::kType, {}, ApproximationMode::kErf};
        if (is_gelu_gate(*gate, x, true)) return Found{x, Gelu::kType, {}, ApproximationMode::kTanh};
      }
      if (about(factors.number, kSixth) && clamped(*gate, 3, 6) == x) return Found{x, "HSwish"};
      if (factors.number != 1.0f) continue;
      if (is_hard_sigmoid(*gate, x)) return Found{x, "HSwish"};
      if (const auto beta = sigmoid_slope(*gate, x)) return Found{x, "Swish", beta};
      if (const Node* tanh = made_by(*gate, "Tanh")) {
        const Node* inner = made_by(tanh->inputs[0], "SoftPlus");
        if (softplus(tanh->inputs[0]) == x || (inner != nullptr && inner->inputs[0] == x)) {
          return Found{x, "Mish"};
        }
      }
    }
    return std::nullopt;
  }

  struct Leaky {
    Source data;
    std::shared_ptr<const model::ConstantData> slope;
  };

  // relu(x) + slope f(x), or relu(x) - slope f(x), where f(x) is a multiple of x below 0, and 0 above.
  static std::optional<Leaky> prelu(Source source) {
    const Node* difference = made_by(source, "Subtract");
    const Node* node = difference != nullptr ? difference : made_by(source, "Add");
    if (node == nullptr) return std::nullopt;
    for (const size_t i : {0, 1}) {
      const Node* relu = made_by(node->inputs[i], "Relu");
      if (relu == nullptr || (difference != nullptr && i == 1)) continue;
      const Source x = relu->inputs[0];
      const Factors factors = factors_of_all(node->inputs[1 - i]);
      for (const Source& value : factors.values) {
        const float multiple = (difference != nullptr ? -1.0f : 1.0f) * factors.number * below_zero(value, x);
        if (multiple == 0.0f) continue;
        if (factors.values.size() == 1) return Leaky{x, constant({}, {multiple})};
        const auto slopes = factors.beside(value);
        if (slopes) return scaled_slopes(x, *slopes, multiple);
      }
    }
    return std::nullopt;
  }

  // The number k if a value is k x for negative x, and 0 for all other x. Otherwise 0.
  static float below_zero(Source source, Source x) {
    if (const Node* relu = made_by(source, "Relu")) {
      const Node* negative = made_by(relu->inputs[0], "Negative");
      if (negative != nullptr) return negative->inputs[0] == x ? -1.0f : 0.0f;
      const Factors factors = factors_of_all(relu->inputs[0]);
      return factors.number < 0 && factors.is_multiple_of(x) ? factors.number : 0.0f;
    }
    if (with_number(source, "Minimum", 0.0f) == x) return 1.0f;
    const Node* difference = made_by(source, "Subtract");
    const Node* absolute = difference != nullptr ? made_by(difference->inputs[1], "Abs") : nullptr;
    return absolute != nullptr && difference->inputs[0] == x && absolute->inputs[0] == x ? 2.0f : 0.0f;
  }

  // Slopes that are a constant times `multiple`, and keep the shape of x when broadcast.
  static std::optional<Leaky> scaled_slopes(Source x, Source slopes, float multiple) {
    const Tensor value = constant_of(slopes);
    const PartialShape& data = shape_of(x);
    if (!value || value.type() != ElementType::kF32 || !data.has_rank()) return std::nullopt;
    Shape shape = value.shape();
    if (shape.size() > data.rank()) return std::nullopt;
    for (size_t i = 1; i <= shape.size(); ++i) {
      const Dimension& size = data[data.rank() - i];
      const int64_t slope = shape[shape.size() - i];
      if (slope != 1 && !(size.is_static() && size.size() == slope)) return std::nullopt;
    }
    // PRelu aligns a 1-D slope with axis 1.
    if (shape.size() == 1 && data.rank() > 1) shape = {1, shape[0]};
    const float* const first = value.data<float>();
    std::vector<float> scaled(first, first + element_count(shape));
    for (float& slope : scaled) slope *= multiple;
    return Leaky{x, constant(shape, scaled)};
  }

  static std::shared_ptr<const model::ConstantData> constant(const Shape& shape,
                                                             const std::vector<float>& values) {
    Tensor tensor(ElementType::kF32, shape);
    std::copy(values.begin(), values.end(), tensor.mutable_data<float>());
    return std::make_shared<model::ConstantData>(std::move(tensor));
  }

  // Returns x if a value is log(1 + e^x).
  static std::optional<Source> softplus(Source source) {
    const Node* log = made_by(source, "Log");
    const auto exponential = log != nullptr ? with_number(log->inputs[0], "Add", 1.0f) : std::nullopt;
    const Node* exp = exponential ? made_by(*exponential, "Exp") : nullptr;
    return exp != nullptr ? std::optional(exp->inputs[0]) : std::nullopt;
  }

  // x / (1 + e^(-beta x))
  std::optional<Found> quotient(Source source) const {
    const Node* node = made_by(source, "Divide");
    const auto exponential = node != nullptr ? with_number(node->inputs[1], "Add", 1.0f) : std::nullopt;
    const Node* exp = exponential ? made_by(*exponential, "Exp") : nullptr;
    if (exp == nullptr) return std::nullopt;
    const Source x = node->inputs[0];
    if (const Node* negative = made_by(exp->inputs[0], "Negative");
        negative != nullptr && negative->inputs[0] == x) {
      return Found{x, "Swish"};
    }
    const Factors factors = factors_of(exp->inputs[0]);
    if (!factors.is_multiple_of(x)) return std::nullopt;
    return Found{x, "Swish", -factors.number};
  }

  // Returns x if a value is clamp(x + shift, 0, top).
  static std::optional<Source> clamped(Source source, float shift, float top) {
    const Node* node = made_by(source, "Clamp");
    if (node == nullptr) return std::nullopt;
    const auto function = unary_function_of(*node);
    if (!function || function->alpha != 0.0f || function->beta != top) return std::nullopt;
    return with_number(node->inputs[0], "Add", shift);
  }

  // Whether a value is clamp(x / 6 + 1/2, 0, 1).
  bool is_hard_sigmoid(Source source, Source x) const {
    if (const Node* node = made_by(source, "HSigmoid")) return node->inputs[0] == x;
    if (const Node* node = made_by(source, "HardSigmoid")) {
      const auto function = unary_function_of(*node);
      return function && node->inputs[0] == x && about(function->alpha, kSixth) &&
             about(function->beta, 0.5f);
    }
    const auto sum = clamped(source, 0.5f, 1);
    if (!sum) return false;
    const Factors factors = factors_of(*sum);
    return factors.is_multiple_of(x) && about(factors.number, kSixth);
  }

  // Returns beta if a value is sigmoid(beta x).
  std::optional<float> sigmoid_slope(Source source, Source x) const {
    const Node* node = made_by(source, "Sigmoid");
    if (node == nullptr) return std::nullopt;
    if (node->inputs[0] == x) return 1.0f;
    const Factors factors = factors_of(node->inputs[0]);
    return factors.is_multiple_of(x) ? std::optional(factors.number) : std::nullopt;
  }

  // Whether a value is 1 + erf(x / sqrt(2)), or 1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)).
  bool is_gelu_gate(Source source, Source x, bool tanh) const {
    const auto inner = with_number(source, "Add", 1.0f);
    const Node* node = inner ? made_by(*inner, tanh ? "Tanh" : "Erf") : nullptr;
    if (node == nullptr) return false;
    const Factors factors = factors_of(node->inputs[0]);
    if (!tanh) return factors.is_multiple_of(x) && about(factors.number, kSqrtHalf);
    if (!about(factors.number, kTanhSlope)) return false;
    if (factors.values.size() == 1) {
      const Node* sum = made_by(factors.values[0], "Add");
      if (sum == nullptr) return false;
      for (size_t i = 0; i < 2; ++i) {
        if (!(sum->inputs[i] == x)) continue;
        const Factors cube = factors_of(sum->inputs[1 - i]);
        if (cube.is_power_of(x, 3) && about(cube.number, kTanhCube)) return true;
      }
      return false;
    }
    // x (1 + 0.044715 x^2)
    const auto beside = factors.beside(x);
    const auto square = beside ? with_number(*beside, "Add", 1.0f) : std::nullopt;
    if (!square) return false;
    const Factors product = factors_of(*square);
    return product.is_power_of(x, 2) && about(product.number, kTanhCube);
  }

  Model& model_;
  const model::Registry& registry_;
};

}  // namespace

bool fuse_activations(Model& model, const model::Registry& registry) { return Fusion(model, registry).run(); }

}  // namespace wasmvino::passes
