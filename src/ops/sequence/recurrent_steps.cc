// SPDX-License-Identifier: Apache-2.0
#include "ops/sequence/recurrent_steps.h"

#include <algorithm>

#include "core/dispatch.h"
#include "kernels/recurrent.h"
#include "ops/matrix/gemm.h"

namespace wasmvino::ops {
namespace {

// If R has at most this many elements, it is dequantised once for all steps of a sequence, into scratch
// memory. Otherwise each step dequantises it again, which takes longer than multiplying by it. A cell, which
// a loop or a stream of inputs runs again and again, packs W and R of this size in f32.
constexpr size_t kMostExpandedFloats = size_t{1} << 20;

// Divides one block of scratch memory into parts.
class Floats {
 public:
  explicit Floats(void* memory) : next_(static_cast<float*>(memory)) {}
  float* take(size_t count) {
    float* taken = next_;
    next_ += rounded(count);
    return taken;
  }
  static size_t rounded(size_t count) { return (count + 15) / 16 * 16; }
  static CheckedSize rounded(CheckedSize count) { return count.rounded_up(16); }

 private:
  float* next_;
};

struct States {
  const float* h;  // [batch][hidden]
  const float* c;
};

// One direction: its weights, and the computation of a step.
class Steps {
 public:
  // `length` is the maximum number of steps projected at once.
  Steps(CompileContext& context, const RecurrentAttributes& attributes, const RecurrentSizes& sizes,
        const RecurrentWeights& weights, size_t length)
      : kind_(attributes.kind),
        linear_before_reset_(attributes.linear_before_reset),
        clip_(attributes.clip > 0 ? attributes.clip : kernels::kNoClip),
        functions_(recurrent_functions(attributes)),
        sizes_(sizes),
        gates_(attributes.gates() * sizes.hidden),
        weights_(weights),
        r_in_f32_(length == 1 && is_small(sizes.hidden)),
        r_(context, weights.r, weights.r_first, weights.r_stride,
           kind_ == Recurrence::kGru ? 2 * sizes.hidden : gates_, sizes.hidden, r_in_f32_),
        scratch_(r_.scratch_size(context.parallel(), sizes.batch)) {
    if (weights.w != CellInputs::kNone) {
      w_.emplace(context, weights.w, weights.w_first, weights.w_stride, gates_, sizes.input,
                 length == 1 && is_small(sizes.input));
      scratch_ = std::max(scratch_, w_->scratch_size(context.parallel(), sizes.batch * length));
    }
    if (kind_ == Recurrence::kGru) {
      // The last gate needs the reset gate first. With linear_before_reset, its matmul is not part of the
      // sum.
      const size_t first = weights.r_first + 2 * sizes.hidden * weights.r_stride;
      r_last_.emplace(context, weights.r, first, weights.r_stride, sizes.hidden, sizes.hidden, r_in_f32_);
    }
    expands_ = length > 1 && expanded_size() > 0 && is_small(sizes.hidden);
  }

  // Floats of R in f32, if it is dequantised once for all steps. 0 if R is f32 already, or is dequantised
  // block by block in each step.
  size_t expansion() const { return expands_ ? expanded_size() : 0; }
  void expand(const Parallel& parallel, float* to) const {
    r_.expand(parallel, to);
    if (r_last_) r_last_->expand(parallel, to + Floats::rounded(r_.expanded_size()));
  }

  // Sums per row of project().
  size_t gates() const { return gates_; }
  // Floats of scratch memory for project() and step().
  CheckedSize scratch_size() const {
    return Floats::rounded(CheckedSize(scratch_)) + Floats::rounded(CheckedSize(sizes_.batch) * gates_) +
           2 * Floats::rounded(CheckedSize(sizes_.batch) * sizes_.hidden);
  }

  // sums[row] = x[row] W^T for `rows` rows.
  void project(const EvalContext& context, const Parallel& parallel, const float* x, size_t rows, float* sums,
               Floats scratch) const {
    kernels::Gemm gemm{};
    gemm.m = rows;
    gemm.a = x;
    gemm.a_row_stride = sizes_.input;
    gemm.c = sums;
    gemm.c_row_stride = gates_;
    w_->multiply(context, parallel, gemm, scratch.take(scratch_));
  }

