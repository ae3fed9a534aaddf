// SPDX-License-Identifier: Apache-2.0
// What "the same result" means: the rules that the conformance cases and the models give with their goldens.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/tensor.h"

namespace wasmvino::cli {

// Rows of detections: matched by image, label and overlap where the score is high enough; the others are not
// compared.
struct DetectionRule {
  size_t image = 0, label = 1, score = 2, box = 3;  // columns; a box takes four: x0, y0, x1, y1
  double min_score = 0, iou = 0.5, score_atol = 0;
};

struct Rule {
  double rtol = 0, atol = 0;
  bool exact = false;  // all values equal, whatever the tolerances
  std::optional<double> mean_atol;
  std::optional<double> min_cosine;  // of each row (the last axis)
  std::optional<DetectionRule> detections;
};

struct Comparison {
  std::string difference;  // empty: the same
  double worst = 0;        // largest absolute difference of finite values
};

// |got - want| <= atol + rtol * |want|; booleans and strings equal; NaN equals NaN; types and shapes equal.
// `skipped` marks leading rows that are not compared: one entry a row, empty for none.
Comparison compare(const TensorView& got, const TensorView& want, const Rule& rule,
                   const std::vector<char>& skipped = {});

// For results whose order along `axis` is unspecified: sorts all tensors (of one shape) jointly along it, by
// the values of the first, then of the second ...
void sort_along(std::vector<Tensor>& tensors, int64_t axis);

}  // namespace wasmvino::cli
