// SPDX-License-Identifier: Apache-2.0
// Pooling of known sizes, as kernels take it.
#pragma once

#include <memory>

#include "kernels/conv.h"
#include "ops/pooling/pooling.h"

namespace wasmvino::ops {

struct PoolProblem {
  kernels::Pooling kind = kernels::Pooling::kMaximum;
  kernels::Conv conv;  // a depthwise convolution with groups = channels
  Layout in = Layout::kChannelsFirst,
         out = Layout::kChannelsFirst;  // channels last only without indices
  // For indices of MaxPool, which restart at 0 in each slice along the axes before this one.
  size_t index_axis = 0;
};

PoolProblem make_pooling(kernels::Pooling kind, const Shape& data, const Shape& output,
                         const PoolAttributes& attributes, Layout in = Layout::kChannelsFirst,
                         Layout out = Layout::kChannelsFirst);

// The kernel for a node whose input 0 is the data. Output 1, if there is one, holds the indices of maxima.
std::unique_ptr<Kernel> compile_pooling(CompileContext& context, const PoolProblem& problem);

}  // namespace wasmvino::ops