  // Computes the states after a step from the projected inputs of all rows, which are `sums_stride` apart.
  // New states may overwrite the old ones. Rows whose `active` is 0 keep their states; if `active` is null,
  // all rows are active. With every second step reading R `backwards`, it finds the end of R in L2: 100 steps
  // with 4 MB of R went from 21.7 to 18.8 ms in JavaScriptCore.
  void step(const EvalContext& context, const Parallel& parallel, const float* sums, size_t sums_stride,
            const States& before, float* h, float* c, const char* active, const float* expanded,
            bool backwards, Floats scratch) const {
    float* packing = scratch.take(scratch_);
    float* gates = scratch.take(sizes_.batch * gates_);
    if (kind_ == Recurrence::kGru) {
      gru_step(context, parallel, sums, sums_stride, before.h, h, active, expanded, backwards, packing, gates,
               scratch);
      return;
    }
    multiply(context, parallel, r_, expanded, before.h, gates, gates_, sums, sums_stride, bias(context, 0),
             backwards, packing);
    const kernels::LstmCell lstm = {sizes_.hidden, functions_.f, functions_.g, functions_.h, clip_};
    for (size_t row = 0; row < sizes_.batch; ++row) {
      if (active != nullptr && !active[row]) continue;
      const size_t state = row * sizes_.hidden;
      if (kind_ == Recurrence::kLstm) {
        kernels::lstm_cell(lstm, gates + row * gates_, before.c + state, c + state, h + state);
      } else {
        kernels::rnn_cell(functions_.f, clip_, gates + row * gates_, h + state, sizes_.hidden);
      }
    }
  }

 private:
  // The bias, starting at block `block`; nullptr if there is none.
  const float* bias(const EvalContext& context, size_t block) const {
    if (weights_.b == CellInputs::kNone) return nullptr;
    return context.input(weights_.b).data<float>() + weights_.b_first + block * sizes_.hidden;
  }

  // to = from R^T + residual + bias, for all rows of the batch.
  void multiply(const EvalContext& context, const Parallel& parallel, const WeightMatrix& weights,
                const float* expanded, const float* from, float* to, size_t to_stride, const float* residual,
                size_t residual_stride, const float* bias, bool backwards, float* packing) const {
    kernels::Gemm gemm{};
    gemm.m = sizes_.batch;
    gemm.a = from;
    gemm.a_row_stride = sizes_.hidden;
    gemm.c = to;
    gemm.c_row_stride = to_stride;
    gemm.epilogue.residual = {nullptr, residual, residual_stride};
    gemm.epilogue.bias = bias;
    weights.multiply(context, parallel, gemm, packing, expanded, backwards);
  }

  void gru_step(const EvalContext& context, const Parallel& parallel, const float* sums, size_t sums_stride,
                const float* h_before, float* h, const char* active, const float* expanded, bool backwards,
                float* packing, float* gates, Floats scratch) const {
    const size_t n = sizes_.hidden, batch = sizes_.batch;
    const kernels::GruCell gru = {n, functions_.f, functions_.g, clip_};
    float* const last = scratch.take(batch * n);  // sums of gate h
    const float* const expanded_last =
        expanded != nullptr ? expanded + Floats::rounded(r_.expanded_size()) : nullptr;
    multiply(context, parallel, r_, expanded, h_before, gates, 2 * n, sums, sums_stride, bias(context, 0),
             backwards, packing);
    if (linear_before_reset_) {
      multiply(context, parallel, *r_last_, expanded_last, h_before, last, n, nullptr, 0, bias(context, 3),
               backwards, packing);
    } else {
      float* const reset = scratch.take(batch * n);  // r (.) H
      for (size_t row = 0; row < batch; ++row) {
        kernels::gru_gates(gru, gates + row * 2 * n, h_before + row * n, reset + row * n);
      }
      multiply(context, parallel, *r_last_, expanded_last, reset, last, n, sums + 2 * n, sums_stride,
               bias(context, 2), backwards, packing);
    }
    for (size_t row = 0; row < batch; ++row) {
      if (active != nullptr && !active[row]) continue;
      const float* const z = gates + row * 2 * n;
      const float* const before = h_before + row * n;
      if (linear_before_reset_) {
        const float* const x = sums + row * sums_stride + 2 * n;
        kernels::gru_linear_before_reset(gru, z, x, bias(context, 2), last + row * n, before, h + row * n);
      } else {
        kernels::gru_output(gru, z, last + row * n, before, h + row * n);
      }
    }
  }

  // Whether W or R, with rows of `k` elements, may be dequantised as a whole.
  bool is_small(size_t k) const { return saturating_product(gates_, k) <= kMostExpandedFloats; }

  size_t expanded_size() const {
    return Floats::rounded(r_.expanded_size()) + (r_last_ ? Floats::rounded(r_last_->expanded_size()) : 0);
  }

