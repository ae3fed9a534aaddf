// SPDX-License-Identifier: Apache-2.0
#include "passes/passes.h"

#include <algorithm>
#include <map>

#include "core/call.h"
#include "core/error.h"
#include "passes/changes.h"

namespace wasmvino::passes {
namespace {

// A pass and its benefit.
struct Step {
  std::string_view name, reason;
  bool (*run)(model::Model& model, const model::Registry& registry);
  // For passes that depend on an option, instead of `run`.
  bool (*run_with)(model::Model& model, const model::Registry& registry,
                   const PassOptions& options) = nullptr;
  bool in_bodies = true;  // false: only the outer model
};

// --- Phases, in the order in which they run. See run_passes() for what happens to bodies between them.

// Bodies get copies of the outer constants that they read, and f32 values, so that the phases below find
// weights in them.
constexpr Step kConstantsIntoBodies[] = {
    {"sink_constants",
     "bodies get copies of the outer constants that they use, which can then be folded and packed there",
     sink_constants},
    {"widen_bodies", "bodies get f32 values instead of f16 and bf16 ones, and compute in f32 from end to end",
     widen_bodies},
};

// Constants take the form that kernels read: quantised weights stay quantised, constant subgraphs are
// computed.
constexpr Step kConstants[] = {
    {"compute_f16_in_f32", "f16 and bf16 operations compute in f32, without conversions around each of them",
     compute_f16_in_f32},
    {"keep_quantised_constants", "weights stay quantised in memory and are dequantised while they are used",
     keep_quantised_constants},
    {"fold_constants", "values that depend only on constants are computed once, when the model is compiled",
     fold_constants},
};

// Work that all iterations of a body share is hoisted out of it, before it is fused with anything.
constexpr Step kHoisting[] = {
    {"hoist_mat_muls", "one matmul before a loop replaces a matmul in each iteration", hoist_mat_muls},
};

// Decomposed operations are fused; scales and biases become part of weights and of the operations before
// them.
constexpr Step kFusion[] = {
    {"project_tables", "all rows of a table are multiplied once, instead of one row at each lookup",
     project_tables},
    {"fuse_activations", "a decomposed activation becomes one operation, which reads memory once",
     fuse_activations},
    {"fuse_softmax", "a decomposed Softmax becomes one operation", fuse_softmax},
    {"fuse_layer_norm", "a decomposed normalisation becomes one operation, which reads memory once",
     fuse_layer_norm},
    {"fuse_rotary", "a decomposed rotary position embedding becomes one operation, which reads memory once",
     fuse_rotary},
    {"fuse_attention",
     "softmax(query key) value becomes one operation, which does not store the scores in memory",
     fuse_attention},
    {"lay_out_caches",
     "variables keep keys and values by position, so that new positions are appended in place", nullptr,
     [](model::Model& model, const model::Registry& registry, const PassOptions& options) {
       return lay_out_caches(model, registry, options.cache_precision);
     },
     false},
    {"simplify", "operations that change nothing are removed, others are replaced by cheaper forms",
     simplify},
    {"fuse_attention_transposes",
     "attention reads and writes transposed tensors, and keys and values shared by heads, without copies",
     fuse_attention_transposes},
    {"fold_batch_norm", "multiplications per channel become part of the filters of a convolution",
     fold_batch_norm},
    {"fold_scales", "multiplications before or after a matmul become part of its weights", fold_scales},
    {"fuse_bias_activation",
     "a convolution adds the bias and applies the activation while results are in registers",
     fuse_bias_activation},
};

constexpr Step kLayout[] = {
    {"channels_last", "convolutions and the operations between them work on NHWC data, which suits SIMD",
     nullptr,
     [](model::Model& model, const model::Registry& registry, const PassOptions& options) {
       return channels_last(model, registry, options.integers);
     }},
    {"fold_constants", "values that depend only on constants are computed once, when the model is compiled",
     fold_constants},  // constants that were transposed to another layout
};

// These passes depend on the layouts.
constexpr Step kFusionInLayout[] = {
    {"fuse_residual", "a convolution adds a residual while its results are in registers", fuse_residual},
    {"fuse_bias_activation",
     "a convolution adds the bias and applies the activation while results are in registers",
     fuse_bias_activation},  // after residuals
    {"fuse_mat_mul",
     "a matmul adds bias and residual and applies the activation while results are in registers",
     fuse_mat_mul},
    {"compute_in_integers", "quantised convolutions and matmuls multiply integers instead of floats",
     compute_in_integers},
    {"store_levels",
     "operations on integers quantise their results when they store them, instead of passing on f32",
     store_levels},
    {"quantise_rows",
     "data are quantised during the run, so that matmuls with quantised weights multiply integers", nullptr,
     [](model::Model& model, const model::Registry&, const PassOptions& options) {
       return quantise_rows(model, options.row_group);
     }},
    {"fuse_elementwise_chain", "a chain of elementwise operations processes memory once",
     fuse_elementwise_chain},
};

constexpr std::span<const Step> kPhases[] = {kConstantsIntoBodies, kConstants, kHoisting, kFusion, kLayout,
                                             kFusionInLayout};

// Runs passes over models and reports what each one did.
class Driver {
 public:
  Driver(const model::Registry& registry, const PassOptions& options, std::vector<Change>* changes)
      : registry_(registry),
        options_(options),
        changes_(changes),
        skipped_(parse_pass_names(options.skipped)) {
    if (is_skipped("compute_in_integers")) options_.integers = false;
  }

