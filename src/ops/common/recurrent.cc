// SPDX-License-Identifier: Apache-2.0
#include "ops/common/recurrent.h"

#include <algorithm>

#include "kernels/recurrent.h"
#include "ops/common/dispatch.h"
#include "ops/common/gemm.h"
#include "ops/common/in_f32.h"
#include "ops/common/inputs.h"

namespace wasmvino::ops {
namespace {

using kernels::Unary;
using kernels::UnaryFunction;

// ---- attributes

std::string lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

size_t functions_of(Recurrence kind) {
  return kind == Recurrence::kLstm ? 3 : kind == Recurrence::kGru ? 2 : 1;
}

UnaryFunction function_of(const RecurrentAttributes& attributes, size_t i) {
  const std::string name = lower(attributes.activations[i]);
  if (name == "sigmoid") return {Unary::kSigmoid};
  if (name == "tanh") return {Unary::kTanh};
  if (name == "relu") return {Unary::kRelu};
  if (name == "hardsigmoid") {
    const model::Floats& alpha = attributes.activations_alpha;
    const model::Floats& beta = attributes.activations_beta;
    return {Unary::kHardSigmoid, i < alpha.size() ? alpha[i] : 0.2f, i < beta.size() ? beta[i] : 0.5f};
  }
  throw Error(ErrorCode::kInvalidModel, cat("attribute 'activations' names '", attributes.activations[i],
                                            "', expected sigmoid, tanh, relu or hardsigmoid"))
      .expected("sigmoid|tanh|relu|hardsigmoid")
      .actual(attributes.activations[i]);
}

// The functions f, g and h of the specification's formulas, as many as the kind has.
struct Functions {
  UnaryFunction f, g, h;
};

Functions functions_of(const RecurrentAttributes& attributes) {
  Functions functions;
  UnaryFunction* const places[] = {&functions.f, &functions.g, &functions.h};
  for (size_t i = 0; i < functions_of(attributes.kind); ++i) *places[i] = function_of(attributes, i);
  return functions;
}

void visit_common(AttributeVisitor& visitor, RecurrentAttributes& attributes) {
  visitor.require("hidden_size");
  visitor.on("hidden_size", attributes.hidden_size);
  visitor.on("activations", attributes.activations);
  visitor.on("activations_alpha", attributes.activations_alpha);
  visitor.on("activations_beta", attributes.activations_beta);
  visitor.on("clip", attributes.clip);
  if (attributes.kind == Recurrence::kGru) visitor.on("linear_before_reset", attributes.linear_before_reset);
  if (attributes.hidden_size < 1) {
    throw Error(ErrorCode::kInvalidModel,
                cat("attribute 'hidden_size' is ", attributes.hidden_size, ", expected 1 or more"))
        .expected("1 or more")
        .actual(cat(attributes.hidden_size));
  }
  const size_t count = functions_of(attributes.kind);
  if (attributes.activations.empty()) {
    attributes.activations = {"sigmoid", "tanh", "tanh"};
    if (attributes.kind == Recurrence::kRnn) attributes.activations = {"tanh"};
    attributes.activations.resize(count);
  }
  if (attributes.activations.size() < count) {
    throw Error(ErrorCode::kInvalidModel, cat("attribute 'activations' has ", attributes.activations.size(),
                                              " functions, expected ", count))
        .expected(cat(count))
        .actual(cat(attributes.activations.size()));
  }
  functions_of(attributes);  // refuses unknown names when the model is read
}

// ---- inference

// A size that several axes must agree on, and which of them told it first.
class SharedSize {
 public:
  SharedSize(std::string_view name, Dimension size = {}, std::string_view source = {})
      : name_(name), source_(source), size_(size) {}

