// SPDX-License-Identifier: Apache-2.0
// The elements of variables that a plan keeps in f16 or u8 (VariablePrecision).
#pragma once

#include "core/parallel.h"
#include "core/tensor.h"
#include "model/variable.h"

namespace wasmvino::ops {

using model::VariablePrecision;

// The type of compressed elements, and the size of the last axis for rows of `width` elements.
ElementType compressed_type(VariablePrecision precision);
int64_t compressed_width(VariablePrecision precision, int64_t width);
// The number of elements of such a row.
int64_t expanded_width(VariablePrecision precision, int64_t compressed);

// Compresses rows of f32, or expands them. Tensors differ in type and last axis. With f32, the tensor is
// returned as it is.
Tensor compress_rows(VariablePrecision precision, const Tensor& from, const Parallel& parallel);
Tensor expand_rows(VariablePrecision precision, const Tensor& from, const Parallel& parallel);
void compress_rows(VariablePrecision precision, const TensorView& from, TensorView& to,
                   const Parallel& parallel);
void expand_rows(VariablePrecision precision, const TensorView& from, TensorView& to,
                 const Parallel& parallel);

// Expands `rows` rows of `width` elements, which are `stride` compressed elements apart, into adjacent rows.
void expand_rows(VariablePrecision precision, const void* from, size_t stride, size_t rows, size_t width,
                 float* to);

}  // namespace wasmvino::ops
