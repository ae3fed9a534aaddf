// SPDX-License-Identifier: Apache-2.0
// Filters of convolutions that stay as few bits as the model stores.
#pragma once

#include <memory>
#include <vector>

#include "kernels/compressed.h"
#include "ops/common/convolution.h"

namespace wasmvino::ops {

// The filters of a FusedConvolution that a model stores compressed: convolutions pack what is stored. It also
// gives the bytes of the constant of f32 that the node still reads, expanded for whoever asks for them.
class CompressedFilters final : public ByteSource {
 public:
  // Element e of `stored`, of a type of is_compressed_type and `shape` with the elements in the same order,
  // stands for (e - zero point) * scale of its output channel among those of all groups. Zero points, of
  // integers only, are shifted as these are when they are packed (shift_of). No zero points are zeros, no
  // scales ones.
  CompressedFilters(std::shared_ptr<const ConstantData> stored, Shape shape, const FilterForm& form,
                    std::vector<float> scales, std::vector<uint8_t> zero_points);

  // The same filters, each multiplied by the factor of its output channel.
  std::shared_ptr<const CompressedFilters> scaled(const std::vector<float>& factors) const;

  const Shape& shape() const { return shape_; }
  size_t size() const override { return element_count(shape_) * sizeof(float); }
  void read(size_t offset, size_t count, void* to) const override;

  const ConstantData& stored() const { return *stored_; }
  const std::vector<float>& scales() const { return scales_; }
  const std::vector<uint8_t>& zero_points() const { return zero_points_; }

  // Where the output channels of filters lie, as axes [groups, in, channels, inner].
  struct Channels {
    size_t groups, in, channels, inner;
    Channels(const Shape& shape, const FilterForm& form);
    size_t count() const { return groups * channels; }
    // The channel that an element belongs to, and the first element of one.
    size_t of(size_t element) const {
      return element / inner / channels / in * channels + element / inner % channels;
    }
    size_t first(size_t channel) const {
      return (channel / channels * in * channels + channel % channels) * inner;
    }
  };

 private:
  std::shared_ptr<const ConstantData> stored_;
  Shape shape_;
  Channels channels_;
  std::vector<float> scales_;
  std::vector<uint8_t> zero_points_;
};

// The constant of f32 that they stand for.
std::shared_ptr<const ConstantData> expanded(std::shared_ptr<const CompressedFilters> filters);

// Packed for kernels::conv() and kernels::winograd_from_direct(), or kernels::transposed_conv().
class PackedFilters {
 public:
  PackedFilters(const CompressedFilters& filters, const ConvolutionProblem& problem);
  PackedFilters(const PackedFilters&) = delete;  // matrices point into the rest
  const kernels::CompressedMatrix* matrices() const { return matrices_.data(); }

 private:
  Tensor values_;
  std::vector<float> scales_;         // [groups][panels][8]
  std::vector<uint8_t> zero_points_;  // alike
  std::vector<kernels::CompressedMatrix> matrices_;
};

}  // namespace wasmvino::ops
