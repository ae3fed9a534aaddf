// SPDX-License-Identifier: Apache-2.0
#include "runtime/compiled_model.h"

#include <algorithm>
#include <functional>
#include <set>

#include "core/packed_bits.h"
#include "core/sort.h"
#include "ops/registers.h"
#include "runtime/executor.h"
#include "runtime/explanation.h"
#include "runtime/progress.h"
#include "runtime/thread_pool.h"
#include "runtime/variables.h"

namespace wasmvino::runtime {
namespace {

void collect_variables(const model::Model& model, std::vector<std::unique_ptr<model::Variable>>& variables) {
  for (const auto& node : model.nodes) {
    for (const model::Body& body : node->bodies) collect_variables(*body.model, variables);
    const std::string_view reads = node->op->reads_variable();
    const std::string_view id = reads.empty() ? node->op->writes_variable() : reads;
    if (id.empty()) continue;
    auto place = std::find_if(variables.begin(), variables.end(), [&](const auto& v) { return v->id == id; });
    if (place == variables.end()) {
      variables.push_back(std::make_unique<model::Variable>());
      variables.back()->id = id;
      place = variables.end() - 1;
    }
    if (!reads.empty() && !node->outputs.empty()) {
      (*place)->type = node->outputs[0].type;
      (*place)->shape = node->outputs[0].shape;
    }
  }
}

// The variables that bodies assign.
void collect_assigned(const model::Model& model, bool is_body, const RunState& run, std::set<size_t>& found) {
  for (const auto& node : model.nodes) {
    for (const model::Body& body : node->bodies) collect_assigned(*body.model, true, run, found);
    const std::string_view id = node->op->writes_variable();
    for (size_t i = 0; is_body && !id.empty() && i < run.variables.size(); ++i) {
      if (run.variables[i]->id == id) found.insert(i);
    }
  }
}

// Weights that several operations pack in their own forms are read several times.
void keep_shared_weights(const model::Model& model, std::set<const model::ConstantData*>& seen) {
  for (const auto& node : model.nodes) {
    for (const model::Body& body : node->bodies) keep_shared_weights(*body.model, seen);
    for (const model::Source input : node->inputs) {
      const model::ConstantData* constant = input.node->constant.get();
      if (constant != nullptr && !seen.insert(constant).second) constant->keep_source();
    }
  }
}

std::vector<model::VariableForm> forms_of_variables(const model::Model& model, const RunState& run) {
  std::vector<model::VariableForm> forms(run.variables.size());
  for (const auto& node : model.nodes) {
    const model::VariableForm form = node->op->variable_form();
    for (size_t i = 0; form != model::VariableForm() && i < run.variables.size(); ++i) {
      if (run.variables[i]->id == node->op->reads_variable()) forms[i] = form;
    }
  }
  return forms;
}

bool overlap(const TensorView& a, const TensorView& b) {
  const char* first = a.data<char>();
  const char* second = b.data<char>();
  return first < second + b.byte_size() && second < first + a.byte_size();
}

}  // namespace

struct CompiledModel::Shared {
  explicit Shared(size_t threads) : parallel(make_parallel(threads)) {}

  WeightCache weights;
  std::unique_ptr<Parallel> parallel;
};

struct CompiledModel::RequestState {
  explicit RequestState(CompiledModel& compiled);
  const Tensor& input(size_t i);
  // Plans for the inputs that are set.
  void prepare();
  // Plans for inputs of the ports' shapes, before any is set.
  void prepare_ahead();
  void use(const model::Model& model);
  // Lays out the variables as the model that runs keeps them, or as the model declares them.
  void lay_out_variables();
  void lay_out_variables_as_declared();
  model::Variable& variable(size_t i);
  // Plans the model without the passes for the same inputs. Throws the error of that plan, if there is one.
  void explain();
  std::vector<model::ValueInfo> parameters_of_ports() const;
  // The input that contains `memory`, if results may stay there.
  const Tensor* input_around(const void* memory) const;

