// SPDX-License-Identifier: Apache-2.0
#include "cli/compare.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <span>

#include "core/error.h"

namespace wasmvino::cli {
namespace {

std::string index_text(const Shape& shape, size_t position) {
  Shape index(shape.size());
  for (size_t axis = shape.size(); axis-- > 0;) {
    index[axis] = static_cast<int64_t>(position) % shape[axis];
    position /= static_cast<size_t>(shape[axis]);
  }
  return to_string(index);
}

// Elements that to_doubles() would round.
bool is_wide_integer(ElementType type) { return type == ElementType::kI64 || type == ElementType::kU64; }

std::string compare_strings(const TensorView& got, const TensorView& want) {
  for (size_t i = 0, count = want.size(); i < count; ++i) {
    const std::string& a = got.data<std::string>()[i];
    const std::string& b = want.data<std::string>()[i];
    if (a != b) return cat("element ", index_text(want.shape, i), " is '", a, "', expected '", b, "'");
  }
  return {};
}

std::string compare_rows(std::span<const double> got, std::span<const double> want, size_t columns,
                         double min_cosine) {
  for (size_t row = 0; row * columns < want.size(); ++row) {
    double dot = 0, got_norm = 0, want_norm = 0;
    for (size_t i = row * columns; i < (row + 1) * columns; ++i) {
      dot += got[i] * want[i];
      got_norm += got[i] * got[i];
      want_norm += want[i] * want[i];
    }
    const double cosine =
        got_norm * want_norm > 0 ? dot / std::sqrt(got_norm * want_norm) : got_norm == want_norm;
    if (!(cosine >= min_cosine))
      return cat("row ", row, " has cosine ", cosine, ", at least ", min_cosine, " is wanted");
  }
  return {};
}

double overlap(const double* a, const double* b) {
  const double width = std::min(a[2], b[2]) - std::max(a[0], b[0]);
  const double height = std::min(a[3], b[3]) - std::max(a[1], b[1]);
  if (width <= 0 || height <= 0) return 0;
  const auto area = [](const double* box) { return (box[2] - box[0]) * (box[3] - box[1]); };
  return width * height / (area(a) + area(b) - width * height);
}

// Each row of `rows` with a high score has a partner of its own among `others`.
std::string match_detections(std::span<const double> rows, std::span<const double> others, size_t columns,
                             const DetectionRule& rule, std::string_view whose) {
  std::vector<char> taken(others.size() / columns);
  for (size_t i = 0; i * columns < rows.size(); ++i) {
    const double* row = rows.data() + i * columns;
    if (row[rule.image] < 0 || !(row[rule.score] >= rule.min_score)) continue;
    double best = 0;
    size_t partner = taken.size();
    for (size_t j = 0; j < taken.size(); ++j) {
      const double* other = others.data() + j * columns;
      if (taken[j] || other[rule.image] != row[rule.image] || other[rule.label] != row[rule.label]) continue;
      if (!(std::fabs(other[rule.score] - row[rule.score]) <= rule.score_atol)) continue;
      const double iou = overlap(row + rule.box, other + rule.box);
      if (iou > best) {
        best = iou;
        partner = j;
      }
    }
    if (best < rule.iou) {
      return cat(whose, " detection ", i, " (label ", row[rule.label], ", score ", row[rule.score],
                 ") has no partner; the best overlap is ", best);
    }
    taken[partner] = 1;
  }
  return {};
}

std::string compare_detections(std::span<const double> got, std::span<const double> want, const Shape& shape,
                               const DetectionRule& rule) {
  const size_t columns = shape.empty() ? 0 : static_cast<size_t>(shape.back());
  if (columns < rule.box + 4) return cat("rows of ", columns, " values are no detections");
  std::string difference = match_detections(want, got, columns, rule, "expected");
  return difference.empty() ? match_detections(got, want, columns, rule, "found") : difference;
}

}  // namespace

Comparison compare(const TensorView& got, const TensorView& want, const Rule& rule,
                   const std::vector<char>& skipped) {
  if (got.type != want.type) return {cat("the type is ", got.type, ", expected ", want.type)};
  if (!(got.shape == want.shape)) return {cat("the shape is ", got.shape, ", expected ", want.shape)};
  if (want.type == ElementType::kString) return {compare_strings(got, want)};

  const auto got_values = to_doubles(got);
  const auto want_values = to_doubles(want);
  const std::span<const double> a(got_values.data(), got_values.size());
  const std::span<const double> b(want_values.data(), want_values.size());
  if (rule.detections) return {compare_detections(a, b, want.shape, *rule.detections)};

  const bool exact = rule.exact || want.type == ElementType::kBoolean;
  const size_t row = skipped.empty() ? 1 : b.size() / skipped.size();
  size_t wrong = 0, first = 0, compared = 0;
  double worst = 0, sum = 0;
  for (size_t i = 0; i < b.size(); ++i) {
    if (!skipped.empty() && skipped[i / row]) continue;
    ++compared;
    bool same = a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]));
    if (same && is_wide_integer(want.type)) same = got.data<int64_t>()[i] == want.data<int64_t>()[i];
    const double difference = same ? 0 : std::fabs(a[i] - b[i]);
    if (std::isfinite(difference)) worst = std::max(worst, difference);
    sum += difference;
    if (same || (!exact && difference <= rule.atol + rule.rtol * std::fabs(b[i]))) continue;
    if (wrong++ == 0) first = i;
  }
  if (wrong > 0) {
    return {cat(wrong, " of ", compared, " values differ, the first at ", index_text(want.shape, first), ": ",
                a[first], ", expected ", b[first], "; largest difference ", worst),
            worst};
  }
  if (rule.mean_atol && compared > 0 && !(sum / static_cast<double>(compared) <= *rule.mean_atol)) {
    return {cat("the mean difference is ", sum / static_cast<double>(compared), ", at most ", *rule.mean_atol,
                " is allowed"),
            worst};
  }
  if (rule.min_cosine && !b.empty()) {
    const size_t columns = want.shape.empty() ? 1 : static_cast<size_t>(want.shape.back());
    return {compare_rows(a, b, columns, *rule.min_cosine), worst};
  }
  return {{}, worst};
}

