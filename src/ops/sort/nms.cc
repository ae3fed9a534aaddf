// SPDX-License-Identifier: Apache-2.0
#include "ops/sort/nms.h"

#include <algorithm>

#include "core/dispatch.h"
#include "core/sort.h"
#include "kernels/numbers.h"
#include "ops/inputs/checks.h"
#include "ops/inputs/indices.h"

namespace wasmvino::ops {

const float* as_floats(const TensorView& view, std::vector<float>& memory) {
  if (view.type == ElementType::kF32) return view.data<float>();
  memory.resize(view.size());
  kernels::number_loader<float>(view.type)(view.memory, 0, 1, view.size(), memory.data());
  return memory.data();
}

kernels::NmsLimits read_nms_limits(const EvalContext& context) {
  const auto real = [&](size_t i) {
    float value = 0.0f;
    if (i < context.input_count())
      kernels::number_loader<float>(context.input(i).type)(context.input(i).memory, 0, 1, 1, &value);
    return value;
  };
  kernels::NmsLimits limits;
  if (context.input_count() > 2) {
    limits.boxes_per_class = static_cast<size_t>(std::max<int64_t>(0, load_integer(context.input(2), 0)));
  }
  limits.overlap = real(3);
  limits.score = real(4);
  limits.sigma = real(5);
  return limits;
}

void write_choices(const EvalContext& context, const std::vector<kernels::NmsChoice>& choices) {
  const Shape shape = {static_cast<int64_t>(choices.size()), 3};
  context.set_output_shape(0, shape);
  with_index(context.output(0).type, [&]<typename T>() {
    T* to = context.output(0).mutable_data<T>();
    for (const kernels::NmsChoice& choice : choices) {
      *to++ = choice.batch;
      *to++ = choice.box_class;
      *to++ = choice.box;
    }
    if (context.output_count() > 2) *context.output(2).mutable_data<T>() = static_cast<T>(choices.size());
  });
  if (context.output_count() < 2) return;
  context.set_output_shape(1, shape);
  float* to = context.output(1).mutable_data<float>();
  for (const kernels::NmsChoice& choice : choices) {
    *to++ = static_cast<float>(choice.batch);
    *to++ = static_cast<float>(choice.box_class);
    *to++ = choice.score;
  }
}

void infer_nms(InferContext& context, int64_t box_size, size_t last_input, ElementType output_type) {
  context.expect_inputs(2, last_input);
  const std::string_view names[] = {"boxes",         "scores",          "max_output_boxes_per_class",
                                    "iou_threshold", "score_threshold", "soft_nms_sigma"};
  for (size_t i = 0; i < context.input_count(); ++i) {
    if (i < 2) {
      expect_rank(context, i, 3, 3, names[i]);
    } else {
      expect_rank(context, i, 0, 1, names[i]);
      if (context.input_shape(i).has_rank() && context.input_shape(i).rank() == 1) {
        expect_size(context, i, names[i], 0, 1, "that of one value");
      }
    }
  }
  const PartialShape& scores = context.input_shape(1);
  expect_size(context, 0, names[0], 2, box_size, "that of a box");
  Dimension rows;
  if (scores.has_rank()) {
    expect_size(context, 0, names[0], 0, scores[0], "axis 0 of scores");
    expect_size(context, 0, names[0], 1, scores[2], "axis 2 of scores");
    rows = Dimension(0, (scores[0] * scores[1] * scores[2]).max);
  }
  context.set_output(0, output_type, {rows, 3});
  if (context.output_count() > 1) context.set_output(1, ElementType::kF32, {rows, 3});
  if (context.output_count() > 2) context.set_output(2, output_type, {1});
}

}  // namespace wasmvino::ops
