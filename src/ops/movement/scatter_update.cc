// SPDX-License-Identifier: Apache-2.0
// ScatterUpdate: slices of updates replace those of data that indices name along an axis.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/movement/scatter-update-3.html
#include "model/registry.h"
#include "ops/common/axes.h"
#include "ops/common/element_runs.h"
#include "ops/common/indices.h"
#include "ops/common/inputs.h"
#include "ops/common/scatter.h"

namespace wasmvino::ops::scatter_update {

// Bytes to copy that are worth a thread: some 10 µs of one.
constexpr size_t kCopyGrain = size_t{1} << 16;

class ScatterUpdate final : public Op {
 public:
  void infer(InferContext& context) const override {
    context.expect_inputs(4);
    const ElementType type = expect_same_type(context, 0, "data", 2, "updates");
    expect_integral(context, 1, "indices");
    expect_axis_input(context, 3);
    expect_rank(context, 0, 1, std::numeric_limits<size_t>::max(), "data");
    const PartialShape& data = context.input_shape(0);
    const PartialShape& indices = context.input_shape(1);
    const PartialShape& updates = context.input_shape(2);
    if (data.has_rank() && indices.has_rank()) {
      PartialShape wanted = PartialShape::of_rank(data.rank() + indices.rank() - 1);
      // The shape of the output does not depend on the axis, so that it is not asked for.
      if (const TensorView* value = context.input(3).value()) {
        const size_t axis = normalize_axis(load_integer(*value, 0), data.rank());
        wanted = data;
        wanted.erase(axis);
        for (size_t i = 0; i < indices.rank(); ++i) wanted.insert(axis + i, indices[i]);
      }
      if (!wanted.compatible(updates)) {
        throw Error(ErrorCode::kInvalidShape, cat("updates have shape ", updates, ", expected ", wanted,
                                                  " from data ", data, " and indices ", indices))
            .expected(cat(wanted))
            .actual(cat(updates))
            .port("updates");
      }
    }
    context.set_output(0, type, data);
  }

  void evaluate(EvalContext& context) const override {
    const TensorView& data = context.input(0);
    const TensorView& indices = context.input(1);
    const size_t axis = normalize_axis(load_integer(context.input(3), 0), data.shape.size());
    const size_t outer = product(data.shape, 0, axis);
    const int64_t size = data.shape[axis];
    const size_t count = indices.size();
    for_indices(indices, 0, count, [&](size_t i, int64_t index) {
      if (index >= 0 && index < size) return;
      const std::string range = cat("0..", size - 1);
      throw Error(ErrorCode::kInvalidValue, cat("element ", i, " of indices is ", index, ", outside ", range))
          .expected(range)
          .actual(cat(index))
          .port("indices");
    });
    copy_to_output(context.parallel(), data, context.output(0));
    const ElementRuns runs(data.type, product(data.shape, axis + 1, data.shape.size()));
    const size_t grain = runs.bytes() == 0 ? kWhole : kCopyGrain / std::max<size_t>(1, count * runs.bytes());
    parallel_for(context.parallel(), outer, grain, [&](size_t begin, size_t end) {
      for (size_t o = begin; o < end; ++o) {
        for_indices(indices, 0, count, [&](size_t i, int64_t index) {
          runs.copy(context.input(2).memory, o * count + i, context.output(0).memory,
                    o * static_cast<size_t>(size) + static_cast<size_t>(index));
        });
      }
    });
  }

  bool can_overwrite(const CompileContext&, size_t input, size_t) const override { return input == 0; }
};

}  // namespace wasmvino::ops::scatter_update

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(scatter_update) {
  registry.add<scatter_update::ScatterUpdate>({"ScatterUpdate", {3}, "movement/scatter-update-3"});
}
}  // namespace wasmvino::ops
