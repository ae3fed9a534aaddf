// SPDX-License-Identifier: Apache-2.0
// Operations that compute in f32 serve f16, bf16 and f64 tensors too: those are converted on their way in and
// out.
#pragma once

#include <memory>
#include <vector>

#include "model/op.h"
#include "ops/common/numbers.h"

namespace wasmvino::ops {

// A node seen as if all its f16, bf16 and f64 tensors were f32. Known values are converted at once.
class F32View {
 public:
  explicit F32View(CompileContext& context);
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

// Whether no tensor of the node is f16, bf16 or f64.
bool is_f32_only(const CompileContext& context);

// make(CompileContext&) compiles the node for f32 tensors; it serves the other floating point types through
// F32View. All outputs must have shapes that are known when the node is compiled.
template <typename Make>
std::unique_ptr<Kernel> compile_in_f32(CompileContext& context, Make make) {
  if (is_f32_only(context)) return make(context);
  F32View view(context);
  return view.wrap(make(view.context()));
}

}  // namespace wasmvino::ops
