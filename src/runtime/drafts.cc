// SPDX-License-Identifier: Apache-2.0
#include "runtime/drafts.h"

#include <algorithm>

#include "core/call.h"
#include "core/tensor_bytes.h"
#include "runtime/late_step.h"
#include "runtime/services.h"

namespace wasmvino::runtime {
namespace {

using model::Node;
using model::NodeKind;
using model::ValueInfo;

class Drafting {
 public:
  Drafting(const std::vector<std::string>& path, RunState& state, Plan& plan)
      : path_(path), state_(state), plan_(plan), services_(state, path) {}

  void make(const model::Model& model) {
    start(model);
    find_shown(model);
    find_observed(model);
    find_needed(model);
    find_late(model);
    make_steps(model);
    // Nodes that are not computed show no variable.
    for (size_t i = 0; i < needed_.size(); ++i) {
      if (!needed_[i]) plan_.shown_variables[i] = kNone;
    }
  }

  // Returns false if drafts or steps have to change. Then only make() completes the plan.
  bool renew() {
    if (plan_.drafts.empty() || !plan_.inference.same_form) return false;
    if (std::find(plan_.late.begin(), plan_.late.end(), 1) != plan_.late.end()) return false;
    compiled_now_.assign(plan_.compiled.size(), 0);
    for (Draft& draft : plan_.drafts) {
      const Node& node = *draft.node;
      if (is_as_earlier(node)) continue;
      current_call().poll();
      const std::shared_ptr<const CompiledNode> before = std::move(draft.compiled);
      draft.compiled = plan_.compiled[node.index] = compile(node, before->unread);
      compiled_now_[node.index] = 1;
      if (!shows_same(*draft.compiled, *before)) return false;
      if (draft.step != kNone) plan_.steps[draft.step].kernel = draft.compiled->kernel.get();
    }
    return true;
  }

 private:
  const ValueInfo& info(size_t value) const { return plan_.inference.values[value]; }
  bool known(size_t value) const { return info(value).constant != nullptr; }

  // Whether the same outputs are views of the same inputs.
  static bool shows_same(const CompiledNode& a, const CompiledNode& b) {
    return a.all_views == b.all_views &&
           std::equal(a.views.begin(), a.views.end(), b.views.begin(), b.views.end(),
                      [](const std::optional<model::ViewOf>& one, const std::optional<model::ViewOf>& other) {
                        return one.has_value() == other.has_value() && (!one || one->input == other->input);
                      });
  }

  void start(const model::Model& model) {
    plan_.drafts.clear();
    plan_.steps.clear();
    plan_.pointers.clear();
    plan_.observed_values.clear();
    plan_.views.resize(plan_.inference.values.size());
    plan_.compiled.resize(model.nodes.size());
    compiled_now_.resize(model.nodes.size());
    asked_unknown_.assign(model.nodes.size(), 0);
    for (const model::Inference::Asked& asked : plan_.inference.asked)
      asked_unknown_[asked.node] |= !asked.known;
  }

  void find_shown(const model::Model& model) {
    plan_.shown_variables.assign(model.nodes.size(), kNone);
    for (const auto& node : model.nodes) {
      const std::string_view id = node->op->reads_variable();
      for (size_t i = 0; !id.empty() && i < state_.variables.size(); ++i) {
        if (state_.variables[i]->id == id && state_.variables[i]->value)
          plan_.shown_variables[node->index] = i;
      }
    }
  }
  bool shows_variable(const Node& node) const { return plan_.shown_variables[node.index] != kNone; }

  void find_observed(const model::Model& model) {
    for (size_t i = 0; i < state_.observed.size(); ++i) {
      const ObservedPort& port = state_.observed[i];
      if (port.path.size() != path_.size() + 1 || !std::equal(path_.begin(), path_.end(), port.path.begin()))
        continue;
      for (const auto& node : model.nodes) {
        if (node->name == port.path.back() && port.port < node->outputs.size()) {
          plan_.observed_values.push_back({i, node->first_value + port.port});
        }
      }
    }
  }

