// SPDX-License-Identifier: Apache-2.0
// Inference over a whole model, as a function: the model itself is not changed.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "model/node.h"

namespace wasmvino::model {

struct Inference {
  // By value number (Node::first_value + port).
  std::vector<ValueInfo> values;
  // Inputs whose value some shape depends on: number of the node, number of the input, whether the value is
  // known.
  struct Asked {
    size_t node;
    size_t input;
    bool known;
  };
  std::vector<Asked> asked;
  // By node: its values were computed from known inputs.
  std::vector<char> folded;

  const ValueInfo& of(Source source) const { return values[source.node->first_value + source.port]; }
};

// Throws Error(kInvalidType) where the inputs' element types are not those that the operation takes.
void check_types(const Op& op, std::span<const ValueInfo* const> inputs);

// Types and shapes of one node's outputs and, where all its inputs are known, their values.
struct NodeInference {
  std::vector<ValueInfo> outputs;
  bool folded = false;  // the values were computed
};
// Values of more than 64 Ki elements are not computed. Inputs whose value a shape depends on are marked in
// `asked`.
NodeInference infer_and_fold(const Node& node, std::span<const ValueInfo* const> inputs,
                             const Variables* variables = nullptr, std::vector<char>* asked = nullptr);

// Types, shapes and, where all inputs of a node are known, values of everything in an indexed model, for
// parameters of the given types and shapes. Values of more than 64 Ki elements are not computed. `variables`
// are those of the request that runs, if one does. An error is thrown; or, where `errors` is given, noted
// there, and what follows from it left out.
Inference infer_model(const Model& model, std::span<const ValueInfo> parameters,
                      const Variables* variables = nullptr, std::vector<Error>* errors = nullptr);

// More axes than this are refused: numpy's limit. OpenVINO's CPU plugin takes 12 at most in most operations.
inline constexpr size_t kMostAxes = 64;

// Op::compile(); but nothing is made for outputs without elements, whose tables may still be as long as
// another axis.
std::unique_ptr<Kernel> compile_kernel(CompileContext& context);

// To be called in a catch block: throws what was caught as an Error that names the node. What the standard
// library throws where memory or a container's size is at its end is kOutOfMemory.
[[noreturn]] void rethrow_at(const Node& node);

// Computes one node from values, outside any plan: for folding and for tests.
// Throws Error(kUnsupported) for nodes with bodies.
std::vector<Tensor> evaluate_node(const Node& node, std::span<const Tensor> inputs,
                                  const Parallel& parallel = Parallel());

}  // namespace wasmvino::model
