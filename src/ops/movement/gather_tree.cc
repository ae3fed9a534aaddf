// SPDX-License-Identifier: Apache-2.0
// GatherTree: reconstructs the sequences of a beam search by following the parents back from each final beam.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/movement/gather-tree-1.html
#include "core/dispatch.h"
#include "core/nan.h"
#include "core/packed_bits.h"
#include "model/registry.h"
#include "ops/inputs/indices.h"
#include "ops/inputs/inputs.h"

namespace wasmvino::ops::gather_tree {

// Whether an element equals the end token. Compares bits: equal bits, or zeros of any sign. NaN equals
// nothing.
template <typename T>
struct EndToken {
  T bits, compared;
  bool exists = true;

  explicit EndToken(const TensorView& token) : bits(*token.data<T>()), compared(static_cast<T>(~T{0})) {
    if (!is_real(token.type)) return;
    const double value = to_doubles(token)[0];
    exists = !is_nan(value);
    if (value == 0) compared = static_cast<T>(compared >> 1);
  }
  bool operator==(T element) const { return exists && ((element ^ bits) & compared) == 0; }
};

class GatherTree final : public Op {
 public:
  void infer(InferContext& context) const override {
    context.expect_inputs(4);
    ElementType type = context.input_type(0);
    for (size_t i = 1; i < 4; ++i) {
      if (type == ElementType::kDynamic) type = context.input_type(i);
    }
    expect_rank(context, 0, 3, 3, kInputs[0]);
    expect_rank(context, 1, 3, 3, kInputs[1]);
    expect_rank(context, 2, 1, 1, kInputs[2]);
    const PartialShape& end_token = context.input_shape(3);
    if (end_token.is_static() && element_count(end_token.to_shape()) != 1) {
      refuse_shape(kInputs[3], end_token, "a scalar");
    }
    const PartialShape step_ids =
        context.input_shape(0).has_rank() ? context.input_shape(0) : PartialShape::of_rank(3);
    const auto output = step_ids.merge(context.input_shape(1));
    if (!output) refuse_shape(kInputs[1], context.input_shape(1), cat(step_ids, ", the shape of step_ids"));
    const PartialShape batch = {(*output)[1]};
    if (!batch.compatible(context.input_shape(2))) {
      refuse_shape(kInputs[2], context.input_shape(2), cat(batch, ", one length per batch element"));
    }
    context.set_output(0, type, *output);
  }

  void evaluate(EvalContext& context) const override {
    const Shape& shape = context.output(0).shape;
    const size_t grain = kGrain / std::max<size_t>(1, static_cast<size_t>(shape[0]));
    parallel_for(context.parallel(), static_cast<size_t>(shape[1] * shape[2]), grain,
                 [&](size_t begin, size_t end) {
                   with_storage(context.output(0).type, [&]<typename T>() {
                     if constexpr (std::is_integral_v<T>) walk<T>(context, begin, end);
                   });
                 });
  }

 private:
  static constexpr const char* kInputs[] = {"step_ids", "parent_ids", "max_seq_len", "end_token"};
  // Grain: steps of beams in about 10 µs of work.
  static constexpr size_t kGrain = size_t{1} << 10;

  // Computes beams [begin, last), counted across all batches.
  template <typename T>
  static void walk(EvalContext& context, size_t begin, size_t last) {
    const TensorView& parents = context.input(1);
    const Shape& shape = parents.shape;
    const int64_t beams = shape[2];
    const int64_t row = shape[1] * beams;  // elements of one time step
    const T* steps = context.input(0).data<T>();
    T* output = context.output(0).mutable_data<T>();
    const EndToken<T> end(context.input(3));
    for (auto i = static_cast<int64_t>(begin); i < static_cast<int64_t>(last); ++i) {
      const int64_t batch = i / beams, beam = i % beams;
      // Lengths beyond the last step mean all steps.
      const int64_t length =
          std::clamp<int64_t>(load_integer(context.input(2), static_cast<size_t>(batch)), 0, shape[0]);
      T* sequence = output + i;
      int64_t parent = beam;
      for (int64_t time = length - 1; time >= 0; --time) {
        const int64_t place = time * row + batch * beams + parent;
        sequence[time * row] = steps[place];
        if (time == 0) break;
        parent = load_integer(parents, static_cast<size_t>(place));
        if (parent < 0 || parent >= beams) refuse_parent(shape, place, parent);
      }
      bool ended = false;
      for (int64_t time = 0; time < length; ++time) {
        if (ended) sequence[time * row] = end.bits;
        ended = ended || end == sequence[time * row];
      }
      for (int64_t time = length; time < shape[0]; ++time) sequence[time * row] = end.bits;
    }
  }

  [[noreturn]] static void refuse_shape(const char* input, const PartialShape& shape,
                                        const std::string& wanted) {
    throw Error(ErrorCode::kInvalidShape, cat(input, " has shape ", shape, ", expected ", wanted))
        .expected(wanted)
        .actual(cat(shape))
        .port(input);
  }

  [[noreturn]] static void refuse_parent(const Shape& shape, int64_t place, int64_t parent) {
    const std::string beams = cat("0..", shape[2] - 1);
    throw Error(ErrorCode::kInvalidValue,
                cat("parent_ids[", place / (shape[1] * shape[2]), ",", place / shape[2] % shape[1], ",",
                    place % shape[2], "] is ", parent, ", outside beams ", beams))
        .expected(beams)
        .actual(cat(parent))
        .port(kInputs[1]);
  }
};

}  // namespace wasmvino::ops::gather_tree

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(gather_tree) {
  registry.add<gather_tree::GatherTree>({"GatherTree",
                                         {1},
                                         "movement/gather-tree-1",
                                         {{"step_ids", kNumbers},
                                          {"parent_ids", kNumbers, 0},
                                          {"max_seq_len", kNumbers, 0},
                                          {"end_token", kNumbers, 0}}});
}
}  // namespace wasmvino::ops
