// SPDX-License-Identifier: Apache-2.0
#include "runtime/placement.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "runtime/memory_plan.h"

namespace wasmvino::runtime {
namespace {

using model::Node;
using model::ValueInfo;

constexpr size_t kForever = std::numeric_limits<size_t>::max() - 1;

// A block of memory that contains one or more values.
struct Root {
  enum class Kind { kConstant, kParameter, kVariable, kTemporary, kLate, kResult, kAssignment };
  Kind kind = Kind::kTemporary;
  size_t slot = 0;  // parameter, variable, result, assignment
  size_t bytes = 0;
  size_t first = 0;       // the first step that writes it
  size_t last = 0;        // the last step that reads it
  size_t parent = kNone;  // the root that contains it
  size_t parent_offset = 0;
};

class Placement {
 public:
  Placement(const model::Model& model, const RunState& state, bool is_body, Plan& plan)
      : model_(model),
        state_(state),
        is_body_(is_body),
        overwrites_parameters_(state.overwrites_inputs && !is_body),
        plan_(plan) {}

  void run() {
    // Alive until keep_constants() has taken them again: large ones would be read or computed anew.
    const std::vector<Tensor> constants = std::exchange(plan_.constants, {});
    start();
    find_roots();
    share_roots();
    claim_outputs();
    lay_out();
    find_observation_steps();
    keep_constants();
  }

 private:
  // Sets types and shapes of the views that have changed, and removes what an earlier placement added.
  void start() {
    const std::vector<char>& unchanged = plan_.inference.unchanged;
    const bool all = plan_.bytes.empty() || unchanged.empty();
    plan_.bytes.resize(plan_.inference.values.size(), kNone);
    for (size_t value = 0; value < plan_.views.size(); ++value) {
      if (!all && unchanged[value]) continue;
      const ValueInfo& v = info(value);
      plan_.views[value].type = v.type;
      if (v.shape.is_static()) plan_.views[value].shape = v.shape.to_shape();
      plan_.bytes[value] = kNone;
    }
    plan_.arena = nullptr;
    plan_.arena_uses.clear();
    plan_.scratch.clear();
    plan_.results.clear();
    plan_.assignments.clear();
    plan_.assigned.clear();
    plan_.observed_at_start.clear();
    plan_.parameter_uses.resize(model_.parameters.size());
    plan_.variable_uses.resize(state_.variables.size());
    for (std::vector<Plan::Use>& uses : plan_.parameter_uses) uses.clear();
    for (std::vector<Plan::Use>& uses : plan_.variable_uses) uses.clear();
    for (Step& step : plan_.steps) step.observed.clear();
  }

  const ValueInfo& info(size_t value) const { return plan_.inference.values[value]; }
  bool known(size_t value) const { return info(value).constant != nullptr; }

  size_t add_root(Root root) {
    roots_.push_back(root);
    return roots_.size() - 1;
  }

  size_t bytes_of(size_t value) const {
    size_t& bytes = plan_.bytes[value];
    if (bytes == kNone) bytes = plan_.views[value].byte_size();
    return bytes;
  }

  // Finds the outermost root that contains `root`, and shortens the path to it. In a chain of 50,000 layers,
  // each root is inside the one before it.
  std::pair<size_t, size_t> resolve(size_t root, size_t offset) {
    size_t base = root, in_base = 0;
    for (; roots_[base].parent != kNone; base = roots_[base].parent) in_base += roots_[base].parent_offset;
    const size_t first = in_base;
    while (root != base) {
      Root& on_the_way = roots_[root];
      root = std::exchange(on_the_way.parent, base);
      in_base -= std::exchange(on_the_way.parent_offset, in_base);
    }
    return {base, offset + first};
  }

  void place(size_t value, size_t root, size_t offset) {
    value_root_[value] = root;
    value_offset_[value] = offset;
  }

  void use(size_t value, size_t step) {
    if (value_root_[value] == kNone) return;
    Root& root = roots_[value_root_[value]];
    root.last = std::max(root.last, step);
  }

