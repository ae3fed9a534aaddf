// SPDX-License-Identifier: Apache-2.0
#include "runtime/executor.h"

#include <algorithm>
#include <cstring>
#include <functional>

#include "core/call.h"
#include "runtime/late_step.h"
#include "runtime/progress.h"
#include "runtime/services.h"
#include "runtime/thread_pool.h"
#include "runtime/variables.h"

namespace wasmvino::runtime {
namespace {

using model::NodeKind;
using model::ValueInfo;

// Number of plans that are kept for earlier shapes. A plan of a 500-node model takes about 300 KB.
constexpr size_t kKeptPlans = 16;
// Bytes of plans that are kept for variables of other shapes. Such plans fit again only if the state returns
// to these shapes. 15 of them took 13 MB in a model of 1,400 nodes.
constexpr size_t kKeptBytesOfOtherStates = size_t{4} << 20;
constexpr size_t kPlanBytesOfNode = 660;
// The values of parameters with at most this many elements may become part of a plan's key.
constexpr size_t kSpecialisedElements = 64;
// After this many plans in a row that differ only in a value, the value is assumed to change with each run.
// Nodes that depend on it are then planned during the run.
constexpr int kValueMisses = 16;
// Maximum number of nodes that are visited from a shape back to the parameter that it depends on.
constexpr size_t kSpecialisedNodes = 256;

bool same_value(const TensorView& known, const TensorView& given) {
  if (known.type == ElementType::kString) {
    return std::equal(known.data<std::string>(), known.data<std::string>() + known.size(),
                      given.data<std::string>());
  }
  return std::memcmp(known.memory, given.memory, known.byte_size()) == 0;
}

// RAII: while it exists, `iterations` ends with `iteration`.
class InIteration {
 public:
  InIteration(std::vector<int64_t>* iterations, int64_t iteration) : iterations_(iterations) {
    if (iterations_ != nullptr) iterations_->push_back(iteration);
  }
  ~InIteration() {
    if (iterations_ != nullptr) iterations_->pop_back();
  }
  InIteration(const InIteration&) = delete;
  InIteration& operator=(const InIteration&) = delete;

