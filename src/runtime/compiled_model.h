// SPDX-License-Identifier: Apache-2.0
// A compiled model, and the requests that run it.
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
  std::string friendly_name;  // of the layer that computes the value; OpenVINO uses it if there are no names
  ElementType type = ElementType::kDynamic;
  PartialShape shape;

  // The first tensor name or, if there is none, the friendly name.
  const std::string& any_name() const { return names.empty() ? friendly_name : names.front(); }
};

// In the order of the .xml. The model is indexed and inferred.
std::vector<Port> input_ports(const model::Model& model);
std::vector<Port> output_ports(const model::Model& model);
// Position of the port that has this tensor name or, if no port has it, this friendly name.
// Otherwise throws Error(kInvalidArgument), which lists the existing names.
size_t find_port(std::span<const Port> ports, std::string_view name, std::string_view kind);

// OpenVINO's default of DYNAMIC_QUANTIZATION_GROUP_SIZE.
inline constexpr size_t kDefaultRowGroup = 32;

struct CompileOptions {
  // If false, the graph runs as it was read, node by node. This helps to find the pass that changes a result.
  bool passes = true;
  // If false, quantised networks run in f32: each FakeQuantize is computed as the model has it.
  bool integers = true;
  // Number of elements of a row of activations that are quantised together during a run, for matmuls with
  // quantised weights. 0: rows are not quantised.
  size_t row_group = 0;
  // How variables with keys and values of attention are kept between runs. Their values in the API are f32.
  model::CachePrecision cache_precision = {};
  // Names of passes that do not run, separated by commas. An unknown name is an Error(kInvalidArgument).
  std::string skipped_passes = {};
  // Language models compute the logits of the last position only: passes::keep_last_logits().
  bool last_logits = false;
  // Measures the time of each node. See InferRequest::profiling().
  bool profiling = false;
  // Number of threads that compute a run, including the caller's. At most kMostThreads are used. A build
  // without threads uses one.
  size_t threads = 1;
  // If true, the caller sets all inputs again before each run. A node that is the last user of an input may
  // then overwrite it. A result in the memory of an input stays there.
  bool overwrites_inputs = false;
};

// Time of one node, summed over the last run. In bodies, it is summed over all iterations.
struct ProfilingInfo {
  std::string node_name;  // layers inside bodies: "outer/inner"
  std::string node_type;
  std::string exec_type;  // operation and version that computed it: "GatherTree-1"
  double microseconds = 0;
  int64_t calls = 0;
};

// A port inside the graph whose values a run keeps. Serves to debug a model and to show how it works.
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
  // Copies the model. Throws Error if a layer cannot be compiled or if current_call() ends the compilation.
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
  std::unique_ptr<model::Model> source_;  // as read; used while ports are observed, as it has all layers
  std::unique_ptr<Shared> shared_;
  std::unique_ptr<RequestState> prepared_;  // planned when compiling, for the first request
};

// Only one thread at a time may use a request. cancel() is the exception.
class InferRequest {
 public:
  ~InferRequest();

  const CompiledModel& compiled_model() const { return *compiled_; }

  // Sets the tensor of input i for the next run. It is kept by reference, not copied.
  // Throws Error(kInvalidType|kInvalidShape) if its type or shape does not fit the port.
  void set_input(size_t i, Tensor tensor);
  // The tensor of input i that was set. For static shapes, the first call creates a tensor to fill in place.
  const Tensor& input(size_t i);
  // Sets the tensor that receives output i. Its type and shape must be those of the result.
  void set_output(size_t i, Tensor tensor);
  // The result of the last run. Before the first run: zeros of the port's shape. The next run uses the memory
  // again unless somebody keeps the tensor.
  const Tensor& output(size_t i);

  // Runs the model within `limits`. On an Error, all variables stay unchanged and the request can run again.
  // Inputs stay unchanged too, unless they are overwritten. `progress` is notified of each node and
  // iteration.
  void infer(const Limits& limits = {}, ProgressListener* progress = nullptr);
  // Makes a running infer() throw Error(kCancelled) before its next node, iteration or range of a kernel.
  void cancel();

  // Variables of ReadValue and Assign, sorted by id. Their values have the declared axes until the next run.
  std::vector<model::Variable*> variables();
  // Their ids.
  std::vector<std::string> variable_names() const;
  // One of them. The others stay as they are.
  model::Variable& variable(size_t i);
  void reset_variable(size_t i);
  // Unsets all variables. ReadValue then returns its initial value again.
  void reset_state();

  // In the order of execution. Empty unless compiled with profiling.
  std::vector<ProfilingInfo> profiling() const;

  // Replaces the list of observed ports. Throws Error(kInvalidArgument) for a path or port that does not
  // exist. While ports are observed, the graph runs without the passes, so that every layer has its value.
  void observe(std::vector<ObservedPort> ports);
  // The values of the observed ports in the last run, in order of computation.
  const std::vector<Observation>& observations() const;

  // Describes the plans in use, which are those of the last run. Before the first run, they are its plans if
  // all input shapes are fixed. Without a plan there are no nodes.
  Explanation explain();

  // Bytes held for temporaries and outputs.
  size_t memory_bytes() const;

 private:
  friend class CompiledModel;

  InferRequest(std::shared_ptr<CompiledModel> compiled, std::unique_ptr<CompiledModel::RequestState> state);
  void bind_outputs();
  // Stores result i of the run in the tensor that the caller gets.
  void take_result(size_t i);

  std::shared_ptr<CompiledModel> compiled_;
  std::unique_ptr<CompiledModel::RequestState> state_;
};

}  // namespace wasmvino::runtime
