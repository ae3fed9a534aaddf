// SPDX-License-Identifier: Apache-2.0
// Transposed convolutions of u8 data and s8 filters, with exact sums.
#pragma once

#include <memory>

#include "ops/quantised_data/integer_product.h"

namespace wasmvino::ops {

// The kernel of a transposed convolution. `product.conv` has its sizes, strides and pads, without dilations.
// There is no residual. `product.key` must name everything that the filters' places depend on.
//
// Output positions with equal remainders modulo the strides use the same taps. Each such phase is a
// convolution of its own, with stride 1. Its result is stored in scratch memory, then moved to its positions.
std::unique_ptr<Kernel> compile_transposed_product(CompileContext& context, const IntegerProduct& product);

}  // namespace wasmvino::ops
