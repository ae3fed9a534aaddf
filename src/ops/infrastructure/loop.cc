// SPDX-License-Identifier: Apache-2.0
// Loop: runs a body a number of times, or until its condition is false.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/infrastructure/loop-5.html
#include <algorithm>

#include "model/registry.h"
#include "ops/bodies/body_loop.h"

namespace wasmvino::ops::loop {
namespace {

constexpr size_t kTripCount = 0;
constexpr size_t kCondition = 1;

void expect_boolean(ElementType type, std::string_view what) {
  if (type == ElementType::kBoolean || type == ElementType::kDynamic) return;
  fail(ErrorCode::kInvalidType, what, " is of type ", type, ", expected boolean");
}

void expect_single(const InferContext& context, size_t input, std::string_view what) {
  const PartialShape& shape = context.input_shape(input);
  if (!shape.is_static() || element_count(shape.to_shape()) == 1) return;
  throw Error(ErrorCode::kInvalidShape, cat(what, " has shape ", shape, ", expected [] or [1]"))
      .expected("[] or [1]")
      .actual(to_string(shape));
}

}  // namespace

class Loop final : public Op {
 public:
  size_t least_outputs() const override { return 0; }
  void infer(InferContext& context) const override {
    check_port_map(context.node());
    if (context.input_count() < 2) context.expect_inputs(2);
    expect_single(context, kTripCount, "the trip count");
    expect_single(context, kCondition, "the execution condition");

    // Without concatenated outputs, no shape depends on the number of iterations, which may then change from
    // run to run.
    const Body& body = context.node().bodies[0];
    const bool concatenates = std::any_of(body.outputs.begin(), body.outputs.end(),
                                          [](const BodyOutput& map) { return map.axis.has_value(); });
    const std::optional<int64_t> slices = sliced_iterations(context.node(), context);
    std::optional<int64_t> iterations;
    if (concatenates && always_goes_on(context)) {
      const auto count = context.input_ints(kTripCount);
      const auto condition = context.input_ints(kCondition);
      if (condition && (*condition)[0] == 0) {
        iterations = 0;
      } else if (count && condition) {
        iterations = (*count)[0] >= 0 ? (*count)[0] : slices;
      }
    }
    const std::vector<ValueInfo> results = infer_loop(context, iterations);
    for (const BodyOutput& map : body.outputs) {
      if (map.purpose != BodyOutput::Purpose::kExecutionCondition) continue;
      expect_boolean(results[map.result].type, "the body's execution condition");
    }
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    return compile_loop(context, kTripCount, kCondition);
  }

 private:
  // Whether the body's own condition is a constant true.
  static bool always_goes_on(const InferContext& context) {
    const Body& body = context.node().bodies[0];
    for (const BodyOutput& map : body.outputs) {
      if (map.purpose != BodyOutput::Purpose::kExecutionCondition) continue;
      const Source source = body.model->results[map.result]->inputs[0];
      if (source.node->kind != NodeKind::kConstant) return false;
      const Ints value = to_ints(source.node->constant->value().view());
      return value.size() == 1 && value[0] != 0;
    }
    return true;
  }
};

}  // namespace wasmvino::ops::loop

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(loop) {
  registry.add<loop::Loop>({"Loop",
                            {5},
                            "infrastructure/loop-5",
                            {{"the trip count", kIndices},
                             {"the execution condition", kBoolean},
                             {"input", kAllTypes, InputTypes::kAny, true}}});
}
}  // namespace wasmvino::ops
