// SPDX-License-Identifier: Apache-2.0
// FuzeRagged: joins the strings of each row, which are neighbours, into one.
// https://github.com/openvinotoolkit/openvino_tokenizers/blob/master/src/fuze.cpp
#include "model/registry.h"
#include "ops/extension/strings.h"

namespace wasmvino::ops::extension::fuze_ragged {

class FuzeRagged final : public Op {
 public:
  size_t least_outputs() const override { return 2; }

  void infer(InferContext& context) const override {
    context.expect_inputs(4);
    context.set_output(0, ElementType::kI32, context.input_shape(0));
    context.set_output(1, ElementType::kI32, context.input_shape(0));
  }

  void evaluate(EvalContext& context) const override {
    const TensorView &begins = context.input(2), &ends = context.input(3);
    const Ranges rows = rows_of(context, 0);
    if (begins.size() != ends.size()) {
      fail(ErrorCode::kInvalidShape, "there are ", begins.size(), " begins of strings, but ", ends.size(),
           " ends");
    }
    for (size_t row = 0; row < rows.size(); ++row) {
      const auto [first, last] = rows[row];
      const bool empty = first == last;
      const int32_t begin = empty ? 0 : begins.data<int32_t>()[first];
      const int32_t end = empty ? 0 : ends.data<int32_t>()[last - 1];
      context.output(0).mutable_data<int32_t>()[row] = begin;
      context.output(1).mutable_data<int32_t>()[row] = end;
    }
  }
};

}  // namespace wasmvino::ops::extension::fuze_ragged

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(fuze_ragged) {
  registry.add<extension::fuze_ragged::FuzeRagged>({.type = "FuzeRagged",
                                                    .versions = {1},
                                                    .specification = "",
                                                    .types = {{"row_begins", ElementType::kI32},
                                                              {"row_ends", ElementType::kI32},
                                                              {"begins", ElementType::kI32},
                                                              {"ends", ElementType::kI32}},
                                                    .domain = "extension"});
}
}  // namespace wasmvino::ops