 private:
  std::vector<int64_t>* iterations_;
};

// Whether no variable has become smaller, and one is larger.
bool has_grown(const PlanKey& key, const PlanKey& earlier) {
  if (key.variable_set != earlier.variable_set || key.variable_types != earlier.variable_types ||
      key.variable_shapes == earlier.variable_shapes) {
    return false;
  }
  return std::equal(key.variable_shapes.begin(), key.variable_shapes.end(), earlier.variable_shapes.begin(),
                    [](const Shape& shape, const Shape& before) {
                      return std::equal(shape.begin(), shape.end(), before.begin(), before.end(),
                                        std::greater_equal<>());
                    });
}

}  // namespace

std::unique_ptr<model::Subgraph> Services::subgraph(const model::Node& node, size_t body,
                                                    std::span<const ValueInfo> parameters) {
  std::vector<std::string> path = path_;
  path.push_back(node.name);
  return std::make_unique<Executor>(*node.bodies[body].model, std::move(path),
                                    cat(node.type, " '", node.name, "'"),
                                    std::vector<ValueInfo>(parameters.begin(), parameters.end()), state_);
}

Executor::Executor(const model::Model& model, std::vector<std::string> path, std::string layer,
                   std::vector<ValueInfo> parameters, RunState& state)
    : model_(model),
      path_(std::move(path)),
      layer_(std::move(layer)),
      known_(std::move(parameters)),
      state_(state),
      parameters_(known_.size()),
      result_memory_(model.results.size()),
      own_results_(model.results.size()) {
  for (size_t i = 0; i < known_.size(); ++i) {
    parameters_[i].type = known_[i].type;
    if (known_[i].constant != nullptr) {
      parameters_[i].shape = known_[i].constant->shape();
    } else if (known_[i].shape.is_static()) {
      parameters_[i].shape = known_[i].shape.to_shape();
    }
  }
  state_.executors.push_back(this);
}

Executor::~Executor() { std::erase(state_.executors, this); }

void Executor::bind_parameter(size_t i, const TensorView& tensor) {
  TensorView& bound = parameters_[i];
  if (tensor.type != known_[i].type) {
    throw Error(ErrorCode::kInvalidType, cat("parameter '", model_.parameters[i]->name, "' is of type ",
                                             known_[i].type, ", but its value is of type ", tensor.type))
        .expected(cat(known_[i].type))
        .actual(cat(tensor.type));
  }
  if (!(bound.shape == tensor.shape)) {
    checked_ = false;
    bound.shape = tensor.shape;
  }
  bound.memory = tensor.memory;
  if (known_[i].constant == nullptr && active_ != nullptr) {
    if (active_->key.parameters[i].constant != nullptr) checked_ = false;
    for (const Plan::Use& use : active_->parameter_uses[i]) {
      active_->views[use.value].memory = static_cast<char*>(tensor.memory) + use.offset;
    }
  }
}

void Executor::bind_result(size_t i, void* memory) {
  result_memory_[i] = memory;
  if (active_ != nullptr) place_result(i);
}

void Executor::place_result(size_t i) {
  Plan::Output& output = active_->results[i];
  if (output.known_shape && result_memory_[i] != nullptr) place_output(output, result_memory_[i]);
}

// Called just before a run writes the result. By then most results are bound to a caller's memory and need no
// memory of the executor.
void Executor::place_own_result(size_t i) {
  Plan::Output& output = active_->results[i];
  if (!output.known_shape || result_memory_[i] != nullptr) return;
  Tensor& own = own_results_[i];
  if (!own || own.type() != output.view.type || !(own.shape() == output.view.shape)) {
    own = Tensor(output.view.type, output.view.shape);
  }
  place_output(output, own.view().memory);
}

void Executor::place_output(Plan::Output& output, void* memory) {
  output.view.memory = memory;
  for (const Plan::Use& use : output.uses) {
    active_->views[use.value].memory = static_cast<char*>(memory) + use.offset;
  }
}

bool Executor::fits(const Plan& plan) const {
  if (plan.observed_generation != state_.observed_generation) return false;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const ValueInfo& info = plan.key.parameters[i];
    if (!info.shape.contains(parameters_[i].shape)) return false;
    if (info.constant != nullptr && known_[i].constant == nullptr &&
        !same_value(info.constant->value().view(), parameters_[i])) {
      return false;
    }
  }
  for (size_t i = 0; i < state_.variables.size(); ++i) {
    const Tensor& value = state_.variables[i]->value;
    if (static_cast<bool>(value) != (plan.key.variable_set[i] != 0)) return false;
    if (!value) continue;
    if (value.type() != plan.key.variable_types[i] || !(value.shape() == plan.key.variable_shapes[i]))
      return false;
  }
  return true;
}

void Executor::prepare() {
  // Variables and observers change outside bind_parameter. Without any, a checked plan still fits.
  if (checked_ && state_.variables.empty() && active_->observed_generation == state_.observed_generation)
    return;
  if (active_ == nullptr || !fits(*active_)) {
    const auto found =
        std::find_if(plans_.begin(), plans_.end(), [&](const auto& plan) { return fits(*plan); });
    if (found != plans_.end()) {
      std::rotate(plans_.begin(), found, found + 1);
      value_misses_ = std::max(0, value_misses_ - 1);
    } else {
      make();
    }
    activate(*plans_.front());
  }
  checked_ = true;
}

void Executor::prepare_ahead() {
  std::vector<ValueInfo> parameters;
  for (size_t i = 0; i < parameters_.size(); ++i)
    parameters.push_back({known_[i].type, parameters_[i].shape, nullptr});
  const model::Inference inference = infer_model(model_, parameters);
  const bool open = std::any_of(inference.asked.begin(), inference.asked.end(),
                                [](const model::Inference::Asked& asked) { return !asked.known; });
  if (!open) prepare();
}

