// SPDX-License-Identifier: Apache-2.0
#include "ops/sort/nms_rows.h"

#include "core/dispatch.h"
#include "core/sort.h"
#include "kernels/numbers.h"

namespace wasmvino::ops {

void visit_nms_row_options(AttributeVisitor& visitor, NmsRowOptions& options) {
  visitor.on_enum("sort_result_type", options.order, {"classid", "score", "none"});
  visitor.on("sort_result_across_batch", options.across_batch);
  visitor.on("output_type", options.output_type);
  visitor.on("score_threshold", options.score_threshold);
  visitor.on("nms_top_k", options.nms_top_k);
  visitor.on("keep_top_k", options.keep_top_k);
  visitor.on("background_class", options.background_class);
  visitor.on("normalized", options.normalized);
  if (options.output_type != ElementType::kI32 && options.output_type != ElementType::kI64) {
    fail(ErrorCode::kInvalidModel, "attribute 'output_type' is ", options.output_type,
         ", expected i32 or i64");
  }
}

bool is_better_row(const NmsRow& a, const NmsRow& b) {
  if (a.score != b.score) return a.score > b.score;
  if (a.batch != b.batch) return a.batch < b.batch;
  return a.box_class != b.box_class ? a.box_class < b.box_class : a.index < b.index;
}

bool is_earlier_class(const NmsRow& a, const NmsRow& b) {
  if (a.box_class != b.box_class) return a.box_class < b.box_class;
  if (a.batch != b.batch) return a.batch < b.batch;
  return a.score != b.score ? a.score > b.score : a.index < b.index;
}

void keep_best_rows(std::vector<NmsRow>& rows, size_t first, int64_t keep_top_k) {
  sort_all(rows.data() + first, rows.data() + rows.size(), is_better_row);
  if (keep_top_k > -1 && rows.size() - first > static_cast<size_t>(keep_top_k)) {
    rows.resize(first + static_cast<size_t>(keep_top_k));
  }
}

void write_nms_rows(const EvalContext& context, const std::vector<NmsRow>& rows,
                    const std::vector<size_t>& counts) {
  const auto count = static_cast<int64_t>(rows.size());
  context.set_output_shape(0, {count, 6});
  context.set_output_shape(1, {count, 1});
  const kernels::StoreNumbers<float> store = kernels::number_storer<float>(context.output(0).type);
  for (size_t i = 0; i < rows.size(); ++i) {
    const NmsRow& row = rows[i];
    const float numbers[] = {
        static_cast<float>(row.box_class), row.score, row.box.x1, row.box.y1, row.box.x2, row.box.y2};
    store(numbers, 6, context.output(0).memory, 6 * i, 1);
  }
  with_index(context.output(1).type, [&]<typename T>() {
    for (size_t i = 0; i < rows.size(); ++i)
      context.output(1).mutable_data<T>()[i] = static_cast<T>(rows[i].index);
    for (size_t i = 0; i < counts.size(); ++i)
      context.output(2).mutable_data<T>()[i] = static_cast<T>(counts[i]);
  });
}

void set_nms_row_outputs(InferContext& context, const NmsRowOptions& options, ElementType type,
                         Dimension rows, Dimension images) {
  const Dimension open(0, rows.max);
  context.set_output(0, type, {open, 6});
  context.set_output(1, options.output_type, {open, 1});
  context.set_output(2, options.output_type, {images});
}

}  // namespace wasmvino::ops
