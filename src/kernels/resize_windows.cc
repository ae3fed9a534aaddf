// SPDX-License-Identifier: Apache-2.0
#include "kernels/resize_windows.h"

#include <algorithm>
#include <cmath>

#include "core/checked.h"

namespace wasmvino::kernels {
namespace {

// The position in the padded input of element i of the result. Computed in f32, like in OpenVINO: one
// rounding more or less decides which element is nearest.
float coordinate(CoordinateMode mode, const ResizeAxis& axis, int64_t i) {
  const float x = static_cast<float>(i);
  const float size = static_cast<float>(axis.padded()), result = static_cast<float>(axis.result);
  if (axis.scale == 1.0f || size == result) return x;
  switch (mode) {
    case CoordinateMode::kHalfPixel:
      return (x + 0.5f) / axis.scale - 0.5f;
    case CoordinateMode::kPytorchHalfPixel:
      return axis.result > 1 ? (x + 0.5f) / axis.scale - 0.5f : 0.0f;
    case CoordinateMode::kAsymmetric:
      return x / axis.scale;
    case CoordinateMode::kTfHalfPixelForNn:
      return (x + 0.5f) / axis.scale;
    case CoordinateMode::kAlignCorners:
      return axis.result == 1 ? 0.0f : x * (size - 1.0f) / (result - 1.0f);
  }
  return x;
}

float round_to_element(NearestMode mode, float x, bool shrinks) {
  switch (mode) {
    case NearestMode::kRoundPreferFloor:
      return std::ceil(x - 0.5f);
    case NearestMode::kRoundPreferCeil:
      return std::round(x);
    case NearestMode::kFloor:
      return std::floor(x);
    case NearestMode::kCeil:
      return std::ceil(x);
    case NearestMode::kSimple:
      return shrinks ? std::ceil(x) : std::trunc(x);
  }
  return x;
}

double triangle(double x) { return std::max(0.0, 1.0 - std::fabs(x)); }

// R. Keys, "Cubic convolution interpolation for digital image processing", equation 15, for any a.
double cubic(double x, double a) {
  x = std::fabs(x);
  if (x < 1.0) return ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0;
  if (x < 2.0) return (((x - 5.0) * x + 8.0) * x - 4.0) * a;
  return 0.0;
}

// The window of one element of the result: weights of adjacent elements of the padded input. Elements outside
// it are omitted, or added to the outermost element.
class Window {
 public:
  Window(int64_t first, int64_t last, int64_t size)
      : first_(std::clamp<int64_t>(first, 0, size - 1)),
        size_(size),
        weights_(static_cast<size_t>(std::clamp<int64_t>(last, 0, size - 1) - first_ + 1)) {}

  int64_t first() const { return first_; }
  size_t size() const { return weights_.size(); }
  double weight(size_t k) const { return weights_[k]; }
  bool contains(int64_t element) const { return element >= 0 && element < size_; }

  void add(int64_t element, double weight) {
    weights_[static_cast<size_t>(std::clamp<int64_t>(element, 0, size_ - 1) - first_)] += weight;
  }
  void normalize() {
    double sum = 0.0;
    for (const double weight : weights_) sum += weight;
    if (sum == 0.0) return;
    for (double& weight : weights_) weight /= sum;
  }

