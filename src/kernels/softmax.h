// SPDX-License-Identifier: Apache-2.0
// Softmax in two passes over memory (greatest, exponentials and their sum) and a scaling, which finds them in
// the cache.
#pragma once

#include <cstddef>

namespace wasmvino::kernels {

// y = softmax(x), or its logarithm, of each of the rows of n; y may be x. The exponentials are within 1.5
// ulp; a row of only -inf gives NaN, as the definition does.
void softmax_rows(const float* x, float* y, size_t rows, size_t n, bool logarithm);

// A part of a longer row, where all parts are not at hand at once: x becomes e^(x - greatest), and `greatest`
// and `sum`, at first -inf and 0, are brought up to date. Returns what all that earlier parts gave is to be
// multiplied by; `sum` is already. Parts of only -inf give zeros; where all parts do, `sum` stays 0.
float online_softmax_row(float* x, size_t n, float& greatest, float& sum);

// softmax_row() down each of `width` columns of `rows` elements that are `stride` apart; best for a width of
// 16 .. 256, which stays in the first-level cache. `scratch` holds 2 * width floats.
void softmax_columns(const float* x, float* y, size_t rows, size_t stride, size_t width, bool logarithm,
                     float* scratch);

}  // namespace wasmvino::kernels
