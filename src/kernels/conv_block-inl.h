// SPDX-License-Identifier: Apache-2.0
// A block of output pixels, which convolutions and transposed convolutions multiply by the filters: they
// gather the windows of its pixels as pointers, and multiply_block() computes and stores the sums.
#pragma once

#include "kernels/conv.h"
#include "kernels/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {

// Tiles that use a panel of weights one after the other: enough to pay for reading the panel from L2, few
// enough for their windows to stay there.
inline constexpr size_t kBlockTiles = 16;

inline constexpr size_t kBlockRows = kBlockTiles * kTileRows;

// The depth of a tile: a number of taps with `run` floats each. Only the taps `used` are multiplied.
struct Depth {
  size_t taps, run;
  Range used;
  Depth(size_t taps, size_t run) : taps(taps), run(run), used{0, taps} {}
  size_t total() const { return taps * run; }
};

// The most output channels whose sums are faster as products of vectors: a tile multiplies by eight columns,
// used or not.
inline constexpr size_t kFewOutputs = 3;

// The scratch memory: pointers of a block's tiles, the output pixels of its rows, the input rows that a row
// of outputs reads, where each tap of a transposed convolution begins in its row, dequantised weights, zeros
// for positions outside, and copies of runs that extend beyond the sides.
struct Scratch {
  const float** pointers;
  size_t* pixels;
  const float** rows;
  ptrdiff_t* starts;
  float* expanded;
  float* zeros;
  float* runs;
};

// Bytes of the scratch memory, and its division. `copies_runs`: windows may extend beyond the sides.
CheckedSize scratch_bytes(const Depth& depth, bool copies_runs, bool quantised);
Scratch divide(const Depth& depth, bool quantised, void* memory);

// Floats of the packed weights of a group, or of a phase of it.
inline size_t packed_floats(const PackedConv& packed, size_t depth, size_t outputs) {
  return packed.in_rows ? depth * outputs : packed_b_size(depth, outputs);
}

// Multiplies the gathered windows of `rows` pixels by the weights of one group, or of a phase of it, and
// stores the results.
void multiply_block(const Conv& c, const Depth& depth, const Scratch& scratch, size_t rows,
                    const PackedConv& packed, float* y, const Epilogue& epilogue, const Range& columns,
                    size_t group);

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
