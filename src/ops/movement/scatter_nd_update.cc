// SPDX-License-Identifier: Apache-2.0
// ScatterNDUpdate: runs of updates replace, or are reduced with, the runs of data that tuples of indices
// address.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/movement/scatter-nd-update-15.html
#include "model/registry.h"
#include "ops/inputs/axes.h"
#include "ops/inputs/inputs.h"
#include "ops/movement/index_tuples.h"
#include "ops/movement/scatter.h"

namespace wasmvino::ops::scatter_nd_update {

// Grain: tuples in about 10 µs of work.
constexpr size_t kTupleGrain = size_t{1} << 10;

class Updating final : public Kernel {
 public:
  Updating(ScatterReduction reduction, IndexTuples tuples, size_t runs, size_t length)
      : reduction_(reduction), tuples_(std::move(tuples)), runs_(runs), length_(length) {}

  void run(EvalContext& context) override {
    size_t* places = static_cast<size_t*>(context.scratch());
    parallel_for(context.parallel(), runs_, kTupleGrain, [&](size_t begin, size_t end) {
      tuples_.for_places(context.input(1), begin, end, [&](size_t i, size_t place) { places[i] = place; });
    });
    copy_to_output(context.parallel(), context.input(0), context.output(0));
    scatter(context.parallel(), reduction_, true, {places, runs_, length_, runs_, 1}, context.input(2),
            context.output(0), static_cast<int64_t*>(context.scratch()) + runs_ + 1);
  }

 private:
  ScatterReduction reduction_;
  IndexTuples tuples_;
  size_t runs_, length_;
};

class ScatterNDUpdate final : public Op {
 public:
  explicit ScatterNDUpdate(int version) : version_(version) {}

  void visit_attributes(AttributeVisitor& visitor) override {
    if (version_ >= 15)
      visitor.on_enum("reduction", reduction_, {"none", "sum", "sub", "prod", "min", "max"});
  }

  void infer(InferContext& context) const override {
    context.expect_inputs(3);
    const ElementType type = context.common_type(0, 2);
    const size_t any = std::numeric_limits<size_t>::max();
    expect_rank(context, 0, 1, any, "data");
    expect_rank(context, 1, 1, any, "indices");
    if (reduction_ != ScatterReduction::kNone && type != ElementType::kDynamic &&
        !(kNumbers | kBoolean).contains(type)) {
      fail(ErrorCode::kInvalidType, "data has element type ", type, ", which cannot be reduced");
    }
    const PartialShape& data = context.input_shape(0);
    const PartialShape& indices = context.input_shape(1);
    const PartialShape& updates = context.input_shape(2);
    if (data.has_rank() && indices.has_rank() && indices[indices.rank() - 1].is_static()) {
      const int64_t tuple = indices[indices.rank() - 1].size();
      if (tuple < 1 || tuple > static_cast<int64_t>(data.rank())) {
        fail(ErrorCode::kInvalidShape, "indices of shape ", indices, " contain tuples of ", tuple,
             " indices, but data has shape ", data);
      }
      PartialShape wanted = PartialShape::of_rank(0);
      for (size_t i = 0; i + 1 < indices.rank(); ++i) wanted.push_back(indices[i]);
      for (size_t i = static_cast<size_t>(tuple); i < data.rank(); ++i) wanted.push_back(data[i]);
      // A single update may also be a tensor of one element.
      const bool single = wanted.rank() == 0 && updates.is_static() && element_count(updates.to_shape()) == 1;
      if (!single && !wanted.compatible(updates)) {
        throw Error(ErrorCode::kInvalidShape, cat("updates have shape ", updates, ", expected ", wanted,
                                                  " from data ", data, " and indices ", indices))
            .expected(cat(wanted))
            .actual(cat(updates))
            .port("updates");
      }
    }
    context.set_output(0, type, data);
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    const Shape data = context.input_shape(0);
    const Shape indices = context.input_shape(1);
    const size_t tuple = static_cast<size_t>(indices.back());
    const size_t runs = product(indices, 0, indices.size() - 1);
    context.request_scratch(
        scatter_scratch_bytes(context.output_type(0), reduction_, element_count(data), runs));
    return std::make_unique<Updating>(reduction_, IndexTuples(Shape(data.begin(), data.begin() + tuple), 0),
                                      runs, product(data, tuple, data.size()));
  }

  bool can_overwrite(const CompileContext&, size_t input, size_t) const override { return input == 0; }

 private:
  int version_;
  ScatterReduction reduction_ = ScatterReduction::kNone;
};

}  // namespace wasmvino::ops::scatter_nd_update

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(scatter_nd_update) {
  registry.add<scatter_nd_update::ScatterNDUpdate>(
      {"ScatterNDUpdate",
       {4, 15},
       "movement/scatter-nd-update-15",
       {{"data", kAllTypes}, {"indices", kAnyIntegers}, {"updates", kAllTypes, 0}}});
}
}  // namespace wasmvino::ops
