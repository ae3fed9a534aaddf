// SPDX-License-Identifier: Apache-2.0
// NMSRotated: of overlapping rotated boxes, the one with the highest score.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/sort/nms-rotated-13.html
#include <algorithm>
#include <array>
#include <cmath>

#include "core/work.h"
#include "model/registry.h"
#include "ops/sort/nms.h"

namespace wasmvino::ops::nms_rotated {

// Steps of count_work() to compare two boxes.
constexpr size_t kStepsPerOverlap = 64;

struct Point {
  double x, y;
};

// A convex polygon with its corners in one direction. Clipping it at the four sides of a box adds at most
// four corners.
struct Polygon {
  std::array<Point, 8> corners;
  size_t size = 0;

  void add(Point point) { corners[size++] = point; }

  double area() const {
    double twice = 0.0;
    for (size_t i = 0; i < size; ++i) {
      const Point &a = corners[i], &b = corners[i + 1 == size ? 0 : i + 1];
      twice += a.x * b.y - b.x * a.y;
    }
    return std::fabs(twice) / 2;
  }

  // The part of the polygon where nx x + ny y <= distance.
  Polygon cut(double nx, double ny, double distance) const {
    Polygon result;
    for (size_t i = 0; i < size; ++i) {
      const Point &a = corners[i], &b = corners[i + 1 == size ? 0 : i + 1];
      const double from = nx * a.x + ny * a.y - distance, to = nx * b.x + ny * b.y - distance;
      if (from <= 0) result.add(a);
      if ((from < 0 && to > 0) || (from > 0 && to < 0)) {
        const double part = from / (from - to);
        result.add({a.x + part * (b.x - a.x), a.y + part * (b.y - a.y)});
      }
    }
    return result;
  }
};

struct TurnedBox {
  double x, y, width, height, cosine, sine;

  double area() const { return width * height; }
  Polygon polygon() const {
    Polygon corners;
    for (const auto& [right, down] : {Point{-1, -1}, Point{1, -1}, Point{1, 1}, Point{-1, 1}}) {
      const double dx = right * width / 2, dy = down * height / 2;
      corners.add({x + dx * cosine - dy * sine, y + dx * sine + dy * cosine});
    }
    return corners;
  }
};

float overlap(const TurnedBox& a, const TurnedBox& b) {
  if (a.area() <= 0 || b.area() <= 0) return 0.0f;
  const double along = b.x * b.cosine + b.y * b.sine, across = b.y * b.cosine - b.x * b.sine;
  const double shared = a.polygon()
                            .cut(b.cosine, b.sine, along + b.width / 2)
                            .cut(-b.cosine, -b.sine, b.width / 2 - along)
                            .cut(-b.sine, b.cosine, across + b.height / 2)
                            .cut(b.sine, -b.cosine, b.height / 2 - across)
                            .area();
  return static_cast<float>(shared / (a.area() + b.area() - shared));
}

// For NmsKernel: the boxes of one image, and those chosen in one class.
class TurnedBoxes {
 public:
  static constexpr size_t kNumbers = 5;

  explicit TurnedBoxes(bool clockwise) : clockwise_(clockwise) {}

  // Each box is [x_ctr, y_ctr, width, height, angle_radians].
  void load(const float* numbers, size_t count) {
    all_.clear();
    for (size_t i = 0; i < count; ++i, numbers += kNumbers) {
      count_work(kStepsPerOverlap / 2);
      const double angle = static_cast<double>(clockwise_ ? numbers[4] : -numbers[4]);
      all_.push_back({static_cast<double>(numbers[0]), static_cast<double>(numbers[1]),
                      static_cast<double>(numbers[2]), static_cast<double>(numbers[3]), std::cos(angle),
                      std::sin(angle)});
    }
  }

  void forget() { chosen_.clear(); }
  void choose(size_t i) { chosen_.push_back(all_[i]); }
  bool suppressed_by(size_t i, size_t first, size_t last, float threshold) const {
    for (size_t j = last; j-- > first;) {
      count_work(kStepsPerOverlap);
      if (overlap(i, j) >= threshold) return true;
    }
    return false;
  }
  float overlap(size_t i, size_t chosen) const { return nms_rotated::overlap(all_[i], chosen_[chosen]); }

 private:
  bool clockwise_;
  std::vector<TurnedBox> all_, chosen_;
};

class NMSRotated final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.on("sort_result_descending", sorted_);
    visitor.on("output_type", output_type_);
    visitor.on("clockwise", clockwise_);
    if (output_type_ != ElementType::kI32 && output_type_ != ElementType::kI64) {
      fail(ErrorCode::kInvalidModel, "attribute 'output_type' is ", output_type_, ", expected i32 or i64");
    }
  }

  void infer(InferContext& context) const override {
    context.expect_inputs(5);
    infer_nms(context, TurnedBoxes::kNumbers, 5, output_type_);
  }

  std::unique_ptr<Kernel> compile(CompileContext&) const override {
    return std::make_unique<NmsKernel<TurnedBoxes>>(TurnedBoxes(clockwise_), sorted_);
  }

 private:
  bool sorted_ = true, clockwise_ = true;
  ElementType output_type_ = ElementType::kI64;
};

}  // namespace wasmvino::ops::nms_rotated

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(nms_rotated) {
  registry.add<nms_rotated::NMSRotated>({"NMSRotated",
                                         {13},
                                         "sort/nms-rotated-13",
                                         {{"boxes", kFloats},
                                          {"scores", kFloats},
                                          {"max_output_boxes_per_class", kAnyIntegers},
                                          {"iou_threshold", kFloats},
                                          {"score_threshold", kFloats}}});
}
}  // namespace wasmvino::ops
