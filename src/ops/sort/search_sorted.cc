// SPDX-License-Identifier: Apache-2.0
// SearchSorted: the positions at which values would be inserted into sorted rows.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/sort/search-sorted-15.html
#include "model/registry.h"
#include "ops/inputs/checks.h"
#include "ops/sort/sorted_search.h"

namespace wasmvino::ops::search_sorted {

class SearchSorted final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.on("right_mode", right_mode_);
    visitor.on("output_type", output_type_);
    if (output_type_ != ElementType::kI32 && output_type_ != ElementType::kI64) {
      fail(ErrorCode::kInvalidModel, "attribute 'output_type' is ", output_type_, ", expected i32 or i64");
    }
  }

  void infer(InferContext& context) const override {
    context.expect_inputs(2);
    expect_rank(context, 0, 1, static_cast<size_t>(-1), "sorted_sequence");
    const PartialShape& rows = context.input_shape(0);
    PartialShape shape = context.input_shape(1);
    // A single row serves values of any shape. Several rows must match all axes of the values except the
    // last.
    if (rows.has_rank() && rows.rank() > 1) {
      expect_rank(context, 1, rows.rank(), rows.rank(), "values");
      if (!shape.has_rank()) shape = PartialShape::of_rank(rows.rank());
      for (size_t axis = 0; axis + 1 < rows.rank(); ++axis) {
        shape[axis] =
            expect_size(context, 1, "values", axis, rows[axis], cat("axis ", axis, " of sorted_sequence"));
      }
    }
    context.set_output(0, output_type_, shape);
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    return compile_sorted_search(context, 0, 1, right_mode_);
  }

 private:
  bool right_mode_ = false;
  ElementType output_type_ = ElementType::kI64;
};

}  // namespace wasmvino::ops::search_sorted

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(search_sorted) {
  registry.add<search_sorted::SearchSorted>({"SearchSorted",
                                             {15},
                                             "sort/search-sorted-15",
                                             {{"sorted_sequence", kNumbers}, {"values", kNumbers, 0}}});
}
}  // namespace wasmvino::ops