  Recurrence kind_;
  bool linear_before_reset_;
  float clip_;
  RecurrentFunctions functions_;
  RecurrentSizes sizes_;
  size_t gates_;
  RecurrentWeights weights_;
  bool r_in_f32_;
  WeightMatrix r_;
  std::optional<WeightMatrix> w_, r_last_;
  size_t scratch_;
  bool expands_ = false;
};

class CellKernel final : public Kernel {
 public:
  CellKernel(CompileContext& context, const RecurrentAttributes& attributes, const RecurrentSizes& sizes,
             const RecurrentWeights& weights)
      : sizes_(sizes),
        lstm_(attributes.kind == Recurrence::kLstm),
        projects_(weights.w != CellInputs::kNone),
        steps_(context, attributes, sizes, weights, 1) {
    const CheckedSize sums =
        projects_ ? Floats::rounded(CheckedSize(sizes.batch) * steps_.gates()) : CheckedSize();
    context.request_scratch((sums + steps_.scratch_size()) * sizeof(float));
  }

  void run(EvalContext& context) override {
    Floats scratch(context.scratch());
    const float* sums = context.input(0).data<float>();
    if (projects_) {
      float* const projected = scratch.take(sizes_.batch * steps_.gates());
      steps_.project(context, context.parallel(), sums, sizes_.batch, projected, scratch);
      sums = projected;
    }
    const States before = {context.input(1).data<float>(), lstm_ ? context.input(2).data<float>() : nullptr};
    steps_.step(context, context.parallel(), sums, steps_.gates(), before,
                context.output(0).mutable_data<float>(),
                lstm_ ? context.output(1).mutable_data<float>() : nullptr, nullptr, nullptr, false, scratch);
  }

 private:
  RecurrentSizes sizes_;
  bool lstm_, projects_;
  Steps steps_;
};

class SequenceKernel final : public Kernel {
 public:
  SequenceKernel(CompileContext& context, const RecurrentAttributes& attributes, const RecurrentSizes& sizes,
                 size_t length)
      : sizes_(sizes), length_(length), states_(attributes.states()), direction_(attributes.direction) {
    const size_t rows = attributes.gates() * sizes.hidden;
    const size_t w = 2 + states_;
    for (size_t i = 0; i < attributes.directions(); ++i) {
      const RecurrentWeights weights = {.w = w,
                                        .r = w + 1,
                                        .b = w + 2,
                                        .w_first = i * rows * sizes.input,
                                        .r_first = i * rows * sizes.hidden,
                                        .b_first = i * attributes.bias_rows() * sizes.hidden,
                                        .w_stride = sizes.input,
                                        .r_stride = sizes.hidden};
      steps_.emplace_back(context, attributes, sizes, weights, length);
    }
    const size_t gates = steps_[0].gates();
    const CheckedSize batch(sizes.batch);
    const CheckedSize scratch = Floats::rounded(batch * length * gates) + Floats::rounded(batch * gates) +
                                2 * Floats::rounded(batch * sizes.hidden) + Floats::rounded(batch) +
                                steps_[0].scratch_size() + steps_[0].expansion();
    scratch_ = scratch.value();
    const CheckedSize lengths = Floats::rounded(batch * (sizeof(int64_t) / sizeof(float)));
    context.request_scratch((lengths + steps_.size() * scratch) * sizeof(float));
  }

  void run(EvalContext& context) override {
    Floats scratch(context.scratch());
    auto* const lengths =
        reinterpret_cast<int64_t*>(scratch.take(sizes_.batch * sizeof(int64_t) / sizeof(float)));
    read_lengths(context, lengths);
    float* const memory = scratch.take(steps_.size() * scratch_);
    const size_t operations = sizes_.batch * length_ * steps_[0].gates() * (sizes_.input + sizes_.hidden);
    if (steps_.size() > 1 && gemm_parts(context.parallel().threads(), operations, 1, 1) > 1) {
      // Directions are independent; steps are not.
      const Parallel alone;
      parallel_for(context.parallel(), steps_.size(), 1, [&](size_t first, size_t last) {
        for (size_t i = first; i < last; ++i)
          run_direction(context, alone, i, lengths, memory + i * scratch_);
      });
      return;
    }
    for (size_t i = 0; i < steps_.size(); ++i) {
      run_direction(context, context.parallel(), i, lengths, memory + i * scratch_);
    }
  }

