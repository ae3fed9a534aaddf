// SPDX-License-Identifier: Apache-2.0
// EqualStr: compares two lists of strings. The first string of a shorter list stands for those that it lacks.
// https://github.com/openvinotoolkit/openvino_tokenizers/blob/master/src/equal_str.cpp
#include <algorithm>

#include "model/registry.h"
#include "ops/extension/strings.h"

namespace wasmvino::ops::extension::equal_str {

class Comparing final : public Kernel {
 public:
  void run(EvalContext& context) override {
    const Strings left(context, 0), right(context, 3);
    const bool empty = left.size() == 0 || right.size() == 0;
    results_.resize(empty ? 0 : std::max(left.size(), right.size()));
    for (size_t i = 0; i < results_.size(); ++i) {
      results_[i] = left[i < left.size() ? i : 0] == right[i < right.size() ? i : 0] ? 1 : 0;
    }
    write_vector(context, 0, results_);
  }

 private:
  std::vector<int32_t> results_;
};

class EqualStr final : public Op {
 public:
  void infer(InferContext& context) const override {
    context.expect_inputs(6);
    context.set_output(0, ElementType::kI32, {Dimension()});
  }

  std::unique_ptr<Kernel> compile(CompileContext&) const override { return std::make_unique<Comparing>(); }
};

}  // namespace wasmvino::ops::extension::equal_str

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(equal_str) {
  registry.add<extension::equal_str::EqualStr>({.type = "EqualStr",
                                                .versions = {1},
                                                .specification = "",
                                                .types = {{"begins", ElementType::kI32},
                                                          {"ends", ElementType::kI32},
                                                          {"symbols", ElementType::kU8},
                                                          {"other_begins", ElementType::kI32},
                                                          {"other_ends", ElementType::kI32},
                                                          {"other_symbols", ElementType::kU8}},
                                                .domain = "extension"});
}
}  // namespace wasmvino::ops
