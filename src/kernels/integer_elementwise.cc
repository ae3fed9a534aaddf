// SPDX-License-Identifier: Apache-2.0
#include "kernels/integer_elementwise.h"

#include <algorithm>
#include <cmath>

#include "kernels/integer-inl.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {

namespace {

// round_saturating() is exact for magnitudes below this, 2^22.
constexpr float kMostRounded = 4194304;

// Eight numbers starting at element i, of which `count` are read.
HWY_INLINE FloatPair numbers_at(const QuantizedNumbers& numbers, size_t i, size_t count) {
  if (numbers.step == 0) return {set(*numbers.values), set(*numbers.values)};
  const float* from = numbers.values + i;
  if (count >= 8) return {load(from), load(from + kLanes)};
  const Part<float> part(from, count);
  return {load(part.values), load(part.values + kLanes)};
}

HWY_INLINE FloatPair bytes_at(const uint8_t* from, size_t count) {
  return count >= 8 ? load_bytes(from) : load_bytes(Part<uint8_t>(from, count).values);
}

HWY_INLINE void store_floats(const FloatPair& v, float* to, size_t count) {
  if (count >= 8) {
    store(v.first, to);
    store(v.second, to + kLanes);
    return;
  }
  store_part(v.first, to, std::min(count, kLanes));
  if (count > kLanes) store_part(v.second, to + kLanes, count - kLanes);
}

template <typename Body>
HWY_INLINE void for_eights(size_t n, const Body& body) {
  size_t i = 0;
  for (; i + 8 <= n; i += 8) body(i, size_t{8});
  if (i < n) body(i, n - i);
}

// The numbers of a sum in all lanes. The compiler would load them again after each store of bytes.
struct SumLanes {
  VF scale_a, scale_b, offset, low, high;

  explicit SumLanes(const QuantizedSum& sum)
      : scale_a(set(sum.scale_a)),
        scale_b(set(sum.scale_b)),
        offset(set(sum.offset)),
        low(set(sum.low)),
        high(set(sum.high)) {}
  HWY_INLINE FloatPair operator()(const FloatPair& a, const FloatPair& b) const {
    return {hn::Add(hn::Mul(a.first, scale_a), scaled(b.first, scale_b, offset)),
            hn::Add(hn::Mul(a.second, scale_a), scaled(b.second, scale_b, offset))};
  }
  HWY_INLINE FloatPair clamped(const FloatPair& a, const FloatPair& b) const {
    return clamp((*this)(a, b), low, high);
  }
};

// Rounds numbers of at least -2^22 to 16-bit integers. Those that do not fit become the nearest one.
HWY_INLINE V16 rounded(const FloatPair& v) {
  return hn::OrderedDemote2To(I16x8(), round_saturating(v.first), round_saturating(v.second));
}

// Stores the bytes that `levels_at(i, count)` gives as numbers of 0..255.
template <typename LevelsAt>
HWY_INLINE void store_levels(uint8_t* to, size_t n, const LevelsAt& levels_at) {
  const U8x16 d;
  size_t i = 0;
  for (; i + 16 <= n; i += 16)
    hn::StoreU(hn::OrderedDemote2To(d, rounded(levels_at(i, 8)), rounded(levels_at(i + 8, 8))), d, to + i);
  for (; i < n; i += 8) {
    const size_t count = std::min<size_t>(8, n - i);
    const FloatPair v = levels_at(i, count);
    store_bytes(round_saturating(v.first), round_saturating(v.second), to + i, count);
  }
}

}  // namespace

void quantize(const float* x, QuantizedNumbers scale, QuantizedNumbers offset, float most, uint8_t* q,
              size_t n) {
  const VF low = zero(), high = set(most);
  const auto level = [&](VF v, VF s, VF o) HWY_ATTR { return clamp_level(scaled(v, s, o), low, high); };
  if (scale.step == 0 && offset.step == 0) {
    const VF s = set(*scale.values), o = set(*offset.values);
    return store_levels(q, n, [&](size_t i, size_t count) HWY_ATTR {
      const FloatPair v = numbers_at({x, 1}, i, count);
      return FloatPair{level(v.first, s, o), level(v.second, s, o)};
    });
  }
  store_levels(q, n, [&](size_t i, size_t count) HWY_ATTR {
    const FloatPair v = numbers_at({x, 1}, i, count), s = numbers_at(scale, i, count);
    const FloatPair o = numbers_at(offset, i, count);
    return FloatPair{level(v.first, s.first, o.first), level(v.second, s.second, o.second)};
  });
}

void dequantize(const uint8_t* q, QuantizedNumbers scale, QuantizedNumbers zero, float* x, size_t n) {
  for_eights(n, [&](size_t i, size_t count) HWY_ATTR {
    const FloatPair v = bytes_at(q + i, count), s = numbers_at(scale, i, count),
                    z = numbers_at(zero, i, count);
    store_floats(
        {hn::Mul(hn::Sub(v.first, z.first), s.first), hn::Mul(hn::Sub(v.second, z.second), s.second)}, x + i,
        count);
  });
}