void Executor::make() {
  const PlanningLock lock;
  PlanKey key;
  bool shapes_met = false;
  for (const auto& plan : plans_) {
    bool same = true;
    for (size_t i = 0; i < parameters_.size(); ++i)
      same &= plan->key.parameters[i].shape.contains(parameters_[i].shape);
    shapes_met |= same;
  }
  if (shapes_met) ++value_misses_;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    key.parameters.push_back({known_[i].type, parameters_[i].shape, known_[i].constant});
  }
  for (const auto& variable : state_.variables) {
    key.variable_set.push_back(static_cast<bool>(variable->value));
    key.variable_shapes.push_back(variable->value ? variable->value.shape() : Shape());
    key.variable_types.push_back(variable->value.type());
  }
  active_ = nullptr;
  checked_ = false;
  std::unique_ptr<Plan> plan = begin_plan(key);
  model::Inference inference = infer(key.parameters, *plan);
  plan = make_plan(model_, std::move(key), std::move(inference), path_, state_, std::move(plan));
  size_t others = 0;
  const auto is_stale = [&](const std::unique_ptr<Plan>& old) {
    if (old->observed_generation != state_.observed_generation) return true;
    const bool same_state = old->key.variable_set == plan->key.variable_set &&
                            old->key.variable_shapes == plan->key.variable_shapes;
    return !same_state && ++others * kPlanBytesOfNode * model_.nodes.size() > kKeptBytesOfOtherStates;
  };
  plans_.erase(std::remove_if(plans_.begin(), plans_.end(), is_stale), plans_.end());
  if (plans_.size() >= kKeptPlans) plans_.pop_back();
  plans_.insert(plans_.begin(), std::move(plan));
}

// What a new plan begins with: the latest plan if variables have outgrown it and there are as many plans as
// are kept, as with each token of a language model. Otherwise a copy of what the new plan can use. With 30
// layers, a token takes 13.6 ms if its plan is renewed, and 14.5 if it begins with a copy.
std::unique_ptr<Plan> Executor::begin_plan(const PlanKey& key) {
  if (plans_.empty()) return std::make_unique<Plan>();
  const bool room = plans_.size() < kKeptPlans &&
                    plans_.size() * kPlanBytesOfNode * model_.nodes.size() <= kKeptBytesOfOtherStates;
  if (!room && has_grown(key, plans_.front()->key)) {
    std::unique_ptr<Plan> plan = std::move(plans_.front());
    plans_.erase(plans_.begin());
    return plan;
  }
  const Plan& latest = *plans_.front();
  auto plan = std::make_unique<Plan>();
  plan->key = latest.key;
  plan->inference = latest.inference;
  plan->compiled = latest.compiled;
  plan->memory = latest.memory;
  return plan;
}

// Infers the model. Parameters that shapes depend on get their values in this run, so that all shapes are
// known. In a body, only values known to its node are used: the others change between iterations.
model::Inference Executor::infer(std::vector<ValueInfo>& parameters, Plan& earlier) const {
  model::Variables variables;
  for (const auto& variable : state_.variables) variables.push_back(variable.get());
  // Shapes that depended on a value probably do so again.
  for (size_t i = 0; i < earlier.key.parameters.size(); ++i) {
    const ValueInfo& before = earlier.key.parameters[i];
    if (before.constant != nullptr && parameters[i].constant == nullptr &&
        before.shape == parameters[i].shape && same_value(before.constant->value().view(), parameters_[i])) {
      parameters[i] = before;
    }
  }
  model::Inference inference = std::move(earlier.inference);
  inference.forget_changes();
  while (true) {
    inference = infer_model(model_, parameters, &variables, nullptr, std::move(inference));
    if (!path_.empty() || value_misses_ > kValueMisses) return inference;
    std::vector<char> wanted(parameters.size());
    for (const model::Inference::Asked& asked : inference.asked) {
      if (asked.known) continue;
      std::vector<char> reached(parameters.size());
      size_t budget = kSpecialisedNodes;
      if (!collect_parameters(inference, model_.nodes[asked.node]->inputs[asked.input], budget, reached))
        continue;
      for (size_t i = 0; i < wanted.size(); ++i) wanted[i] |= reached[i];
    }
    bool more = false;
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (!wanted[i] || parameters[i].constant != nullptr) continue;
      parameters[i] =
          ValueInfo::of(Tensor(parameters_[i].type, parameters_[i].shape, parameters_[i].memory).clone());
      more = true;
    }
    if (!more) return inference;
  }
}