  const Dimension& size() const { return size_; }
  // Axis `axis` of an input has this size, `times` times.
  void meet(const InferContext& context, size_t input, std::string_view input_name, size_t axis,
            int64_t times = 1, int64_t plus = 0) {
    const PartialShape& shape = context.input_shape(input);
    if (!shape.has_rank()) return;
    const Dimension found = shape[axis];
    const Dimension wanted = size_ * times + plus;
    if (!found.compatible(wanted)) {
      throw Error(ErrorCode::kInvalidShape,
                  cat("axis ", axis, " of ", input_name, " ", shape, " is ", found, ", expected ", wanted,
                      ": ", name_, " is ", size_, source_.empty() ? "" : " by ", source_))
          .port(std::string(input_name))
          .expected(to_string(wanted))
          .actual(to_string(found));
    }
    if (times == 1 && plus == 0 && !size_.is_static()) {
      size_ = *size_.merge(found);
      source_ = input_name;
    }
  }

 private:
  std::string_view name_, source_;
  Dimension size_;
};

// All inputs that hold numbers have one floating point type.
ElementType common_type(const InferContext& context, size_t skipped) {
  ElementType type = ElementType::kDynamic;
  for (size_t i = 0; i < context.input_count(); ++i) {
    const ElementType found = context.input_type(i);
    if (i == skipped || found == ElementType::kDynamic) continue;
    if (!is_real(found)) {
      throw Error(ErrorCode::kInvalidType,
                  cat("input ", i, " has element type ", found, ", expected a floating point type"))
          .port(cat("input ", i))
          .actual(cat(found));
    }
    if (type != ElementType::kDynamic && found != type) {
      throw Error(ErrorCode::kInvalidType, cat("input ", i, " has element type ", found, ", X has ", type))
          .port(cat("input ", i))
          .expected(cat(type))
          .actual(cat(found));
    }
    type = found;
  }
  return type;
}

constexpr size_t kNone = static_cast<size_t>(-1);

// ---- steps

struct Sizes {
  size_t batch, input, hidden;
};

// Where the weights of a direction lie.
struct WeightPlaces {
  size_t w, r, b;                    // inputs
  size_t w_first, r_first, b_first;  // elements
  size_t w_stride, r_stride;         // between rows
  bool bias;
};

// Hands out parts of one block of scratch memory.
class Floats {
 public:
  explicit Floats(void* memory) : next_(static_cast<float*>(memory)) {}
  float* take(size_t count) {
    float* taken = next_;
    next_ += rounded(count);
    return taken;
  }
  static size_t rounded(size_t count) { return (count + 15) / 16 * 16; }

 private:
  float* next_;
};

struct States {
  const float* h;  // [batch][hidden]
  const float* c;
};

// One direction: its weights and how a step uses them.
class Steps {
 public:
  Steps(CompileContext& context, const RecurrentAttributes& attributes, const Sizes& sizes,
        const WeightPlaces& places)
      : kind_(attributes.kind),
        linear_before_reset_(attributes.linear_before_reset),
        clip_(attributes.clip > 0 ? attributes.clip : kernels::kNoClip),
        functions_(functions_of(attributes)),
        sizes_(sizes),
        gates_(attributes.gates() * sizes.hidden),
        places_(places),
        w_(context, places.w, places.w_first, places.w_stride, gates_, sizes.input),
        r_(context, places.r, places.r_first, places.r_stride,
           kind_ == Recurrence::kGru ? 2 * sizes.hidden : gates_, sizes.hidden),
        scratch_(std::max(WeightMatrix::scratch_size(context, places.w),
                          WeightMatrix::scratch_size(context, places.r))) {
    if (kind_ == Recurrence::kGru) {
      // The last gate waits for the reset gate, and its product is no part of the sum with
      // linear_before_reset.
      const size_t first = places.r_first + 2 * sizes.hidden * places.r_stride;
      r_last_.emplace(context, places.r, first, places.r_stride, sizes.hidden, sizes.hidden);
    }
  }

  // Sums per row of project().
  size_t gates() const { return gates_; }
  // Floats of scratch for project() and step().
  size_t scratch_size() const {
    return Floats::rounded(scratch_) + Floats::rounded(sizes_.batch * gates_) +
           2 * Floats::rounded(sizes_.batch * sizes_.hidden);
  }

