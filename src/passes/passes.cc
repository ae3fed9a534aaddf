// SPDX-License-Identifier: Apache-2.0
#include "passes/passes.h"

#include "core/call.h"

namespace wasmvino::passes {
namespace {

constexpr Pass kPasses[] = {
    {"sink_constants", sink_constants},
    {"compute_halves_in_f32", compute_halves_in_f32},
    {"keep_compressed_weights", keep_compressed_weights},
    {"keep_compressed_filters", keep_compressed_filters},
    {"keep_compressed_inputs", keep_compressed_inputs},
    {"fold_constants", fold_constants},
    {"lift_products", lift_products},
    {"project_tables", project_tables},
    {"fuse_activations", fuse_activations},
    {"fuse_softmax", fuse_softmax},
    {"fuse_layer_norm", fuse_layer_norm},
    {"fuse_attention", fuse_attention},
    {"drop_moves", drop_moves},
    {"fuse_attention_moves", fuse_attention_moves},
    {"fold_batch_norm", fold_batch_norm},
    {"fold_scales", fold_scales},
    {"fuse_bias_activation", fuse_bias_activation},
    {"channels_last", channels_last},
    {"fold_constants", fold_constants},  // those laid out anew
    {"fuse_residual", fuse_residual},
    {"fuse_bias_activation", fuse_bias_activation},  // behind residuals
    {"fuse_mat_mul", fuse_mat_mul},
    {"fuse_elementwise_chain", fuse_elementwise_chain},
};

// What stands first concerns constants, the very first those that bodies read outside: lift_products then
// finds the weights in bodies as they are, and their products before anything is fused with them.
constexpr size_t kPreparing = 6;

void run(std::span<const Pass> passes, model::Model& model, const model::Registry& registry) {
  for (const Pass& pass : passes) {
    current_call().poll();
    if (pass.run(model, registry)) model.index();
  }
}

void prepare(model::Model& model, const model::Registry& registry) {
  run(all_passes().first(1), model, registry);
  for (const auto& node : model.nodes) {
    for (model::Body& body : node->bodies) prepare(*body.model, registry);
  }
  run(all_passes().subspan(1, kPreparing - 1), model, registry);
}

void rewrite(model::Model& model, const model::Registry& registry) {
  run(all_passes().subspan(kPreparing, 1), model, registry);
  for (const auto& node : model.nodes) {
    for (model::Body& body : node->bodies) rewrite(*body.model, registry);
  }
  run(all_passes().subspan(kPreparing + 1), model, registry);
}

}  // namespace

std::span<const Pass> all_passes() { return kPasses; }

void run_passes(model::Model& model, const model::Registry& registry) {
  prepare(model, registry);
  rewrite(model, registry);
}

}  // namespace wasmvino::passes