// Marks the parameters that a value is computed from. Returns false if one of them is too large, or if a node
// cannot be computed during planning.
bool Executor::collect_parameters(const model::Inference& inference, model::Source source, size_t& budget,
                                  std::vector<char>& wanted) const {
  std::vector<model::Source> open = {source};
  while (!open.empty()) {
    const model::Source at = open.back();
    open.pop_back();
    if (inference.of(at).constant != nullptr) continue;
    if (budget-- == 0) return false;
    if (at.node->kind == NodeKind::kParameter) {
      const auto place = std::find(model_.parameters.begin(), model_.parameters.end(), at.node);
      const size_t i = static_cast<size_t>(place - model_.parameters.begin());
      if (parameters_[i].size() > kSpecialisedElements) return false;
      wanted[i] = 1;
      continue;
    }
    if (!at.node->op->is_pure() || !at.node->bodies.empty()) return false;
    for (const model::Source& input : at.node->inputs) open.push_back(input);
  }
  return true;
}

void Executor::activate(Plan& plan) {
  active_ = nullptr;  // stays so if there is no memory for the arena, into which plans point
  checked_ = false;
  if (plan.memory.bytes > 0 && (!arena_ || arena_.byte_size() < plan.memory.bytes)) {
    arena_ = Tensor();  // free the smaller arena first
    arena_ = Tensor(ElementType::kU8, {static_cast<int64_t>(plan.memory.bytes)});
  }
  void* arena = arena_ ? arena_.view().memory : nullptr;
  if (plan.arena != arena) {
    plan.arena = arena;
    for (const Plan::Use& use : plan.arena_uses)
      plan.views[use.value].memory = static_cast<char*>(arena) + use.offset;
    for (const auto& [step, offset] : plan.scratch) {
      plan.steps[step].context.set_scratch(static_cast<char*>(arena) + offset);
    }
  }
  for (size_t i = 0; i < parameters_.size(); ++i) {
    for (const Plan::Use& use : plan.parameter_uses[i]) {
      plan.views[use.value].memory = static_cast<char*>(parameters_[i].memory) + use.offset;
    }
  }
  active_ = &plan;
  for (size_t i = 0; i < plan.results.size(); ++i) place_result(i);
}

const TensorView* Executor::planned_result(size_t i) const {
  return active_->results[i].known_shape ? &active_->results[i].view : nullptr;
}

const TensorView& Executor::result(size_t i) const {
  const Plan::Output& output = active_->results[i];
  return output.known_shape ? output.view : active_->views[output.value];
}

void Executor::observe(size_t observed_value) {
  const Plan::ObservedValue& observed = active_->observed_values[observed_value];
  const TensorView& view = active_->views[observed.value];
  Observation made;
  made.observed = observed.observed;
  made.iterations = state_.iterations;
  const ValueInfo& info = active_->inference.values[observed.value];
  made.value = info.constant != nullptr ? info.constant->value().clone()
                                        : Tensor(view.type, view.shape, view.memory).clone();
  state_.observations.push_back(std::move(made));
}

void Executor::report(const model::Node* node, size_t done) {
  const Progress progress{path_,
                          node,
                          state_.iterations,
                          done,
                          active_->steps.size(),
                          std::span(state_.observations).subspan(state_.told)};
  state_.told = state_.observations.size();
  state_.progress->progressed(progress);
}

void Executor::run_steps() {
  Plan& plan = *active_;
  for (const size_t i : plan.observed_at_start) observe(i);
  Step* step = plan.steps.data();
  Step* const end = step + plan.steps.size();
  const Call& call = current_call();
  call.poll();  // a body may have no steps
  try {
    for (; step != end; ++step) {
      call.poll();
      const double start = step->time != nullptr ? now_milliseconds() : 0;
      if (step->kernel != nullptr) {
        step->kernel->run(step->context);
      } else if (step->late != nullptr) {
        step->late->run();
      } else {
        step->node->op->evaluate(step->context);
      }
      if (step->time != nullptr) {
        step->time->microseconds += 1e3 * (now_milliseconds() - start);
        ++step->time->calls;
      }
      for (const size_t i : step->observed) observe(i);
      if (state_.progress != nullptr) report(step->node, static_cast<size_t>(step - plan.steps.data()) + 1);
    }
  } catch (...) {
    model::rethrow_at(*step->node);
  }
}

