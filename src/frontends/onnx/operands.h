// SPDX-License-Identifier: Apache-2.0
// Forms of inputs that several families of operators share.
#pragma once

#include "frontends/onnx/context.h"

namespace wasmvino::onnx {

// Input 1 of a binary operator before opset 7. Its attribute `axis` is the axis of input 0 to which the first
// axis of input 1 is broadcast.
Source legacy_operand(Context& c);

// All axes of a value as an i64 list, also if their number is not known.
Source all_axes(Context& c, const Source& x);
// The axes first .. end of a value as an i64 list. Throws Error(kUnsupported) if their number is not known.
Ints axes_from(Context& c, const Source& x, int64_t first);

// A number that is a tensor of one element, as a scalar of type i64.
Source index_scalar(Context& c, const Source& x);
// [n] as [n, 1, 1 ...], for the axes after the channels of a value with `rank` axes.
Source for_channels(Context& c, const Source& list, size_t rank);

// Unary and binary operators that are one operation: the first that their entry names.
void unary(Context& c);
void binary(Context& c);
void legacy_binary(Context& c);

}  // namespace wasmvino::onnx
