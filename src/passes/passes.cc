// SPDX-License-Identifier: Apache-2.0
#include "passes/passes.h"

#include "core/call.h"

namespace wasmvino::passes {
namespace {

// --- Phases, in the order in which they run. See run_passes() for what happens to bodies between them.

// Bodies get copies of the outer constants that they read, so that the phases below find weights in them.
constexpr Pass kConstantsIntoBodies[] = {
    {"sink_constants", sink_constants},
};

// Constants take the form that kernels read: quantised weights stay quantised, constant subgraphs are
// computed.
constexpr Pass kConstants[] = {
    {"compute_f16_in_f32", compute_f16_in_f32},
    {"keep_quantised_weights", keep_quantised_weights},
    {"keep_quantised_filters", keep_quantised_filters},
    {"keep_quantised_inputs", keep_quantised_inputs},
    {"fold_constants", fold_constants},
};

// Work that all iterations of a body share is hoisted out of it, before it is fused with anything.
constexpr Pass kHoisting[] = {
    {"hoist_mat_muls", hoist_mat_muls},
};

// Decomposed operations are fused; scales and biases become part of weights and of the operations before
// them.
constexpr Pass kFusion[] = {
    {"project_tables", project_tables},
    {"fuse_activations", fuse_activations},
    {"fuse_softmax", fuse_softmax},
    {"fuse_layer_norm", fuse_layer_norm},
    {"fuse_attention", fuse_attention},
    {"simplify", simplify},
    {"fuse_attention_transposes", fuse_attention_transposes},
    {"fold_batch_norm", fold_batch_norm},
    {"fold_scales", fold_scales},
    {"fuse_bias_activation", fuse_bias_activation},
};

constexpr Pass kLayout[] = {
    {"channels_last", channels_last}, {"fold_constants", fold_constants},  // those in another layout
};

// These need to know the layouts.
constexpr Pass kFusionInLayout[] = {
    {"fuse_residual", fuse_residual},
    {"fuse_bias_activation", fuse_bias_activation},  // behind residuals
    {"fuse_mat_mul", fuse_mat_mul},
    {"compute_in_integers", compute_in_integers},
    {"fuse_elementwise_chain", fuse_elementwise_chain},
};

void run(std::span<const Pass> passes, model::Model& model, const model::Registry& registry, bool integers) {
  for (const Pass& pass : passes) {
    if (!integers && pass.run == compute_in_integers) continue;
    current_call().poll();
    if (pass.run(model, registry)) model.index();
  }
}

template <typename Visit>
void for_each_body(const model::Model& model, const Visit& visit) {
  for (const auto& node : model.nodes) {
    for (const model::Body& body : node->bodies) visit(*body.model);
  }
}

// The bodies' constants come first: the outer graph may use what a body computes from them.
void prepare(model::Model& model, const model::Registry& registry, bool integers) {
  run(kConstantsIntoBodies, model, registry, integers);
  for_each_body(model, [&](model::Model& body) { prepare(body, registry, integers); });
  run(kConstants, model, registry, integers);
}

// A body is rewritten after hoisting.
void rewrite(model::Model& model, const model::Registry& registry, bool integers) {
  run(kHoisting, model, registry, integers);
  for_each_body(model, [&](model::Model& body) { rewrite(body, registry, integers); });
  run(kFusion, model, registry, integers);
  run(kLayout, model, registry, integers);
  run(kFusionInLayout, model, registry, integers);
}

}  // namespace

void run_passes(model::Model& model, const model::Registry& registry, bool integers) {
  prepare(model, registry, integers);
  rewrite(model, registry, integers);
}

}  // namespace wasmvino::passes
