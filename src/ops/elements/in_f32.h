// SPDX-License-Identifier: Apache-2.0
// Operations that compute in f32 serve f16, bf16 and f64 tensors too: those are converted on their way in and
// out.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/numbers.h"
#include "model/op.h"

namespace wasmvino::ops {

// Inputs that hold integers, as bits by their numbers, and what the kernel takes them as.
struct IntegerInputs {
  uint32_t as_f32 = 0;  // numbers; where this has input 0, an output of its type is rounded and saturates
  uint32_t as_i64 = 0;  // indices of any width; those of i32 stay as they are
};

// A node seen as if all its f16, bf16 and f64 tensors were f32, and some of integers f32 or i64. Known values
// are converted at once.
class F32View {
 public:
  explicit F32View(CompileContext& context, IntegerInputs integers = {});
  CompileContext& context() { return inner_; }
  // The kernel for the node itself, from one made for context(). Converted tensors stand in its scratch
  // memory.
  std::unique_ptr<Kernel> wrap(std::unique_ptr<Kernel> kernel);

 private:
  CompileContext& outer_;
  std::vector<ValueInfo> inputs_, outputs_;
  std::vector<const ValueInfo*> input_pointers_;
  CompileContext inner_;
};

// Whether F32View would convert no tensor of the node.
bool is_f32_only(const CompileContext& context, IntegerInputs integers = {});

// make(CompileContext&) compiles the node for f32 tensors; it serves the other types through F32View. All
// outputs must have shapes that are known when the node is compiled.
template <typename Make>
std::unique_ptr<Kernel> compile_in_f32(CompileContext& context, Make make, IntegerInputs integers = {}) {
  if (is_f32_only(context, integers)) return make(context);
  F32View view(context, integers);
  return view.wrap(make(view.context()));
}

}  // namespace wasmvino::ops