  const CompiledModel& compiled;
  CancelFlag cancelled;
  RunState run;
  std::unique_ptr<Executor> executor;
  std::set<size_t> assigned_in_bodies;  // positions in RunState::variables
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;        // of the last run
  std::vector<Tensor> given_outputs;  // set by the caller
};

CompiledModel::RequestState::RequestState(CompiledModel& compiled) : compiled(compiled) {
  const model::Model& model = *compiled.model_;
  run.weights = &compiled.shared_->weights;
  run.parallel = compiled.shared_->parallel.get();
  run.profiling = compiled.options_.profiling;
  run.overwrites_inputs = compiled.options_.overwrites_inputs;
  collect_variables(*compiled.source_, run.variables);  // as the model declares them
  sort_few(run.variables.data(), run.variables.data() + run.variables.size(),
           [](const auto& a, const auto& b) { return a->id < b->id; });
  collect_assigned(*compiled.source_, false, run, assigned_in_bodies);
  use(model);
  inputs.resize(model.parameters.size());
  outputs.resize(model.results.size());
  given_outputs.resize(model.results.size());
}

void CompiledModel::RequestState::use(const model::Model& model) {
  std::vector<model::VariableForm> forms = forms_of_variables(model, run);
  auto made = std::make_unique<Executor>(model, std::vector<std::string>(), std::string(),
                                         parameters_of_ports(), run);
  run.variable_forms = std::move(forms);
  executor = std::move(made);
}

void CompiledModel::RequestState::lay_out_variables() {
  for (size_t i = 0; i < run.variables.size(); ++i)
    lay_out(*run.variables[i], run.variable_forms[i], *run.parallel);
}

model::Variable& CompiledModel::RequestState::variable(size_t i) {
  if (i >= run.variables.size()) fail(ErrorCode::kInvalidArgument, "there is no variable ", i);
  return *run.variables[i];
}

void CompiledModel::RequestState::lay_out_variables_as_declared() {
  for (const auto& variable : run.variables) lay_out(*variable, {}, *run.parallel);
}

const Tensor& CompiledModel::RequestState::input(size_t i) {
  const Port& port = compiled.inputs_[i];
  Tensor& tensor = inputs[i];
  if (!tensor) {
    if (!port.shape.is_static()) {
      fail(ErrorCode::kInvalidState, "input '", port.any_name(), "' of shape ", port.shape, " is not set");
    }
    tensor = Tensor(port.type, port.shape.to_shape());
    if (port.type != ElementType::kString)
      std::fill_n(tensor.mutable_data<char>(), tensor.byte_size(), char{0});
  }
  return tensor;
}

const Tensor* CompiledModel::RequestState::input_around(const void* memory) const {
  if (!run.overwrites_inputs) return nullptr;
  const auto found = std::find_if(inputs.begin(), inputs.end(), [memory](const Tensor& tensor) {
    return std::less_equal<>()(tensor.data<char>(), memory) &&
           std::less<>()(memory, tensor.data<char>() + tensor.byte_size());
  });
  return found == inputs.end() ? nullptr : &*found;
}

void CompiledModel::RequestState::prepare() {
  for (size_t i = 0; i < inputs.size(); ++i) executor->bind_parameter(i, input(i).view());
  lay_out_variables();
  try {
    executor->prepare();
  } catch (const Error& error) {
    // Passes fuse layers and change layouts, so the shapes in this error are not those of the file.
    if (error.code() == ErrorCode::kInvalidShape) explain();
    throw;
  }
}

void CompiledModel::RequestState::explain() {
  lay_out_variables_as_declared();
  Executor as_read(*compiled.source_, {}, {}, parameters_of_ports(), run);
  for (size_t i = 0; i < inputs.size(); ++i) as_read.bind_parameter(i, input(i).view());
  as_read.prepare();
}

std::vector<model::ValueInfo> CompiledModel::RequestState::parameters_of_ports() const {
  std::vector<model::ValueInfo> parameters;
  for (const Port& port : compiled.inputs_) parameters.push_back({port.type, port.shape, nullptr});
  return parameters;
}

void CompiledModel::RequestState::prepare_ahead() {
  for (size_t i = 0; i < inputs.size(); ++i) executor->bind_parameter(i, input(i).view());
  executor->prepare_ahead();
}

CompiledModel::CompiledModel() = default;
CompiledModel::~CompiledModel() = default;

std::shared_ptr<CompiledModel> CompiledModel::compile(const model::Model& model,
                                                      const model::Registry& registry,
                                                      const CompileOptions& options) {
  const PlanningLock lock;
  if (options.last_logits) {
    const std::unique_ptr<model::Model> changed = model.clone();
    passes::keep_last_logits(*changed, registry);
    changed->index();
    changed->infer();
    CompileOptions others = options;
    others.last_logits = false;
    return compile(*changed, registry, others);
  }
  std::shared_ptr<CompiledModel> compiled(new CompiledModel);
  compiled->options_ = options;
  compiled->inputs_ = input_ports(model);
  for (const Port& port : compiled->inputs_) {
    if (port.type != ElementType::kDynamic) continue;
    throw Error(ErrorCode::kUnsupported,
                cat("input '", port.any_name(),
                    "' has element type dynamic. Give it a type before the model is compiled"))
        .port(port.any_name())
        .expected("an element type")
        .actual("dynamic");
  }
  compiled->outputs_ = output_ports(model);
  compiled->source_ = model.clone();
  compiled->model_ = model.clone();
  if (options.passes) {
    compiled->changes_ = passes::run_passes_and_tell(*compiled->model_, registry,
                                                     {.integers = options.integers,
                                                      .row_group = options.row_group,
                                                      .cache_precision = options.cache_precision,
                                                      .skipped = options.skipped_passes});
  } else {
    passes::parse_pass_names(options.skipped_passes);  // refuses unknown names
  }
  std::set<const model::ConstantData*> seen;
  keep_shared_weights(*compiled->model_, seen);
  compiled->shared_ = std::make_unique<Shared>(options.threads);
  // If all input shapes are known, the plan is made now. Errors then appear here, and the first run uses the
  // plan.
  const bool fixed = std::all_of(compiled->inputs_.begin(), compiled->inputs_.end(),
                                 [](const Port& port) { return port.shape.is_static(); });
  if (fixed) {
    compiled->prepared_ = std::make_unique<RequestState>(*compiled);
    RequestState& state = *compiled->prepared_;
    state.prepare_ahead();
  }
  return compiled;
}

std::unique_ptr<InferRequest> CompiledModel::create_infer_request() {
  std::unique_ptr<RequestState> state = std::move(prepared_);
  if (state == nullptr) state = std::make_unique<RequestState>(*this);
  return std::unique_ptr<InferRequest>(new InferRequest(shared_from_this(), std::move(state)));
}

InferRequest::InferRequest(std::shared_ptr<CompiledModel> compiled,
                           std::unique_ptr<CompiledModel::RequestState> state)
    : compiled_(std::move(compiled)), state_(std::move(state)) {}

InferRequest::~InferRequest() = default;

void InferRequest::set_input(size_t i, Tensor tensor) {
  const std::vector<Port>& ports = compiled_->inputs_;
  if (i >= ports.size())
    fail(ErrorCode::kInvalidArgument, "input ", i, " does not exist: the model has ", ports.size());
  const Port& port = ports[i];
  if (tensor.type() != port.type) {
    throw Error(ErrorCode::kInvalidType,
                cat("input '", port.any_name(), "' is of type ", tensor.type(), ", expected ", port.type))
        .port(port.any_name())
        .expected(cat(port.type))
        .actual(cat(tensor.type()));
  }
  if (!port.shape.contains(tensor.shape())) {
    throw Error(ErrorCode::kInvalidShape,
                cat("input '", port.any_name(), "' has shape ", tensor.shape(), ", expected ", port.shape))
        .port(port.any_name())
        .expected(cat(port.shape))
        .actual(cat(tensor.shape()));
  }
  state_->inputs[i] = std::move(tensor);
}

const Tensor& InferRequest::input(size_t i) {
  if (i >= state_->inputs.size()) {
    fail(ErrorCode::kInvalidArgument, "input ", i, " does not exist: the model has ", state_->inputs.size());
  }
  return state_->input(i);
}

void InferRequest::set_output(size_t i, Tensor tensor) {
  const std::vector<Port>& ports = compiled_->outputs_;
  if (i >= ports.size())
    fail(ErrorCode::kInvalidArgument, "output ", i, " does not exist: the model has ", ports.size());
  const Port& port = ports[i];
  if (tensor && tensor.type() != port.type) {
    throw Error(ErrorCode::kInvalidType, cat("output '", port.any_name(), "' is of type ", port.type,
                                             ", the tensor of ", tensor.type()))
        .port(port.any_name())
        .expected(cat(port.type))
        .actual(cat(tensor.type()));
  }
  if (tensor && !port.shape.contains(tensor.shape())) {
    throw Error(ErrorCode::kInvalidShape,
                cat("output '", port.any_name(), "' has shape ", port.shape, ", the tensor ", tensor.shape()))
        .port(port.any_name())
        .expected(cat(port.shape))
        .actual(cat(tensor.shape()));
  }
  state_->given_outputs[i] = std::move(tensor);
}

const Tensor& InferRequest::output(size_t i) {
  const std::vector<Port>& ports = compiled_->outputs_;
  if (i >= ports.size())
    fail(ErrorCode::kInvalidArgument, "output ", i, " does not exist: the model has ", ports.size());
  if (state_->given_outputs[i]) return state_->given_outputs[i];
  Tensor& own = state_->outputs[i];
  if (!own) {
    // Before the first run, as in OpenVINO: zeros of the port's shape, or no elements if that is dynamic.
    if (ports[i].type == ElementType::kDynamic) {
      fail(ErrorCode::kInvalidState, "output '", ports[i].any_name(), "' has no type before the first run");
    }
    own = Tensor(ports[i].type, ports[i].shape.is_static() ? ports[i].shape.to_shape() : Shape{0});
    if (own.type() != ElementType::kString) std::fill_n(own.mutable_data<char>(), own.byte_size(), char{0});
  }
  return own;
}

void InferRequest::cancel() { state_->cancelled.set(); }

void InferRequest::bind_outputs() {
  for (size_t i = 0; i < state_->outputs.size(); ++i) {
    const TensorView* planned = state_->executor->planned_result(i);
    if (planned == nullptr) {
      state_->executor->bind_result(i, nullptr);
      // The tensor may refer to the memory of the last run. Released, this run can use the memory again.
      if (!state_->given_outputs[i]) state_->outputs[i] = Tensor();
      continue;
    }
    Tensor& given = state_->given_outputs[i];
    if (given) {
      const Port& port = compiled_->outputs_[i];
      if (given.type() != planned->type) {
        throw Error(ErrorCode::kInvalidType, cat("output '", port.any_name(), "' is of type ", planned->type,
                                                 ", the tensor set for it is of type ", given.type()))
            .port(port.any_name())
            .expected(cat(planned->type))
            .actual(cat(given.type()));
      }
      if (!(given.shape() == planned->shape)) {
        throw Error(ErrorCode::kInvalidShape,
                    cat("output '", port.any_name(), "' gets shape ", planned->shape,
                        ", the tensor set for it has ", given.shape()))
            .port(port.any_name())
            .expected(cat(planned->shape))
            .actual(cat(given.shape()));
      }
      bool shared = false;  // with an input or another output, which the run may still need
      for (const Tensor& in : state_->inputs) shared |= overlap(in.view(), given.view());
      for (size_t j = 0; j < i; ++j) {
        shared |= state_->given_outputs[j] && overlap(state_->given_outputs[j].view(), given.view());
      }
      state_->executor->bind_result(i, shared ? nullptr : given.view().memory);
      continue;
    }
    Tensor& own = state_->outputs[i];
    // With other shapes, the output may have been left in the memory of an input.
    const bool in_input = own && state_->input_around(own.view().memory) != nullptr;
    if (!own || in_input || own.is_shared() || own.type() != planned->type ||
        !(own.shape() == planned->shape)) {
      own = Tensor(planned->type, planned->shape);
    }
    state_->executor->bind_result(i, own.view().memory);
  }
}

void InferRequest::infer(const Limits& limits, ProgressListener* progress) {
  ops::probe_registers();
  state_->cancelled.clear();
  const Call call(limits, &state_->cancelled);
  const CallScope scope(call);
  RunState& run = state_->run;
  run.observations.clear();
  run.told = 0;
  run.progress = progress;
  for (NodeTime& time : run.times) {
    time.microseconds = 0;
    time.calls = 0;
  }
  state_->prepare();
  bind_outputs();
  const Awake awake(*run.parallel);
  // Each iteration of a body assigns. If a later one fails, the values from before the run return. Until
  // then, their memory is shared, so no iteration overwrites it.
  std::vector<Tensor> before;
  for (const size_t i : state_->assigned_in_bodies) before.push_back(run.variables[i]->value);
  try {
    state_->executor->run(-1);
    for (size_t i = 0; i < state_->outputs.size(); ++i) {
      take_result(i);
      const TensorView output =
          (state_->given_outputs[i] ? state_->given_outputs[i] : state_->outputs[i]).view();
      clear_padding(output.type, output.memory, output.size());
    }
  } catch (...) {
    size_t next = 0;
    for (const size_t i : state_->assigned_in_bodies) run.variables[i]->value = std::move(before[next++]);
    throw;
  }
  state_->executor->store_variables();
}

void InferRequest::take_result(size_t i) {
  const TensorView& result = state_->executor->result(i);
  Tensor& given = state_->given_outputs[i];
  Tensor& place = given ? given : state_->outputs[i];
  if (place && place.view().memory == result.memory && place.shape() == result.shape) return;
  if (given) {
    if (!(given.shape() == result.shape)) {
      const Port& port = compiled_->outputs_[i];
      throw Error(ErrorCode::kInvalidShape, cat("output '", port.any_name(), "' has shape ", result.shape,
                                                ", the tensor set for it has ", given.shape()))
          .port(port.any_name())
          .expected(cat(result.shape))
          .actual(cat(given.shape()));
    }
  } else if (const Tensor* input = state_->input_around(result.memory)) {
    place = Tensor(result.type, result.shape, result.memory, std::make_shared<Tensor>(*input));
    return;
  } else if (Tensor kept = state_->executor->kept_result(i)) {
    place = std::move(kept);
    return;
  } else if (!place || place.is_shared() || !(place.shape() == result.shape) || place.type() != result.type) {
    place = Tensor(result.type, result.shape);
  }
  TensorView to = place.view();
  copy_elements(result, to);
}

std::vector<model::Variable*> InferRequest::variables() {
  state_->lay_out_variables_as_declared();
  std::vector<model::Variable*> list;
  for (const auto& variable : state_->run.variables) list.push_back(variable.get());
  return list;
}

std::vector<std::string> InferRequest::variable_names() const {
  std::vector<std::string> names;
  for (const auto& variable : state_->run.variables) names.push_back(variable->id);
  return names;
}

model::Variable& InferRequest::variable(size_t i) {
  model::Variable& variable = state_->variable(i);
  lay_out(variable, {}, *state_->run.parallel);
  return variable;
}

void InferRequest::reset_variable(size_t i) {
  model::Variable& variable = state_->variable(i);
  variable.value = variable.reserve = Tensor();
}

void InferRequest::reset_state() {
  for (const auto& variable : state_->run.variables) variable->value = variable->reserve = Tensor();
}

std::vector<ProfilingInfo> InferRequest::profiling() const {
  std::vector<ProfilingInfo> list;
  for (const NodeTime& time : state_->run.times) {
    if (time.calls == 0) continue;  // of a plan for other shapes
    list.push_back({time.name, time.type, time.exec_type, time.microseconds, time.calls});
  }
  return list;
}

void InferRequest::observe(std::vector<ObservedPort> ports) {
  for (const ObservedPort& port : ports) {
    std::vector<const model::Model*> models = {compiled_->source_.get()};
    const model::Node* found = nullptr;
    for (size_t depth = 0; depth < port.path.size(); ++depth) {
      found = nullptr;
      for (const model::Model* model : models) {
        for (const auto& node : model->nodes) {
          if (node->name == port.path[depth]) found = node.get();
        }
      }
      if (found == nullptr) {
        fail(ErrorCode::kInvalidArgument, "no layer '", port.path[depth], "' ",
             depth == 0 ? std::string("in the model") : cat("in a body of '", port.path[depth - 1], "'"));
      }
      models.clear();
      for (const model::Body& body : found->bodies) models.push_back(body.model.get());
    }
    if (found == nullptr || port.port >= found->outputs.size()) {
      fail(ErrorCode::kInvalidArgument,
           "an observed port must name a layer and one of its outputs, not port ", port.port);
    }
  }
  const bool observing = !ports.empty();
  if (observing != !state_->run.observed.empty())
    state_->use(observing ? *compiled_->source_ : *compiled_->model_);
  state_->run.observed = std::move(ports);
  state_->run.observations.clear();
  ++state_->run.observed_generation;
}

const std::vector<Observation>& InferRequest::observations() const { return state_->run.observations; }

Explanation InferRequest::explain() {
  const bool fixed = std::all_of(compiled_->inputs_.begin(), compiled_->inputs_.end(),
                                 [](const Port& port) { return port.shape.is_static(); });
  if (fixed) state_->prepare_ahead();
  Explanation explanation;
  RunState& run = state_->run;
  for (const Executor* executor : run.executors) executor->explain(explanation);
  ExplainedMemory& memory = explanation.memory;
  memory.packed = run.weights->bytes;
  const auto add = [&](const Tensor& tensor) { memory.tensors += tensor ? tensor.byte_size() : 0; };
  for (const Tensor& input : state_->inputs) add(input);
  for (const Tensor& output : state_->outputs) add(output);
  for (const auto& variable : run.variables) add(variable->reserve ? variable->reserve : variable->value);
  return explanation;
}

size_t InferRequest::memory_bytes() const {
  size_t bytes = state_->executor->memory_bytes();
  for (const Tensor& output : state_->outputs) bytes += output ? output.byte_size() : 0;
  return bytes;
}

}  // namespace wasmvino::runtime
