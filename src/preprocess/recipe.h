// SPDX-License-Identifier: Apache-2.0
// Makes pre- and postprocessing part of a model, as OpenVINO's PrePostProcessor does.
#pragma once

#include <span>
#include <string>

#include "model/registry.h"

namespace wasmvino::preprocess {

// Changes a model so that it accepts and returns what a recipe says. A recipe is a list of keys, each
// followed by a value. The keys "input" and "output" select an input or output by position; the keys after
// them describe it:
//
//   type, shape, layout   what the user passes or receives: "u8", "1,480,640,3", "NHWC"
//   modelLayout           the layout in the model
// Only for inputs:
//   spatial               height and width of what the user passes: "480,640", "?,?"
//   color                 its color format: "NV12_TWO_PLANES"
//   planes                names of its planes: "Y,UV"
// Then follow the steps in their order. Inputs may have all of them, outputs only the first three and
// custom ones:
//   convertType (a type), convertLayout (a layout), transpose ("0,3,1,2"),
//   mean, scale ("1" or "1,2,3"), resize ("linear,224,224"; -1: the model's size), convertColor ("RGB"),
//   crop (begin positions, then end positions), pad (sizes before, then after), padMode (of the
//   next pad), padValue (of the next pad), reverseChannels,
//   customConstant and customNode (the nodes of the next custom, as lines), custom (its result: "2.0")
//
// Nodes of a custom step are numbered from 1; 0 is the value before the step. "2.0" is output 0 of node 2.
// The lines of a constant are its element type, its shape and its bytes in hexadecimal digits; those of other
// nodes are the type, the inputs, the number of outputs, and names and values of attributes in turn.
//
// At the end, type and layout are converted to those of the model (inputs) or the user (outputs).
// https://docs.openvino.ai/2026/openvino-workflow/running-inference/optimize-inference/optimize-preprocessing/preprocessing-api-details.html
//
// Recipes are parts of exported models, which may come from anywhere.
//
// Throws Error. The model is then unusable.
void apply(model::Model& model, const model::Registry& registry, std::span<const std::string> recipe);

}  // namespace wasmvino::preprocess