 private:
  int64_t first_, size_;
  std::vector<double> weights_;
};

Window linear_window(const ResizeRule& rule, const ResizeAxis& axis, float x) {
  // Once any axis shrinks, OpenVINO's triangles follow the scale of every axis: they are narrower where an
  // axis grows.
  const double slope = rule.antialias ? static_cast<double>(axis.scale) : 1.0;
  const int64_t radius = axis.scale > 1.0f ? 2 : static_cast<int64_t>(std::ceil(2.0 / slope));
  const int64_t center = static_cast<int64_t>(std::round(x));
  Window window(center - radius, center + radius, axis.padded());
  for (int64_t element = center - radius; element <= center + radius; ++element) {
    if (!window.contains(element)) continue;
    window.add(element, triangle(slope * static_cast<double>(x - static_cast<float>(element))));
  }
  window.normalize();
  return window;
}

Window linear_onnx_window(const ResizeAxis& axis, float x) {
  const float last = static_cast<float>(axis.padded() - 1);
  x = std::clamp(x, 0.0f, last);
  const int64_t element = static_cast<int64_t>(x);
  const double part = static_cast<double>(x - static_cast<float>(element));
  Window window(element, element + 1, axis.padded());
  window.add(element, 1.0 - part);
  window.add(element + 1, part);
  return window;
}

Window cubic_window(const ResizeRule& rule, const ResizeAxis& axis, float x) {
  const float floor = std::floor(x);
  const int64_t element = static_cast<int64_t>(floor);
  Window window(element - 1, element + 2, axis.padded());
  for (int64_t k = -1; k <= 2; ++k) {
    window.add(element + k, cubic(static_cast<double>(x - floor) - static_cast<double>(k), rule.cube_coeff));
  }
  return window;
}

// OpenVINO's CPU plugin uses this value, whatever the attribute cube_coeff is.
constexpr double kPillowCubeCoeff = -0.5;

// Resizes like the Pillow library: the filter is stretched if the axis shrinks, whatever the attributes say.
Window pillow_window(const ResizeRule& rule, const ResizeAxis& axis, int64_t i) {
  const bool bicubic = rule.mode == ResizeMode::kBicubicPillow;
  const double step = static_cast<double>(axis.padded()) / static_cast<double>(axis.result);
  const double stretch = std::max(step, 1.0);
  const double center = (static_cast<double>(i) + 0.5) * step;
  const double support = (bicubic ? 2.0 : 1.0) * stretch;
  const int64_t first = std::max<int64_t>(static_cast<int64_t>(center - support + 0.5), 0);
  const int64_t last = std::min(static_cast<int64_t>(center + support + 0.5), axis.padded()) - 1;
  Window window(first, last, axis.padded());
  for (int64_t element = first; element <= last; ++element) {
    const double distance = (static_cast<double>(element) - center + 0.5) / stretch;
    window.add(element, bicubic ? cubic(distance, kPillowCubeCoeff) : triangle(distance));
  }
  window.normalize();
  return window;
}

Window window_at(const ResizeRule& rule, const ResizeAxis& axis, int64_t i) {
  const float x = coordinate(rule.coordinates, axis, i);
  switch (rule.mode) {
    case ResizeMode::kLinear:
      return linear_window(rule, axis, x);
    case ResizeMode::kLinearOnnx:
      return linear_onnx_window(axis, x);
    case ResizeMode::kCubic:
      return cubic_window(rule, axis, x);
    default:
      return pillow_window(rule, axis, i);
  }
}

}  // namespace

ResizeWindows make_windows(const ResizeRule& rule, const ResizeAxis& axis, bool contiguous) {
  const auto count = static_cast<size_t>(axis.result);
  // The part of each window that has weight and is inside the input.
  std::vector<Window> windows;
  std::vector<int64_t> begins(count), ends(count);
  ResizeWindows result;
  for (size_t i = 0; i < count; ++i) {
    const Window& window = windows.emplace_back(window_at(rule, axis, static_cast<int64_t>(i)));
    int64_t begin = std::max(window.first(), axis.pad_begin);
    int64_t end = std::min(window.first() + static_cast<int64_t>(window.size()), axis.pad_begin + axis.size);
    const auto weightless = [&](int64_t element) {
      return window.weight(static_cast<size_t>(element - window.first())) == 0.0;
    };
    while (begin < end && weightless(begin)) ++begin;
    while (begin < end && weightless(end - 1)) --end;
    begins[i] = begin;
    ends[i] = end;
    result.taps = std::max(result.taps, static_cast<size_t>(std::max<int64_t>(0, end - begin)));
  }
  if (contiguous && (result.taps == 1 || result.taps == 3) && axis.size > static_cast<int64_t>(result.taps)) {
    ++result.taps;
  }
  result.first.resize(count);
  result.weights.resize((CheckedSize(count) * result.taps).value());
  const auto taps = static_cast<int64_t>(result.taps);
  for (size_t i = 0; i < count; ++i) {
    const int64_t first = std::clamp<int64_t>(begins[i] - axis.pad_begin, 0, axis.size - taps);
    result.first[i] = static_cast<int32_t>(first);
    for (int64_t element = begins[i]; element < ends[i]; ++element) {
      const auto k = static_cast<size_t>(element - axis.pad_begin - first);
      const double weight = windows[i].weight(static_cast<size_t>(element - windows[i].first()));
      result.weights[i * result.taps + k] = static_cast<float>(weight);
    }
  }
  return result;
}

std::vector<int32_t> nearest_elements(const ResizeRule& rule, const ResizeAxis& axis) {
  std::vector<int32_t> elements(static_cast<size_t>(axis.result));
  const float last = static_cast<float>(axis.padded() - 1);
  for (size_t i = 0; i < elements.size(); ++i) {
    const float x = coordinate(rule.coordinates, axis, static_cast<int64_t>(i));
    const float rounded = std::clamp(round_to_element(rule.nearest, x, axis.scale < 1.0f), 0.0f, last);
    const int64_t element = static_cast<int64_t>(rounded) - axis.pad_begin;
    elements[i] = element < 0 || element >= axis.size ? -1 : static_cast<int32_t>(element);
  }
  return elements;
}

}  // namespace wasmvino::kernels
