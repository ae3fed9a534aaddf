// SPDX-License-Identifier: Apache-2.0
#include "ops/common/compressed_filters.h"

#include <numeric>

#include "core/packed_bits.h"
#include "ops/common/axes.h"
#include "ops/common/compressed_weights.h"
#include "ops/common/numbers.h"

namespace wasmvino::ops {
namespace {

constexpr size_t kPanel = kernels::kPanelColumns;

// The taps of each matrix that a group has: all, or of transposed convolutions those of each phase.
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

CompressedFilters::Channels::Channels(const Shape& shape, const FilterForm& form) {
  const size_t first = form.first_spatial(), outer = static_cast<size_t>(shape[first - 2]);
  groups = form.grouped ? static_cast<size_t>(shape[0]) : 1;
  inner = product(shape, first, shape.size());
  // Where output channels are the outer axis, groups only have more of them.
  in = form.transposed ? outer : 1;
  channels = form.transposed ? static_cast<size_t>(shape[first - 1]) : outer;
  if (!form.transposed) inner *= static_cast<size_t>(shape[first - 1]);
}

CompressedFilters::CompressedFilters(std::shared_ptr<const ConstantData> stored, Shape shape,
                                     const FilterForm& form, std::vector<float> scales,
                                     std::vector<uint8_t> zero_points)
    : stored_(std::move(stored)),
      shape_(std::move(shape)),
      channels_(shape_, form),
      scales_(std::move(scales)),
      zero_points_(std::move(zero_points)) {}

std::shared_ptr<const CompressedFilters> CompressedFilters::scaled(const std::vector<float>& factors) const {
  auto result = std::make_shared<CompressedFilters>(*this);
  if (result->scales_.empty()) result->scales_.assign(factors.size(), 1.0f);
  for (size_t c = 0; c < factors.size(); ++c) result->scales_[c] *= factors[c];
  return result;
}

void CompressedFilters::read(size_t offset, size_t count, void* to) const {
  const ElementType type = stored_->type();
  const void* from = stored_->value().view().memory;
  const size_t first = offset / sizeof(float), elements = count / sizeof(float);
  float* values = static_cast<float*>(to);
  if (is_sub_byte(type)) {
    for (size_t i = 0; i < elements; ++i) values[i] = decode_bits(type, load_bits(type, from, first + i));
  } else if (is_real(type)) {
    number_loader<float>(type)(from, first, 1, elements, values);
  } else {
    for (size_t i = 0; i < elements; ++i) {
      values[i] = type == ElementType::kI8 ? static_cast<float>(static_cast<const int8_t*>(from)[first + i])
                                           : static_cast<float>(static_cast<const uint8_t*>(from)[first + i]);
    }
  }
  stored_->drop();
  if (scales_.empty() && zero_points_.empty()) return;
  const float shift = static_cast<float>(shift_of(type));
  for (size_t i = 0; i < elements; ++i) {
    const size_t channel = channels_.of(first + i);
    if (!zero_points_.empty()) values[i] += shift - static_cast<float>(zero_points_[channel]);
    if (!scales_.empty()) values[i] *= scales_[channel];
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
  const ElementType type = filters.stored().type();
  const kernels::WeightBits bits = bits_of(type);
  const size_t panels = (c.out_channels + kPanel - 1) / kPanel * kPanel;
  const auto padded = [&](const auto& values, auto& to) {
    if (values.empty()) return;
    to.resize(c.groups * panels);
    for (size_t i = 0; i < c.groups * c.out_channels; ++i) {
      to[i / c.out_channels * panels + i % c.out_channels] = values[i];
    }
  };
  padded(filters.scales(), scales_);
  padded(filters.zero_points(), zero_points_);
  if (scales_.empty() && !is_real(type)) scales_.assign(c.groups * panels, 1.0f);

  const std::vector<std::vector<size_t>> taps = taps_of_matrices(problem);
  size_t bytes = 0;
  for (const auto& some : taps) {
    bytes += c.groups * kernels::compressed_size(bits, some.size() * c.in_channels, c.out_channels);
  }
  values_ = Tensor(ElementType::kU8, {static_cast<int64_t>(bytes)});
  const void* stored = filters.stored().value().view().memory;
  char* to = values_.mutable_data<char>();
  for (size_t g = 0; g < c.groups; ++g) {
    for (const auto& some : taps) {
      std::vector<size_t> rows;
      for (const size_t tap : some) {
        for (size_t i = 0; i < c.in_channels; ++i) {
          rows.push_back(g * w.group_stride + i * w.in_stride + tap * w.tap_stride);
        }
      }
      kernels::pack_compressed(bits, shift_of(type) != 0, stored, rows, w.out_stride, c.out_channels,
                               {0, c.out_channels}, to);
      matrices_.push_back({bits, rows.size(), c.out_channels, rows.size(), to,
                           scales_.empty() ? nullptr : scales_.data() + g * panels,
                           zero_points_.empty() ? nullptr : zero_points_.data() + g * panels,
                           static_cast<float>(shift_of(type))});
      to += kernels::compressed_size(bits, rows.size(), c.out_channels);
    }
  }
  filters.stored().drop();
}

}  // namespace wasmvino::ops