  void find_roots() {
    value_root_.assign(plan_.inference.values.size(), kNone);
    value_offset_.assign(plan_.inference.values.size(), 0);
    for (size_t i = 0; i < model_.parameters.size(); ++i) {
      const size_t value = model_.parameters[i]->first_value;
      Root root{Root::Kind::kParameter, i};
      if (info(value).shape.is_static()) root.bytes = bytes_of(value);
      place(value, add_root(root), 0);
    }
    for (const auto& node : model_.nodes) {
      for (size_t port = 0; port < node->outputs.size(); ++port) {
        const size_t value = node->first_value + port;
        if (known(value)) place(value, add_root({Root::Kind::kConstant, value}), 0);
      }
      if (const size_t variable = plan_.shown_variables[node->index]; variable != kNone) {
        Root root{Root::Kind::kVariable, variable};
        if (info(node->first_value).shape.is_static()) root.bytes = bytes_of(node->first_value);
        place(node->first_value, add_root(root), 0);
      }
    }
    size_t step = 0;
    for (const Draft& draft : plan_.drafts) {
      const Node& node = *draft.node;
      if (draft.step != kNone) step = draft.step;
      for (size_t port = 0; port < node.outputs.size(); ++port) {
        const size_t value = node.first_value + port;
        if (known(value)) continue;
        if (!draft.compiled->views.empty() && draft.compiled->views[port]) {
          const size_t from = value_of(node.inputs[draft.compiled->views[port]->input]);
          place(value, value_root_[from], value_offset_[from] + draft.compiled->views[port]->offset);
          continue;
        }
        const bool own = plan_.late[node.index] || info(value).type == ElementType::kString;
        Root root{own ? Root::Kind::kLate : Root::Kind::kTemporary};
        root.bytes = own ? 0 : bytes_of(value);
        root.first = root.last = step;
        place(value, add_root(root), 0);
      }
      // A data-dependent node may return a view of an input: the input must stay.
      for (const model::Source& source : node.inputs) {
        if (draft.step != kNone) use(value_of(source), plan_.late[node.index] ? kForever : draft.step);
      }
    }
    for (const Node* result : model_.results) use(value_of(result->inputs[0]), kForever);
    for (const Node* sink : model_.sinks) {
      for (const model::Source& source : sink->inputs) use(value_of(source), kForever);
    }
  }

  bool is_temporary(size_t root) const { return roots_[root].kind == Root::Kind::kTemporary; }

  bool can_overwrite(size_t root) const {
    return is_temporary(root) || (overwrites_parameters_ && roots_[root].kind == Root::Kind::kParameter);
  }

  bool is_whole(size_t value, size_t root) const {
    return value_offset_[value] == 0 && roots_[root].bytes == bytes_of(value);
  }

  // Puts outputs into the memory of inputs that have no later user, and inputs of Concat into its output.
  void share_roots() {
    for (const Draft& draft : plan_.drafts) {
      if (draft.step == kNone || plan_.late[draft.node->index]) continue;
      const Node& node = *draft.node;
      for (const auto& [i, port] : draft.compiled->overwrites) {
        const size_t output = value_root_[node.first_value + port], value = value_of(node.inputs[i]);
        if (known(node.first_value + port) || !is_temporary(output) || known(value)) continue;
        const auto [input, offset] = resolve(value_root_[value], 0);
        if (roots_[output].parent != kNone || input == output || offset != 0 || !can_overwrite(input) ||
            !is_whole(value, input) || roots_[input].bytes != roots_[output].bytes ||
            roots_[input].last != draft.step || reads_elsewhere(node, i, input)) {
          continue;
        }
        roots_[output].parent = input;
        roots_[input].last = roots_[output].last;
      }
      if (draft.compiled->places.empty() || node.outputs.size() != 1 || known(node.first_value)) continue;
      const auto [output, output_offset] = resolve(value_root_[node.first_value], 0);
      if (!is_temporary(output) || output_offset != 0) continue;
      for (size_t i = 0; i < node.inputs.size(); ++i) {
        const size_t value = value_of(node.inputs[i]);
        if (known(value)) continue;
        const auto [input, offset] = resolve(value_root_[value], 0);
        if (input == output || offset != 0 || !is_temporary(input) || !is_whole(value, input)) continue;
        roots_[input].parent = output;
        roots_[input].parent_offset = draft.compiled->places[i];
        roots_[output].first = std::min(roots_[output].first, roots_[input].first);
        roots_[output].last = std::max(roots_[output].last, roots_[input].last);
      }
    }
  }

