// SPDX-License-Identifier: Apache-2.0
// Convolutions in f32 over channels-last tensors: [batch][depth][height][width][channels]. 1-D and 2-D
// convolutions have leading sizes of 1. There is no im2col copy: GEMM tiles read their windows through
// pointers.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/convolution/convolution-1.html
#pragma once

#include <cstddef>

#include "core/checked.h"
#include "kernels/quantised_matrix.h"

namespace wasmvino::kernels {

// Sizes of depth, height, width.
struct Extents {
  size_t sizes[3] = {1, 1, 1};
  size_t& operator[](size_t i) { return sizes[i]; }
  size_t operator[](size_t i) const { return sizes[i]; }
  size_t product() const { return sizes[0] * sizes[1] * sizes[2]; }
  friend bool operator==(const Extents&, const Extents&) = default;
};

// Sizes and strides of a convolution.
struct Conv {
  size_t batch = 1;
  size_t groups = 1;
  size_t in_channels = 1, out_channels = 1;  // per group
  Extents in, out, kernel, stride, dilation;
  // Pads before the data; those after it follow from `out`.
  Extents pads = {{0, 0, 0}};
  // Floats from one position to the next: the channels of all groups, or more where the tensor is a part of a
  // larger one (Concat and Split of channels need no copy).
  size_t in_stride, out_stride;
  // The output pixel that `y` points to, so that results can be computed block by block in a smaller buffer.
  // A residual always covers all pixels.
  size_t out_first = 0;

  size_t in_pixels() const { return batch * in.product(); }
  size_t out_pixels() const { return batch * out.product(); }
};

// --- Convolution -------------------------------------------------------------------------------------------

// Size of the packed weights of all groups for conv(), in floats.
size_t packed_conv_size(const Conv& conv);
// Weight (g, o, i, tap) is data[g * group_stride + o * out_stride + i * in_stride + tap * tap_stride]. Taps
// are in memory order, width innermost.
struct ConvWeights {
  const float* data;
  size_t group_stride, out_stride, in_stride, tap_stride;
};
void pack_conv(const Conv& conv, const ConvWeights& weights, float* packed);

// Few output channels leave most columns of a panel empty. Each filter is then one row, and each output is
// the sum of a product of vectors. pack_filter_rows() writes filter_rows_size() floats.
bool few_outputs_fit(const Conv& conv, bool transposed = false);
size_t filter_rows_size(const Conv& conv);
void pack_filter_rows(const Conv& conv, const ConvWeights& weights, float* packed);
void pack_transposed_filter_rows(const Conv& conv, const ConvWeights& weights, float* packed);

// Packed weights: f32 in panels or in rows, or quantised. Quantised weights are one matrix [taps *
// in_channels][out_channels] per group, whose panels are dequantised one after the other.
struct PackedConv {
  const float* f32 = nullptr;
  bool in_rows = false;
  const QuantisedMatrix* quantised = nullptr;
  PackedConv() = default;
  PackedConv(const float* packed) : f32(packed) {}
  PackedConv(const QuantisedMatrix* matrices) : quantised(matrices) {}
  // Moves on to the weights of the next group: by `floats` floats, or by one matrix.
  void advance(size_t floats) {
    if (quantised != nullptr) {
      ++quantised;
    } else {
      f32 += floats;
    }
  }
};

// Bytes of scratch memory that each thread provides.
CheckedSize conv_scratch_size(const Conv& conv, bool quantised = false);

// y = epilogue(convolution of x). Computes `pixels` of [0, out_pixels()) and, in each group, `channels` of
// [0, out_channels). `channels` begins at a multiple of 8. The rows of the epilogue are pixels, its columns
// the channels of all groups. bias_per_row is not supported.
void conv(const Conv& conv, const float* x, const PackedConv& packed, float* y, const Epilogue& epilogue,
          void* scratch, Range pixels, Range channels);

// --- Transposed convolution --------------------------------------------------------------------------------
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/convolution/convolution-backprop-data-1.html
//
// `in` and `out` are those of the transposed operation: input i and tap k contribute to output i * stride + k
// * dilation - pad. Output positions with equal remainders modulo the strides use the same taps. Each such
// phase is a convolution of its own, with a subset of the weights and without multiplications by zero.

void pack_transposed_conv(const Conv& conv, const ConvWeights& weights,
                          float* packed);  // packed_conv_size() floats
// Phases are numbered from 0 to the product of the strides, exclusive. Writes the taps of one phase to `taps`
// and returns their number. Quantised weights have a matrix [those taps * in_channels][out_channels] per
// phase of each group.
size_t taps_of_phase(const Conv& conv, size_t phase, size_t* taps);
CheckedSize transposed_conv_scratch_size(const Conv& conv, bool quantised = false);
// Like conv(), for `rows` of [0, batch * out depth * out height).
void transposed_conv(const Conv& conv, const float* x, const PackedConv& packed, float* y,
                     const Epilogue& epilogue, void* scratch, Range rows, Range channels);

}  // namespace wasmvino::kernels