  void find_needed(const model::Model& model) {
    needed_.assign(model.nodes.size(), 0);
    readers_.assign(plan_.views.size(), 0);
    const auto need = [&](size_t value, const Node& node) {
      ++readers_[value];
      if (!known(value)) needed_[node.index] = 1;
    };
    for (const Node* result : model.results) need(value_of(result->inputs[0]), *result->inputs[0].node);
    for (const Node* sink : model.sinks) {
      for (const model::Source& source : sink->inputs) need(value_of(source), *source.node);
    }
    for (const auto& observed : plan_.observed_values) {
      for (const auto& node : model.nodes) {
        if (observed.value >= node->first_value &&
            observed.value < node->first_value + node->outputs.size()) {
          need(observed.value, *node);
        }
      }
    }
    for (size_t i = model.nodes.size(); i-- > 0;) {
      const Node& node = *model.nodes[i];
      if (!needed_[i] || shows_variable(node)) continue;
      for (const model::Source& source : node.inputs) need(value_of(source), *source.node);
    }
  }

  bool is_computed(const Node& node) const {
    return needed_[node.index] && node.kind == NodeKind::kOperation && !shows_variable(node);
  }

  // A node is data-dependent if a shape is dynamic or depends on a value that is computed during the run. All
  // nodes after it are data-dependent too, because the addresses of their inputs are not known in advance.
  void find_late(const model::Model& model) {
    plan_.late.assign(model.nodes.size(), 0);
    for (const auto& node : model.nodes) {
      if (!is_computed(*node)) continue;
      bool late = asked_unknown_[node->index];
      for (const model::Source& source : node->inputs) {
        late |= !info(value_of(source)).shape.is_static() || plan_.late[source.node->index];
      }
      for (size_t port = 0; port < node->outputs.size(); ++port) {
        late |= !info(node->first_value + port).shape.is_static();
      }
      plan_.late[node->index] = late;
    }
  }

  void make_steps(const model::Model& model) {
    size_t steps = 0;
    size_t pointers = 0;
    for (const auto& node : model.nodes) {
      if (!is_computed(*node) || plan_.late[node->index]) plan_.compiled[node->index] = nullptr;
      if (!is_computed(*node)) continue;
      current_call().poll();
      Draft draft;
      draft.node = node.get();
      if (plan_.late[node->index]) {
        draft.compiled = data_dependent_;
      } else {
        const uint64_t unread = unread_outputs(*node);
        std::shared_ptr<const CompiledNode>& compiled = plan_.compiled[node->index];
        const bool keeps = compiled_now_[node->index] || is_as_earlier(*node);
        if (!keeps || compiled->unread != unread) compiled = compile(*node, unread);
        draft.compiled = compiled;
      }
      if (!draft.compiled->all_views) {
        draft.step = steps++;
        pointers += node->inputs.size() + node->outputs.size();
      }
      plan_.drafts.push_back(std::move(draft));
    }
    plan_.pointers.reserve(pointers);  // reserved because the steps keep spans of it
    plan_.steps.reserve(steps);
    for (const Draft& draft : plan_.drafts) {
      if (draft.step != kNone) add_step(draft);
    }
  }

  // One bit per output without users.
  uint64_t unread_outputs(const Node& node) const {
    uint64_t unread = 0;
    for (size_t i = 0; i < node.outputs.size() && i < 64; ++i) {
      if (readers_[node.first_value + i] == 0) unread |= uint64_t{1} << i;
    }
    return unread;
  }

  // Whether the node was compiled for the same inputs and outputs. Kernels of bodies, and those with a state,
  // belong to one plan.
  bool is_as_earlier(const Node& node) const {
    const std::vector<char>& unchanged = plan_.inference.unchanged;
    if (unchanged.empty() || plan_.compiled[node.index] == nullptr) return false;
    if (!node.bodies.empty() || !node.op->is_pure()) return false;
    for (const model::Source& source : node.inputs) {
      if (!unchanged[value_of(source)]) return false;
    }
    for (size_t port = 0; port < node.outputs.size(); ++port) {
      if (!unchanged[node.first_value + port]) return false;
    }
    return true;
  }