  // sums[row] = x[row] W^T + B for `rows` rows.
  void project(const EvalContext& context, const Parallel& parallel, const float* x, size_t rows, float* sums,
               Floats scratch) const {
    kernels::Gemm gemm{};
    gemm.m = rows;
    gemm.a = x;
    gemm.a_row_stride = sizes_.input;
    gemm.c = sums;
    gemm.c_row_stride = gates_;
    if (places_.bias) gemm.epilogue.bias = bias(context);
    w_.multiply(context, parallel, gemm, scratch.take(scratch_));
  }

  // The states after a step, from the projected inputs of all rows, `sums_stride` apart. New states may stand
  // where the old ones do. Rows whose `active` is 0 keep their states (all are active where it is null).
  void step(const EvalContext& context, const Parallel& parallel, const float* sums, size_t sums_stride,
            const States& before, float* h, float* c, const char* active, Floats scratch) const {
    float* packing = scratch.take(scratch_);
    float* gates = scratch.take(sizes_.batch * gates_);
    if (kind_ == Recurrence::kGru) {
      gru_step(context, parallel, sums, sums_stride, before.h, h, active, packing, gates, scratch);
      return;
    }
    multiply(context, parallel, r_, before.h, gates, gates_, sums, sums_stride, nullptr, packing);
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
  const float* bias(const EvalContext& context) const {
    return context.input(places_.b).data<float>() + places_.b_first;
  }

  // to = from R^T + residual + bias, for all rows of the batch.
  void multiply(const EvalContext& context, const Parallel& parallel, const WeightMatrix& weights,
                const float* from, float* to, size_t to_stride, const float* residual, size_t residual_stride,
                const float* bias, float* packing) const {
    kernels::Gemm gemm{};
    gemm.m = sizes_.batch;
    gemm.a = from;
    gemm.a_row_stride = sizes_.hidden;
    gemm.c = to;
    gemm.c_row_stride = to_stride;
    gemm.epilogue.residual = residual;
    gemm.epilogue.residual_stride = residual_stride;
    gemm.epilogue.bias = bias;
    weights.multiply(context, parallel, gemm, packing);
  }

  void gru_step(const EvalContext& context, const Parallel& parallel, const float* sums, size_t sums_stride,
                const float* h_before, float* h, const char* active, float* packing, float* gates,
                Floats scratch) const {
    const size_t n = sizes_.hidden, batch = sizes_.batch;
    const kernels::GruCell gru = {n, functions_.f, functions_.g, clip_};
    float* const last = scratch.take(batch * n);  // sums of the gate h
    multiply(context, parallel, r_, h_before, gates, 2 * n, sums, sums_stride, nullptr, packing);
    if (linear_before_reset_) {
      const float* last_bias = places_.bias ? bias(context) + 3 * n : nullptr;
      multiply(context, parallel, *r_last_, h_before, last, n, nullptr, 0, last_bias, packing);
    } else {
      float* const reset = scratch.take(batch * n);  // r (.) H
      for (size_t row = 0; row < batch; ++row) {
        kernels::gru_gates(gru, gates + row * 2 * n, h_before + row * n, reset + row * n);
      }
      multiply(context, parallel, *r_last_, reset, last, n, sums + 2 * n, sums_stride, nullptr, packing);
    }
    for (size_t row = 0; row < batch; ++row) {
      if (active != nullptr && !active[row]) continue;
      const float* const z = gates + row * 2 * n;
      const float* const before = h_before + row * n;
      if (linear_before_reset_) {
        const float* const x = sums + row * sums_stride + 2 * n;
        kernels::gru_linear_before_reset(gru, z, x, last + row * n, before, h + row * n);
      } else {
        kernels::gru_output(gru, z, last + row * n, before, h + row * n);
      }
    }
  }

  Recurrence kind_;
  bool linear_before_reset_;
  float clip_;
  Functions functions_;
  Sizes sizes_;
  size_t gates_;
  WeightPlaces places_;
  WeightMatrix w_, r_;
  std::optional<WeightMatrix> r_last_;
  size_t scratch_;
};

class CellKernel final : public Kernel {
 public:
  CellKernel(CompileContext& context, const RecurrentAttributes& attributes, const Sizes& sizes,
             const WeightPlaces& places)
      : sizes_(sizes),
        lstm_(attributes.kind == Recurrence::kLstm),
        steps_(context, attributes, sizes, places) {
    const size_t floats = Floats::rounded(sizes.batch * steps_.gates()) + steps_.scratch_size();
    context.request_scratch(floats * sizeof(float));
  }