  // Whether an input of the node other than `input` is in `root` too.
  bool reads_elsewhere(const Node& node, size_t input, size_t root) {
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const size_t value = value_of(node.inputs[i]);
      if (i != input && value_root_[value] != kNone && resolve(value_root_[value], 0).first == root)
        return true;
    }
    return false;
  }

  // If a result is a whole temporary, it is computed directly in the output's memory. Otherwise it is copied
  // at the end.
  void claim(Plan::Output& output, Root::Kind kind, size_t slot) {
    const ValueInfo& value = info(output.value);
    const size_t root = value_root_[output.value];
    output.view.type = value.type;
    output.known_shape = value.shape.is_static() && root != kNone && roots_[root].kind != Root::Kind::kLate;
    if (!output.known_shape) return;
    const auto [base, offset] = resolve(root, value_offset_[output.value]);
    if (kind == Root::Kind::kResult && !is_temporary(base) && can_overwrite(base)) {
      output.known_shape = false;  // the value stays in the input's memory
      return;
    }
    output.view.shape = value.shape.to_shape();
    if (is_temporary(base) && offset == 0 && roots_[base].bytes == bytes_of(output.value)) {
      roots_[base].kind = kind;
      roots_[base].slot = slot;
    } else {
      output.copied = true;
    }
  }

  // Whether the value begins with all of the variable's current one, as that of a Concat does.
  bool extends(model::Source value, size_t variable) const {
    const Node& node = *value.node;
    const CompiledNode* compiled = plan_.compiled[node.index].get();
    if (is_body_ || compiled == nullptr || compiled->places.empty() || node.outputs.size() != 1) return false;
    const size_t first = value_of(node.inputs[0]);
    const size_t root = value_root_[first];
    return compiled->places[0] == 0 && !known(first) && root != kNone &&
           roots_[root].kind == Root::Kind::kVariable && roots_[root].slot == variable &&
           is_whole(first, root);
  }

  void claim_outputs() {
    for (const Node* sink : model_.sinks) {
      const std::string_view id = sink->op->writes_variable();
      for (size_t i = 0; i < state_.variables.size(); ++i) {
        if (state_.variables[i]->id != id) continue;
        Plan::Output output;
        output.value = value_of(sink->inputs[0]);
        claim(output, Root::Kind::kAssignment, plan_.assignments.size());
        // If a variable is assigned twice, only one of the values can take its memory.
        const bool first = std::ranges::count(plan_.assigned, i) == 0;
        output.extends = first && output.known_shape && !output.copied && extends(sink->inputs[0], i);
        plan_.assignments.push_back(std::move(output));
        plan_.assigned.push_back(i);
      }
    }
    for (const Node* result : model_.results) {
      Plan::Output output;
      output.value = value_of(result->inputs[0]);
      claim(output, Root::Kind::kResult, plan_.results.size());
      plan_.results.push_back(std::move(output));
    }
  }

