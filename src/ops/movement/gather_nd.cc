// SPDX-License-Identifier: Apache-2.0
// GatherND: selects slices of data by tuples of indices. The innermost axis of indices holds the tuples.
// Opset 5 merges the batch axes into one. Negative indices count from the end, as in OpenVINO.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/movement/gather-nd-8.html
#include "kernels/element_runs.h"
#include "model/registry.h"
#include "ops/inputs/axes.h"
#include "ops/inputs/inputs.h"
#include "ops/movement/index_tuples.h"
#include "ops/quantised_data/quantised_matrices.h"

namespace wasmvino::ops::gather_nd {

class Gathering final : public Kernel {
 public:
  Gathering(std::optional<QuantisedTable> quantised, kernels::ElementRuns runs, IndexTuples tuples,
            size_t batches, size_t per_batch)
      : quantised_(std::move(quantised)),
        runs_(runs),
        tuples_(std::move(tuples)),
        batches_(batches),
        per_batch_(per_batch) {}

  void run(EvalContext& context) override {
    const void* data = context.input(0).memory;
    void* output = context.output(0).memory;
    const size_t count = batches_ * per_batch_;
    if (count == 0 || runs_.length() == 0) return;
    const size_t places = tuples_.places();
    // If runs share bytes, one thread copies all.
    const size_t grain = runs_.bytes() == 0 ? kWhole : std::max<size_t>(1, 32768 / runs_.bytes());
    parallel_for(context.parallel(), count, grain, [&](size_t first, size_t last) {
      tuples_.for_places(context.input(1), first, last, [&](size_t i, size_t place) {
        const size_t run = i / per_batch_ * places + place;
        if (quantised_) {
          quantised_->load(run * runs_.length(), runs_.length(),
                           static_cast<float*>(output) + i * runs_.length());
        } else {
          runs_.copy(data, run, output, i);
        }
      });
    });
  }

 private:
  std::optional<QuantisedTable> quantised_;
  kernels::ElementRuns runs_;
  IndexTuples tuples_;
  size_t batches_, per_batch_;
};

class GatherND final : public Op {
 public:
  explicit GatherND(int version) : version_(version) {}

  void visit_attributes(AttributeVisitor& visitor) override { visitor.on("batch_dims", batch_dims_); }

  void infer(InferContext& context) const override {
    context.expect_inputs(2);
    const size_t any = std::numeric_limits<size_t>::max();
    expect_rank(context, 0, 1, any, "data");
    expect_rank(context, 1, 1, any, "indices");
    const PartialShape& data = context.input_shape(0);
    const PartialShape& indices = context.input_shape(1);
    PartialShape output;
    if (data.has_rank() && indices.has_rank()) {
      const size_t batch = batch_dims(data.rank(), indices.rank());
      const Dimension tuple = indices[indices.rank() - 1];
      if (tuple.min > static_cast<int64_t>(data.rank() - batch) || tuple.max < 1) {
        fail(ErrorCode::kInvalidShape, "indices of shape ", indices, " contain tuples of ", tuple,
             " indices, but data ", data, " has ", data.rank() - batch, " axes after the batch axes");
      }
      output = PartialShape::of_rank(0);
      Dimension batches = 1;
      for (size_t i = 0; i < batch; ++i) {
        const auto both = data[i].merge(indices[i]);
        if (!both) {
          fail(ErrorCode::kInvalidShape, "indices have shape ", indices, " and data has shape ", data,
               ": they differ on batch axis ", i);
        }
        batches = batches * *both;
        if (version_ >= 8) output.push_back(*both);
      }
      if (version_ < 8 && batch > 0) output.push_back(batches);
      for (size_t i = batch; i + 1 < indices.rank(); ++i) output.push_back(indices[i]);
      if (tuple.is_static()) {
        for (size_t i = batch + static_cast<size_t>(tuple.size()); i < data.rank(); ++i)
          output.push_back(data[i]);
      } else {
        output = PartialShape();
      }
    }
    context.set_output(0, context.input_type(0), output);
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    const Shape data = context.input_shape(0);
    const Shape indices = context.input_shape(1);
    const size_t batch = batch_dims(data.size(), indices.size());
    const size_t tuple = static_cast<size_t>(indices.back());
    return std::make_unique<Gathering>(
        QuantisedTable::of(context, 0),
        kernels::ElementRuns(context.output_type(0), product(data, batch + tuple, data.size())),
        IndexTuples(Shape(data.begin() + batch, data.begin() + batch + tuple), batch),
        product(data, 0, batch), product(indices, batch, indices.size() - 1));
  }

  InputRange quantised_inputs(const Node&) const override { return {0, 1}; }

 private:
  size_t batch_dims(size_t data_rank, size_t indices_rank) const {
    if (batch_dims_ < 0 || batch_dims_ >= static_cast<int64_t>(std::min(data_rank, indices_rank))) {
      fail(ErrorCode::kInvalidModel, "attribute 'batch_dims' is ", batch_dims_, ", expected 0..",
           static_cast<int64_t>(std::min(data_rank, indices_rank)) - 1);
    }
    return static_cast<size_t>(batch_dims_);
  }

  int version_;
  int64_t batch_dims_ = 0;
};

}  // namespace wasmvino::ops::gather_nd

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(gather_nd) {
  registry.add<gather_nd::GatherND>(
      {"GatherND", {5, 8}, "movement/gather-nd-8", {{"data", kAllTypes}, {"indices", kAnyIntegers}}});
}
}  // namespace wasmvino::ops
