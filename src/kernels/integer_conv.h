// SPDX-License-Identifier: Apache-2.0
// Quantised convolutions over channels-last tensors: u8 data, s8 filters, exact i32 sums. See integer_gemm.h.
#pragma once

#include "kernels/conv.h"
#include "kernels/integer_gemm.h"

namespace wasmvino::kernels {

// A quantised convolution. For each group, the arrays of the epilogue hold its output channels, padded to a
// multiple of 8.
struct IntegerConv {
  Conv conv;  // its strides count elements of u8 data; out_first is 0
  IntegerDot dot;
  uint8_t pad;  // value outside the data: its zero point
};

// Whether windows are read in place, instead of being copied to rows of A. Filters are then packed otherwise.
bool integer_conv_reads_in_place(const IntegerConv& c);
// integer_conv_weights_size: bytes of the packed filters of all groups. integer_conv_columns: elements of
// each array of the epilogue.
size_t integer_conv_weights_size(const IntegerConv& c);
size_t integer_conv_columns(const Conv& conv);
// Packs s8 filters, addressed by `places` as in pack_conv(). Writes the sum of each filter to `sums`, in the
// order of the epilogue's arrays.
void pack_integer_conv(const IntegerConv& c, const int8_t* filters, const ConvWeights& places, int8_t* packed,
                       int32_t* sums);

// Number of pixels computed together, and bytes of scratch memory that each thread provides.
size_t integer_conv_block(const IntegerConv& c);
CheckedSize integer_conv_scratch_size(const IntegerConv& c);

// Computes `pixels` of [0, out_pixels()) and, in each group, `channels` of [0, out_channels). `channels`
// begins at a multiple of 8. Rows of the epilogue's residual and of `y` are pixels, their columns the
// channels of all groups.
void conv(const IntegerConv& c, const uint8_t* x, const int8_t* packed, const Output& y,
          const Epilogue& epilogue, char* scratch, Range pixels, Range channels);

// --- Depthwise: one input channel and one output channel per group ----------------------------------------

// Channels are padded to a multiple of this number.
inline constexpr size_t kIntegerChannels = 16;

// Bytes of the packed filters.
size_t integer_depthwise_weights_size(const Conv& conv);
// Packs filters: channel c and tap t is filters[c * group_stride + t * tap_stride].
void pack_integer_depthwise(const IntegerConv& c, const int8_t* filters, const ConvWeights& places,
                            int8_t* packed, int32_t* sums);
CheckedSize integer_depthwise_scratch_size(const Conv& conv);
// `pads` [channels] holds the values outside the data. Arrays of the epilogue have the number of channels
// rounded up to a multiple of 16. Computes `rows` of [0, batch * out depth * out height). Residuals are not
// supported.
void depthwise(const IntegerConv& c, const uint8_t* pads, const uint8_t* x, const int8_t* packed,
               const Output& y, const Epilogue& epilogue, char* scratch, Range rows);

}  // namespace wasmvino::kernels
