// SPDX-License-Identifier: Apache-2.0
// Reshape: the same elements in another shape. -1 stands for the remaining size, 0 for the input's size
// (special_zero).
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/shape/reshape-1.html
#pragma once

#include "model/op.h"

namespace wasmvino::ops::reshape {

struct ReshapeAttributes {
  bool special_zero = false;  // 0 stands for the input's size
};

class Reshape final : public OpWithAttributes<Reshape, ReshapeAttributes> {
 public:
  static constexpr std::string_view kType = "Reshape";

  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.on("special_zero", attributes_.special_zero);
  }

  void infer(InferContext& context) const override;

  std::optional<ViewOf> view_of(const CompileContext&, size_t) const override { return ViewOf{0, 0}; }
  bool copies_elements() const override { return true; }

  // Gives the data if the shape stays the same.
  std::optional<Source> simplify(const Node& node, Model&) const override;

 private:
  PartialShape output_shape(const PartialShape& input, const Ints& pattern) const;

  // The size at -1 if all unknown sizes are copied from the input, so that the remaining size is known.
  Dimension remaining(const PartialShape& input, const Ints& pattern, size_t open) const;

  [[noreturn]] static void refuse(const PartialShape& input, const Ints& pattern);
};

}  // namespace wasmvino::ops::reshape