void Executor::run(int64_t iteration) {
  const bool body = !path_.empty();
  const InIteration inside(body ? &state_.iterations : nullptr, iteration);
  try {
    prepare();
    Plan& plan = *active_;
    next_variables_.resize(plan.assignments.size());
    for (size_t i = 0; i < plan.assignments.size(); ++i) {
      if (!plan.assignments[i].extends) continue;
      next_variables_[i] = extend(*state_.variables[plan.assigned[i]], plan.assignments[i].view.shape);
    }
    for (size_t i = 0; i < state_.variables.size(); ++i) {
      void* memory = state_.variables[i]->value ? state_.variables[i]->value.view().memory : nullptr;
      for (const Plan::Use& use : plan.variable_uses[i]) {
        plan.views[use.value].memory = static_cast<char*>(memory) + use.offset;
      }
    }
    for (size_t i = 0; i < plan.results.size(); ++i) place_own_result(i);
    for (size_t i = 0; i < plan.assignments.size(); ++i) {
      Plan::Output& output = plan.assignments[i];
      if (!output.known_shape) continue;
      Tensor& next = next_variables_[i];
      // A value that is restored if the run fails may share the memory of an earlier one.
      const bool is_free = output.extends || !next.is_shared();
      if (!next || !is_free || next.type() != output.view.type || !(next.shape() == output.view.shape)) {
        next = Tensor(output.view.type, output.view.shape);
      }
      place_output(output, next.view().memory);
    }
    run_steps();
    for (Plan::Output& output : plan.results) {
      if (output.copied) copy_elements(plan.views[output.value], output.view);
    }
    copy_assignments();
    if (body) store_variables();
    if (body && iteration >= 0 && state_.progress != nullptr) report(nullptr, plan.steps.size());
  } catch (Error& error) {
    if (body) error.within(iteration < 0 ? layer_ : cat(layer_, ", iteration ", iteration));
    throw;
  }
}

// Computes the new values that are not in their own memory yet. Until store_variables(), all nodes and
// results use the old ones.
void Executor::copy_assignments() {
  Plan& plan = *active_;
  for (size_t i = 0; i < plan.assignments.size(); ++i) {
    Plan::Output& output = plan.assignments[i];
    if (output.known_shape && !output.copied) continue;
    const TensorView& from = plan.views[output.value];
    if (!output.known_shape) next_variables_[i] = Tensor(from.type, from.shape);
    TensorView to = next_variables_[i].view();
    copy_elements(from, to);
  }
}

void Executor::store_variables() {
  const Plan& plan = *active_;
  for (size_t i = 0; i < plan.assignments.size(); ++i) {
    model::Variable& variable = *state_.variables[plan.assigned[i]];
    std::swap(variable.value, next_variables_[i]);
    if (plan.assignments[i].extends) {
      next_variables_[i] = Tensor();  // the beginning of the same memory
    } else {
      variable.reserve = Tensor();
    }
  }
}

Tensor Executor::kept_result(size_t i) const {
  const TensorView& view = result(i);
  if (active_->results[i].known_shape) return Tensor();
  for (const Step& step : active_->steps) {
    if (step.late == nullptr) continue;
    if (const Tensor* buffer = step.late->buffer_around(view.memory)) {
      return Tensor(view.type, view.shape, view.memory, buffer->owner());
    }
  }
  return Tensor();
}

