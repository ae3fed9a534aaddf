// SPDX-License-Identifier: Apache-2.0
// Lets operations that compute in f32 serve f16, bf16 and f64 tensors too, by converting inputs and outputs.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/numbers.h"
#include "model/op.h"

namespace wasmvino::ops {

// Which inputs hold integers, as bit sets of input indices, and the type in which the kernel takes them.
struct IntegerInputs {
  // Inputs that are numbers. If input 0 is one of them, an output of its type is rounded and saturates.
  uint32_t as_f32 = 0;
  uint32_t as_i64 = 0;  // inputs that are indices of any width; i32 stays as it is
};

// A view of a node in which all f16, bf16 and f64 tensors are f32, and some integer tensors are f32 or i64.
// Known values are converted at once.
class F32View {
 public:
  explicit F32View(CompileContext& context, IntegerInputs integers = {});
  CompileContext& context() { return inner_; }
  // Wraps a kernel made for context() into one for the node itself. Converted tensors are in its scratch
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

// Compiles the node with make(CompileContext&), which handles f32 tensors; F32View handles other types. The
// shapes of all outputs must be known when the node is compiled.
template <typename Make>
std::unique_ptr<Kernel> compile_in_f32(CompileContext& context, Make make, IntegerInputs integers = {}) {
  if (is_f32_only(context, integers)) return make(context);
  F32View view(context, integers);
  return view.wrap(make(view.context()));
}

}  // namespace wasmvino::ops