  void lay_out() {
    std::vector<Lifetime> lifetimes;
    std::vector<size_t> buffer_of(roots_.size(), kNone);
    for (size_t i = 0; i < roots_.size(); ++i) {
      const Root& root = roots_[i];
      if (!is_temporary(i) || root.parent != kNone) continue;
      buffer_of[i] = lifetimes.size();
      lifetimes.push_back({root.bytes, root.first, root.last});
    }
    const size_t first_scratch = lifetimes.size();
    for (const Draft& draft : plan_.drafts) {
      if (draft.compiled->scratch_bytes == 0) continue;
      lifetimes.push_back({draft.compiled->scratch_bytes, draft.step, draft.step});
    }
    plan_.memory = plan_memory(std::move(lifetimes), std::move(plan_.memory));
    const MemoryPlan& memory = plan_.memory;
    size_t scratch = first_scratch;
    for (const Draft& draft : plan_.drafts) {
      if (draft.compiled->scratch_bytes == 0) continue;
      plan_.scratch.emplace_back(draft.step, memory.offsets[scratch++]);
    }

    std::vector<char*> strings(roots_.size(), nullptr);
    for (size_t value = 0; value < plan_.inference.values.size(); ++value) {
      if (value_root_[value] == kNone) continue;
      const auto [root, offset] = resolve(value_root_[value], value_offset_[value]);
      const size_t slot = roots_[root].slot;
      switch (roots_[root].kind) {
        case Root::Kind::kConstant:
          break;
        case Root::Kind::kParameter:
          plan_.parameter_uses[slot].push_back({value, offset});
          break;
        case Root::Kind::kVariable:
          plan_.variable_uses[slot].push_back({value, offset});
          break;
        case Root::Kind::kTemporary:
          plan_.arena_uses.push_back({value, memory.offsets[buffer_of[root]] + offset});
          break;
        case Root::Kind::kResult:
          plan_.results[slot].uses.push_back({value, offset});
          break;
        case Root::Kind::kAssignment:
          plan_.assignments[slot].uses.push_back({value, offset});
          break;
        case Root::Kind::kLate:
          // Strings are objects and need their own block. Other data-dependent steps own their outputs.
          if (info(value).type == ElementType::kString && info(value).shape.is_static()) {
            TensorView& view = plan_.views[value];
            if (strings[root] == nullptr) {
              plan_.constants.emplace_back(view.type, view.shape);
              strings[root] = plan_.constants.back().mutable_data<char>();
            }
            view.memory = strings[root] + offset;
          }
          break;
      }
    }
  }

  void find_observation_steps() {
    for (size_t i = 0; i < plan_.observed_values.size(); ++i) {
      // The step of the last draft at or before the draft that computes the value.
      const size_t value = plan_.observed_values[i].value;
      size_t after = kNone;
      size_t step = kNone;
      for (const Draft& draft : plan_.drafts) {
        if (draft.step != kNone) step = draft.step;
        if (value >= draft.node->first_value &&
            value < draft.node->first_value + draft.node->outputs.size()) {
          after = step;
        }
      }
      if (after == kNone) {
        plan_.observed_at_start.push_back(i);
      } else {
        plan_.steps[after].observed.push_back(i);
      }
    }
  }

  // Keeps the constants alive whose raw form a step, a result or an observer uses.
  void keep_constants() {
    std::vector<char> raw(plan_.inference.values.size());
    const auto read = [&](size_t value) {
      const size_t root = value_root_[value];
      if (root != kNone && roots_[root].kind == Root::Kind::kConstant) raw[roots_[root].slot] = 1;
    };
    for (const Draft& draft : plan_.drafts) {
      for (size_t i = 0; i < draft.node->inputs.size(); ++i) {
        if (draft.compiled->consumed.empty() || !draft.compiled->consumed[i])
          read(value_of(draft.node->inputs[i]));
      }
    }
    for (const Plan::Output& output : plan_.results) read(output.value);
    for (const Plan::Output& output : plan_.assignments) read(output.value);
    for (const auto& observed : plan_.observed_values) read(observed.value);
    std::vector<char*> memory(plan_.inference.values.size());
    for (size_t value = 0; value < plan_.inference.values.size(); ++value) {
      if (!raw[value]) continue;
      plan_.constants.push_back(info(value).constant->value());
      memory[value] = plan_.constants.back().mutable_data<char>();
    }
    for (size_t value = 0; value < plan_.inference.values.size(); ++value) {
      const size_t root = value_root_[value];
      if (root == kNone || roots_[root].kind != Root::Kind::kConstant || !raw[roots_[root].slot]) continue;
      plan_.views[value].memory = memory[roots_[root].slot] + value_offset_[value];
    }
  }

  const model::Model& model_;
  const RunState& state_;
  const bool is_body_;
  const bool overwrites_parameters_;
  Plan& plan_;

  std::vector<Root> roots_;
  std::vector<size_t> value_root_, value_offset_;  // by value
};

}  // namespace

void place_values(const model::Model& model, const RunState& state, bool is_body, Plan& plan) {
  Placement(model, state, is_body, plan).run();
}

}  // namespace wasmvino::runtime