  void run(EvalContext& context) override {
    Floats scratch(context.scratch());
    float* const sums = scratch.take(sizes_.batch * steps_.gates());
    steps_.project(context, context.parallel(), context.input(0).data<float>(), sizes_.batch, sums, scratch);
    const States before = {context.input(1).data<float>(), lstm_ ? context.input(2).data<float>() : nullptr};
    steps_.step(context, context.parallel(), sums, steps_.gates(), before,
                context.output(0).mutable_data<float>(),
                lstm_ ? context.output(1).mutable_data<float>() : nullptr, nullptr, scratch);
  }

 private:
  Sizes sizes_;
  bool lstm_;
  Steps steps_;
};

class SequenceKernel final : public Kernel {
 public:
  SequenceKernel(CompileContext& context, const RecurrentAttributes& attributes, const Sizes& sizes,
                 size_t length)
      : sizes_(sizes), length_(length), states_(attributes.states()), direction_(attributes.direction) {
    const size_t rows = attributes.gates() * sizes.hidden;
    const size_t w = 2 + states_;
    for (size_t i = 0; i < attributes.directions(); ++i) {
      const WeightPlaces places = {w,
                                   w + 1,
                                   w + 2,
                                   i * rows * sizes.input,
                                   i * rows * sizes.hidden,
                                   i * attributes.bias_rows() * sizes.hidden,
                                   sizes.input,
                                   sizes.hidden,
                                   true};
      steps_.emplace_back(context, attributes, sizes, places);
    }
    const size_t gates = steps_[0].gates();
    scratch_ = Floats::rounded(sizes.batch * length * gates) + Floats::rounded(sizes.batch * gates) +
               2 * Floats::rounded(sizes.batch * sizes.hidden) + Floats::rounded(sizes.batch) +
               steps_[0].scratch_size();
    const size_t lengths = Floats::rounded(sizes.batch * sizeof(int64_t) / sizeof(float));
    context.request_scratch((lengths + steps_.size() * scratch_) * sizeof(float));
  }

  void run(EvalContext& context) override {
    Floats scratch(context.scratch());
    auto* const lengths =
        reinterpret_cast<int64_t*>(scratch.take(sizes_.batch * sizeof(int64_t) / sizeof(float)));
    read_lengths(context, lengths);
    float* const memory = scratch.take(steps_.size() * scratch_);
    const size_t operations = sizes_.batch * length_ * steps_[0].gates() * (sizes_.input + sizes_.hidden);
    if (steps_.size() > 1 && gemm_parts(context.parallel().threads(), operations, 1, 1) > 1) {
      // Directions do not wait for each other, steps do.
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
      const float* sums = projected + static_cast<size_t>(time(0)) * gates;
      size_t stride = length_ * gates;
      if (!equal) {
        sums = gathered;
        stride = gates;
        for (size_t row = 0; row < batch; ++row) {
          active[row] = s < lengths[row];
          const size_t at = row * length_ + (active[row] ? static_cast<size_t>(time(row)) : 0);
          std::copy_n(projected + at * gates, gates, gathered + row * gates);
        }
      }
      steps.step(context, parallel, sums, stride, {h, c}, h, c, equal ? nullptr : active, scratch);
      for (size_t row = 0; row < batch; ++row) {
        if (s < lengths[row]) std::copy_n(h + row * n, n, y_row(row, time(row)));
      }
    }
    for (size_t row = 0; row < batch; ++row) {
      std::fill(y_row(row, lengths[row]), y_row(row, static_cast<int64_t>(length_)), 0.0f);
      const size_t to = (row * directions + direction) * n;
      // As in OpenVINO, no step leaves no state.
      if (lengths[row] == 0) {
        std::fill_n(h + row * n, n, 0.0f);
        std::fill_n(c + row * n, n, 0.0f);
      }
      std::copy_n(h + row * n, n, context.output(1).mutable_data<float>() + to);
      if (states_ > 1) std::copy_n(c + row * n, n, context.output(2).mutable_data<float>() + to);
    }
  }