void add_quantized(const QuantizedSum& sum, const uint8_t* a, const uint8_t* b, uint8_t* y, size_t n) {
  const SumLanes add(sum);
  const auto sum_at = [&](size_t i, size_t count)
                          HWY_ATTR { return add(bytes_at(a + i, count), bytes_at(b + i, count)); };
  const float largest = 255 * (std::abs(sum.scale_a) + std::abs(sum.scale_b)) + std::abs(sum.offset);
  size_t i = 0;
  // If no sum is too large to be rounded, sixteen rounded bytes are clamped at once instead of four floats:
  // 0.89 of the time.
  if (largest < kMostRounded) {
    const U8x16 d;
    const VB low = hn::Set(d, static_cast<uint8_t>(std::nearbyint(sum.low)));
    const VB high = hn::Set(d, static_cast<uint8_t>(std::nearbyint(sum.high)));
    for (; i + 16 <= n; i += 16) {
      const VB levels = hn::OrderedDemote2To(d, rounded(sum_at(i, 8)), rounded(sum_at(i + 8, 8)));
      hn::StoreU(hn::Min(hn::Max(levels, low), high), d, y + i);
    }
  }
  store_levels(y + i, n - i, [&](size_t j, size_t count) HWY_ATTR {
    return add.clamped(bytes_at(a + i + j, count), bytes_at(b + i + j, count));
  });
}

void add_quantized(const QuantizedSum& sum, const uint8_t* a, const uint8_t* b, float* y, size_t n) {
  const SumLanes add(sum);
  for_eights(n, [&](size_t i, size_t count) HWY_ATTR {
    store_floats(add.clamped(bytes_at(a + i, count), bytes_at(b + i, count)), y + i, count);
  });
}

void add_quantized(const QuantizedSum& sum, const float* slopes, float shift, const uint8_t* a,
                   const uint8_t* b, uint8_t* y, size_t rows, size_t n) {
  const VF scale_a = set(sum.scale_a), scale_b = set(sum.scale_b), offset = set(sum.offset);
  const VF low = set(sum.low), high = set(sum.high), added = set(shift);
  const auto level = [&](VF x, VF y, VF slope) HWY_ATTR {
    const VF v = hn::Add(hn::Mul(x, scale_a), scaled(y, scale_b, offset));
    return clamp(hn::Add(hn::IfThenElse(hn::Lt(v, zero()), hn::Mul(v, slope), v), added), low, high);
  };
  for (; rows > 0; --rows, a += n, b += n, y += n) {
    store_levels(y, n, [&](size_t i, size_t count) HWY_ATTR {
      const FloatPair x = bytes_at(a + i, count), y = bytes_at(b + i, count);
      const FloatPair slope = numbers_at({slopes, 1}, i, count);
      return FloatPair{level(x.first, y.first, slope.first), level(x.second, y.second, slope.second)};
    });
  }
}

namespace {

// x[i] * scale[i] + offset[i], clamped.
struct Rescaled {
  const uint8_t* x;
  const float *scale, *offset;
  VF low, high;

  HWY_INLINE FloatPair operator()(size_t i, size_t count) const {
    const FloatPair v = bytes_at(x + i, count), s = numbers_at({scale, 1}, i, count);
    const FloatPair o = numbers_at({offset, 1}, i, count);
    return clamp(FloatPair{scaled(v.first, s.first, o.first), scaled(v.second, s.second, o.second)}, low,
                 high);
  }
};

}  // namespace

void rescale(const uint8_t* x, const float* scale, const float* offset, const Bounds& bounds, uint8_t* y,
             size_t n) {
  store_levels(y, n, Rescaled{x, scale, offset, set(bounds.low), set(bounds.high)});
}

void rescale(const uint8_t* x, const float* scale, const float* offset, const Bounds& bounds, float* y,
             size_t n) {
  const Rescaled rescaled = {x, scale, offset, set(bounds.low), set(bounds.high)};
  for_eights(n, [&](size_t i, size_t count) HWY_ATTR { store_floats(rescaled(i, count), y + i, count); });
}

void max_pool(const Conv& c, const uint8_t* x, uint8_t* y, Range rows) {
  const U8x16 d;
  for (size_t row = rows.begin; row < rows.end; ++row) {
    const size_t oy = row % c.out[1], oz = row / c.out[1] % c.out[0], n = row / c.out[1] / c.out[0];
    for (size_t ox = 0; ox < c.out[2]; ++ox) {
      uint8_t* to = y + (row * c.out[2] + ox) * c.out_stride;
      bool first = true;
      for (size_t kz = 0; kz < c.kernel[0]; ++kz) {
        const size_t iz = oz * c.stride[0] + kz * c.dilation[0] - c.pads[0];
        for (size_t ky = 0; ky < c.kernel[1]; ++ky) {
          const size_t iy = oy * c.stride[1] + ky * c.dilation[1] - c.pads[1];
          for (size_t kx = 0; kx < c.kernel[2]; ++kx) {
            const size_t ix = ox * c.stride[2] + kx * c.dilation[2] - c.pads[2];
            // Negative values wrap to large ones.
            if (iz >= c.in[0] || iy >= c.in[1] || ix >= c.in[2]) continue;
            const uint8_t* from = x + (((n * c.in[0] + iz) * c.in[1] + iy) * c.in[2] + ix) * c.in_stride;
            if (first) {
              std::memcpy(to, from, c.groups);
              first = false;
              continue;
            }
            size_t i = 0;
            for (; i + 16 <= c.groups; i += 16)
              hn::StoreU(hn::Max(hn::LoadU(d, to + i), hn::LoadU(d, from + i)), d, to + i);
            for (; i < c.groups; ++i) to[i] = std::max(to[i], from[i]);
          }
        }
      }
    }
  }
}

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
