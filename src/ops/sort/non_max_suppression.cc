// SPDX-License-Identifier: Apache-2.0
// NonMaxSuppression: of overlapping boxes, the one with the highest score.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/sort/non-max-suppression-9.html
#include <algorithm>
#include <vector>

#include "kernels/boxes.h"
#include "kernels/overlap.h"
#include "model/registry.h"
#include "ops/sort/nms.h"

namespace wasmvino::ops::non_max_suppression {

enum class BoxEncoding { kCorner, kCenter };

// Converts a box to [x1, y1, x2, y2] with x1 <= x2 and y1 <= y2.
kernels::Box to_box(const float* numbers, BoxEncoding encoding) {
  if (encoding == BoxEncoding::kCenter) {
    const float half_width = numbers[2] / 2, half_height = numbers[3] / 2;
    return {numbers[0] - half_width, numbers[1] - half_height, numbers[0] + half_width,
            numbers[1] + half_height};
  }
  // Two opposite corners [y, x, y, x], in any order.
  return {std::min(numbers[1], numbers[3]), std::min(numbers[0], numbers[2]),
          std::max(numbers[1], numbers[3]), std::max(numbers[0], numbers[2])};
}

// Boxes in the form that kernels take.
class BoxTable {
 public:
  void clear() {
    for (std::vector<float>& column : columns_) column.clear();
  }
  void add(const kernels::Box& box) {
    const float numbers[] = {box.x1, box.y1, box.x2, box.y2, kernels::box_area(box)};
    for (size_t i = 0; i < 5; ++i) columns_[i].push_back(numbers[i]);
  }
  kernels::Box box(size_t i) const {
    return {columns_[0][i], columns_[1][i], columns_[2][i], columns_[3][i]};
  }
  kernels::BoxList list() const {
    return {columns_[0].data(), columns_[1].data(), columns_[2].data(), columns_[3].data(),
            columns_[4].data()};
  }

 private:
  std::vector<float> columns_[5];
};

// For NmsKernel: the boxes of one image, and those chosen in one class.
class Boxes {
 public:
  static constexpr size_t kNumbers = 4;

  explicit Boxes(BoxEncoding encoding) : encoding_(encoding) {}

  void load(const float* numbers, size_t count) {
    all_.clear();
    for (size_t i = 0; i < count; ++i) all_.add(to_box(numbers + kNumbers * i, encoding_));
  }

  void forget() { chosen_.clear(); }
  void choose(size_t i) { chosen_.add(all_.box(i)); }
  // Decides as OpenVINO does, also for an overlap equal to the threshold.
  bool suppressed_by(size_t i, size_t first, size_t last, float threshold) const {
    return kernels::overlaps_any(all_.list(), i, chosen_.list(), first, last, threshold);
  }
  float overlap(size_t i, size_t chosen) const {
    const kernels::Box a = all_.box(i), b = chosen_.box(chosen);
    return kernels::box_area(a) <= 0.0f || kernels::box_area(b) <= 0.0f ? 0.0f : kernels::box_overlap(a, b);
  }

 private:
  BoxEncoding encoding_;
  BoxTable all_, chosen_;
};

class NonMaxSuppression final : public Op {
 public:
  explicit NonMaxSuppression(int version) : version_(version) {}

  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.on_enum("box_encoding", encoding_, {"corner", "center"});
    visitor.on("sort_result_descending", sorted_);
    if (version_ >= 3) visitor.on("output_type", output_type_);
    if (output_type_ != ElementType::kI32 && output_type_ != ElementType::kI64) {
      fail(ErrorCode::kInvalidModel, "attribute 'output_type' is ", output_type_, ", expected i32 or i64");
    }
  }

  void infer(InferContext& context) const override {
    infer_nms(context, Boxes::kNumbers, version_ >= 5 ? 6 : 5, output_type_);
  }

  std::unique_ptr<Kernel> compile(CompileContext&) const override {
    return std::make_unique<NmsKernel<Boxes>>(Boxes(encoding_), sorted_);
  }

 private:
  int version_;
  BoxEncoding encoding_ = BoxEncoding::kCorner;
  bool sorted_ = true;
  ElementType output_type_ = ElementType::kI64;
};

}  // namespace wasmvino::ops::non_max_suppression

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(non_max_suppression) {
  registry.add<non_max_suppression::NonMaxSuppression>({"NonMaxSuppression",
                                                        {1, 3, 4, 5, 9},
                                                        "sort/non-max-suppression-9",
                                                        {{"boxes", kFloats},
                                                         {"scores", kFloats},
                                                         {"max_output_boxes_per_class", kAnyIntegers},
                                                         {"iou_threshold", kFloats},
                                                         {"score_threshold", kFloats},
                                                         {"soft_nms_sigma", kFloats}}});
}
}  // namespace wasmvino::ops
