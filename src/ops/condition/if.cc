// SPDX-License-Identifier: Apache-2.0
// If: runs one of two bodies.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/condition/if-8.html
#include "model/registry.h"

namespace wasmvino::ops::if_ {
namespace {

constexpr size_t kCondition = 0;
constexpr size_t kThen = 0;
constexpr size_t kElse = 1;

template <typename Context>
std::vector<ValueInfo> body_parameters(const Context& context, const Body& body) {
  std::vector<ValueInfo> parameters(body.model->parameters.size());
  for (const BodyInput& map : body.inputs) parameters[map.parameter] = context.input(map.input);
  return parameters;
}

bool truth(const TensorView& value) {
  const Ints ints = to_ints(value);
  if (ints.size() != 1)
    fail(ErrorCode::kInvalidShape, "the condition has shape ", value.shape, ", expected [] or [1]");
  return ints[0] != 0;
}

// A shape that fits the results of both bodies. Sizes that differ become dynamic dimensions.
PartialShape either(const PartialShape& a, const PartialShape& b) {
  if (!a.has_rank() || !b.has_rank() || a.rank() != b.rank()) return {};
  PartialShape shape = a;
  for (size_t axis = 0; axis < a.rank(); ++axis) {
    if (!(a[axis] == b[axis])) {
      shape[axis] = Dimension(std::min(a[axis].min, b[axis].min), std::max(a[axis].max, b[axis].max));
    }
  }
  return shape;
}

class IfKernel final : public Kernel {
 public:
  explicit IfKernel(CompileContext& context) {
    for (const size_t i : {kThen, kElse}) {
      const Body& body = context.node().bodies[i];
      branches_[i] = {&body, context.subgraph(i, body_parameters(context, body))};
    }
    for (size_t i = 0; i < context.output_count(); ++i) planned_.push_back(context.has_output_shape(i));
  }

  void run(EvalContext& context) override {
    Branch& branch = branches_[truth(context.input(kCondition)) ? kThen : kElse];
    for (const BodyInput& map : branch.body->inputs) {
      branch.subgraph->bind_parameter(map.parameter, context.input(map.input));
    }
    branch.subgraph->prepare();
    for (const BodyOutput& map : branch.body->outputs) {
      const TensorView* planned = branch.subgraph->planned_result(map.result);
      TensorView& output = context.output(map.output);
      const bool direct = planned_[map.output] && planned != nullptr && planned->type == output.type &&
                          planned->shape == output.shape;
      branch.subgraph->bind_result(map.result, direct ? output.memory : nullptr);
    }
    branch.subgraph->run(-1);
    for (const BodyOutput& map : branch.body->outputs) {
      const TensorView& result = branch.subgraph->result(map.result);
      if (!planned_[map.output]) context.set_output_shape(map.output, result.shape);
      TensorView& output = context.output(map.output);
      if (result.memory != output.memory) copy_elements(result, output);
    }
  }

 private:
  struct Branch {
    const Body* body = nullptr;
    std::unique_ptr<Subgraph> subgraph;
  };
  Branch branches_[2];
  std::vector<char> planned_;
};

}  // namespace

class If final : public Op {
 public:
  size_t least_outputs() const override { return 0; }
  void infer(InferContext& context) const override {
    const Node& node = context.node();
    if (node.bodies.size() != 2)
      fail(ErrorCode::kInvalidModel, "the layer has ", node.bodies.size(), " bodies, expected then and else");
    if (context.input_count() == 0) context.expect_inputs(1);
    const PartialShape& condition = context.input_shape(kCondition);
    if (condition.is_static() && element_count(condition.to_shape()) != 1) {
      throw Error(ErrorCode::kInvalidShape,
                  cat("the condition has shape ", condition, ", expected [] or [1]"))
          .expected("[] or [1]")
          .actual(to_string(condition));
    }
    // Errors about shapes and values in the body that does not run are ignored, because the condition often
    // guards against such shapes.
    const TensorView* chosen = context.known_value(kCondition);
    std::vector<ValueInfo> outputs[2];
    std::optional<Error> refused;
    size_t accepted = kThen;
    for (const size_t i : {kThen, kElse}) {
      try {
        outputs[i] = infer_branch(context, i);
      } catch (Error& error) {
        const bool guarded =
            error.code() == ErrorCode::kInvalidShape || error.code() == ErrorCode::kInvalidValue;
        const bool idle = chosen != nullptr ? truth(*chosen) != (i == kThen) : context.runs();
        if (!guarded || !idle || refused) throw;
        refused = std::move(error);
        accepted = i == kThen ? kElse : kThen;
      }
    }
    if (refused) {
      chosen = context.input_value(kCondition);
      for (size_t i = 0; i < context.output_count(); ++i) {
        const ValueInfo& value = outputs[accepted][i];
        context.set_output(i, value.type, chosen != nullptr ? value.shape : PartialShape());
      }
      return;
    }

    bool differ = false;
    for (size_t i = 0; i < context.output_count(); ++i)
      differ |= !(outputs[kThen][i].shape == outputs[kElse][i].shape);
    // The condition's value is requested only if shapes depend on it. Otherwise one plan serves both
    // branches.
    if (differ) chosen = context.input_value(kCondition);
    for (size_t i = 0; i < context.output_count(); ++i) {
      const ValueInfo& then_value = outputs[kThen][i];
      const ValueInfo& else_value = outputs[kElse][i];
      if (then_value.type != else_value.type && then_value.type != ElementType::kDynamic &&
          else_value.type != ElementType::kDynamic) {
        fail(ErrorCode::kInvalidType, "output ", i, " is of type ", then_value.type,
             " in the then body and of ", else_value.type, " in the else body");
      }
      const ValueInfo& value = chosen != nullptr ? outputs[truth(*chosen) ? kThen : kElse][i] : then_value;
      context.set_output(i, value.type,
                         chosen != nullptr ? value.shape : either(then_value.shape, else_value.shape));
    }
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    return std::make_unique<IfKernel>(context);
  }

 private:
  static std::vector<ValueInfo> infer_branch(InferContext& context, size_t i) {
    const Body& body = context.node().bodies[i];
    std::vector<char> mapped(body.model->parameters.size());
    for (const BodyInput& map : body.inputs) mapped[map.parameter] = 1;
    for (size_t p = 0; p < mapped.size(); ++p) {
      if (mapped[p]) continue;
      fail(ErrorCode::kInvalidModel, "the parameter '", body.model->parameters[p]->name, "' of the ",
           i == kThen ? "then" : "else", " body has no input in the port map");
    }
    std::vector<char> asked;
    const std::vector<ValueInfo> results = context.infer_body(i, body_parameters(context, body), asked);
    for (const BodyInput& map : body.inputs) {
      if (asked[map.parameter]) context.mark_asked(map.input);
    }
    std::vector<ValueInfo> outputs(context.output_count());
    std::vector<char> given(outputs.size());
    for (const BodyOutput& map : body.outputs) {
      outputs[map.output] = results[map.result];
      given[map.output] = 1;
    }
    for (size_t o = 0; o < given.size(); ++o) {
      if (!given[o]) {
        fail(ErrorCode::kInvalidModel, "output ", o, " has no result in the ", i == kThen ? "then" : "else",
             " body");
      }
    }
    return outputs;
  }
};

}  // namespace wasmvino::ops::if_

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(if) {
  registry.add<if_::If>(
      {"If",
       {8},
       "condition/if-8",
       {{"the condition", kNumbers | kBoolean}, {"input", kAllTypes, InputTypes::kAny, true}}});
}
}  // namespace wasmvino::ops
