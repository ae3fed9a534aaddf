// SPDX-License-Identifier: Apache-2.0
#include "ops/quantised_data/compressed_filters.h"

#include <algorithm>
#include <numeric>

#include "ops/convolution/convolution_policy.h"
#include "ops/inputs/axes.h"

namespace wasmvino::ops {
namespace {

constexpr size_t kPanel = kernels::kPanelColumns;

// Returns the taps of each matrix of a group. There is one matrix with all taps or, for a transposed
// convolution, one per phase.
std::vector<std::vector<size_t>> taps_of_matrices(const ConvolutionProblem& problem) {
  const kernels::Conv& c = problem.conv;
  std::vector<std::vector<size_t>> matrices(problem.transposed ? c.stride.product() : 1);
  for (size_t i = 0; i < matrices.size(); ++i) {
    matrices[i].resize(c.kernel.product());
    if (problem.transposed) {
      matrices[i].resize(kernels::taps_of_phase(c, i, matrices[i].data()));
    } else {
      std::iota(matrices[i].begin(), matrices[i].end(), size_t{0});
    }
  }
  return matrices;
}

}  // namespace

FilterChannels::FilterChannels(const Shape& shape, const FilterForm& form, bool of_input) {
  const size_t first = form.first_spatial();
  const size_t axis = first - (form.transposed == of_input ? 2 : 1);
  groups_ = form.grouped ? static_cast<size_t>(shape[0]) : 1;
  channels_ = static_cast<size_t>(shape[axis]);
  step_ = product(shape, axis + 1, shape.size());
  group_ = product(shape, first - 2, shape.size());
}

CompressedFilters::CompressedFilters(const Shape& shape, const FilterForm& form, Parts parts)
    : shape_(shape), outputs_(shape, form, false), inputs_(shape, form, true), parts_(std::move(parts)) {}

std::shared_ptr<const CompressedFilters> CompressedFilters::scaled(const std::vector<float>& factors,
                                                                   bool by_input) const {
  auto result = std::make_shared<CompressedFilters>(*this);
  std::vector<float>& scales = by_input ? result->parts_.input_scales : result->parts_.scales;
  if (scales.empty()) scales.assign(factors.size(), 1.0f);
  for (size_t c = 0; c < factors.size(); ++c) scales[c] *= factors[c];
  return result;
}

void CompressedFilters::read(size_t offset, size_t count, void* to) const {
  const Tensor raw = parts_.stored->value();
  const TensorView& stored = raw.view();
  const size_t first = offset / sizeof(float), elements = count / sizeof(float);
  float* values = static_cast<float*>(to);
  if (parts_.places == StoredAxes{{static_cast<int64_t>(element_count(shape_))}, {1}}) {
    load_stored(stored, first, elements, values);
  } else {
    for (size_t i = 0; i < elements; ++i)
      load_stored(stored, place_of(parts_.places, first + i), 1, values + i);
  }
  const float shift = static_cast<float>(shift_of(stored.type));
  for (size_t i = 0; i < elements; ++i) {
    const size_t channel = outputs_.of(first + i);
    if (!parts_.zero_points.empty()) values[i] += shift - static_cast<float>(parts_.zero_points[channel]);
    if (!parts_.scales.empty()) values[i] *= parts_.scales[channel];
    if (!parts_.input_scales.empty()) values[i] *= parts_.input_scales[inputs_.of(first + i)];
  }
}

std::shared_ptr<const ConstantData> expanded(std::shared_ptr<const CompressedFilters> filters) {
  const Shape shape = filters->shape();
  const size_t bytes = filters->size();
  return std::make_shared<ConstantData>(ElementType::kF32, shape, std::move(filters), 0, bytes);
}

PackedFilters::PackedFilters(const CompressedFilters& filters, const ConvolutionProblem& problem) {
  const kernels::Conv& c = problem.conv;
  const kernels::ConvWeights& w = problem.weights;
  const CompressedFilters::Parts& parts = filters.parts();
  const Tensor raw = parts.stored->value();
  const TensorView& stored = raw.view();
  const kernels::WeightBits bits = bits_of(stored);
  const bool depthwise = is_depthwise(c) && !problem.transposed;
  const size_t groups = depthwise ? 1 : c.groups, outputs = depthwise ? c.groups : c.out_channels;
  const size_t panels = (outputs + kPanel - 1) / kPanel * kPanel;
  const auto padded = [&](const auto& values, auto& to) {
    if (values.empty()) return;
    to.resize((CheckedSize(groups) * panels).value());
    for (size_t i = 0; i < groups * outputs; ++i) to[i / outputs * panels + i % outputs] = values[i];
  };
  padded(parts.scales, scales_);
  padded(parts.zero_points, zero_points_);
  const bool scales_inputs = !parts.input_scales.empty() && !depthwise;
  if (scales_.empty() && (!is_real(stored.type) || (depthwise && !parts.input_scales.empty())))
    scales_.assign((CheckedSize(groups) * panels).value(), 1.0f);
  if (depthwise) {
    for (size_t i = 0; i < parts.input_scales.size(); ++i) scales_[i] *= parts.input_scales[i];
  }
  table_ = table_of(stored.type);

  const std::vector<std::vector<size_t>> taps = taps_of_matrices(problem);
  size_t bytes = 0, depth = 0;
  for (const auto& some : taps) {
    bytes += groups * kernels::compressed_size(bits, some.size() * c.in_channels, outputs);
    depth += groups * some.size() * c.in_channels;
  }
  values_ = Tensor(ElementType::kU8, {static_cast<int64_t>(bytes)});
  if (scales_inputs) row_scales_.resize(depth);
  char* to = values_.mutable_data<char>();
  float* row_scale = row_scales_.empty() ? nullptr : row_scales_.data();
  std::vector<size_t> rows, columns(outputs);
  for (size_t o = 0; o < outputs; ++o)
    columns[o] = place_of(parts.places, o * (depthwise ? w.group_stride : w.out_stride));
  for (size_t g = 0; g < groups; ++g) {
    for (const auto& some : taps) {
      rows.clear();
      const float* const row_scales = row_scale;
      for (const size_t tap : some) {
        for (size_t i = 0; i < c.in_channels; ++i) {
          rows.push_back(place_of(parts.places, g * w.group_stride + i * w.in_stride + tap * w.tap_stride));
          if (row_scale != nullptr) *row_scale++ = parts.input_scales[g * c.in_channels + i];
        }
      }
      kernels::pack_compressed(bits, shift_of(stored.type) != 0, stored.memory, rows, columns, {0, outputs},
                               to);
      matrices_.push_back({.bits = bits,
                           .k = rows.size(),
                           .n = outputs,
                           .group = rows.size(),
                           .values = to,
                           .scales = scales_.empty() ? nullptr : scales_.data() + g * panels,
                           .zero_points = zero_points_.empty() ? nullptr : zero_points_.data() + g * panels,
                           .zero_point = static_cast<float>(shift_of(stored.type)),
                           .row_scales = row_scales,
                           .table = table_.data()});
      to += kernels::compressed_size(bits, rows.size(), outputs);
    }
  }
}

void PackedFilters::expand_depthwise(size_t channels, size_t tap_stride, size_t channel_stride,
                                     float* scratch, float* to) const {
  const kernels::CompressedMatrix& b = matrices_[0];
  for (size_t first = 0; first < channels; first += kPanel) {
    if (first < b.n) kernels::expand(b, {0, b.k}, {first, first + kPanel}, scratch);
    const size_t last = std::min(channels, first + kPanel);
    for (size_t tap = 0; tap < b.k; ++tap) {
      for (size_t c = first; c < last; ++c)
        to[tap * tap_stride + c * channel_stride] = c < b.n ? scratch[tap * kPanel + c - first] : 0.0f;
    }
  }
}

}  // namespace wasmvino::ops
