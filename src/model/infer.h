// SPDX-License-Identifier: Apache-2.0
// Infers types, shapes and known values of a whole model, without changing the model.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "model/node.h"

namespace wasmvino::model {

struct Inference {
  // By value number (Node::first_value + port).
  std::vector<ValueInfo> values;
  // Inputs whose value some shape depends on: index of the node, index of the input, and whether the value is
  // known.
  struct Asked {
    size_t node;
    size_t input;
    bool known;

    bool operator==(const Asked&) const = default;
  };
  std::vector<Asked> asked;
  // By node: true if its values were computed from known inputs.
  std::vector<char> folded;

  // What an inference that began with an earlier one has changed since forget_changes().
  // By value number: true if the value is the same. Empty without an earlier inference.
  std::vector<char> unchanged;
  // Whether all changed values have their earlier types, have static shapes exactly if they had before, are
  // known exactly if they were before, and shapes depend on the same inputs.
  bool same_form = true;

  void forget_changes() {
    unchanged.clear();
    same_form = true;
  }

  const ValueInfo& of(Source source) const { return values[source.node->first_value + source.port]; }
};

// Throws Error(kInvalidType) if the operation does not accept the element types of the inputs.
void check_types(const Op& op, std::span<const ValueInfo* const> inputs);

// Types, shapes and quantisations of one node's outputs. Inputs whose value a shape depends on are marked in
// `asked`.
std::vector<ValueInfo> infer_node(const Node& node, std::span<const ValueInfo* const> inputs,
                                  const Variables* variables = nullptr, std::vector<char>* asked = nullptr);

// The same and, if all inputs are known, the values of the outputs.
struct NodeInference {
  std::vector<ValueInfo> outputs;
  bool folded = false;  // the values were computed
};
// Values of more than 64 Ki elements are not computed.
NodeInference infer_and_fold(const Node& node, std::span<const ValueInfo* const> inputs,
                             const Variables* variables = nullptr, std::vector<char>* asked = nullptr);

// Infers everything in an indexed model, for parameters of the given types and shapes: types, shapes and, if
// all inputs of a node are known, values. Values of more than 64 Ki elements are not computed. `variables`
// are those of the running request, if any. Errors are thrown. If `errors` is given, they are appended to it
// instead, except those about the call, and everything that depends on the failing node is skipped.
//
// `earlier` is an inference of the same model without errors, or empty. Nodes whose inputs are as in that
// inference are not inferred again. A language model infers a fifth of its nodes for each new token: those
// whose shapes grow.
Inference infer_model(const Model& model, std::span<const ValueInfo> parameters,
                      const Variables* variables = nullptr, std::vector<Error>* errors = nullptr,
                      Inference earlier = {});

// Tensors with more axes are rejected. This is numpy's limit. OpenVINO's CPU plugin accepts at most 12 axes
// in most operations.
inline constexpr size_t kMostAxes = 64;
// Throws Error(kInvalidShape) if a shape has more. `what` is what would have it.
void check_axes(const PartialShape& shape, std::string_view what);

// Calls Op::compile() unless all outputs are empty. The tables of a kernel may be as long as another axis
// even if an output has no elements.
std::unique_ptr<Kernel> compile_kernel(CompileContext& context);

// Call it in a catch block. Rethrows the caught exception as an Error that names the node. Exceptions of the
// standard library for exhausted memory or container sizes become kOutOfMemory.
[[noreturn]] void rethrow_at(const Node& node);

// Computes one node from values, outside of any plan, for constant folding and tests.
// Throws Error(kUnsupported) for nodes with bodies.
std::vector<Tensor> evaluate_node(const Node& node, std::span<const Tensor> inputs,
                                  const Parallel& parallel = Parallel());

}  // namespace wasmvino::model
