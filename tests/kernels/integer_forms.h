// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "kernels/integer_gemm.h"

namespace wasmvino::kernels {

// The forms that can be tried here. Relaxed dot that is not exact is never used: Node.js 20 has a wrong one.
inline std::vector<IntegerDot> integer_forms() {
#if defined(__wasm__)
  std::vector<IntegerDot> all = {IntegerDot::kPairs};
  if (integer_dot() != IntegerDot::kPairs) all.push_back(integer_dot());
  return all;
#else
  return {IntegerDot::kPairs, IntegerDot::kUnsigned, IntegerDot::kSigned};
#endif
}

// While it exists, native kernels use this form. It has no effect in WebAssembly.
class IntegerForm {
 public:
  explicit IntegerForm(IntegerDot dot) : before_(integer_dot()) { set(dot); }
  ~IntegerForm() { set(before_); }
  IntegerForm(const IntegerForm&) = delete;
  IntegerForm& operator=(const IntegerForm&) = delete;

 private:
  static void set([[maybe_unused]] IntegerDot dot) {
#if !defined(__wasm__)
    native_integer_dot = dot;
#endif
  }

  IntegerDot before_;
};

}  // namespace wasmvino::kernels
