// SPDX-License-Identifier: Apache-2.0
// Input checks shared by operations on regions of interest.
#pragma once

#include <string_view>

#include "model/op.h"

namespace wasmvino::ops {

// Checks that an input is feature maps [N, C, H, W] that have elements, so that regions can be sampled.
// `name` is the input's. Throws Error.
void expect_maps(InferContext& context, size_t port, std::string_view name);

// Checks feature maps [N, C, H, W] (input 0) and regions [count, columns] (input 1) of one floating point
// type. Returns the output's shape [count, channels, height, width]. Throws Error.
PartialShape infer_regions(InferContext& context, size_t columns, Dimension channels, int64_t height,
                           int64_t width);

// Throws Error(kInvalidValue), naming the region, unless 0 <= index < batch.
void expect_picture(int64_t index, size_t batch, size_t region);

// The picture that a floating point index names, truncated towards zero. Throws the same Error.
size_t picture_at(float index, size_t batch, size_t region);

// Throws Error(kInvalidValue) unless the attribute is 1 or more.
void expect_at_least_one(std::string_view name, int64_t value);

// Throws Error(kInvalidValue) unless the number of samples along one side of a bin is from `least` to 32768.
void expect_samples(std::string_view name, int64_t value, int64_t least);

}  // namespace wasmvino::ops
