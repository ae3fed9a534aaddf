// SPDX-License-Identifier: Apache-2.0
// RaggedToDense: pads rows of different lengths to one length, and says which elements are not padding.
// https://github.com/openvinotoolkit/openvino_tokenizers/blob/master/src/ragged_to_dense.cpp
#include <algorithm>

#include "core/dispatch.h"
#include "model/registry.h"
#include "ops/extension/strings.h"
#include "ops/inputs/inputs.h"

namespace wasmvino::ops::extension::ragged_to_dense {

class RaggedToDense final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.on("pad_right", pad_right_);
    // Written by OpenVINO Tokenizers, always false.
    visitor.on("m_pad_max_length", pad_max_length_);
  }

  void infer(InferContext& context) const override {
    context.expect_inputs(5, 6);
    expect_single(context, 3, "the padded length");
    expect_single(context, 4, "the padding");
    const PartialShape& rows = context.input_shape(0);
    const PartialShape& elements = context.input_shape(2);
    const std::optional<int64_t> length = known_int(context, 3, "the padded length");
    if (length && *length < 0) {
      fail(ErrorCode::kInvalidValue, "the padded length is ", *length, ", expected 0 or more");
    }
    PartialShape shape = PartialShape();
    if (rows.has_rank() && elements.has_rank()) {
      if (elements.rank() == 0)
        fail(ErrorCode::kInvalidShape, "the elements are a scalar, expected rank 1 or more");
      shape = PartialShape::of_rank(rows.rank() + elements.rank());
      for (size_t axis = 0; axis < rows.rank(); ++axis) shape[axis] = rows[axis];
      shape[rows.rank()] = length ? Dimension(*length) : Dimension();
      for (size_t axis = 1; axis < elements.rank(); ++axis) shape[rows.rank() + axis] = elements[axis];
    }
    context.set_output(0, context.common_type(2, 4), shape);
    if (context.output_count() > 1) context.set_output(1, ElementType::kBoolean, shape);
  }

  void evaluate(EvalContext& context) const override {
    const TensorView& elements = context.input(2);
    const Ranges rows(context.input(0), context.input(1), static_cast<size_t>(elements.shape[0]), "row");
    const bool right = context.input_count() > 5 ? *context.input(5).data<bool>() : pad_right_;
    const Shape& shape = context.output(0).shape;
    const auto length = static_cast<size_t>(shape[context.input(0).shape.size()]);
    size_t inner = 1;  // elements in one of a row
    for (size_t axis = 1; axis < elements.shape.size(); ++axis)
      inner *= static_cast<size_t>(elements.shape[axis]);
    const auto fill = [&]<typename T>(size_t output, const T* from, T padding, bool is_mask) {
      T* to = context.output(output).mutable_data<T>();
      for (size_t row = 0; row < rows.size(); ++row) {
        const Range range = rows[row];
        const size_t kept = std::min(range.size(), length);
        const size_t padded = (length - kept) * inner;
        if (!right) to = std::fill_n(to, padded, padding);
        to = is_mask ? std::fill_n(to, kept * inner, T{1})
                     : std::copy_n(from + range.begin * inner, kept * inner, to);
        if (right) to = std::fill_n(to, padded, padding);
      }
    };
    with_storage(elements.type,
                 [&]<typename T>() { fill(0, elements.data<T>(), *context.input(4).data<T>(), false); });
    if (context.output_count() > 1) fill(1, static_cast<const uint8_t*>(nullptr), uint8_t{0}, true);
  }

 private:
  bool pad_right_ = true;
  bool pad_max_length_ = false;
};

}  // namespace wasmvino::ops::extension::ragged_to_dense

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(ragged_to_dense) {
  registry.add<extension::ragged_to_dense::RaggedToDense>({.type = "RaggedToDense",
                                                           .versions = {1},
                                                           .specification = "",
                                                           .types = {{"begins", ElementType::kI32},
                                                                     {"ends", ElementType::kI32},
                                                                     {"elements", kWholeBytes},
                                                                     {"padded_length", kIntegers},
                                                                     {"padding", kWholeBytes, 2},
                                                                     {"pad_right", kBoolean}},
                                                           .domain = "extension"});
}
}  // namespace wasmvino::ops
