// SPDX-License-Identifier: Apache-2.0
// Complex numbers. Operations know only real numbers, so a complex tensor has an additional last axis of 2:
// the real and the imaginary parts. OpenVINO's Fourier transforms use the same form.
#pragma once

#include <vector>

#include "frontends/pnnx/context.h"

namespace wasmvino::pnnx {

Source real_part(Context& c, const Source& z);
Source imaginary_part(Context& c, const Source& z);
Source join_parts(Context& c, const Source& real, const Source& imaginary);
Source conjugate(Context& c, const Source& z);

// An input as complex numbers. Real numbers get imaginary parts of 0.
Source complex_input(Context& c, size_t i);

// A value of an expression.
struct Number {
  Source value;
  bool is_complex = false;
};

// Functions of which at least one argument is complex, by their names in expressions. They throw
// Error(kUnsupported) if there is no such function.
Number complex_unary(Context& c, std::string_view name, const Source& z);
Number complex_binary(Context& c, std::string_view name, const Number& a, const Number& b);

// Builds an operator first for the real parts of its complex inputs, then for the imaginary parts, and joins
// the outputs. `values` are those of the context.
void build_parts(Build build, Context& c, std::vector<Value>& values);

}  // namespace wasmvino::pnnx
