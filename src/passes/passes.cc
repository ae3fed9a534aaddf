// SPDX-License-Identifier: Apache-2.0
#include "passes/passes.h"

namespace wasmvino::passes {
namespace {

constexpr Pass kPasses[] = {
    {"compute_halves_in_f32", compute_halves_in_f32},
    {"keep_compressed_weights", keep_compressed_weights},
    {"fold_constants", fold_constants},
    {"fuse_activations", fuse_activations},
    {"fuse_softmax", fuse_softmax},
    {"fuse_layer_norm", fuse_layer_norm},
    {"fuse_attention", fuse_attention},
    {"drop_moves", drop_moves},
    {"fuse_attention_moves", fuse_attention_moves},
    {"fold_batch_norm", fold_batch_norm},
    {"fuse_bias_activation", fuse_bias_activation},
    {"channels_last", channels_last},
    {"fold_constants", fold_constants},  // those laid out anew
    {"fuse_residual", fuse_residual},
    {"fuse_bias_activation", fuse_bias_activation},  // behind residuals
    {"fuse_mat_mul", fuse_mat_mul},
    {"fuse_elementwise_chain", fuse_elementwise_chain},
};

}  // namespace

std::span<const Pass> all_passes() { return kPasses; }

void run_passes(model::Model& model, const model::Registry& registry) {
  for (const auto& node : model.nodes) {
    for (model::Body& body : node->bodies) run_passes(*body.model, registry);
  }
  for (const Pass& pass : all_passes()) {
    if (pass.run(model, registry)) model.index();
  }
}

}  // namespace wasmvino::passes
