// SPDX-License-Identifier: Apache-2.0
// OneHot: a new axis with on_value at the index and off_value elsewhere. An index outside the axis sets
// nothing.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/sequence/one-hot-16.html
#include "kernels/element_runs.h"
#include "model/registry.h"
#include "ops/inputs/axes.h"
#include "ops/inputs/indices.h"
#include "ops/inputs/inputs.h"

namespace wasmvino::ops::one_hot {

// Grain: indices, and elements to fill, in about 10 µs of work.
constexpr size_t kGrain = size_t{1} << 12;
constexpr size_t kFillGrain = size_t{1} << 15;

enum class NegativeIndices { kIgnore, kNormalize };

class OneHot final : public Op {
 public:
  explicit OneHot(int version) : version_(version) {}

  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.require("axis");
    visitor.on("axis", axis_);
    // IRs use an underscore; the specification has a hyphen.
    if (version_ >= 16) {
      int mode = static_cast<int>(negative_indices_);
      visitor.on_choice("negative_indices_mode", mode, {"ignore_negative", "normalize", "ignore-negative"});
      negative_indices_ = mode == 1 ? NegativeIndices::kNormalize : NegativeIndices::kIgnore;
    }
  }

  void infer(InferContext& context) const override {
    context.expect_inputs(4);
    const ElementType type = context.common_type(2, 3);
    for (const size_t i : {2, 3}) {
      if (const std::optional<size_t> length = length_of(context, i); length && *length != 1) {
        fail(ErrorCode::kInvalidShape, i == 2 ? "on_value" : "off_value", " has shape ",
             context.input_shape(i), ", expected a scalar");
      }
    }
    const std::optional<int64_t> depth = known_int(context, 1, "depth");
    if (depth && *depth < 0) {
      throw Error(ErrorCode::kInvalidValue, cat("depth is ", *depth, ", expected 0 or more"))
          .expected("0 or more")
          .actual(cat(*depth))
          .port("depth");
    }
    PartialShape output = context.input_shape(0);
    if (output.has_rank()) {
      output.insert(normalize_axis(axis_, output.rank() + 1, "attribute 'axis'"),
                    depth ? Dimension(*depth) : Dimension());
    }
    context.set_output(0, type, output);
  }

  void evaluate(EvalContext& context) const override {
    const TensorView& indices = context.input(0);
    TensorView& output = context.output(0);
    const kernels::ElementRuns runs(output.type, 1);
    const bool whole = runs.bytes() == 0;  // adjacent elements share bytes
    parallel_for(
        context.parallel(), output.size(), whole ? kWhole : kFillGrain, [&](size_t begin, size_t end) {
          kernels::fill_elements(output.type, context.input(3).memory, output.memory, begin, end - begin);
        });
    const size_t axis = normalize_axis(axis_, output.shape.size());
    const int64_t depth = output.shape[axis];
    const size_t inner = product(output.shape, axis + 1, output.shape.size());
    parallel_for(context.parallel(), indices.size(), whole ? kWhole : kGrain, [&](size_t begin, size_t end) {
      for_indices(indices, begin, end, [&](size_t i, int64_t index) {
        if (index < 0 && negative_indices_ == NegativeIndices::kNormalize) index += depth;
        if (index < 0 || index >= depth) return;
        const size_t row = i / inner * static_cast<size_t>(depth) + static_cast<size_t>(index);
        runs.copy(context.input(2).memory, 0, output.memory, row * inner + i % inner);
      });
    });
  }

 private:
  int version_;
  int64_t axis_ = -1;
  NegativeIndices negative_indices_ = NegativeIndices::kIgnore;
};

}  // namespace wasmvino::ops::one_hot

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(one_hot) {
  registry.add<one_hot::OneHot>({"OneHot",
                                 {1, 16},
                                 "sequence/one-hot-16",
                                 {{"indices", kAnyIntegers},
                                  {"depth", kAnyIntegers},
                                  {"on_value", kAllTypes},
                                  {"off_value", kAllTypes, 2}}});
}
}  // namespace wasmvino::ops
