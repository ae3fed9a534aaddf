// SPDX-License-Identifier: Apache-2.0
// Convolutions in f32 over channels-last tensors: [batch][depth][height][width][channels]. 1-D and 2-D ones
// have sizes of 1 in front. No copy to columns: tiles of GEMM read their windows through pointers.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/convolution/convolution-1.html
#pragma once

#include <cstddef>

#include "core/checked.h"
#include "kernels/compressed.h"

namespace wasmvino::kernels {

// Sizes of depth, height, width.
struct Extents {
  size_t sizes[3] = {1, 1, 1};
  size_t& operator[](size_t i) { return sizes[i]; }
  size_t operator[](size_t i) const { return sizes[i]; }
  size_t product() const { return sizes[0] * sizes[1] * sizes[2]; }
};

struct Conv {
  size_t batch = 1;
  size_t groups = 1;
  size_t in_channels = 1, out_channels = 1;  // of one group
  Extents in, out, kernel, stride, dilation;
  Extents pads = {{0, 0, 0}};  // before; what lies behind follows from `out`
  // Floats from one position to the next: the channels of all groups, or more where the tensor is a part of a
  // larger one (Concat and Split of channels need no copy).
  size_t in_stride, out_stride;
  // The output pixel that `y` points to: results may be computed block by block into a smaller memory. A
  // residual is always that of all pixels.
  size_t out_first = 0;

  size_t in_pixels() const { return batch * in.product(); }
  size_t out_pixels() const { return batch * out.product(); }
};

// --- Convolution -------------------------------------------------------------------------------------------

// Weights of all groups packed for conv(), in floats.
size_t packed_conv_size(const Conv& conv);
// Weight (g, o, i, tap) of a group at w[g * group_stride + o * out_stride + i * in_stride + tap *
// tap_stride]; taps in the order of memory, width innermost.
struct ConvWeights {
  const float* data;
  size_t group_stride, out_stride, in_stride, tap_stride;
};
void pack_conv(const Conv& conv, const ConvWeights& weights, float* packed);

// Packed weights: in f32, or quantised, with a matrix [taps * in_channels][out_channels] per group, whose
// panels are expanded one after the other.
struct PackedConv {
  const float* f32 = nullptr;
  const CompressedMatrix* compressed = nullptr;
  PackedConv() = default;
  PackedConv(const float* packed) : f32(packed) {}
  PackedConv(const CompressedMatrix* matrices) : compressed(matrices) {}
  // To those of the next group, behind so many floats or one matrix.
  void advance(size_t floats) {
    if (compressed != nullptr) {
      ++compressed;
    } else {
      f32 += floats;
    }
  }
};

// Bytes of scratch that each thread brings.
CheckedSize conv_scratch_size(const Conv& conv, bool compressed = false);

// y = epilogue(convolution of x). Computes `pixels` of [0, out_pixels()) and, of each group, `channels` of
// [0, out_channels), which begin at a multiple of 8. The epilogue's rows are pixels, its columns the channels
// of all groups; bias_per_row is not supported.
void conv(const Conv& conv, const float* x, const PackedConv& packed, float* y, const Epilogue& epilogue,
          void* scratch, Range pixels, Range channels);

// --- Transposed convolution --------------------------------------------------------------------------------
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/convolution/convolution-backprop-data-1.html
//
// `in` and `out` are those of the transposed operation: input i and tap k meet at output i * stride + k *
// dilation - pad. Output positions with the same remainders by the strides meet the same taps: each such
// phase is a convolution of its own, with a part of the weights and without a multiplication by zero.

void pack_transposed_conv(const Conv& conv, const ConvWeights& weights,
                          float* packed);  // packed_conv_size() floats
// Phases are numbered from 0 to the product of the strides. Writes the taps of one to `taps` and returns
// their number. Quantised weights have a matrix [those taps * in_channels][out_channels] per phase of each
// group.
size_t taps_of_phase(const Conv& conv, size_t phase, size_t* taps);
CheckedSize transposed_conv_scratch_size(const Conv& conv, bool compressed = false);
// As conv(), for `rows` of [0, batch * out depth * out height).
void transposed_conv(const Conv& conv, const float* x, const PackedConv& packed, float* y,
                     const Epilogue& epilogue, void* scratch, Range rows, Range channels);

}  // namespace wasmvino::kernels
