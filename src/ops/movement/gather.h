// SPDX-License-Identifier: Apache-2.0
// Gather: selects slices along an axis by indices. An index outside the axis gives zeros. From opset 8 on,
// negative indices count from the end.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/movement/gather-8.html
#pragma once

#include "model/op.h"

namespace wasmvino::ops::gather {

// For each of `batches`, data is [outer, size, inner] and indices are [count].
struct Sizes {
  size_t batches, outer, size, inner, count;
};

struct GatherAttributes {
  int64_t batch_dims = 0;  // negative values count from the rank of the indices
  // Set by passes. If one slice of one is picked, a plan holds for the value of the index only. The slice is
  // then a view of the data, and a language model does not copy its caches for the one sequence that it
  // continues.
  bool plans_for_one = false;
};

class Gather final : public OpWithAttributes<Gather, GatherAttributes> {
 public:
  static constexpr std::string_view kType = "Gather";

  explicit Gather(int version) : version_(version) {}

  void visit_attributes(AttributeVisitor& visitor) override;

  void infer(InferContext& context) const override;

  std::unique_ptr<Kernel> compile(CompileContext& context) const override;

  // A view if the indices are one index, or consecutive ones in ascending order, of the outermost axis that
  // has more than one element.
  std::optional<ViewOf> view_of(const CompileContext& context, size_t) const override;
  InputRange quantised_inputs(const Node&) const override { return {0, 1}; }

 private:
  size_t batch_dims(size_t indices_rank) const;

  PartialShape output_shape(const PartialShape& data, const PartialShape& indices, size_t axis,
                            size_t batch) const;

  Sizes sizes(const CompileContext& context) const;

  int version_;
};

}  // namespace wasmvino::ops::gather