 private:
  void read_lengths(const EvalContext& context, int64_t* lengths) const {
    const TensorView& input = context.input(1 + states_);
    with_index(input.type, [&]<typename T>() { std::copy_n(input.data<T>(), sizes_.batch, lengths); });
    for (size_t row = 0; row < sizes_.batch; ++row) {
      if (lengths[row] >= 0 && lengths[row] <= static_cast<int64_t>(length_)) continue;
      throw Error(ErrorCode::kInvalidValue,
                  cat("sequence_lengths[", row, "] is ", lengths[row], ", outside 0..", length_))
          .port("sequence_lengths")
          .expected(cat("0..", length_))
          .actual(cat(lengths[row]));
    }
  }

  void run_direction(const EvalContext& context, const Parallel& parallel, size_t direction,
                     const int64_t* lengths, float* memory) const {
    const size_t batch = sizes_.batch, n = sizes_.hidden, directions = steps_.size();
    const bool reverse = direction_ == Direction::kReverse || direction == 1;
    const Steps& steps = steps_[direction];
    const size_t gates = steps.gates();
    Floats scratch(memory);
    float* const projected = scratch.take(batch * length_ * gates);
    float* const gathered = scratch.take(batch * gates);
    float* const h = scratch.take(batch * n);
    float* const c = scratch.take(batch * n);
    char* const active = reinterpret_cast<char*>(scratch.take(batch));
    steps.project(context, parallel, context.input(0).data<float>(), batch * length_, projected, scratch);
    float* const expanded = steps.expansion() > 0 ? scratch.take(steps.expansion()) : nullptr;
    if (expanded != nullptr) steps.expand(parallel, expanded);
    for (size_t row = 0; row < batch; ++row) {
      const size_t from = (row * directions + direction) * n;
      std::copy_n(context.input(1).data<float>() + from, n, h + row * n);
      if (states_ > 1) std::copy_n(context.input(2).data<float>() + from, n, c + row * n);
    }
    float* const y = context.output(0).mutable_data<float>();
    const auto y_row = [&](size_t row, int64_t t) {
      return y + ((row * directions + direction) * length_ + static_cast<size_t>(t)) * n;
    };
    const bool equal =
        std::all_of(lengths, lengths + batch, [&](int64_t length) { return length == lengths[0]; });
    const int64_t last = batch == 0 ? 0 : *std::max_element(lengths, lengths + batch);
    for (int64_t s = 0; s < last; ++s) {
      const auto time = [&](size_t row) { return reverse ? lengths[row] - 1 - s : s; };
      // If lengths differ, row 0 may have ended already.
      const float* sums = equal ? projected + static_cast<size_t>(time(0)) * gates : gathered;
      const size_t stride = equal ? length_ * gates : gates;
      if (!equal) {
        for (size_t row = 0; row < batch; ++row) {
          active[row] = s < lengths[row];
          const size_t at = row * length_ + (active[row] ? static_cast<size_t>(time(row)) : 0);
          std::copy_n(projected + at * gates, gates, gathered + row * gates);
        }
      }
      steps.step(context, parallel, sums, stride, {h, c}, h, c, equal ? nullptr : active, expanded,
                 s % 2 != 0, scratch);
      for (size_t row = 0; row < batch; ++row) {
        if (s < lengths[row]) std::copy_n(h + row * n, n, y_row(row, time(row)));
      }
    }
    for (size_t row = 0; row < batch; ++row) {
      std::fill(y_row(row, lengths[row]), y_row(row, static_cast<int64_t>(length_)), 0.0f);
      const size_t to = (row * directions + direction) * n;
      // As in OpenVINO, a sequence without steps has zero states.
      if (lengths[row] == 0) {
        std::fill_n(h + row * n, n, 0.0f);
        std::fill_n(c + row * n, n, 0.0f);
      }
      std::copy_n(h + row * n, n, context.output(1).mutable_data<float>() + to);
      if (states_ > 1) std::copy_n(c + row * n, n, context.output(2).mutable_data<float>() + to);
    }
  }

  RecurrentSizes sizes_;
  size_t length_, states_;
  Direction direction_;
  std::vector<Steps> steps_;
  size_t scratch_ = 0;  // floats per direction
};

}  // namespace

std::unique_ptr<Kernel> make_cell_kernel(CompileContext& context, const RecurrentAttributes& attributes,
                                         const RecurrentSizes& sizes, const RecurrentWeights& weights) {
  return std::make_unique<CellKernel>(context, attributes, sizes, weights);
}

std::unique_ptr<Kernel> make_sequence_kernel(CompileContext& context, const RecurrentAttributes& attributes,
                                             const RecurrentSizes& sizes, size_t length) {
  return std::make_unique<SequenceKernel>(context, attributes, sizes, length);
}

}  // namespace wasmvino::ops
