// SPDX-License-Identifier: Apache-2.0
// Pre- and post-processing as part of a model: OpenVINO's PrePostProcessor.
#pragma once

#include <span>
#include <string>

#include "model/registry.h"

namespace wasmvino::preprocess {

// Has the model take and give what a recipe says. It is a list of keys, each with a value behind it. The keys
// "input" and "output" begin what is said of that input or output, by position:
//
//   type, shape, layout   what the user gives or gets: "u8", "1,480,640,3", "NHWC"
//   modelLayout           what the model has
// and of inputs:
//   spatial               height and width of what the user gives: "480,640", "?,?"
//   color                 its color format: "NV12_TWO_PLANES"
//   planes                names of its planes: "Y,UV"
// and then the steps in their order, all of them for inputs, the first three for outputs:
//   convertType (a type), convertLayout (a layout), transpose ("0,3,1,2"),
//   mean, scale ("1" or "1,2,3"), resize ("linear,224,224"; -1: the model's size), convertColor ("RGB"),
//   crop (positions, the first ones and then the last ones), pad (before and then behind), padMode (of the
//   next pad), padValue (of the next pad), reverseChannels
//
// At the end the type and the layout become those of the model, or of the user.
// https://docs.openvino.ai/2026/openvino-workflow/running-inference/optimize-inference/optimize-preprocessing/preprocessing-api-details.html
//
// Throws Error; the model is of no use then.
void apply(model::Model& model, const model::Registry& registry, std::span<const std::string> recipe);

}  // namespace wasmvino::preprocess
