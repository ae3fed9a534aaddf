// SPDX-License-Identifier: Apache-2.0
// ReverseSequence: reverses the first elements of each sequence, as many as its length says.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/movement/reverse-sequence-1.html
#include "kernels/element_runs.h"
#include "model/registry.h"
#include "ops/inputs/axes.h"
#include "ops/inputs/indices.h"
#include "ops/inputs/inputs.h"

namespace wasmvino::ops::reverse_sequence {

// An axis of the data: its size, and its stride in runs.
struct Axis {
  size_t size, stride;
};

class Reversal final : public Kernel {
 public:
  Reversal(kernels::ElementRuns runs, size_t count, Axis batch, Axis sequence)
      : runs_(runs), count_(count), batch_(batch), sequence_(sequence) {}

  void run(EvalContext& context) override {
    const TensorView& lengths = context.input(1);
    for (size_t i = 0; i < batch_.size; ++i) {
      const int64_t length = load_integer(lengths, i);
      if (length >= 0 && length <= static_cast<int64_t>(sequence_.size)) continue;
      throw Error(ErrorCode::kInvalidValue,
                  cat("seq_lengths[", i, "] is ", length, ", outside the axis of size ", sequence_.size))
          .expected(cat("0..", sequence_.size))
          .actual(cat(length))
          .port("seq_lengths");
    }
    if (count_ == 0 || runs_.length() == 0) return;
    const void* data = context.input(0).memory;
    void* output = context.output(0).memory;
    // Runs that share bytes are copied by one thread.
    const size_t grain = runs_.bytes() == 0 ? kWhole : std::max<size_t>(1, 32768 / runs_.bytes());
    parallel_for(context.parallel(), count_, grain, [&](size_t first, size_t last) {
      for (size_t to = first; to < last; ++to) {
        const size_t length = static_cast<size_t>(load_integer(lengths, to / batch_.stride % batch_.size));
        const size_t step = to / sequence_.stride % sequence_.size;
        const size_t from =
            step < length ? to - step * sequence_.stride + (length - 1 - step) * sequence_.stride : to;
        runs_.copy(data, from, output, to);
      }
    });
  }

 private:
  kernels::ElementRuns runs_;
  size_t count_;
  Axis batch_, sequence_;
};

class ReverseSequence final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.on("batch_axis", batch_axis_);
    visitor.on("seq_axis", seq_axis_);
  }

  void infer(InferContext& context) const override {
    context.expect_inputs(2);
    expect_rank(context, 0, 2, std::numeric_limits<size_t>::max(), "data");
    expect_rank(context, 1, 1, 1, "seq_lengths");
    PartialShape output = context.input_shape(0);
    if (output.has_rank()) {
      const size_t batch = normalize_axis(batch_axis_, output.rank(), "attribute 'batch_axis'");
      const size_t sequence = normalize_axis(seq_axis_, output.rank(), "attribute 'seq_axis'");
      if (batch == sequence) {
        fail(ErrorCode::kInvalidModel, "attributes 'batch_axis' and 'seq_axis' are both axis ", batch);
      }
      const PartialShape& lengths = context.input_shape(1);
      if (lengths.has_rank()) {
        const auto size = output[batch].merge(lengths[0]);
        if (!size) {
          fail(ErrorCode::kInvalidShape, "seq_lengths has shape ", lengths, " and data has shape ", output,
               ": they differ on batch axis ", batch);
        }
        output[batch] = *size;
      }
    }
    context.set_output(0, context.input_type(0), output);
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    const Shape shape = context.input_shape(0);
    const size_t batch = normalize_axis(batch_axis_, shape.size());
    const size_t sequence = normalize_axis(seq_axis_, shape.size());
    const size_t behind = std::max(batch, sequence) + 1;  // axes from here on move as a whole
    const auto axis = [&](size_t i) {
      return Axis{static_cast<size_t>(shape[i]), product(shape, i + 1, behind)};
    };
    return std::make_unique<Reversal>(
        kernels::ElementRuns(context.output_type(0), product(shape, behind, shape.size())),
        product(shape, 0, behind), axis(batch), axis(sequence));
  }

 private:
  int64_t batch_axis_ = 0;
  int64_t seq_axis_ = 1;
};

}  // namespace wasmvino::ops::reverse_sequence

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(reverse_sequence) {
  registry.add<reverse_sequence::ReverseSequence>({"ReverseSequence",
                                                   {1},
                                                   "movement/reverse-sequence-1",
                                                   {{"data", kAllTypes}, {"seq_lengths", kNumbers}}});
}
}  // namespace wasmvino::ops