void sort_along(std::vector<Tensor>& tensors, int64_t axis) {
  if (tensors.empty()) return;
  const Shape shape = tensors[0].shape();
  for (const Tensor& tensor : tensors) {
    if (!(tensor.shape() == shape)) {
      fail(ErrorCode::kInvalidShape, "outputs of shapes ", shape, " and ", tensor.shape(),
           " cannot be sorted jointly");
    }
  }
  if (axis < 0) axis += static_cast<int64_t>(shape.size());
  if (axis < 0 || axis >= static_cast<int64_t>(shape.size())) {
    fail(ErrorCode::kInvalidShape, "shape ", shape, " has no axis ", axis);
  }
  const size_t step = static_cast<size_t>(row_major_strides(shape)[static_cast<size_t>(axis)]);
  const size_t length = static_cast<size_t>(shape[static_cast<size_t>(axis)]);
  std::vector<SmallVector<double, 6>> keys;
  std::vector<Tensor> sorted;
  for (const Tensor& tensor : tensors) {
    keys.push_back(to_doubles(tensor.view()));
    sorted.push_back(tensor.clone());
  }
  std::vector<size_t> order(length);
  for (size_t lane = 0, lanes = length > 0 ? keys[0].size() / length : 0; lane < lanes; ++lane) {
    const size_t start = lane / step * step * length + lane % step;
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      for (const auto& values : keys) {
        const double left = values[start + a * step], right = values[start + b * step];
        if (left != right) return left < right;
      }
      return false;
    });
    for (size_t t = 0; t < tensors.size(); ++t) {
      const size_t width = bit_width(tensors[t].type()) / 8;
      for (size_t i = 0; i < length; ++i) {
        std::memcpy(sorted[t].mutable_data<char>() + (start + i * step) * width,
                    tensors[t].data<char>() + (start + order[i] * step) * width, width);
      }
    }
  }
  tensors = std::move(sorted);
}

}  // namespace wasmvino::cli
