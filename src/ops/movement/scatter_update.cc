// SPDX-License-Identifier: Apache-2.0
// ScatterUpdate: slices of updates replace the slices of data at the given indices of an axis.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/movement/scatter-update-3.html
#include "kernels/element_runs.h"
#include "model/registry.h"
#include "ops/inputs/axes.h"
#include "ops/inputs/indices.h"
#include "ops/inputs/inputs.h"
#include "ops/movement/scatter.h"

namespace wasmvino::ops::scatter_update {

// Grain: bytes to copy in about 10 µs of work.
constexpr size_t kCopyGrain = size_t{1} << 16;

[[noreturn]] void refuse_updates(const PartialShape& updates, const PartialShape& wanted,
                                 const PartialShape& data, const PartialShape& indices) {
  throw Error(ErrorCode::kInvalidShape, cat("updates have shape ", updates, ", expected ", wanted,
                                            " from data ", data, " and indices ", indices))
      .expected(cat(wanted))
      .actual(cat(updates))
      .port("updates");
}

void expect_updates(const PartialShape& data, const PartialShape& indices, size_t axis,
                    const PartialShape& updates) {
  PartialShape wanted = data;
  wanted.erase(axis);
  for (size_t i = 0; i < indices.rank(); ++i) wanted.insert(axis + i, indices[i]);
  if (!wanted.compatible(updates)) refuse_updates(updates, wanted, data, indices);
}

class Updating final : public Kernel {
 public:
  void run(EvalContext& context) override {
    const TensorView& data = context.input(0);
    TensorView& output = context.output(0);
    const size_t axis = normalize_axis(load_integer(context.input(3), 0), data.shape.size());
    expect_updates(data.shape, context.input(1).shape, axis, context.input(2).shape);
    const size_t outer = product(data.shape, 0, axis), size = static_cast<size_t>(data.shape[axis]);
    const size_t count = context.input(1).size();
    size_t* places = static_cast<size_t*>(context.scratch());
    for_indices(context.input(1), 0, count, [&](size_t i, int64_t index) {
      if (index < 0 || index >= data.shape[axis]) refuse(i, index, data.shape[axis]);
      places[i] = static_cast<size_t>(index);
    });
    copy_to_output(context.parallel(), data, output);
    const size_t length = product(data.shape, axis + 1, data.shape.size());
    if (outer == 1) {
      scatter(context.parallel(), ScatterReduction::kNone, true, {places, count, length, count, 1},
              context.input(2), output, nullptr);
      return;
    }
    const kernels::ElementRuns runs(data.type, length);
    const size_t grain = runs.bytes() == 0 ? kWhole : kCopyGrain / std::max<size_t>(1, count * runs.bytes());
    parallel_for(context.parallel(), outer, grain, [&](size_t begin, size_t end) {
      for (size_t o = begin; o < end; ++o) {
        for (size_t i = 0; i < count; ++i) {
          runs.copy(context.input(2).memory, o * count + i, output.memory, o * size + places[i]);
        }
      }
    });
  }

 private:
  [[noreturn]] static void refuse(size_t i, int64_t index, int64_t size) {
    const std::string range = cat("0..", size - 1);
    throw Error(ErrorCode::kInvalidValue, cat("element ", i, " of indices is ", index, ", outside ", range))
        .expected(range)
        .actual(cat(index))
        .port("indices");
  }
};

class ScatterUpdate final : public Op {
 public:
  void infer(InferContext& context) const override {
    context.expect_inputs(4);
    const ElementType type = context.common_type(0, 2);
    expect_single(context, 3);
    expect_rank(context, 0, 1, std::numeric_limits<size_t>::max(), "data");
    const PartialShape& data = context.input_shape(0);
    const PartialShape& indices = context.input_shape(1);
    const PartialShape& updates = context.input_shape(2);
    if (data.has_rank() && indices.has_rank()) {
      // The shape of the output does not depend on the axis, so its value is not requested.
      if (const TensorView* value = context.known_value(3)) {
        expect_updates(data, indices, normalize_axis(load_integer(*value, 0), data.rank()), updates);
      } else {
        const PartialShape wanted = PartialShape::of_rank(data.rank() + indices.rank() - 1);
        if (!wanted.compatible(updates)) refuse_updates(updates, wanted, data, indices);
      }
    }
    context.set_output(0, type, data);
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    const size_t count = element_count(context.input_shape(1));
    context.request_scratch(scatter_scratch_bytes(context.output_type(0), ScatterReduction::kNone, 0, count));
    return std::make_unique<Updating>();
  }

  bool can_overwrite(const CompileContext&, size_t input, size_t) const override { return input == 0; }
};

}  // namespace wasmvino::ops::scatter_update

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(scatter_update) {
  registry.add<scatter_update::ScatterUpdate>(
      {"ScatterUpdate",
       {3},
       "movement/scatter-update-3",
       {{"data", kAllTypes}, {"indices", kAnyIntegers}, {"updates", kAllTypes, 0}, {"axis", kAnyIntegers}}});
}
}  // namespace wasmvino::ops
