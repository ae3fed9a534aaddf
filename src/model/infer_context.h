// SPDX-License-Identifier: Apache-2.0
// What an operation infers from, and where it puts the result.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "model/known_values.h"
#include "model/value_info.h"
#include "model/variable.h"

namespace wasmvino::model {

class Node;

// Element types and shapes of a node's inputs, and the place for those of its outputs.
class InferContext {
 public:
  InferContext(const Node& node, std::span<const ValueInfo* const> inputs, std::span<ValueInfo> outputs)
      : node_(node), inputs_(inputs), outputs_(outputs), asked_(inputs.size()), known_(inputs) {}

  const Node& node() const { return node_; }
  size_t input_count() const { return inputs_.size(); }
  size_t output_count() const { return outputs_.size(); }
  ElementType input_type(size_t i) const { return inputs_[i]->type; }
  // The type that inputs a and b share, as the operation's contract has it; either may be dynamic.
  ElementType common_type(size_t a, size_t b) const {
    return input_type(a) == ElementType::kDynamic ? input_type(b) : input_type(a);
  }
  const PartialShape& input_shape(size_t i) const { return inputs_[i]->shape; }
  const ValueInfo& input(size_t i) const { return *inputs_[i]; }
  // The value of an input where it is known, else nullptr; valid as long as the context. What is asked for
  // here is what the shapes depend on: it becomes part of what a plan is made for.
  const TensorView* input_value(size_t i) {
    asked_[i] = 1;
    return known_.of(i);
  }
  // The same for what is only checked: shapes do not depend on it.
  const TensorView* known_value(size_t i) const { return known_.of(i); }
  // The integers of a known input (shape, axes, pads ...).
  std::optional<Ints> input_ints(size_t i) {
    const TensorView* value = input_value(i);
    return value ? std::optional(to_ints(*value)) : std::nullopt;
  }
  void set_output(size_t i, ElementType type, PartialShape shape);
  // For an output whose value follows from types and shapes alone (ShapeOf): it is never computed.
  void set_output_value(size_t i, Tensor value);

  // Throws Error(kInvalidModel) unless first <= input_count() <= last.
  void expect_inputs(size_t first, size_t last) const;
  void expect_inputs(size_t count) const { expect_inputs(count, count); }

  // Types and shapes of the results of one of the node's bodies, for given parameters. Body parameters whose
  // value shapes inside depend on, known or not, are marked in `asked`.
  std::vector<ValueInfo> infer_body(size_t body, std::span<const ValueInfo> parameters,
                                    std::vector<char>& asked) const;
  // Says that shapes depend on the value of input i (for bodies).
  void mark_asked(size_t i) { asked_[i] = 1; }
  bool asked(size_t i) const { return asked_[i] != 0; }

  // The variable's present state; nullptr where no request runs.
  const Variable* variable(std::string_view id) const;
  void set_variables(const Variables* variables) { variables_ = variables; }
  // Whether this is for a request with full shapes, rather than for a model that is read.
  bool runs() const { return variables_ != nullptr; }

 private:
  const Node& node_;
  std::span<const ValueInfo* const> inputs_;
  std::span<ValueInfo> outputs_;
  std::vector<char> asked_;
  KnownValues known_;
  const Variables* variables_ = nullptr;
};

}  // namespace wasmvino::model
