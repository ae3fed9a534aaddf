// SPDX-License-Identifier: Apache-2.0
// Functions of two values over arrays. They are the inner loops of broadcasting: each operand advances by one
// element or stays.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/functions.h"

namespace wasmvino::kernels {

// y[i] = a[i * a_step] op b[i * b_step] for i < n; each step is 0 or 1. y may be an operand of step 1, but
// must not overlap operands otherwise. Integers wrap around.
void apply_binary(Binary op, const float* a, size_t a_step, const float* b, size_t b_step, float* y,
                  size_t n);
void apply_binary(Binary op, const int32_t* a, size_t a_step, const int32_t* b, size_t b_step, int32_t* y,
                  size_t n);
void apply_binary(Binary op, const int64_t* a, size_t a_step, const int64_t* b, size_t b_step, int64_t* y,
                  size_t n);

// y[i] is 1 where the comparison holds, else 0. y must not overlap an operand.
void compare(Comparison op, const float* a, size_t a_step, const float* b, size_t b_step, uint8_t* y,
             size_t n);
void compare(Comparison op, const int32_t* a, size_t a_step, const int32_t* b, size_t b_step, uint8_t* y,
             size_t n);
void compare(Comparison op, const int64_t* a, size_t a_step, const int64_t* b, size_t b_step, uint8_t* y,
             size_t n);

// y[i] = mask[i * mask_step] ? a[i * a_step] : b[i * b_step], for elements of 1, 2, 4 or 8 bytes. y may be a
// or b if its step is 1.
template <typename T>
void select(const uint8_t* mask, size_t mask_step, const T* a, size_t a_step, const T* b, size_t b_step, T* y,
            size_t n);

// y[i] = a[i * a_step] op b[i * b_step] for booleans: any byte except 0 is true. y may be an operand of
// step 1.
void apply_logical(Logical op, const uint8_t* a, size_t a_step, const uint8_t* b, size_t b_step, uint8_t* y,
                   size_t n);

}  // namespace wasmvino::kernels
