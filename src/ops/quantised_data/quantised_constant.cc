// SPDX-License-Identifier: Apache-2.0
#include "ops/quantised_data/quantised_constant.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "model/node.h"

namespace wasmvino::ops {
namespace {

bool same_numbers(const SharedNumbers& a, const SharedNumbers& b) {
  return a.axes == b.axes && a.steps == b.steps && (a.data == b.data || a.read() == b.read());
}

// Appends an axis. Merges it with the last one if both together are one range of places.
void append(StridedAxes& axes, int64_t size, int64_t stride) {
  if (!axes.sizes.empty() && axes.strides.back() == stride * size) {
    axes.sizes.back() *= size;
    axes.strides.back() = stride;
  } else {
    axes.add(size, stride);
  }
}

}  // namespace

size_t place_of(const StridedAxes& axes, size_t index) {
  int64_t place = 0, left = static_cast<int64_t>(index);
  for (size_t i = axes.sizes.size(); i-- > 0; left /= axes.sizes[i]) {
    place += left % axes.sizes[i] * axes.strides[i];
  }
  return static_cast<size_t>(place);
}

SharedNumbers SharedNumbers::of(const std::vector<float>& values, StridedAxes axes, Ints steps) {
  const Shape shape = {static_cast<int64_t>(values.size())};
  return {std::make_shared<ConstantData>(Tensor::of<float>(shape, values.data())), std::move(axes),
          std::move(steps)};
}

std::vector<float> SharedNumbers::read() const {
  const Tensor raw = data->value();
  std::vector<float> values(raw.size());
  load_raw(raw.view(), 0, values.size(), values.data());
  return values;
}

size_t SharedNumbers::index(size_t place) const {
  int64_t index = 0;
  for (size_t i = 0; i < steps.size(); ++i) {
    index += static_cast<int64_t>(place) / axes.strides[i] % axes.sizes[i] * steps[i];
  }
  return static_cast<size_t>(index);
}

size_t SharedNumbers::least_run(const StridedAxes& some) const {
  int64_t least = 0, step = 1;  // step: of axis i
  for (size_t i = some.sizes.size(); i-- > 0; step *= some.sizes[i]) {
    for (size_t j = 0; j < axes.sizes.size(); ++j) {
      const int64_t first = std::max(some.strides[i], axes.strides[j]);
      const int64_t last = std::min(some.strides[i] * some.sizes[i], axes.strides[j] * axes.sizes[j]);
      if (first >= last) continue;
      const int64_t run = first / some.strides[i] * step;
      least = least == 0 ? run : std::min(least, run);
    }
  }
  return static_cast<size_t>(least);
}

QuantisedConstant::QuantisedConstant(Shape shape, Parts parts)
    : shape_(std::move(shape)), parts_(std::move(parts)), pitch_(row_length()) {
  const StridedAxes& places = parts_.places;
  run_ = places.strides.empty() || places.strides.back() != 1 ? 1 : static_cast<size_t>(places.sizes.back());
  // Adjacent elements that share all numbers are scaled together, if there are at least this many.
  constexpr int64_t kLeastRun = 8;
  const auto share = [&](const SharedNumbers& numbers) {
    for (const int64_t stride : numbers.axes.strides) {
      if (stride >= kLeastRun) run_ = std::min(run_, static_cast<size_t>(stride));
    }
  };
  for (const SharedNumbers& scale : parts_.scales) share(scale);
  if (parts_.zero_point) share(*parts_.zero_point);
  const StridedAxes neighbours = {{static_cast<int64_t>(run_)}, {1}};
  for (const SharedNumbers& scale : parts_.scales) varies_.push_back(scale.varies_along(neighbours));
  varies_.push_back(parts_.zero_point && parts_.zero_point->varies_along(neighbours));
}

size_t QuantisedConstant::row_length() const {
  return shape_.empty() ? 1 : std::max<size_t>(1, static_cast<size_t>(shape_.back()));
}

QuantisedConstant QuantisedConstant::columns(int64_t first, int64_t count) const {
  QuantisedConstant part = *this;
  part.first_ += static_cast<size_t>(first);
  part.shape_[1] = count;
  return part;
}

QuantisedConstant QuantisedConstant::scaled(std::initializer_list<size_t> axes,
                                            const std::vector<float>& numbers, size_t run) const {
  const StridedAxes all = along(axes);
  StridedAxes own;
  Ints steps;
  int64_t step = 1, left = static_cast<int64_t>(run);  // left: the part of a run in the axes that follow
  for (size_t i = all.sizes.size(); i-- > 0; step *= all.sizes[i]) {
    const int64_t part = std::gcd(left, all.sizes[i]);
    left = part == all.sizes[i] ? left / part : 1;
    if (part == all.sizes[i]) continue;
    own.add(all.sizes[i] / part, all.strides[i] * part);
    steps.push_back(step * part);
  }
  Parts parts = parts_;
  parts.scales.push_back(SharedNumbers::of(numbers, std::move(own), std::move(steps)));
  QuantisedConstant result(shape_, std::move(parts));
  result.first_ = first_;
  result.pitch_ = pitch_;
  return result;
}

void QuantisedConstant::keep(size_t /*offset*/, size_t /*count*/) const {
  parts_.stored->keep_source();
  for (const SharedNumbers& scale : parts_.scales) scale.data->keep_source();
  if (parts_.zero_point) parts_.zero_point->data->keep_source();
}

void QuantisedConstant::read(size_t offset, size_t count, void* to) const {
  DequantisedElements(*this).load(offset / sizeof(float), count / sizeof(float), static_cast<float*>(to));
}

StridedAxes QuantisedConstant::along(std::initializer_list<size_t> axes) const {
  StridedAxes result;
  for (const size_t axis : axes) {
    for (size_t i = 0; i < parts_.axis_of.size(); ++i) {
      if (parts_.axis_of[i] == static_cast<int64_t>(axis))
        append(result, parts_.places.sizes[i], parts_.places.strides[i]);
    }
  }
  return result;
}

StridedAxes QuantisedConstant::between(size_t first, size_t last) const {
  StridedAxes result;
  for (size_t i = 0; i < parts_.axis_of.size(); ++i) {
    const int64_t axis = parts_.axis_of[i];
    if (axis >= static_cast<int64_t>(first) && axis < static_cast<int64_t>(last))
      append(result, parts_.places.sizes[i], parts_.places.strides[i]);
  }
  return result;
}

std::vector<float> QuantisedConstant::scales_along(std::initializer_list<size_t> axes) const {
  const StridedAxes places = along(axes);
  size_t count = 1;
  for (const int64_t size : places.sizes) count *= static_cast<size_t>(size);
  std::vector<float> result(count, 1.0f);
  for (const SharedNumbers& scale : parts_.scales) {
    const std::vector<float> numbers = scale.read();
    for (size_t i = 0; i < count; ++i) result[i] *= numbers[scale.index(place_of(places, i))];
  }
  return result;
}

bool QuantisedConstant::has_packable_zero_points() const {
  if (!parts_.zero_point) return true;
  const std::vector<float> points = parts_.zero_point->read();
  const auto shift = static_cast<float>(shift_of(stored_type()));
  return std::all_of(points.begin(), points.end(), [&](float point) {
    return point + shift >= 0 && point + shift <= 255 && point == std::floor(point);
  });
}

template <typename Function>
void QuantisedConstant::for_each_run(size_t first, size_t count, const Function& function) const {
  // Rows that are adjacent are one row. Filters of 1x1 have rows of one element.
  const size_t width = pitch_ == row_length() ? element_count(shape_) : row_length();
  for (size_t i = first, part; i < first + count; i += part) {
    const size_t at = first_ + i / width * pitch_ + i % width;
    part = std::min({first + count - i, run_ - at % run_, width - i % width});
    function(place_of(parts_.places, at), part);
  }
}

std::optional<std::vector<int8_t>> QuantisedConstant::integers() const {
  std::vector<int8_t> result(element_count(shape_));
  if (bit_width(stored_type()) == 8 && surely_fits_s8()) {
    // Only the representation of the sign may differ.
    const uint8_t sign = stored_type() == ElementType::kU8 ? 128 : 0;
    const Tensor stored = parts_.stored->value();
    int8_t* to = result.data();
    for_each_run(0, result.size(), [&](size_t begin, size_t count) {
      const uint8_t* from = stored.data<uint8_t>() + begin;
      for (size_t i = 0; i < count; ++i) *to++ = static_cast<int8_t>(from[i] ^ sign);
    });
    return result;
  }
  Parts parts = parts_;
  parts.scales.clear();
  QuantisedConstant unscaled(shape_, std::move(parts));
  unscaled.first_ = first_;
  unscaled.pitch_ = pitch_;
  const DequantisedElements elements(unscaled);
  std::array<float, 1024> values;
  for (size_t first = 0; first < result.size(); first += values.size()) {
    const size_t count = std::min(values.size(), result.size() - first);
    elements.load(first, count, values.data());
    for (size_t i = 0; i < count; ++i) {
      if (!(values[i] >= -128 && values[i] <= 127)) return std::nullopt;
      result[first + i] = static_cast<int8_t>(values[i]);
    }
  }
  return result;
}

bool QuantisedConstant::surely_fits_s8() const {
  const ElementType type = stored_type();
  if (bit_width(type) < 8) return true;
  if (!parts_.zero_point) return type == ElementType::kI8;
  const float zero = 128.0f - static_cast<float>(shift_of(type));
  const std::vector<float> points = parts_.zero_point->read();
  return std::all_of(points.begin(), points.end(), [zero](float point) { return point == zero; });
}

bool QuantisedConstant::equals(const QuantisedConstant& other) const {
  const Parts &a = parts_, &b = other.parts_;
  return a.stored == b.stored && shape_ == other.shape_ && a.places == b.places && a.axis_of == b.axis_of &&
         first_ == other.first_ && pitch_ == other.pitch_ &&
         std::equal(a.scales.begin(), a.scales.end(), b.scales.begin(), b.scales.end(), same_numbers) &&
         a.zero_point.has_value() == b.zero_point.has_value() &&
         (!a.zero_point || same_numbers(*a.zero_point, *b.zero_point));
}

DequantisedElements::DequantisedElements(const QuantisedConstant& value)
    : value_(value), stored_(value.parts().stored->value()) {
  for (const SharedNumbers& scale : value.parts().scales) scales_.push_back(scale.read());
  if (value.parts().zero_point) zero_points_ = value.parts().zero_point->read();
}

void DequantisedElements::load(size_t first, size_t count, float* to) const {
  const QuantisedConstant::Parts& parts = value_.parts();
  value_.for_each_run(first, count, [&](size_t begin, size_t part) {
    load_raw(stored_.view(), begin, part, to);
    const auto apply = [&](const SharedNumbers& numbers, const std::vector<float>& values, bool varies,
                           const auto& by) {
      const float same = values[numbers.index(begin)];
      for (size_t j = 0; j < part; ++j) to[j] = by(to[j], varies ? values[numbers.index(begin + j)] : same);
    };
    const auto subtract = [](float value, float by) { return value - by; };
    const auto multiply = [](float value, float by) { return value * by; };
    if (parts.zero_point) apply(*parts.zero_point, zero_points_, value_.varies_.back(), subtract);
    for (size_t s = 0; s < scales_.size(); ++s)
      apply(parts.scales[s], scales_[s], value_.varies_[s], multiply);
    to += part;
  });
}

MatrixForm matrix_form(const QuantisedConstant& value, bool transposed) {
  const size_t rank = value.shape().size();
  const size_t n_axis = rank - (transposed ? 1 : 2), k_axis = rank - (transposed ? 2 : 1);
  MatrixForm form;
  form.n = static_cast<size_t>(value.shape()[n_axis]);
  form.k = form.group = static_cast<size_t>(value.shape()[k_axis]);
  const StridedAxes of_n = value.along({n_axis}), of_k = value.along({k_axis});
  // As in QuantisedMatrices: one number per column takes less memory. If the group size is not a multiple of
  // 4, scaling takes a separate pass anyway.
  const auto is_of_columns = [&](const SharedNumbers& numbers) {
    const size_t run = numbers.least_run(of_k);
    if (run % 4 != 0 && !numbers.varies_along(of_n)) return true;
    if (run > 0) form.group = std::gcd(form.group, run);
    return false;
  };
  form.has_scales = is_integral(value.stored_type());
  for (const SharedNumbers& scale : value.parts().scales)
    (is_of_columns(scale) ? form.has_column_scales : form.has_scales) = true;
  if (const auto& zero = value.parts().zero_point)
    (is_of_columns(*zero) ? form.has_column_zero_points : form.has_zero_points) = true;
  return form;
}

std::unique_ptr<Node> quantised_constant(std::string name, QuantisedConstant value) {
  auto op = std::make_shared<QuantisedConstantOp>(std::move(value));
  const std::shared_ptr<const QuantisedConstant>& source = op->value_;
  auto constant =
      std::make_shared<ConstantData>(ElementType::kF32, source->shape(), source, 0, source->size());
  auto node = std::make_unique<Node>(std::move(name), "Constant", 1, std::move(op), NodeKind::kConstant);
  node->outputs.push_back({constant->type(), constant->shape(), {}});
  node->constant = std::move(constant);
  return node;
}

const QuantisedConstant* quantised_of(const Node& constant) {
  const auto* op = op_cast<QuantisedConstantOp>(constant.op.get());
  return op != nullptr ? &op->value() : nullptr;
}

}  // namespace wasmvino::ops
