// SPDX-License-Identifier: Apache-2.0
#include "ops/convolution/filter_recipes.h"

#include <algorithm>
#include <numeric>

namespace wasmvino::ops {
namespace {

constexpr size_t kPanel = kernels::kPanelColumns;

// Returns the taps of each matrix of a group. There is one matrix with all taps or, for a transposed
// convolution, one per phase.
std::vector<std::vector<size_t>> taps_of_matrices(const kernels::Conv& c, bool transposed) {
  std::vector<std::vector<size_t>> matrices(transposed ? c.stride.product() : 1);
  for (size_t i = 0; i < matrices.size(); ++i) {
    matrices[i].resize(c.kernel.product());
    if (transposed) {
      matrices[i].resize(kernels::taps_of_phase(c, i, matrices[i].data()));
    } else {
      std::iota(matrices[i].begin(), matrices[i].end(), size_t{0});
    }
  }
  return matrices;
}

}  // namespace

PackRecipe filter_recipe(const QuantisedConstant& filters, const kernels::Conv& c,
                         const kernels::ConvWeights& w, bool transposed) {
  const StridedAxes& places = filters.parts().places;
  const auto taps = taps_of_matrices(c, transposed);
  PackRecipe recipe;
  for (size_t g = 0; g < c.groups; ++g) {
    for (const std::vector<size_t>& some : taps) {
      MatrixPlaces& matrix = recipe.emplace_back();
      for (const size_t tap : some) {
        for (size_t i = 0; i < c.in_channels; ++i)
          matrix.rows.push_back(place_of(places, i * w.in_stride + tap * w.tap_stride));
      }
      for (size_t o = 0; o < c.out_channels; ++o)
        matrix.columns.push_back(place_of(places, g * w.group_stride + o * w.out_stride));
    }
  }
  return recipe;
}

PackRecipe depthwise_recipe(const QuantisedConstant& filters, const kernels::Conv& c,
                            const kernels::ConvWeights& w) {
  const StridedAxes& places = filters.parts().places;
  PackRecipe recipe(1);
  for (size_t tap = 0; tap < c.kernel.product(); ++tap)
    recipe[0].rows.push_back(place_of(places, tap * w.tap_stride));
  for (size_t channel = 0; channel < c.groups; ++channel)
    recipe[0].columns.push_back(place_of(places, channel * w.group_stride));
  return recipe;
}

void expand_depthwise(const kernels::QuantisedMatrix& b, size_t channels, size_t tap_stride,
                      size_t channel_stride, float* scratch, float* to) {
  for (size_t first = 0; first < channels; first += kPanel) {
    if (first < b.n) kernels::expand(b, {0, b.k}, {first, first + kPanel}, scratch);
    const size_t last = std::min(channels, first + kPanel);
    for (size_t tap = 0; tap < b.k; ++tap) {
      for (size_t c = first; c < last; ++c)
        to[tap * tap_stride + c * channel_stride] = c < b.n ? scratch[tap * kPanel + c - first] : 0.0f;
    }
  }
}

size_t depthwise_scratch_size(const kernels::QuantisedMatrix& b) { return (b.k + 3) / 4 * 4 * kPanel; }

}  // namespace wasmvino::ops
