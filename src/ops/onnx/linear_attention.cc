// SPDX-License-Identifier: Apache-2.0
// LinearAttention: attention whose keys and values are summed up in a state, one matrix for each head. At
// each step, the state is multiplied by the decay, the product of key and value is added, and the query reads
// it. The delta rule adds only what the state lacks of the value, times beta.
// https://onnx.ai/onnx/operators/onnx__LinearAttention.html
#include <algorithm>

#include "core/call.h"
#include "model/registry.h"
#include "ops/inputs/checks.h"

namespace wasmvino::ops::linear_attention {

enum Input : size_t { kQuery, kKey, kValue, kState, kDecay, kBeta };

// A factor for each head, step and, if it has more than one, row of the state. Sizes of 1 are repeated.
struct Factors {
  const float* values;
  size_t batch, head, step, row;  // strides

  Factors(const TensorView& x)
      : values(x.data<float>()), batch(size(x, 1) * size(x, 2) * size(x, 3)), head(size(x, 2) * size(x, 3)) {
    step = size(x, 3);
    row = step == 1 ? 0 : 1;
    if (size(x, 2) == 1) step = 0;
    if (size(x, 1) == 1) head = 0;
    if (size(x, 0) == 1) batch = 0;
  }

 private:
  static size_t size(const TensorView& x, size_t axis) { return static_cast<size_t>(x.shape[axis]); }
};

class Attending final : public Kernel {
 public:
  explicit Attending(CompileContext& context, bool delta)
      : delta_(delta),
        heads_(static_cast<size_t>(context.input_shape(kKey)[1])),
        steps_(static_cast<size_t>(context.input_shape(kKey)[2])),
        rows_(static_cast<size_t>(context.input_shape(kKey)[3])),
        columns_(static_cast<size_t>(context.input_shape(kValue)[3])),
        units_(static_cast<size_t>(context.input_shape(kKey)[0]) * heads_) {
    const auto queries = static_cast<size_t>(context.input_shape(kQuery)[1]);
    group_ = heads_ == 0 ? 0 : queries / heads_;
    threads_ = std::min(context.parallel().threads(), context.parallel().ranges(units_, 1));
    context.request_scratch(CheckedSize(threads_) * columns_ * sizeof(float));
  }

  void run(EvalContext& context) override {
    parallel_for(context.parallel(), units_, 1, [&](size_t begin, size_t end, size_t thread) {
      float* const written = static_cast<float*>(context.scratch()) + thread * columns_;
      for (size_t i = begin; i < end; ++i) attend(context, i, written);
    });
  }

 private:
  void attend(EvalContext& context, size_t unit, float* written) const {
    const Factors decay(context.input(kDecay)), beta(context.input(kBeta));
    const size_t batch = unit / heads_, head = unit % heads_;
    float* const state = context.output(1).mutable_data<float>() + unit * rows_ * columns_;
    std::copy_n(context.input(kState).data<float>() + unit * rows_ * columns_, rows_ * columns_, state);
    WorkMeter meter;
    for (size_t t = 0; t < steps_; ++t) {
      const float* key = context.input(kKey).data<float>() + (unit * steps_ + t) * rows_;
      const float* value = context.input(kValue).data<float>() + (unit * steps_ + t) * columns_;
      const float* kept = decay.values + batch * decay.batch + head * decay.head + t * decay.step;
      std::copy_n(value, columns_, written);
      for (size_t d = 0; d < rows_; ++d) {
        float* const row = state + d * columns_;
        for (size_t m = 0; m < columns_; ++m) row[m] *= kept[d * decay.row];
        for (size_t m = 0; m < columns_ && delta_; ++m) written[m] -= row[m] * key[d];
      }
      const float share = beta.values[batch * beta.batch + head * beta.head + t * beta.step];
      for (size_t m = 0; m < columns_ && delta_; ++m) written[m] *= share;
      for (size_t d = 0; d < rows_; ++d) {
        for (size_t m = 0; m < columns_; ++m) state[d * columns_ + m] += key[d] * written[m];
      }
      for (size_t g = 0; g < group_; ++g) {
        const size_t line = (unit * group_ + g) * steps_ + t;
        read(context.input(kQuery).data<float>() + line * rows_, state,
             context.output(0).mutable_data<float>() + line * columns_);
      }
      meter.add((3 + group_) * rows_ * columns_);
    }
  }

