// SPDX-License-Identifier: Apache-2.0
#include "kernels/resampler.h"

#include <algorithm>
#include <cmath>

#include "kernels/convert.h"
#include "kernels/resize.h"

namespace wasmvino::kernels {
namespace {

// Grain: with fewer multiplications, a second thread costs more than it saves.
constexpr size_t kGrain = size_t{1} << 15;
constexpr size_t kAlignment = 64;

size_t aligned(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

// The greatest float within the type's limit: for i64, 2^63 is too large. The upper half of u64 is not
// reachable either.
float greatest(ElementType type) {
  const int bits = static_cast<int>(std::min<size_t>(bit_width(type), 64)) - (is_signed(type) ? 1 : 0);
  const float end = std::ldexp(1.0f, std::min(bits, 63));
  return bits < 24 ? end - 1.0f : std::nextafter(end, 0.0f);
}

// In Pillow's modes, OpenVINO's CPU plugin keeps intermediate results between two axes in 8 bits if the data
// is 8-bit and has four axes, otherwise in f32.
bool rounds_between_axes(const ResizeRule& rule, ElementType type, const Shape& input) {
  return rule.mode >= ResizeMode::kBilinearPillow && input.size() == 4 &&
         (type == ElementType::kU8 || type == ElementType::kI8);
}

}  // namespace

ElementsInF32::ElementsInF32(ElementType type) : type_(type) {
  if (is_real(type)) {
    load_real_ = number_loader<float>(type);
    store_real_ = number_storer<float>(type);
    return;
  }
  const ElementType twin = type == ElementType::kU64 ? ElementType::kI64 : type;
  load_integer_ = number_loader<int64_t>(twin);
  store_integer_ = number_storer<int64_t>(twin);
  low_ = is_signed(type) ? -std::ldexp(1.0f, static_cast<int>(bit_width(type)) - 1) : 0.0f;
  high_ = greatest(type);
}

const float* ElementsInF32::load(const void* from, size_t first, size_t count, float* buffer) const {
  switch (type_) {
    case ElementType::kF32:
      return static_cast<const float*>(from) + first;
    case ElementType::kU8:
      convert(static_cast<const uint8_t*>(from) + first, buffer, count);
      return buffer;
    case ElementType::kI8:
      convert(static_cast<const int8_t*>(from) + first, buffer, count);
      return buffer;
    default:
      break;
  }
  if (load_real_ != nullptr) {
    load_real_(from, first, 1, count, buffer);
    return buffer;
  }
  int64_t block[128];
  for (size_t done = 0; done < count; done += std::size(block)) {
    const size_t some = std::min(std::size(block), count - done);
    load_integer_(from, first + done, 1, some, block);
    std::copy_n(block, some, buffer + done);
  }
  return buffer;
}

void ElementsInF32::store(const float* values, size_t count, void* to, size_t first) const {
  if (type_ == ElementType::kU8) return round_saturate(values, static_cast<uint8_t*>(to) + first, count);
  if (type_ == ElementType::kI8) return round_saturate(values, static_cast<int8_t*>(to) + first, count);
  if (store_real_ != nullptr) return store_real_(values, count, to, first, 1);
  int64_t block[128];
  for (size_t done = 0; done < count; done += std::size(block)) {
    const size_t some = std::min(std::size(block), count - done);
    for (size_t i = 0; i < some; ++i) {
      block[i] = static_cast<int64_t>(std::clamp(std::nearbyint(values[done + i]), low_, high_));
    }
    store_integer_(block, some, to, first + done, 1);
  }
}

void ElementsInF32::round(float* values, size_t count) const {
  for (size_t i = 0; i < count; ++i) values[i] = std::clamp(std::nearbyint(values[i]), low_, high_);
}

Resampler::Resampler(const ResizeRule& rule, ElementType type, const Shape& input, const Shape& output,
                     const Ints& axes, const std::vector<ResizeAxis>& resized, const Parallel& parallel)
    : elements_(type), rounds_(rounds_between_axes(rule, type, input)) {
  outer_ = product(input, 0, static_cast<size_t>(axes.front()));
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<size_t>(axes[i]);
    const bool last = i + 1 == axes.size();
    Level level;
    level.slice_in = product(input, axis + 1, input.size());
    level.slice_out = product(output, axis + 1, output.size());
    level.windows = make_windows(rule, resized[i], level.slice_in == 1);
    level.size = static_cast<size_t>(resized[i].size);
    level.result = static_cast<size_t>(resized[i].result);
    level.gap = product(input, axis + 1, last ? axis + 1 : static_cast<size_t>(axes[i + 1]));
    const size_t taps = level.windows.taps;
    level.pointers = reserve(CheckedSize(taps) * sizeof(const float*));
    level.kept = reserve(CheckedSize(taps) * sizeof(size_t));
    level.ring = reserve(CheckedSize(last ? 0 : taps) * level.slice_out * sizeof(float));
    levels_.push_back(std::move(level));
  }
  const Level& first = levels_.front();
  const Level& innermost = levels_.back();
  if (!elements_.direct()) {
    loaded_ = reserve(CheckedSize(innermost.size) * innermost.slice_in * sizeof(float));
    stored_ = reserve(CheckedSize(levels_.size() == 1 ? first.result : 1) * first.slice_out * sizeof(float));
  }
  const size_t cost = saturating_product(first.windows.taps + innermost.windows.taps, first.slice_out);
  grain_ = std::max<size_t>(1, kGrain / std::max<size_t>(1, cost));
  threads_ = std::min(parallel.threads(), parallel.ranges(outer_ * first.result, grain_));
}

size_t Resampler::reserve(CheckedSize bytes) {
  const size_t place = thread_bytes_;
  thread_bytes_ = aligned((place + bytes).value());
  return place;
}

void Resampler::run(const Parallel& parallel, const void* x, void* y, void* scratch) const {
  const size_t rows = outer_ * levels_.front().result;
  parallel_for(parallel, rows, grain_, [&](size_t begin, size_t end, size_t thread) {
    run_part(x, y, begin, end, static_cast<char*>(scratch) + thread * thread_bytes_);
  });
}

void Resampler::run_part(const void* x, void* y, size_t row, size_t last, char* scratch) const {
  const Level& first = levels_.front();
  while (row < last) {
    const size_t block = row / first.result, at = row % first.result;
    const size_t until = std::min(first.result, at + last - row);
    const size_t place = block * first.size * first.slice_in;
    empty_ring(0, scratch);
    if (elements_.direct()) {
      resize(0, x, place, at, until, static_cast<float*>(y) + row * first.slice_out, scratch);
      row += until - at;
      continue;
    }
    // One slice at a time. If there is only one level, its input is converted once.
    float* const slices = reinterpret_cast<float*>(scratch + stored_);
    const size_t step = levels_.size() == 1 ? until - at : 1;
    for (size_t i = at; i < until; i += step, row += step) {
      resize(0, x, place, i, i + step, slices, scratch);
      elements_.store(slices, step * first.slice_out, y, row * first.slice_out);
    }
  }
}

void Resampler::empty_ring(size_t l, char* scratch) const {
  const Level& level = levels_[l];
  std::fill_n(reinterpret_cast<size_t*>(scratch + level.kept), level.windows.taps, level.size);
}

void Resampler::resize(size_t l, const void* x, size_t place, size_t begin, size_t end, float* y,
                       char* scratch) const {
  const Level& level = levels_[l];
  if (l + 1 == levels_.size()) {
    resize_last(x, place, begin, end, y, scratch);
  } else {
    const ResizeWindows& windows = level.windows;
    const size_t taps = windows.taps, width = level.slice_out;
    const float** rows = reinterpret_cast<const float**>(scratch + level.pointers);
    size_t* kept = reinterpret_cast<size_t*>(scratch + level.kept);
    float* ring = reinterpret_cast<float*>(scratch + level.ring);
    for (size_t i = begin; i < end; ++i) {
      for (size_t k = 0; k < taps; ++k) {
        const size_t slice = static_cast<size_t>(windows.first[i]) + k;
        float* const to = ring + slice % taps * width;
        if (kept[slice % taps] != slice) resize_slice(l, x, place + slice * level.slice_in, to, scratch);
        kept[slice % taps] = slice;
        rows[k] = to;
      }
      combine_rows(rows, windows.weights.data() + i * taps, taps, y + (i - begin) * width, width);
    }
  }
  if (rounds_) elements_.round(y, (end - begin) * level.slice_out);
}

void Resampler::resize_last(const void* x, size_t place, size_t begin, size_t end, float* y,
                            char* scratch) const {
  const Level& level = levels_.back();
  const size_t taps = level.windows.taps, width = level.slice_in;
  const float* values =
      elements_.load(x, place, level.size * width, reinterpret_cast<float*>(scratch + loaded_));
  const float* weights = level.windows.weights.data() + begin * taps;
  const int32_t* first = level.windows.first.data() + begin;
  if (width == 1) return combine_windows(values, first, weights, taps, y, end - begin);
  if (width <= 4) return combine_pixels(values, level.size, width, first, weights, taps, y, end - begin);
  const float** rows = reinterpret_cast<const float**>(scratch + level.pointers);
  for (size_t i = 0; i < end - begin; ++i) {
    for (size_t k = 0; k < taps; ++k) rows[k] = values + (static_cast<size_t>(first[i]) + k) * width;
    combine_rows(rows, weights + i * taps, taps, y + i * width, width);
  }
}

void Resampler::resize_slice(size_t l, const void* x, size_t place, float* y, char* scratch) const {
  const Level& next = levels_[l + 1];
  for (size_t g = 0; g < levels_[l].gap; ++g) {
    empty_ring(l + 1, scratch);
    resize(l + 1, x, place + g * next.size * next.slice_in, 0, next.result,
           y + g * next.result * next.slice_out, scratch);
  }
}

}  // namespace wasmvino::kernels
