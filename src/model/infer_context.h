// SPDX-License-Identifier: Apache-2.0
// The context in which an operation infers its outputs.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <utility>
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
  // The type that inputs a and b share according to the operation's contract. One of them may be dynamic.
  ElementType common_type(size_t a, size_t b) const {
    return input_type(a) == ElementType::kDynamic ? input_type(b) : input_type(a);
  }
  const PartialShape& input_shape(size_t i) const { return inputs_[i]->shape; }
  const ValueInfo& input(size_t i) const { return *inputs_[i]; }
  // The value of an input if it is known, else nullptr. It stays valid as long as the context. Shapes are
  // assumed to depend on every value that is requested here, so a plan holds for these values only.
  const TensorView* input_value(size_t i) {
    asked_[i] = 1;
    return known_.of(i);
  }
  // As input_value(), for values that are only checked: shapes do not depend on them.
  const TensorView* known_value(size_t i) const { return known_.of(i); }
  // The integers of a known input (shape, axes, pads ...).
  std::optional<Ints> input_ints(size_t i) {
    const TensorView* value = input_value(i);
    return value ? std::optional(to_ints(*value)) : std::nullopt;
  }
  void set_output(size_t i, ElementType type, PartialShape shape);
  // Says that output i, which is u8, has been quantised. Null: it has not.
  void set_quantization(size_t i, SharedQuantization quantization) {
    outputs_[i].quantization = std::move(quantization);
  }
  // For an output whose value follows from types and shapes alone (ShapeOf). The output is then never
  // computed.
  void set_output_value(size_t i, Tensor value);

  // Throws Error(kInvalidModel) unless first <= input_count() <= last.
  void expect_inputs(size_t first, size_t last) const;
  void expect_inputs(size_t count) const { expect_inputs(count, count); }

  // Types and shapes of the results of one of the node's bodies, for the given parameters. Marks in `asked`
  // the body parameters whose value a shape in the body depends on, whether or not the value is known.
  std::vector<ValueInfo> infer_body(size_t body, std::span<const ValueInfo> parameters,
                                    std::vector<char>& asked) const;
  // Records that shapes depend on the value of input i (for bodies).
  void mark_asked(size_t i) { asked_[i] = 1; }
  bool asked(size_t i) const { return asked_[i] != 0; }

  // The variable's current state, or nullptr outside of a request.
  const Variable* variable(std::string_view id) const;
  void set_variables(const Variables* variables) { variables_ = variables; }
  // Whether a request is being planned with full shapes, as opposed to a model being read.
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