  std::shared_ptr<const CompiledNode> compile(const Node& node, uint64_t unread) {
    auto compiled = std::make_shared<CompiledNode>();
    std::vector<const ValueInfo*> inputs;
    for (const model::Source& source : node.inputs) inputs.push_back(&info(value_of(source)));
    const std::span<const ValueInfo> outputs(plan_.inference.values.data() + node.first_value,
                                             node.outputs.size());
    model::CompileContext context(node, inputs, outputs, services_);
    compiled->unread = unread;
    context.set_unread(unread);
    try {
      const model::Op& op = *node.op;
      compiled->all_views = !outputs.empty();
      compiled->views = op.views(context);
      for (size_t i = 0; i < outputs.size(); ++i) {
        compiled->all_views &= compiled->views[i].has_value() || outputs[i].constant != nullptr;
      }
      if (compiled->all_views) return compiled;
      const int64_t before = allocated_tensor_bytes();
      compiled->kernel = model::compile_kernel(context);
      compiled->places = op.places_of_inputs(context);
      for (size_t i = 0; i < inputs.size(); ++i) {
        for (size_t o = 0; o < outputs.size(); ++o) {
          if (op.can_overwrite(context, i, o)) compiled->overwrites.push_back({i, o});
        }
        compiled->consumed.push_back(context.consumed(i));
      }
      // The raw form of consumed weights is released here, so the weights are never all in memory in both
      // forms. Otherwise ResNet-50 took 97 MiB more.
      compiled->constants = context.take_constants();
      int64_t packed = allocated_tensor_bytes() - before;
      for (const Tensor& constant : compiled->constants)
        packed -= constant ? static_cast<int64_t>(constant.byte_size()) : 0;
      state_.weights->bytes += static_cast<size_t>(std::max<int64_t>(0, packed));
      compiled->scratch_bytes = context.scratch_bytes();
    } catch (...) {
      model::rethrow_at(node);
    }
    return compiled;
  }

  void add_step(const Draft& draft) {
    const Node& node = *draft.node;
    const size_t first = plan_.pointers.size();
    for (const model::Source& source : node.inputs) plan_.pointers.push_back(&plan_.views[value_of(source)]);
    for (size_t i = 0; i < node.outputs.size(); ++i)
      plan_.pointers.push_back(&plan_.views[node.first_value + i]);
    const std::span<TensorView* const> inputs(plan_.pointers.data() + first, node.inputs.size());
    const std::span<TensorView* const> outputs(plan_.pointers.data() + first + inputs.size(),
                                               node.outputs.size());
    std::unique_ptr<LateStep> late;
    if (plan_.late[node.index]) {
      std::vector<const ValueInfo*> infos;
      for (const model::Source& source : node.inputs) infos.push_back(&info(value_of(source)));
      late = std::make_unique<LateStep>(node, std::move(infos), inputs, outputs, path_, state_);
    }
    NodeTime* const time = state_.profiling ? &time_of(node) : nullptr;
    plan_.steps.push_back({&node,
                           draft.compiled->kernel.get(),
                           std::move(late),
                           model::EvalContext(node, inputs, outputs, nullptr, *state_.parallel),
                           {},
                           time});
  }

  NodeTime& time_of(const Node& node) {
    NodeTime*& time = state_.time_of[&node];
    if (time == nullptr) {
      std::string name;
      for (const std::string& layer : path_) name += layer + '/';
      state_.times.push_back({name + node.name, node.type, cat(node.type, "-", node.version)});
      time = &state_.times.back();
    }
    return *time;
  }

  const std::vector<std::string>& path_;
  RunState& state_;
  Plan& plan_;
  Services services_;
  const std::shared_ptr<const CompiledNode> data_dependent_ = std::make_shared<CompiledNode>();

  std::vector<char> asked_unknown_, needed_;  // by node
  std::vector<char> compiled_now_;            // by node: for the new inference, by renew()
  std::vector<size_t> readers_;               // number of users, by value
};

}  // namespace

void make_drafts(const model::Model& model, const std::vector<std::string>& path, RunState& state,
                 bool same_state, Plan& plan) {
  Drafting drafting(path, state, plan);
  if (!same_state || !drafting.renew()) drafting.make(model);
}

}  // namespace wasmvino::runtime
