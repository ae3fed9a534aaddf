// SPDX-License-Identifier: Apache-2.0
#include "kernels/region_samples.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/simd.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {
namespace {

// Calls of_channels(read) for each four channels and stores its result. read(pixel) loads these channels of a
// pixel.
template <typename OfChannels>
HWY_INLINE void for_channels(size_t channels, float* y, size_t y_stride, const OfChannels& of_channels) {
  for (size_t c = 0; c < channels; c += kLanes) {
    const size_t count = std::min(kLanes, channels - c);
    alignas(16) float lanes[kLanes];
    if (count == kLanes) {
      hn::Store(of_channels([&](const float* pixel) HWY_ATTR { return load(pixel + c); }), F32x4(), lanes);
    } else {
      const auto read = [&](const float* pixel) HWY_ATTR { return load_part(pixel + c, count); };
      hn::Store(of_channels(read), F32x4(), lanes);
    }
    for (size_t i = 0; i < count; ++i) y[(c + i) * y_stride] = lanes[i];
  }
}

}  // namespace

int64_t samples_of_bin(int64_t given, float bin) {
  if (given > 0) return given;
  return bin > 0 && bin < 0x1p24f ? static_cast<int64_t>(std::ceil(bin)) : 0;
}

SampleRange samples_between(float begin, float step, int64_t count, float first, float last) {
  if (!(first <= last)) return {0, 0};
  if (step == 0) return {0, count};
  const double a = (static_cast<double>(first) - begin) / step,
               b = (static_cast<double>(last) - begin) / step;
  if (std::isnan(a) || std::isnan(b)) return {0, 0};
  const auto place = [&](double index) {
    return static_cast<int64_t>(std::clamp(index, 0.0, static_cast<double>(count)));
  };
  return {place(std::floor(std::min(a, b) - 0.5)), place(std::ceil(std::max(a, b) + 0.5))};
}

size_t clamp_to_axis(float place, size_t size) {
  return place > 0 ? static_cast<size_t>(std::min(place, static_cast<float>(size))) : 0;
}

Sample sample_at(float y, float x, size_t height, size_t width) {
  const size_t top = std::min(static_cast<size_t>(y), height - 1),
               left = std::min(static_cast<size_t>(x), width - 1);
  const size_t bottom = std::min(top + 1, height - 1), right = std::min(left + 1, width - 1);
  const float dy = std::min(y - static_cast<float>(top), 1.0f),
              dx = std::min(x - static_cast<float>(left), 1.0f);
  return {{top * width + left, top * width + right, bottom * width + left, bottom * width + right},
          {(1 - dy) * (1 - dx), (1 - dy) * dx, dy * (1 - dx), dy * dx}};
}

void read_samples(const float* plane, const PairSamples& samples, size_t n, float* y) {
  const F32x4 d;
  const hn::FixedTag<float, 2> pair;
  for (size_t i = 0; i < n; i += kLanes) {
    // The weighted sums of the two rows of samples j and j + 1, as [left, right, left, right].
    const auto two = [&](size_t j) HWY_ATTR {
      const auto read = [&](const size_t* places) HWY_ATTR {
        return hn::Combine(d, hn::LoadU(pair, plane + places[j + 1]), hn::LoadU(pair, plane + places[j]));
      };
      return mul_add(read(samples.lower), load(samples.lower_weights[j]),
                     hn::Mul(read(samples.upper), load(samples.upper_weights[j])));
    };
    const VF low = two(i), high = two(i + 2);
    const VF sums = hn::Add(hn::ConcatEven(d, high, low), hn::ConcatOdd(d, high, low));
    if (n - i >= kLanes) {
      store(sums, y + i);
    } else {
      store_part(sums, y + i, n - i);
    }
  }
}

void max_of_pixels(const float* pixels, size_t rows, size_t columns, size_t row_stride, size_t channels,
                   float* y, size_t y_stride) {
  const VF lowest = set(std::numeric_limits<float>::lowest());
  // Four vectors are a cache line of each pixel. hn::Max gives its second operand if one is NaN.
  constexpr size_t kVectors = 4, kBlock = kVectors * kLanes;
  size_t c = 0;
  for (; c + kBlock <= channels; c += kBlock) {
    VF best[kVectors] = {lowest, lowest, lowest, lowest};
    for (size_t row = 0; row < rows; ++row) {
      const float* pixel = pixels + row * row_stride + c;
      for (size_t i = 0; i < columns; ++i, pixel += channels) {
        HWY_UNROLL(4)
        for (size_t v = 0; v < kVectors; ++v) best[v] = hn::Max(load(pixel + v * kLanes), best[v]);
      }
    }
    alignas(16) float lanes[kBlock];
    HWY_UNROLL(4)
    for (size_t v = 0; v < kVectors; ++v) hn::Store(best[v], F32x4(), lanes + v * kLanes);
    for (size_t i = 0; i < kBlock; ++i) y[(c + i) * y_stride] = lanes[i];
  }
  for_channels(channels - c, y + c * y_stride, y_stride, [&](const auto& read) HWY_ATTR {
    VF best = lowest;
    for (size_t row = 0; row < rows; ++row) {
      const float* pixel = pixels + row * row_stride + c;
      for (size_t i = 0; i < columns; ++i, pixel += channels) best = hn::Max(read(pixel), best);
    }
    return best;
  });
}

void read_pixels(const float* pixels, const Sample& sample, size_t channels, float* y, size_t y_stride) {
  for_channels(channels, y, y_stride, [&](const auto& read) HWY_ATTR {
    const auto weighted = [&](size_t i) HWY_ATTR {
      return hn::Mul(read(pixels + sample.places[i] * channels), set(sample.weights[i]));
    };
    return hn::Add(hn::Add(weighted(0), weighted(1)), hn::Add(weighted(2), weighted(3)));
  });
}

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
