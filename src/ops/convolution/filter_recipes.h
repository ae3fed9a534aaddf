// SPDX-License-Identifier: Apache-2.0
// How convolutions pack filters that are quantised constants.
#pragma once

#include "kernels/conv.h"
#include "ops/quantised_data/quantised_matrices.h"

namespace wasmvino::ops {

// The matrices [taps * in_channels][out_channels] that kernels::conv() and kernels::winograd_from_direct()
// multiply by: one per group. For kernels::transposed_conv(), there is one per group and phase.
PackRecipe filter_recipe(const QuantisedConstant& filters, const kernels::Conv& conv,
                         const kernels::ConvWeights& weights, bool transposed);
// Depthwise filters as one matrix [taps][channels].
PackRecipe depthwise_recipe(const QuantisedConstant& filters, const kernels::Conv& conv,
                            const kernels::ConvWeights& weights);

// Dequantises depthwise filters to f32: tap t of channel c becomes to[t * tap_stride + c * channel_stride]
// for c < channels. Channels that do not exist get zeros. `scratch` has depthwise_scratch_size() floats.
void expand_depthwise(const kernels::QuantisedMatrix& filters, size_t channels, size_t tap_stride,
                      size_t channel_stride, float* scratch, float* to);
size_t depthwise_scratch_size(const kernels::QuantisedMatrix& filters);

}  // namespace wasmvino::ops
