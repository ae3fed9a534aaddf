// SPDX-License-Identifier: Apache-2.0
#include "ops/sequence/recurrent.h"

#include <algorithm>

#include "model/node.h"
#include "ops/elements/in_f32.h"
#include "ops/inputs/inputs.h"
#include "ops/sequence/recurrent_steps.h"

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
  throw Error(ErrorCode::kInvalidModel, cat("attribute 'activations' contains '", attributes.activations[i],
                                            "', expected sigmoid, tanh, relu or hardsigmoid"))
      .expected("sigmoid|tanh|relu|hardsigmoid")
      .actual(attributes.activations[i]);
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
  recurrent_functions(attributes);  // rejects unknown names when the model is read
}

// ---- inference

// A size on which several axes must agree, and the axis that determined it first.
class SharedSize {
 public:
  SharedSize(std::string_view name, Dimension size = {}, std::string_view source = {})
      : name_(name), source_(source), size_(size) {}

  const Dimension& size() const { return size_; }
  // Checks that axis `axis` of an input has size * times + plus elements.
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

// The common type of the inputs that hold numbers.
ElementType common_type(const InferContext& context, size_t skipped) {
  ElementType type = ElementType::kDynamic;
  for (size_t i = 0; i < context.input_count(); ++i) {
    if (i != skipped && type == ElementType::kDynamic) type = context.input_type(i);
  }
  return type;
}

}  // namespace

RecurrentFunctions recurrent_functions(const RecurrentAttributes& attributes) {
  RecurrentFunctions functions;
  UnaryFunction* const places[] = {&functions.f, &functions.g, &functions.h};
  for (size_t i = 0; i < functions_of(attributes.kind); ++i) *places[i] = function_of(attributes, i);
  return functions;
}

// ---- cells

InputRange CellOp::quantised_inputs(const Node& node) const {
  const CellInputs inputs = inputs_of(node.inputs.size(), shape_of(node.inputs.back()));
  return {inputs.w, inputs.r + 1};
}

void CellOp::visit_attributes(AttributeVisitor& visitor) { visit_common(visitor, attributes_); }

CellInputs CellOp::inputs_of(size_t count, const PartialShape& last) const {
  const size_t w = 1 + attributes_.states();
  // One matrix [W R], optionally followed by a vector.
  const bool fused =
      forms_.fused && (count == w + 1 || (count == w + 2 && last.has_rank() && last.rank() == 1));
  CellInputs inputs = {w, fused ? w : w + 1};
  if (inputs.r + 1 < count) inputs.b = inputs.r + 1;
  return inputs;
}

void infer_cell(InferContext& context, const RecurrentAttributes& attributes, const CellInputs& inputs) {
  const bool lstm = attributes.kind == Recurrence::kLstm, projected = inputs.w == CellInputs::kNone;
  const ElementType type = common_type(context, context.input_count());
  const std::string_view x_name = projected ? "X W" : "X";
  const std::string_view c_name = "initial_cell_state";
  const std::string_view h_name = attributes.kind == Recurrence::kRnn ? "H" : "initial_hidden_state";
  const std::string_view w_name = inputs.fused() ? "WR" : "W";
  expect_rank(context, 0, 2, 2, x_name);
  expect_rank(context, 1, 2, 2, h_name);
  if (lstm) expect_rank(context, 2, 2, 2, c_name);
  if (!projected) expect_rank(context, inputs.w, 2, 2, w_name);
  if (!inputs.fused()) expect_rank(context, inputs.r, 2, 2, "R");
  if (inputs.b != CellInputs::kNone) expect_rank(context, inputs.b, 1, 1, "B");

  SharedSize batch("batch_size");
  SharedSize hidden("hidden_size", attributes.hidden_size, "the attribute");
  batch.meet(context, 0, x_name, 0);
  batch.meet(context, 1, h_name, 0);
  hidden.meet(context, 1, h_name, 1);
  if (lstm) {
    batch.meet(context, 2, c_name, 0);
    hidden.meet(context, 2, c_name, 1);
  }
  const int64_t gates = static_cast<int64_t>(attributes.gates());
  if (projected) {
    hidden.meet(context, 0, x_name, 1, gates);
  } else {
    hidden.meet(context, inputs.w, w_name, 0, gates);
    SharedSize input_size("input_size");
    input_size.meet(context, 0, x_name, 1);
    input_size.meet(context, inputs.w, w_name, 1, 1, inputs.fused() ? attributes.hidden_size : 0);
  }
  if (!inputs.fused()) {
    hidden.meet(context, inputs.r, "R", 0, gates);
    hidden.meet(context, inputs.r, "R", 1);
  }
  if (inputs.b != CellInputs::kNone) {
    hidden.meet(context, inputs.b, "B", 0, static_cast<int64_t>(attributes.bias_rows()));
  }
  for (size_t i = 0; i < attributes.states(); ++i) context.set_output(i, type, {batch.size(), hidden.size()});
}

std::unique_ptr<Kernel> compile_cell(CompileContext& context, const RecurrentAttributes& attributes,
                                     const CellInputs& inputs) {
  return compile_in_f32(
      context,
      [&](CompileContext& inner) -> std::unique_ptr<Kernel> {
        const Shape x = inner.input_shape(0);
        const RecurrentSizes sizes = {static_cast<size_t>(x[0]), static_cast<size_t>(x[1]),
                                      static_cast<size_t>(attributes.hidden_size)};
        RecurrentWeights weights = {
            .w = inputs.w, .r = inputs.r, .b = inputs.b, .w_stride = sizes.input, .r_stride = sizes.hidden};
        if (inputs.fused()) {
          weights.r_first = sizes.input;
          weights.w_stride = weights.r_stride = sizes.input + sizes.hidden;
        }
        auto kernel = make_cell_kernel(inner, attributes, sizes, weights);
        for (const size_t i : {inputs.w, inputs.r}) {
          if (i != CellInputs::kNone && inner.input(i).constant != nullptr) inner.consume(i);
        }
        return kernel;
      },
      {.as_f32 = ~uint32_t{0}});
}

void CellOp::infer(InferContext& context) const {
  const size_t w = 1 + attributes_.states(), count = context.input_count();
  context.expect_inputs(w + (forms_.fused ? 1 : 2), w + (forms_.peepholes ? 4 : 3));
  infer_cell(context, attributes_, inputs_of(count, context.input_shape(count - 1)));
}

std::unique_ptr<Kernel> CellOp::compile(CompileContext& context) const {
  const size_t count = context.input_count();
  return compile_cell(context, attributes_, inputs_of(count, context.input(count - 1).shape));
}

bool CellOp::can_overwrite(const CompileContext&, size_t input, size_t output) const {
  return cell_can_overwrite(attributes_, input, output);
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
  const uint32_t lengths = uint32_t{1} << (1 + attributes_.states());
  return compile_in_f32(context,
                        [&](CompileContext& inner) -> std::unique_ptr<Kernel> {
                          const Shape x = inner.input_shape(0);
                          const RecurrentSizes sizes = {static_cast<size_t>(x[0]), static_cast<size_t>(x[2]),
                                                        static_cast<size_t>(attributes_.hidden_size)};
                          auto kernel =
                              make_sequence_kernel(inner, attributes_, sizes, static_cast<size_t>(x[1]));
                          for (const size_t input : {2 + attributes_.states(), 3 + attributes_.states()}) {
                            if (inner.input(input).constant != nullptr) inner.consume(input);
                          }
                          return kernel;
                        },
                        {.as_f32 = ~lengths, .as_i64 = lengths});
}

}  // namespace wasmvino::ops