  Sizes sizes_;
  size_t length_, states_;
  Direction direction_;
  std::vector<Steps> steps_;
  size_t scratch_ = 0;  // floats of one direction
};

}  // namespace

// ---- cells

void CellOp::visit_attributes(AttributeVisitor& visitor) { visit_common(visitor, attributes_); }

template <typename Context>
CellOp::Inputs CellOp::inputs_of(const Context& context) const {
  const size_t w = 1 + attributes_.states();
  const size_t count = context.input_count();
  // One matrix [W R], followed by a vector or by nothing.
  const PartialShape& next = count > w + 1 ? context.input(w + 1).shape : context.input(w).shape;
  const bool fused =
      forms_.fused && (count == w + 1 || (count == w + 2 && next.has_rank() && next.rank() == 1));
  if (fused) return {w, w, w + 1, true};
  return {w, w + 1, w + 2, false};
}

void CellOp::infer(InferContext& context) const {
  const size_t w = 1 + attributes_.states();
  context.expect_inputs(w + (forms_.fused ? 1 : 2), w + (forms_.peepholes ? 4 : 3));
  const Inputs inputs = inputs_of(context);
  const ElementType type = common_type(context, kNone);
  const std::string_view c_name = "initial_cell_state";
  const std::string_view h_name = attributes_.kind == Recurrence::kRnn ? "H" : "initial_hidden_state";
  const std::string_view w_name = inputs.fused ? "WR" : "W";
  expect_rank(context, 0, 2, 2, "X");
  expect_rank(context, 1, 2, 2, h_name);
  if (w == 3) expect_rank(context, 2, 2, 2, c_name);
  expect_rank(context, inputs.w, 2, 2, w_name);
  if (!inputs.fused) expect_rank(context, inputs.r, 2, 2, "R");
  if (inputs.b < context.input_count()) expect_rank(context, inputs.b, 1, 1, "B");

  SharedSize batch("batch_size");
  SharedSize hidden("hidden_size", attributes_.hidden_size, "the attribute");
  batch.meet(context, 0, "X", 0);
  batch.meet(context, 1, h_name, 0);
  hidden.meet(context, 1, h_name, 1);
  if (w == 3) {
    batch.meet(context, 2, c_name, 0);
    hidden.meet(context, 2, c_name, 1);
  }
  const int64_t gates = static_cast<int64_t>(attributes_.gates());
  hidden.meet(context, inputs.w, w_name, 0, gates);
  SharedSize input_size("input_size");
  input_size.meet(context, 0, "X", 1);
  input_size.meet(context, inputs.w, w_name, 1, 1, inputs.fused ? attributes_.hidden_size : 0);
  if (!inputs.fused) {
    hidden.meet(context, inputs.r, "R", 0, gates);
    hidden.meet(context, inputs.r, "R", 1);
  }
  if (inputs.b < context.input_count()) {
    hidden.meet(context, inputs.b, "B", 0, static_cast<int64_t>(attributes_.bias_rows()));
  }
  for (size_t i = 0; i < attributes_.states(); ++i)
    context.set_output(i, type, {batch.size(), hidden.size()});
}

bool CellOp::can_overwrite(const CompileContext&, size_t input, size_t output) const {
  // States are read in full before they are written, each element of C just before.
  return input == 1 + output && output < attributes_.states();
}

std::unique_ptr<Kernel> CellOp::compile(CompileContext& context) const {
  return compile_in_f32(context, [&](CompileContext& inner) -> std::unique_ptr<Kernel> {
    const Inputs inputs = inputs_of(inner);
    const Shape x = inner.input_shape(0);
    const Sizes sizes = {static_cast<size_t>(x[0]), static_cast<size_t>(x[1]),
                         static_cast<size_t>(attributes_.hidden_size)};
    WeightPlaces places = {
        inputs.w, inputs.r, inputs.b, 0, 0, 0, sizes.input, sizes.hidden, inputs.b < inner.input_count()};
    if (inputs.fused) {
      places.r_first = sizes.input;
      places.w_stride = places.r_stride = sizes.input + sizes.hidden;
    }
    auto kernel = std::make_unique<CellKernel>(inner, attributes_, sizes, places);
    if (inner.input(inputs.w).constant != nullptr) inner.consume(inputs.w);
    if (inner.input(inputs.r).constant != nullptr) inner.consume(inputs.r);
    return kernel;
  });
}

// ---- sequences

void SequenceOp::visit_attributes(AttributeVisitor& visitor) {
  visit_common(visitor, attributes_);
  visitor.on_enum("direction", attributes_.direction, {"forward", "reverse", "bidirectional"});
}

void SequenceOp::infer(InferContext& context) const {
  const size_t states = attributes_.states();
  const size_t lengths = 1 + states, w = 2 + states, r = w + 1, b = w + 2;
  context.expect_inputs(b + 1);
  const ElementType type = common_type(context, lengths);
  const ElementType lengths_type = context.input_type(lengths);
  if (lengths_type != ElementType::kI32 && lengths_type != ElementType::kI64 &&
      lengths_type != ElementType::kDynamic) {
    throw Error(ErrorCode::kInvalidType,
                cat("sequence_lengths has element type ", lengths_type, ", expected i32 or i64"))
        .port("sequence_lengths")
        .expected("i32|i64")
        .actual(cat(lengths_type));
  }
  expect_rank(context, 0, 3, 3, "X");
  expect_rank(context, 1, 3, 3, "initial_hidden_state");
  if (states == 2) expect_rank(context, 2, 3, 3, "initial_cell_state");
  expect_rank(context, lengths, 1, 1, "sequence_lengths");
  expect_rank(context, w, 3, 3, "W");
  expect_rank(context, r, 3, 3, "R");
  expect_rank(context, b, 2, 2, "B");

  SharedSize batch("batch_size");
  SharedSize hidden("hidden_size", attributes_.hidden_size, "the attribute");
  SharedSize directions("num_directions", static_cast<int64_t>(attributes_.directions()),
                        "the attribute 'direction'");
  SharedSize input_size("input_size");
  batch.meet(context, 0, "X", 0);
  for (size_t i = 0; i < states; ++i) {
    const std::string_view name = i == 0 ? "initial_hidden_state" : "initial_cell_state";
    batch.meet(context, 1 + i, name, 0);
    directions.meet(context, 1 + i, name, 1);
    hidden.meet(context, 1 + i, name, 2);
  }
  batch.meet(context, lengths, "sequence_lengths", 0);
  const int64_t gates = static_cast<int64_t>(attributes_.gates());
  directions.meet(context, w, "W", 0);
  hidden.meet(context, w, "W", 1, gates);
  input_size.meet(context, 0, "X", 2);
  input_size.meet(context, w, "W", 2);
  directions.meet(context, r, "R", 0);
  hidden.meet(context, r, "R", 1, gates);
  hidden.meet(context, r, "R", 2);
  directions.meet(context, b, "B", 0);
  hidden.meet(context, b, "B", 1, static_cast<int64_t>(attributes_.bias_rows()));

  const PartialShape& x = context.input_shape(0);
  const Dimension length = x.has_rank() ? x[1] : Dimension();
  context.set_output(0, type, {batch.size(), directions.size(), length, hidden.size()});
  for (size_t i = 0; i < states; ++i) {
    context.set_output(1 + i, type, {batch.size(), directions.size(), hidden.size()});
  }
}

std::unique_ptr<Kernel> SequenceOp::compile(CompileContext& context) const {
  return compile_in_f32(context, [&](CompileContext& inner) -> std::unique_ptr<Kernel> {
    const Shape x = inner.input_shape(0);
    const Sizes sizes = {static_cast<size_t>(x[0]), static_cast<size_t>(x[2]),
                         static_cast<size_t>(attributes_.hidden_size)};
    auto kernel = std::make_unique<SequenceKernel>(inner, attributes_, sizes, static_cast<size_t>(x[1]));
    for (const size_t input : {2 + attributes_.states(), 3 + attributes_.states()}) {
      if (inner.input(input).constant != nullptr) inner.consume(input);
    }
    return kernel;
  });
}

}  // namespace wasmvino::ops
