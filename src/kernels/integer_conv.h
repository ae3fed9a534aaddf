// SPDX-License-Identifier: Apache-2.0
// Quantised convolutions over channels-last tensors: u8 data, s8 filters, exact i32 sums. See integer_gemm.h.
#pragma once

#include "kernels/conv.h"
#include "kernels/integer_gemm.h"

namespace wasmvino::kernels {

// What a convolution computes. Arrays of the epilogue hold, for each group, its output channels rounded up
// to 8.
struct IntegerConv {
  Conv conv;  // strides count elements
  IntegerDot dot;
  uint8_t pad;  // what lies outside the data: its zero point
};

// Bytes of the filters of all groups packed; elements of the epilogue's arrays.
size_t integer_conv_weights_size(const Conv& conv);
size_t integer_conv_columns(const Conv& conv);
// Filters lie as for pack_conv(), as s8 integers. sums gets the sum of each filter, in the order of the
// epilogue's arrays.
void pack_integer_conv(const IntegerConv& c, const int8_t* filters, const ConvWeights& places, int8_t* packed,
                       int32_t* sums);

// Pixels that are computed together, and bytes of scratch that each thread brings.
size_t integer_conv_block(const IntegerConv& c);
CheckedSize integer_conv_scratch_size(const IntegerConv& c);

// Computes `pixels` of [0, out_pixels()) and, of each group, `channels` of [0, out_channels), which begin at
// a multiple of 8. Rows of the epilogue's residual and of `out` are pixels, their columns the channels of all
// groups. Row 0 is pixel 0, that of `out` pixel conv.out_first.
void integer_conv(const IntegerConv& c, const uint8_t* x, const int8_t* packed,
                  const IntegerEpilogue& epilogue, const IntegerOutput& out, char* scratch, Range pixels,
                  Range channels);

// --- Depthwise: one channel in and one out per group -------------------------------------------------------

// Channels are filled up to a multiple of this.
inline constexpr size_t kIntegerChannels = 16;

size_t integer_depthwise_weights_size(const Conv& conv);
// Filter of channel c and tap t at filters[c * group_stride + t * tap_stride].
void pack_integer_depthwise(const IntegerConv& c, const int8_t* filters, const ConvWeights& places,
                            int8_t* packed, int32_t* sums);
CheckedSize integer_depthwise_scratch_size(const Conv& conv);
// `pads` [channels] holds what lies outside the data. Arrays of the epilogue have the channels rounded up
// to 16. Computes `rows` of [0, batch * out depth * out height); there is no residual.
void integer_depthwise(const IntegerConv& c, const uint8_t* pads, const uint8_t* x, const int8_t* packed,
                       const IntegerEpilogue& epilogue, const IntegerOutput& out, char* scratch, Range rows);

}  // namespace wasmvino::kernels
