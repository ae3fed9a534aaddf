// SPDX-License-Identifier: Apache-2.0
// Convolution filters that stay quantised in memory, as in the model.
#pragma once

#include <memory>
#include <vector>

#include "ops/convolution/convolution_base.h"
#include "ops/quantised_data/compressed_weights.h"

namespace wasmvino::ops {

// Numbers the output or input channels of filters consecutively across all groups.
class FilterChannels {
 public:
  FilterChannels(const Shape& shape, const FilterForm& form, bool of_input);
  size_t count() const { return groups_ * channels_; }
  // of(): the channel of an element. first(): the first element of a channel.
  size_t of(size_t element) const { return element / group_ * channels_ + element / step_ % channels_; }
  size_t first(size_t channel) const { return channel / channels_ * group_ + channel % channels_ * step_; }

 private:
  size_t groups_, channels_;
  size_t group_, step_;  // elements from one group to the next, and from one channel to the next
};

// The quantised filters of a FusedConvolution. The kernel packs the quantised values. The node's input is
// still an f32 constant, which is dequantised on demand.
class CompressedFilters final : public ByteSource {
 public:
  // Each element represents (element - zero point) * scale of its output channel * scale of its input
  // channel. is_compressed_type() lists the possible types. Only integers have zero points, which are shifted
  // like packed integers (shift_of). Missing zero points are 0, missing scales are 1.
  struct Parts {
    std::shared_ptr<const ConstantData> stored;
    StoredAxes places = {};  // maps elements of the filters to elements of `stored`
    std::vector<float> scales = {};
    std::vector<uint8_t> zero_points = {};
    std::vector<float> input_scales = {};
  };
  CompressedFilters(const Shape& shape, const FilterForm& form, Parts parts);

  // Returns these filters, with each multiplied by the factor of its output or input channel.
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

// Returns the f32 constant that the filters represent.
std::shared_ptr<const ConstantData> expanded(std::shared_ptr<const CompressedFilters> filters);

// Filters packed for kernels::conv() and kernels::winograd_from_direct(), or for kernels::transposed_conv().
// Depthwise filters that are not transposed form one matrix [taps][channels].
class PackedFilters {
 public:
  PackedFilters(const CompressedFilters& filters, const ConvolutionProblem& problem);
  PackedFilters(const PackedFilters&) = delete;  // matrices point to other members
  const kernels::CompressedMatrix* matrices() const { return matrices_.data(); }

  // Dequantises depthwise filters to f32: tap t of channel c becomes to[t * tap_stride + c * channel_stride]
  // for c < channels. Channels that do not exist get zeros. `scratch` has depthwise_scratch_size() floats.
  void expand_depthwise(size_t channels, size_t tap_stride, size_t channel_stride, float* scratch,
                        float* to) const;
  size_t depthwise_scratch_size() const { return (matrices_[0].k + 3) / 4 * 4 * kernels::kPanelColumns; }

 private:
  Tensor values_;
  std::vector<float> scales_;         // [groups][panels][8]
  std::vector<uint8_t> zero_points_;  // [groups][panels][8]
  std::vector<float> row_scales_;     // of all matrices, concatenated
  std::vector<float> table_;
  std::vector<kernels::CompressedMatrix> matrices_;
};

}  // namespace wasmvino::ops
