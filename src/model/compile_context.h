// SPDX-License-Identifier: Apache-2.0
// The context in which an operation chooses and prepares a kernel.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/checked.h"
#include "core/parallel.h"
#include "model/known_values.h"
#include "model/subgraph.h"
#include "model/value_info.h"
#include "model/variable.h"

namespace wasmvino::model {

class Node;

// What the runtime provides during compilation.
class CompileServices {
 public:
  virtual ~CompileServices() = default;
  virtual std::unique_ptr<Subgraph> subgraph(const Node& node, size_t body,
                                             std::span<const ValueInfo> parameters) = 0;
  // The place for what CompileContext::shared() keeps for a node under `key`.
  virtual std::shared_ptr<const void>& cache(const Node& node, std::string_view key) = 0;
  virtual Variable& variable(std::string_view id) = 0;
  virtual const Parallel& parallel() const = 0;
};

// Everything that is fixed when a node is compiled for known input types and shapes.
class CompileContext {
 public:
  CompileContext(const Node& node, std::span<const ValueInfo* const> inputs,
                 std::span<const ValueInfo> outputs, CompileServices& services)
      : node_(node),
        inputs_(inputs),
        outputs_(outputs),
        services_(services),
        known_(inputs),
        consumed_(inputs.size()) {}

  const Node& node() const { return node_; }
  size_t input_count() const { return inputs_.size(); }
  size_t output_count() const { return outputs_.size(); }
  ElementType input_type(size_t i) const { return inputs_[i]->type; }
  Shape input_shape(size_t i) const { return inputs_[i]->shape.to_shape(); }
  const ValueInfo& input(size_t i) const { return *inputs_[i]; }
  ElementType output_type(size_t i) const { return outputs_[i].type; }
  // False if the shape depends on data. The kernel then calls EvalContext::set_output_shape.
  bool has_output_shape(size_t i) const { return outputs_[i].shape.is_static(); }
  Shape output_shape(size_t i) const { return outputs_[i].shape.to_shape(); }
  // False if output i has no users. The kernel then need not write it.
  bool is_read(size_t i) const { return i >= 64 || (unread_ >> i & 1) == 0; }
  // One bit per output that has no users, for the first 64 outputs.
  void set_unread(uint64_t unread) { unread_ = unread; }
  uint64_t unread() const { return unread_; }

  // The value of an input that is the same in every run, else nullptr. It stays valid as long as the context.
  // If the input is not consumed, it stays valid as long as the plan.
  const TensorView* constant(size_t i) const { return known_.of(i); }
  std::optional<Ints> constant_ints(size_t i) const {
    const TensorView* value = constant(i);
    return value ? std::optional(to_ints(*value)) : std::nullopt;
  }
  // Declares that run() never reads input i, because the kernel has packed it. The raw form is freed once
  // nothing else holds it.
  void consume(size_t i) { consumed_[i] = 1; }
  bool consumed(size_t i) const { return consumed_[i] != 0; }
  // The constants that compilation read and that run() may read, by input. Keep them as long as the kernel.
  std::vector<Tensor> take_constants() {
    for (size_t i = 0; i < consumed_.size(); ++i) {
      if (consumed_[i]) known_.release(i);
    }
    return known_.take();
  }

  // Requests memory for the kernel's own use during a run, aligned to 64 bytes. See EvalContext::scratch().
  void request_scratch(CheckedSize bytes) { scratch_bytes_ = std::max(scratch_bytes_, bytes.value()); }
  size_t scratch_bytes() const { return scratch_bytes_; }

  // Returns what make() makes from input i, for example packed weights. All plans and requests of the
  // compiled model share it. Nodes that read the same constant share it too, so `key` must name everything
  // else that it depends on.
  template <typename T, typename Make>
  std::shared_ptr<const T> shared(size_t i, std::string_view key, Make make) {
    std::shared_ptr<const void>& place = packed_place(i, key);
    if (place == nullptr) place = std::shared_ptr<const T>(make());
    return std::static_pointer_cast<const T>(place);
  }
  // A body of the node, planned for parameters of these types and shapes. Known values are folded.
  std::unique_ptr<Subgraph> subgraph(size_t body, std::span<const ValueInfo> parameters) {
    return services_.subgraph(node_, body, parameters);
  }
  Variable& variable(std::string_view id) { return services_.variable(id); }
  const Parallel& parallel() const { return services_.parallel(); }
  // For compiling the same node again with other types.
  CompileServices& services() const { return services_; }

 private:
  // Where shared() keeps its result: with the constant, or with the node if the input was folded on the way.
  std::shared_ptr<const void>& packed_place(size_t i, std::string_view key);

  const Node& node_;
  std::span<const ValueInfo* const> inputs_;
  std::span<const ValueInfo> outputs_;
  CompileServices& services_;
  KnownValues known_;
  std::vector<char> consumed_;
  uint64_t unread_ = 0;  // one bit per output
  size_t scratch_bytes_ = 0;
};

}  // namespace wasmvino::model