  // The bodies' constants come first: the outer graph may use what a body computes from them.
  void prepare(model::Model& model) {
    run(kConstantsIntoBodies, model);
    for_each_body(model, &Driver::prepare);
    run(kConstants, model);
  }

  // A body is rewritten after hoisting.
  void rewrite(model::Model& model) {
    run(kHoisting, model);
    for_each_body(model, &Driver::rewrite);
    run(kFusion, model);
    run(kLayout, model);
    run(kFusionInLayout, model);
  }

 private:
  struct Seen {
    const model::Node* node;
    Change::Operation operation;
    friend bool operator==(const Seen& a, const Seen& b) {
      return a.node == b.node && a.operation.type == b.operation.type && a.operation.name == b.operation.name;
    }
  };

  static std::vector<Seen> operations(const model::Model& model) {
    std::vector<Seen> seen;
    for (const auto& node : model.nodes) {
      if (node->kind == model::NodeKind::kOperation) seen.push_back({node.get(), {node->name, node->type}});
    }
    return seen;
  }

  // The elements of `list` that `others` does not contain.
  static std::vector<Change::Operation> missing(const std::vector<Seen>& list,
                                                const std::vector<Seen>& others) {
    std::map<const model::Node*, const Seen*> known;
    for (const Seen& other : others) known[other.node] = &other;
    std::vector<Change::Operation> found;
    for (const Seen& each : list) {
      const auto other = known.find(each.node);
      if (other == known.end() || !(*other->second == each)) found.push_back(each.operation);
    }
    return found;
  }

  bool is_skipped(std::string_view name) const {
    return std::find(skipped_.begin(), skipped_.end(), name) != skipped_.end();
  }

  void run(std::span<const Step> steps, model::Model& model) {
    std::vector<Seen> before;
    if (changes_ != nullptr) before = operations(model);
    for (const Step& pass : steps) {
      if (!options_.integers && pass.run == compute_in_integers) continue;
      if (is_skipped(pass.name)) continue;
      if (!pass.in_bodies && !path_.empty()) continue;
      current_call().poll();
      const bool changed =
          pass.run != nullptr ? pass.run(model, registry_) : pass.run_with(model, registry_, options_);
      if (!changed) continue;
      model.index();
      if (changes_ == nullptr) continue;
      std::vector<Seen> after = operations(model);
      Change change{pass.name, pass.reason, path_, missing(before, after), missing(after, before)};
      if (!change.removed.empty() || !change.added.empty()) changes_->push_back(std::move(change));
      before = std::move(after);
    }
  }

  void for_each_body(const model::Model& model, void (Driver::*visit)(model::Model&)) {
    for (const auto& node : model.nodes) {
      path_.push_back(node->name);
      for (const model::Body& body : node->bodies) (this->*visit)(*body.model);
      path_.pop_back();
    }
  }

  const model::Registry& registry_;
  PassOptions options_;
  std::vector<Change>* changes_;
  std::vector<std::string_view> skipped_;
  std::vector<std::string> path_;
};

}  // namespace

std::vector<std::string_view> pass_names() {
  std::vector<std::string_view> names;
  for (const std::span<const Step> phase : kPhases) {
    for (const Step& step : phase) {
      if (std::find(names.begin(), names.end(), step.name) == names.end()) names.push_back(step.name);
    }
  }
  return names;
}

std::vector<std::string_view> parse_pass_names(std::string_view list) {
  const std::vector<std::string_view> names = pass_names();
  std::vector<std::string_view> parsed;
  for (size_t begin = 0, end; begin < list.size(); begin = end + 1) {
    end = std::min(list.find(',', begin), list.size());
    const std::string_view name = trim(list.substr(begin, end - begin));
    if (name.empty()) continue;
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      std::string all;
      for (const std::string_view each : names) all += cat(all.empty() ? "" : ", ", each);
      throw Error(ErrorCode::kInvalidArgument,
                  cat("WASMVINO_SKIPPED_PASSES: there is no pass '", name, "'. The passes are ", all))
          .expected(all)
          .actual(std::string(name));
    }
    parsed.push_back(name);
  }
  return parsed;
}

void run_passes(model::Model& model, const model::Registry& registry, const PassOptions& options) {
  Driver driver(registry, options, nullptr);
  driver.prepare(model);
  driver.rewrite(model);
}

std::vector<Change> run_passes_and_tell(model::Model& model, const model::Registry& registry,
                                        const PassOptions& options) {
  std::vector<Change> changes;
  Driver driver(registry, options, &changes);
  driver.prepare(model);
  driver.rewrite(model);
  return changes;
}

}  // namespace wasmvino::passes
