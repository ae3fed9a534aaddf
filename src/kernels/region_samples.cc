// SPDX-License-Identifier: Apache-2.0
#include "kernels/region_samples.h"

#include <algorithm>
#include <cmath>

#include "kernels/simd.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {

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

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