namespace {

double elements_of(const ExplainedValue& value) {
  return value.shape.is_static() ? static_cast<double>(element_count(value.shape.to_shape())) : 0;
}

// The number of additions and multiplications, computed from the shapes. Convolutions and matmuls count twice
// their multiplications. Other operations count one per element of their outputs (`elements`).
double predicted_operations(const ExplainedNode& node, double elements) {
  if (node.inputs.size() < 2 || !node.inputs[1].shape.is_static() || !node.inputs[0].shape.is_static())
    return elements;
  const Shape first = node.inputs[0].shape.to_shape();
  const Shape second = node.inputs[1].shape.to_shape();
  const auto has = [&](std::string_view word) { return node.type.find(word) != std::string::npos; };
  if (has("ConvolutionBackpropData") && second[0] > 0) {
    return 2 * elements_of(node.inputs[0]) * elements_of(node.inputs[1]) /
           static_cast<double>(second.size() > first.size() ? second[0] * second[1] : second[0]);
  }
  if (has("Convolution") && second[0] > 0) {
    // Grouped filters have one more axis.
    const int64_t channels = second.size() > first.size() ? second[0] * second[1] : second[0];
    return 2 * elements * elements_of(node.inputs[1]) / static_cast<double>(std::max<int64_t>(1, channels));
  }
  if (has("MatMul") && node.outputs[0].shape.is_static() && first.size() >= 2) {
    const Shape result = node.outputs[0].shape.to_shape();
    if (result.size() < 2 || result[result.size() - 2] <= 0) return 2 * elements_of(node.inputs[0]);
    const double matrix =
        static_cast<double>(first[first.size() - 1]) * static_cast<double>(first[first.size() - 2]);
    return 2 * elements * matrix / static_cast<double>(result[result.size() - 2]);
  }
  return elements;
}

}  // namespace

void Executor::explain(Explanation& explanation) const {
  if (active_ == nullptr) return;
  const Plan& plan = *active_;
  std::vector<const Step*> steps(model_.nodes.size());
  for (const Step& step : plan.steps) steps[step.node->index] = &step;
  for (const auto& node : model_.nodes) {
    if (node->kind != NodeKind::kOperation) continue;
    ExplainedNode made;
    made.path = path_;
    made.name = node->name;
    made.type = node->type;
    made.version = node->version;
    made.layouts = node->op->edge_layouts();
    const auto add = [&](std::vector<ExplainedValue>& list, size_t value) {
      const ValueInfo& info = plan.inference.values[value];
      list.push_back({info.type, info.shape, info.constant != nullptr, info.quantization});
      if (!info.shape.is_static() || info.type == ElementType::kDynamic) return 0.0;
      return static_cast<double>(storage_bytes(info.type, element_count(info.shape.to_shape())));
    };
    double bytes = 0, elements = 0;
    bool constant = !node->outputs.empty();
    for (const model::Source& input : node->inputs) bytes += add(made.inputs, value_of(input));
    for (size_t port = 0; port < node->outputs.size(); ++port) {
      bytes += add(made.outputs, node->first_value + port);
      const ExplainedValue& output = made.outputs.back();
      constant &= output.constant;
      elements += elements_of(output);
    }
    if (const Step* step = steps[node->index]) {
      if (step->late != nullptr) made.how = ExplainedNode::How::kLate;
      if (const model::Kernel* kernel = step->late ? step->late->kernel() : step->kernel) {
        made.method = kernel->method();
      }
      made.operations = predicted_operations(made, elements);
      made.bytes = bytes;
    } else {
      made.how = constant ? ExplainedNode::How::kConstant : ExplainedNode::How::kView;
    }
    explanation.nodes.push_back(std::move(made));
  }
  std::vector<const void*> counted;
  for (const Tensor& constant : plan.constants) {
    const void* memory = constant.data<char>();
    if (std::find(counted.begin(), counted.end(), memory) != counted.end()) continue;
    counted.push_back(memory);
    explanation.memory.weights += constant.byte_size();
  }
  if (arena_) explanation.memory.arena += arena_.byte_size();
  for (const Tensor& own : own_results_) explanation.memory.tensors += own ? own.byte_size() : 0;
}

size_t Executor::memory_bytes() const {
  size_t bytes = arena_ ? arena_.byte_size() : 0;
  for (const Tensor& own : own_results_) bytes += own ? own.byte_size() : 0;
  return bytes;
}

}  // namespace wasmvino::runtime