  void read(const float* query, const float* state, float* to) const {
    std::fill_n(to, columns_, 0.0f);
    for (size_t d = 0; d < rows_; ++d) {
      for (size_t m = 0; m < columns_; ++m) to[m] += query[d] * state[d * columns_ + m];
    }
  }

  bool delta_;
  size_t heads_, steps_, rows_, columns_, units_;
  size_t group_ = 0, threads_ = 1;
};

class LinearAttention final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override { visitor.on("delta", delta_); }
  size_t least_outputs() const override { return 2; }

  void infer(InferContext& context) const override {
    context.expect_inputs(6);
    constexpr const char* kNames[] = {"query", "key", "value", "state", "decay", "beta"};
    for (size_t i = 0; i < 6; ++i) expect_rank(context, i, 4, 4, kNames[i]);
    const PartialShape &query = context.input_shape(kQuery), &key = context.input_shape(kKey),
                       &value = context.input_shape(kValue), &state = context.input_shape(kState);
    if (!query.has_rank() || !key.has_rank() || !value.has_rank() || !state.has_rank()) {
      context.set_output(0, ElementType::kF32, PartialShape());
      return context.set_output(1, ElementType::kF32, PartialShape());
    }
    const auto same = [&](size_t i, size_t axis, Dimension size, const char* source) {
      return expect_size(context, i, kNames[i], axis, size, source);
    };
    const Dimension batch = same(kQuery, 0, key[0], "axis 0 of key");
    const Dimension steps = same(kQuery, 2, key[2], "axis 2 of key");
    const Dimension rows = same(kQuery, 3, key[3], "axis 3 of key");
    same(kValue, 0, batch, "axis 0 of key");
    const Dimension heads = same(kValue, 1, key[1], "axis 1 of key");
    same(kValue, 2, steps, "axis 2 of key");
    same(kState, 0, batch, "axis 0 of key");
    same(kState, 1, heads, "axis 1 of key");
    same(kState, 2, rows, "axis 3 of key");
    const Dimension columns = same(kState, 3, value[3], "axis 3 of value");
    if (query[1].is_static() && heads.is_static() &&
        (heads.size() == 0 ? query[1].size() != 0 : query[1].size() % heads.size() != 0)) {
      fail(ErrorCode::kInvalidShape, "axis 1 of query ", query, " is ", query[1],
           ", expected a multiple of axis 1 of key ", key);
    }
    const Dimension sizes[] = {batch, heads, steps, rows};
    for (const size_t i : {kDecay, kBeta}) {
      const PartialShape& shape = context.input_shape(i);
      for (size_t axis = 0; axis < 4 && shape.has_rank(); ++axis) {
        if (shape[axis] == Dimension(1) || !shape[axis].is_static()) continue;
        same(i, axis, i == kBeta && axis == 3 ? Dimension(1) : sizes[axis], "the same axis of key, or 1");
      }
    }
    context.set_output(0, ElementType::kF32, {batch, query[1], steps, columns});
    context.set_output(1, ElementType::kF32, {batch, heads, rows, columns});
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    return std::make_unique<Attending>(context, delta_);
  }

 private:
  bool delta_ = false;
};

}  // namespace wasmvino::ops::linear_attention

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(linear_attention) {
  constexpr ElementType f32 = ElementType::kF32;
  registry.add<linear_attention::LinearAttention>(
      {"LinearAttention",
       {1},
       "LinearAttention",
       {{"query", f32}, {"key", f32}, {"value", f32}, {"state", f32}, {"decay", f32}, {"beta", f32}},
       kLastOpset,
       "ai.onnx"});
}
}  // namespace wasmvino::ops
