// SPDX-License-Identifier: Apache-2.0
// Softmax in two passes over memory (maximum; exponentials and their sum), followed by a scaling that finds
// its data in the cache.
#pragma once

#include <cstddef>

namespace wasmvino::kernels {

// y = softmax(x), or its logarithm, for each row of n elements; y may be x. The error of the exponentials is
// at most 1.5 ulp. A row of only -inf gives NaN, as by the definition.
void softmax_rows(const float* x, float* y, size_t rows, size_t n, bool logarithm);

// Processes a part of a longer row, where the parts are not available at once. x becomes e^(x - greatest).
// `greatest` and `sum`, initially -inf and 0, are updated. Multiply the results of all earlier parts by the
// return value; `sum` includes that factor already. Parts of only -inf give zeros; if all parts do, `sum`
// stays 0.
float online_softmax_row(float* x, size_t n, float& greatest, float& sum);

// Like softmax_rows(), down each of `width` columns of `rows` elements that are `stride` apart. A width of 16
// .. 256 is best, because it stays in the first-level cache. `scratch` holds 2 * width floats.
void softmax_columns(const float* x, float* y, size_t rows, size_t stride, size_t width, bool logarithm,
                     float* scratch);

}  // namespace wasmvino::kernels
