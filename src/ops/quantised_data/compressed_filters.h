// SPDX-License-Identifier: Apache-2.0
// Filters of convolutions that stay as few bits as the model stores.
#pragma once

#include <memory>
#include <vector>

#include "ops/convolution/convolution_base.h"
#include "ops/quantised_data/compressed_weights.h"

namespace wasmvino::ops {

// Output or input channels of filters, those of all groups one behind the other.
class FilterChannels {
 public:
  FilterChannels(const Shape& shape, const FilterForm& form, bool of_input);
  size_t count() const { return groups_ * channels_; }
  // The channel that an element belongs to, and the first element of one.
  size_t of(size_t element) const { return element / group_ * channels_ + element / step_ % channels_; }
  size_t first(size_t channel) const { return channel / channels_ * group_ + channel % channels_ * step_; }

 private:
  size_t groups_, channels_;
  size_t group_, step_;  // elements from one group, or channel, to the next
};

// The quantised filters of a FusedConvolution: convolutions pack the stored values. The node's input is still
// an f32 constant, whose bytes are expanded on demand.
class CompressedFilters final : public ByteSource {
 public:
  // Each element of a type of is_compressed_type stands for (element - zero point) * scale of its output
  // channel * scale of its input channel. Zero points, of integers only, are shifted as these are when they
  // are packed (shift_of). No zero points are zeros, no scales ones.
  struct Parts {
    std::shared_ptr<const ConstantData> stored;
    StoredAxes places = {};  // where the elements of the filters lie in it
    std::vector<float> scales = {};
    std::vector<uint8_t> zero_points = {};
    std::vector<float> input_scales = {};
  };
  CompressedFilters(const Shape& shape, const FilterForm& form, Parts parts);

  // The same filters, each multiplied by the factor of its output or input channel.
  std::shared_ptr<const CompressedFilters> scaled(const std::vector<float>& factors, bool by_input) const;

  const Shape& shape() const { return shape_; }
  size_t size() const override { return element_count(shape_) * sizeof(float); }
  void read(size_t offset, size_t count, void* to) const override;

  const Parts& parts() const { return parts_; }

 private:
  Shape shape_;
  FilterChannels outputs_, inputs_;
  Parts parts_;
};

// The constant of f32 that they stand for.
std::shared_ptr<const ConstantData> expanded(std::shared_ptr<const CompressedFilters> filters);

// Packed for kernels::conv() and kernels::winograd_from_direct(), or kernels::transposed_conv(). Depthwise
// filters that are not transposed are one matrix [taps][channels].
class PackedFilters {
 public:
  PackedFilters(const CompressedFilters& filters, const ConvolutionProblem& problem);
  PackedFilters(const PackedFilters&) = delete;  // matrices point into the rest
  const kernels::CompressedMatrix* matrices() const { return matrices_.data(); }

  // Depthwise filters in f32: that of tap t for channel c at to[t * tap_stride + c * channel_stride], for
  // channels up to `channels`, zeros behind the last one. `scratch` has depthwise_scratch_size() floats.
  void expand_depthwise(size_t channels, size_t tap_stride, size_t channel_stride, float* scratch,
                        float* to) const;
  size_t depthwise_scratch_size() const { return (matrices_[0].k + 3) / 4 * 4 * kernels::kPanelColumns; }

 private:
  Tensor values_;
  std::vector<float> scales_;         // [groups][panels][8]
  std::vector<uint8_t> zero_points_;  // alike
  std::vector<float> row_scales_;     // of all matrices, one behind the other
  std::vector<float> table_;
  std::vector<kernels::CompressedMatrix> matrices_;
};

}  // namespace wasmvino::ops
