// SPDX-License-Identifier: Apache-2.0
// ScatterElementsUpdate: each element of updates replaces, or is reduced with, an element of data. That
// element has the same position, except that its position along the axis is the index.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/movement/scatter-elements-update-12.html
#include "model/registry.h"
#include "ops/inputs/axes.h"
#include "ops/inputs/indices.h"
#include "ops/inputs/inputs.h"
#include "ops/movement/scatter.h"

namespace wasmvino::ops::scatter_elements_update {

// Grain: indices in about 10 µs of work.
constexpr size_t kGrain = size_t{1} << 12;

class Updating final : public Kernel {
 public:
  Updating(ScatterReduction reduction, bool from_data, Shape data, Shape indices)
      : reduction_(reduction), from_data_(from_data), data_(std::move(data)), indices_(std::move(indices)) {}

  void run(EvalContext& context) override {
    size_t* places = static_cast<size_t*>(context.scratch());
    const size_t count = element_count(indices_);
    const size_t axis = normalize_axis(load_integer(context.input(3), 0), data_.size());
    find_places(context.parallel(), context.input(1), axis, places);
    copy_to_output(context.parallel(), context.input(0), context.output(0));
    scatter(context.parallel(), reduction_, from_data_,
            {places, count, 1, std::max<size_t>(1, product(indices_, axis, indices_.size())),
             std::max<size_t>(1, product(indices_, axis + 1, indices_.size()))},
            context.input(2), context.output(0), static_cast<int64_t*>(context.scratch()) + count + 1);
  }

 private:
  // Computes the place in the data for each element of indices.
  void find_places(const Parallel& parallel, const TensorView& indices, size_t axis, size_t* places) const {
    parallel_for(parallel, element_count(indices_), kGrain,
                 [&](size_t begin, size_t end) { find_places(indices, axis, begin, end, places); });
  }

  void find_places(const TensorView& indices, size_t axis, size_t begin, size_t end, size_t* places) const {
    const Ints strides = row_major_strides(data_);
    const int64_t size = data_[axis];
    Ints position(indices_.size());
    int64_t base = 0;  // place without the axis
    for (size_t a = position.size(), rest = begin; a-- > 0; rest /= static_cast<size_t>(indices_[a])) {
      position[a] = static_cast<int64_t>(rest % static_cast<size_t>(indices_[a]));
      if (a != axis) base += position[a] * strides[a];
    }
    for_indices(indices, begin, end, [&](size_t i, int64_t index) {
      if (index < -size || index >= size) refuse(i, index, size);
      if (index < 0) index += size;
      places[i] = static_cast<size_t>(base + index * strides[axis]);
      for (size_t a = position.size(); a-- > 0;) {
        const int64_t stride = a == axis ? 0 : strides[a];
        base += stride;
        if (++position[a] < indices_[a]) break;
        base -= position[a] * stride;
        position[a] = 0;
      }
    });
  }

  [[noreturn]] static void refuse(size_t i, int64_t index, int64_t size) {
    const std::string range = cat(-size, "..", size - 1);
    throw Error(ErrorCode::kInvalidValue, cat("element ", i, " of indices is ", index, ", outside ", range))
        .expected(range)
        .actual(cat(index))
        .port("indices");
  }

  ScatterReduction reduction_;
  bool from_data_;
  Shape data_, indices_;
};

class ScatterElementsUpdate final : public Op {
 public:
  explicit ScatterElementsUpdate(int version) : version_(version) {}

  void visit_attributes(AttributeVisitor& visitor) override {
    if (version_ < 12) return;
    visitor.on_enum("reduction", reduction_, {"none", "sum", "prod", "min", "max", "mean"});
    visitor.on("use_init_val", use_init_val_);
  }

  void infer(InferContext& context) const override {
    context.expect_inputs(4);
    const ElementType type = context.common_type(0, 2);
    expect_single(context, 3);
    if (type == ElementType::kBoolean && reduction_ == Reduction::kMean) {
      fail(ErrorCode::kInvalidType, "data has element type boolean, which has no mean");
    }
    if (reduction_ != Reduction::kNone && type != ElementType::kDynamic &&
        !(kNumbers | kBoolean).contains(type)) {
      fail(ErrorCode::kInvalidType, "data has element type ", type, ", which cannot be reduced");
    }
    const PartialShape& data = context.input_shape(0);
    const PartialShape& indices = context.input_shape(1);
    if (!indices.compatible(context.input_shape(2))) {
      throw Error(ErrorCode::kInvalidShape, cat("updates have shape ", context.input_shape(2), ", expected ",
                                                indices, ", the shape of indices"))
          .expected(cat(indices))
          .actual(cat(context.input_shape(2)))
          .port("updates");
    }
    if (data.has_rank() && indices.has_rank() && data.rank() != indices.rank()) {
      fail(ErrorCode::kInvalidShape, "indices have shape ", indices, " and data has shape ", data,
           ": their ranks differ");
    }
    // The shape does not depend on the axis, so its value is not requested.
    if (const TensorView* value = context.known_value(3); value != nullptr && data.has_rank()) {
      const size_t axis = normalize_axis(load_integer(*value, 0), data.rank());
      for (size_t i = 0; indices.has_rank() && i < data.rank(); ++i) {
        if (i == axis || indices[i].min <= data[i].max) continue;
        fail(ErrorCode::kInvalidShape, "indices have shape ", indices, ", which is longer than data ", data,
             " on axis ", i);
      }
    }
    context.set_output(0, type, data);
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    const Shape data = context.input_shape(0);
    const Shape indices = context.input_shape(1);
    static constexpr ScatterReduction kReductions[] = {ScatterReduction::kNone, ScatterReduction::kSum,
                                                       ScatterReduction::kProd, ScatterReduction::kMin,
                                                       ScatterReduction::kMax,  ScatterReduction::kMean};
    const ScatterReduction reduction = kReductions[static_cast<size_t>(reduction_)];
    context.request_scratch(scatter_scratch_bytes(context.output_type(0), reduction, element_count(data),
                                                  element_count(indices)));
    return std::make_unique<Updating>(reduction, use_init_val_, data, indices);
  }

  bool can_overwrite(const CompileContext&, size_t input, size_t) const override { return input == 0; }

 private:
  enum class Reduction { kNone, kSum, kProd, kMin, kMax, kMean };

  int version_;
  Reduction reduction_ = Reduction::kNone;
  bool use_init_val_ = true;
};

}  // namespace wasmvino::ops::scatter_elements_update

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(scatter_elements_update) {
  registry.add<scatter_elements_update::ScatterElementsUpdate>(
      {"ScatterElementsUpdate",
       {3, 12},
       "movement/scatter-elements-update-12",
       {{"data", kAllTypes}, {"indices", kAnyIntegers}, {"updates", kAllTypes, 0}, {"axis", kAnyIntegers}}});
}
}  // namespace wasmvino::ops
