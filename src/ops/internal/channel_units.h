// SPDX-License-Identifier: Apache-2.0
// Splits work on the channels of channels-last u8 data among threads. Shared by IntegerMean and IntegerMvn.
#pragma once

#include <algorithm>

#include "core/checked.h"
#include "core/parallel.h"
#include "kernels/gemm.h"

namespace wasmvino::ops {

// Channels per unit of work: a cache line.
inline constexpr size_t kUnitChannels = 64;

// Calls compute(i, channels) for each i below `outer` and each range of 64 channels. compute() reads `bytes`
// bytes per channel.
template <typename Compute>
void for_each_unit(const Parallel& parallel, size_t outer, size_t channels, size_t bytes,
                   const Compute& compute) {
  // Grain: with fewer bytes read, a second thread costs more than it saves.
  constexpr size_t kGrain = size_t{64} << 10;
  const size_t units = (channels + kUnitChannels - 1) / kUnitChannels;
  const size_t cost = saturating_product(bytes, std::min(channels, kUnitChannels));
  parallel_for(parallel, outer * units, kGrain / std::max<size_t>(1, cost) + 1,
               [&](size_t begin, size_t end) {
                 for (size_t unit = begin; unit < end; ++unit) {
                   const size_t first = unit % units * kUnitChannels;
                   compute(unit / units, kernels::Range{first, std::min(first + kUnitChannels, channels)});
                 }
               });
}

}  // namespace wasmvino::ops
