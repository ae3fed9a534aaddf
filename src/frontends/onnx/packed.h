// SPDX-License-Identifier: Apache-2.0
// Quantised weights that are packed into bytes, as operators of com.microsoft store them.
#pragma once

#include <optional>

#include "frontends/onnx/context.h"

namespace wasmvino::onnx {

// The numbers of `bits` bits (1, 2, 4 or 8) in a tensor of u8: along its last axis, the first one in the low
// bits. `count` numbers of each row are used. Constants stay packed if an element type allows it.
Source unpack(Context& c, const Source& bytes, int64_t bits, int64_t count);

// A packed matrix: `rows` rows of `columns` numbers, each quantised in blocks of `block` along its row.
struct PackedMatrix {
  Source data, scales;                // u8, and one scale for each block
  std::optional<Source> zero_points;  // packed like the data, or one real number for each block
  int64_t rows = 0, columns = 0, block = 0, bits = 4;

  int64_t blocks() const { return (columns + block - 1) / block; }
};

// Its values in f32, the last block padded: [rows, blocks * block].
Source unpack_matrix(Context& c, const PackedMatrix& matrix);

// The rows of x times the transpose of such a matrix.
Source multiply_by_packed(Context& c, const Source& x, const PackedMatrix& matrix);

}  // namespace wasmvino::onnx
