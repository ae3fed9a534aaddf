// SPDX-License-Identifier: Apache-2.0
// StringTensorUnpack: the bytes of all strings, and the begin and end of each string among them.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/type/string-tensor-unpack-15.html
#include <algorithm>
#include <limits>
#include <string>

#include "core/work.h"
#include "model/registry.h"
#include "ops/inputs/inputs.h"

namespace wasmvino::ops::string_tensor_unpack {

class Unpacking final : public Kernel {
 public:
  explicit Unpacking(bool open) : open_(open) {}

  void run(EvalContext& context) override {
    const TensorView& data = context.input(0);
    const std::string* strings = data.data<std::string>();
    int32_t* begins = context.output(0).mutable_data<int32_t>();
    int32_t* ends = context.output(1).mutable_data<int32_t>();
    const size_t count = data.size();
    size_t size = 0;
    for (size_t i = 0; i < count; ++i) {
      count_work(2 + strings[i].size() / 8);
      begins[i] = static_cast<int32_t>(size);
      size += strings[i].size();
      if (size > static_cast<size_t>(std::numeric_limits<int32_t>::max())) {
        fail(ErrorCode::kInvalidValue, "the strings have more than 2^31 - 1 bytes");
      }
      ends[i] = static_cast<int32_t>(size);
    }
    if (open_) context.set_output_shape(2, {static_cast<int64_t>(size)});
    char* symbols = context.output(2).mutable_data<char>();
    for (size_t i = 0; i < count; ++i) std::copy(strings[i].begin(), strings[i].end(), symbols + begins[i]);
  }

 private:
  bool open_;  // the shape does not determine the number of bytes
};

class StringTensorUnpack final : public Op {
 public:
  size_t least_outputs() const override { return 3; }
  void infer(InferContext& context) const override {
    context.expect_inputs(1);
    const PartialShape& shape = context.input_shape(0);
    context.set_output(0, ElementType::kI32, shape);
    context.set_output(1, ElementType::kI32, shape);
    const bool is_empty = shape.is_static() && element_count(shape.to_shape()) == 0;
    context.set_output(2, ElementType::kU8, {is_empty ? Dimension(0) : Dimension()});
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    return std::make_unique<Unpacking>(!context.has_output_shape(2));
  }
};

}  // namespace wasmvino::ops::string_tensor_unpack

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(string_tensor_unpack) {
  registry.add<string_tensor_unpack::StringTensorUnpack>(
      {"StringTensorUnpack", {15}, "type/string-tensor-unpack-15", {{"data", kString}}});
  // As OpenVINO Tokenizers wrote it before opset 15.
  registry.add<string_tensor_unpack::StringTensorUnpack>({.type = "StringTensorUnpack",
                                                          .versions = {1},
                                                          .specification = "",
                                                          .types = {{"data", kString}},
                                                          .domain = "extension"});
}
}  // namespace wasmvino::ops
