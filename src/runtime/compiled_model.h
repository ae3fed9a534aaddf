// SPDX-License-Identifier: Apache-2.0
// A model made ready to run, and the requests that run it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/call.h"
#include "model/node.h"
#include "model/registry.h"
#include "passes/changes.h"

namespace wasmvino::runtime {

// An input or output of a model.
struct Port {
  std::vector<std::string> names;  // tensor names, sorted; may be empty
  std::string
      friendly_name;  // of the layer that gives the value: OpenVINO's fallback where there are no names
  ElementType type = ElementType::kDynamic;
  PartialShape shape;

  // First tensor name, or the friendly name.
  const std::string& any_name() const { return names.empty() ? friendly_name : names.front(); }
};

// In the order of the .xml. The model is indexed and inferred.
std::vector<Port> input_ports(const model::Model& model);
std::vector<Port> output_ports(const model::Model& model);
// Position of the port that has this tensor name or, where none has, this friendly name.
// Throws Error(kInvalidArgument) listing the names there are.
size_t find_port(std::span<const Port> ports, std::string_view name, std::string_view kind);

// OpenVINO's default of DYNAMIC_QUANTIZATION_GROUP_SIZE.
inline constexpr size_t kDefaultRowGroup = 32;

struct CompileOptions {
  // Off: the graph runs as it was read, node by node, for finding out which pass changes a result.
  bool passes = true;
  // Off: quantised networks run in f32, each FakeQuantize as it stands.
  bool integers = true;
  // Elements of a row of activations that are quantised together while they run, where weights are quantised;
  // 0: none are.
  size_t row_group = 0;
  // Time each node: InferRequest::profiling().
  bool profiling = false;
  // Threads that compute a run together, the caller's included; more than kMostThreads are never used.
  // Without threads in the build there is one.
  size_t threads = 1;
  // Inputs are given anew before each run: what a node makes of an input that ends there is written over it,
  // and a result that ends up in an input's memory stays there.
  bool overwrites_inputs = false;
};

// Time of one node that ran, summed over the last run (bodies: over all iterations).
struct ProfilingInfo {
  std::string node_name;  // layers inside bodies: "outer/inner"
  std::string node_type;
  std::string exec_type;  // operation and version that computed it: "GatherTree-1"
  double microseconds = 0;
  int64_t calls = 0;
};

// A port inside the graph whose values are kept while running: for debugging and for showing how a model
// works.
struct ObservedPort {
  // Layer names from the outermost: {"decoder", "topk"} is layer "topk" in a body of layer "decoder".
  std::vector<std::string> path;
  size_t port = 0;
};

// One value that an observed port had.
struct Observation {
  size_t observed = 0;              // position in the list given to observe()
  std::vector<int64_t> iterations;  // of each enclosing body, outermost first
  Tensor value;
};

class InferRequest;
class ProgressListener;
struct Explanation;

class CompiledModel : public std::enable_shared_from_this<CompiledModel> {
 public:
  // Takes a copy of the model; throws Error where a layer cannot be compiled, or where current_call() ends
  // it.
  static std::shared_ptr<CompiledModel> compile(const model::Model& model, const model::Registry& registry,
                                                const CompileOptions& options = {});
  ~CompiledModel();

  const std::vector<Port>& inputs() const { return inputs_; }
  const std::vector<Port>& outputs() const { return outputs_; }
  // The graph that runs, after the passes.
  const model::Model& model() const { return *model_; }
  // What the passes did.
  const std::vector<passes::Change>& changes() const { return changes_; }
  const CompileOptions& options() const { return options_; }
  std::unique_ptr<InferRequest> create_infer_request();

 private:
  friend class InferRequest;
  struct Shared;        // packed weights, used by all requests
  struct RequestState;  // plans and tensors of one request

  CompiledModel();

  CompileOptions options_;
  std::vector<Port> inputs_, outputs_;
  std::vector<passes::Change> changes_;
  std::unique_ptr<model::Model> model_;
  std::unique_ptr<model::Model> source_;  // as read: while ports are observed, all layers must be there
  std::unique_ptr<Shared> shared_;
  std::unique_ptr<RequestState> prepared_;  // planned when compiling, for the first request
};

// Not for use by two threads at a time, except cancel().
class InferRequest {
 public:
  ~InferRequest();

  const CompiledModel& compiled_model() const { return *compiled_; }

  // The tensor that input i reads in the next run; kept by reference, not copied.
  // Throws Error(kInvalidType|kInvalidShape) where type or shape do not fit the port.
  void set_input(size_t i, Tensor tensor);
  // The tensor set before; for static shapes one is made at the first call, to be filled in place.
  const Tensor& input(size_t i);
  // Output i is written here; type and shape must be those that the run gives.
  void set_output(size_t i, Tensor tensor);
  // Result of the last run; before it, zeros of the port's shape. Memory is used again by the next run unless
  // somebody keeps the tensor.
  const Tensor& output(size_t i);

  // Runs the model within `limits`. On an Error all variables stay as they were, inputs too where they are
  // not overwritten, and the request can run again. `progress` hears of each node and iteration.
  void infer(const Limits& limits = {}, ProgressListener* progress = nullptr);
  // Makes a running infer() throw Error(kCancelled) before its next node, iteration or range of a kernel.
  void cancel();

  // Variables of ReadValue and Assign, sorted by id.
  std::vector<model::Variable*> variables();
  // Makes all variables unset: ReadValue gives its initial value again.
  void reset_state();

  // In the order of execution. Empty unless compiled with profiling.
  std::vector<ProfilingInfo> profiling() const;

  // Replaces the list of observed ports; throws Error(kInvalidArgument) for a path or port that does not
  // exist. While there are any, the graph runs without the passes, so that every layer has its value.
  void observe(std::vector<ObservedPort> ports);
  // What the observed ports held in the last run, in order of computation.
  const std::vector<Observation>& observations() const;

  // The plans in use: those of the last run; before it, where all input shapes are fixed, those of the first
  // one. Without any plan there are no nodes.
  Explanation explain();

  // Bytes held for temporaries and outputs.
  size_t memory_bytes() const;

 private:
  friend class CompiledModel;

  InferRequest(std::shared_ptr<CompiledModel> compiled, std::unique_ptr<CompiledModel::RequestState> state);
  void bind_outputs();
  // Puts result i of the run into the tensor that the caller sees.
  void take_result(size_t i);

  std::shared_ptr<CompiledModel> compiled_;
  std::unique_ptr<CompiledModel::RequestState> state_;
};

}  // namespace wasmvino::runtime
