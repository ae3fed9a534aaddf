// SPDX-License-Identifier: Apache-2.0
// Shared by NonMaxSuppression and NMSRotated: inputs, outputs and the selection. The operations differ in how
// they compute the overlap of two boxes.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/sort/non-max-suppression-9.html
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/nms.h"
#include "model/op.h"

namespace wasmvino::ops {

// The elements of a floating point input as f32, either in place or converted in `memory`.
const float* as_floats(const TensorView& view, std::vector<float>& memory);

// Reads inputs 2 and up. Absent inputs are 0.
kernels::NmsLimits read_nms_limits(const EvalContext& context);

// Sets the outputs: rows [batch, class, box] and, if the node has these outputs, rows [batch, class, score]
// and the number of rows.
void write_choices(const EvalContext& context, const std::vector<kernels::NmsChoice>& choices);

// Grain: scores in about 10 µs of work, if few are above the threshold.
inline constexpr size_t kNmsGrain = size_t{1} << 13;
// Steps of count_work() to load a box and to make it a candidate.
inline constexpr size_t kStepsPerBox = 16;

// Chooses boxes for each class of each image, with several classes in parallel. `Boxes` holds the boxes of
// one image and has the interface that NmsSelector::select() requires. load() reads them from Boxes::kNumbers
// numbers each.
template <typename Boxes>
class NmsKernel final : public Kernel {
 public:
  NmsKernel(Boxes boxes, bool sorted) : boxes_(std::move(boxes)), sorted_(sorted) {}

  void run(EvalContext& context) override {
    const Shape& shape = context.input(1).shape;
    const auto batches = static_cast<size_t>(shape[0]), classes = static_cast<size_t>(shape[1]);
    const auto count = static_cast<size_t>(shape[2]);
    const float* numbers = as_floats(context.input(0), box_memory_);
    const float* scores = as_floats(context.input(1), score_memory_);
    const kernels::NmsLimits limits = read_nms_limits(context);
    workers_.resize(context.parallel().threads(), Worker{boxes_, {}, 0});
    for (Worker& worker : workers_) {
      worker.selector.clear();
      worker.image = batches;
    }
    found_.resize((CheckedSize(batches) * classes).value());
    parallel_for(context.parallel(), found_.size(), kNmsGrain / std::max<size_t>(1, count),
                 [&](size_t begin, size_t end, size_t thread) {
                   Worker& worker = workers_[thread];
                   const std::vector<kernels::NmsChoice>& chosen = worker.selector.chosen();
                   for (size_t i = begin; i < end; ++i) {
                     const size_t image = i / classes, first = chosen.size();
                     if (worker.image != image)
                       worker.boxes.load(numbers + image * count * Boxes::kNumbers, count);
                     count_work(kStepsPerBox * count);
                     worker.image = image;
                     worker.selector.select(scores + i * count, count, limits, static_cast<int32_t>(image),
                                            static_cast<int32_t>(i % classes), worker.boxes);
                     found_[i] = {thread, first, chosen.size()};
                   }
                 });
    // In the order of images and classes, whichever thread processed them.
    choices_.clear();
    for (const Found& found : found_) {
      const kernels::NmsChoice* chosen = workers_[found.thread].selector.chosen().data();
      choices_.insert(choices_.end(), chosen + found.begin, chosen + found.end);
    }
    if (sorted_) kernels::sort_choices(choices_);
    write_choices(context, choices_);
  }

 private:
  struct Worker {
    Boxes boxes;
    kernels::NmsSelector selector;
    size_t image;  // index of the loaded image
  };
  // The result of one class of an image: choices [begin, end) of a thread.
  struct Found {
    size_t thread, begin, end;
  };

  Boxes boxes_;
  bool sorted_;
  std::vector<float> box_memory_, score_memory_;
  std::vector<Worker> workers_;
  std::vector<Found> found_;
  std::vector<kernels::NmsChoice> choices_;
};

// Checks the inputs, where each box has `box_size` numbers, and sets the outputs.
void infer_nms(InferContext& context, int64_t box_size, size_t last_input, ElementType output_type);

}  // namespace wasmvino::ops
