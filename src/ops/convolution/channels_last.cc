// SPDX-License-Identifier: Apache-2.0
#include "ops/convolution/channels_last.h"

#include <algorithm>

#include "kernels/transpose.h"
#include "ops/convolution/convolution_problem.h"
#include "ops/matrix/gemm.h"

namespace wasmvino::ops {
namespace {

using kernels::Conv;
using kernels::Range;

constexpr size_t kAlignment = 64;
// Grain: with fewer pixels, changing the layout on a second thread costs more than it saves.
constexpr size_t kPixelGrain = 1024;
// Pixels are computed in blocks of 128 KB before they become NCHW: these blocks stay in L2.
constexpr size_t kBlockFloats = size_t{32} << 10;

constexpr size_t round_up(size_t n, size_t multiple) { return (n + multiple - 1) / multiple * multiple; }
size_t align(CheckedSize bytes) { return bytes.rounded_up(kAlignment).value(); }

// Part `part` of `parts`, with borders at multiples of `step`.
Range cut_at(size_t size, size_t step, size_t part, size_t parts) {
  const size_t steps = (size + step - 1) / step;
  return {std::min(size, part_begin(steps, part, parts) * step),
          std::min(size, part_begin(steps, part + 1, parts) * step)};
}

// Converts NCHW data [batch][channels][pixels] to rows of channels.
void to_rows(const Parallel& parallel, const float* planes, size_t batch, size_t channels, size_t pixels,
             float* rows) {
  parallel_for(parallel, batch * pixels, kPixelGrain, [&](size_t begin, size_t end) {
    while (begin < end) {
      const size_t n = begin / pixels, first = begin % pixels, count = std::min(end - begin, pixels - first);
      kernels::transpose(planes + n * channels * pixels + first, pixels, rows + begin * channels, channels,
                         channels, count, sizeof(float));
      begin += count;
    }
  });
}

// Writes a block of pixels, given as rows of channels, to NCHW data.
void to_planes(const Conv& c, const float* rows, Range pixels, float* y) {
  const size_t plane = c.out.product(), all = out_channels(c);
  while (pixels.begin < pixels.end) {
    const size_t n = pixels.begin / plane, first = pixels.begin % plane;
    const size_t count = std::min(pixels.size(), plane - first);
    kernels::transpose(rows, all, y + n * all * plane + first, plane, count, all, sizeof(float));
    rows += count * all;
    pixels.begin += count;
  }
}

}  // namespace

ChannelsLastRunner::ChannelsLastRunner(const CompileContext& context, const Conv& conv, Layout in, Layout out,
                                       const WindowComputation& how, size_t operations)
    : conv_(conv), how_(how) {
  // With one channel or one pixel, both layouts are the same.
  channels_first_in_ = in == Layout::kChannelsFirst && in_channels(conv) > 1 && conv.in.product() > 1;
  channels_first_out_ = out == Layout::kChannelsFirst && out_channels(conv) > 1 && conv.out.product() > 1;
  units_ = how.units(conv);
  if (units_ == 0 || out_channels(conv) == 0) return;
  cut(context.parallel().threads(), operations);
  if (channels_first_in_)
    thread_offset_ = align(CheckedSize(conv.in_pixels()) * in_channels(conv) * sizeof(float));
  kernel_bytes_ = align(how.scratch_bytes(conv));
  thread_bytes_ = kernel_bytes_;
  if (channels_first_out_)
    thread_bytes_ += align(CheckedSize(block_pixels()) * out_channels(conv) * sizeof(float));
}

void ChannelsLastRunner::cut(size_t threads, size_t operations) {
  const size_t least = how_.least(conv_);
  const size_t panels = (conv_.out_channels + kernels::kPanelColumns - 1) / kernels::kPanelColumns;
  // If two threads would have few pixels, the weights are divided instead: each thread reads its own weights
  // and all data.
  by_channels_ = !channels_first_out_ && how_.takes_channels() && units_ < 2 * least && panels >= threads;
  // At least one part per thread. There are more parts as long as each has enough pixels to make reading the
  // weights worthwhile.
  const size_t most = by_channels_ ? threads : std::clamp(units_ / least, threads, threads * kPartsPerThread);
  const size_t wanted = even_parts(operations / how_.grain(), threads);
  parts_ = std::clamp<size_t>(wanted, 1, threads == 1 ? 1 : most / threads * threads);
  step_ = channels_first_out_ ? round_up(how_.step(conv_), how_.row(conv_)) : how_.step(conv_);
  parts_ = std::min(parts_, by_channels_ ? panels : (units_ + step_ - 1) / step_);
  threads_ = std::min(parts_, threads);
  const size_t unit_floats = std::max<size_t>(1, conv_.out_pixels() / units_) * out_channels(conv_);
  block_units_ = std::max<size_t>(1, kBlockFloats / saturating_product(unit_floats, step_)) * step_;
}

size_t ChannelsLastRunner::block_pixels() const {
  size_t most = 0;
  for (size_t unit = 0; unit < units_; unit += block_units_) {
    most = std::max(most, how_.pixels(conv_, {unit, std::min(units_, unit + block_units_)}).size());
  }
  return most;
}

void ChannelsLastRunner::run(EvalContext& context, const kernels::PackedConv& packed,
                             const kernels::Epilogue& epilogue, char* scratch) const {
  if (parts_ == 0) return;
  const float* x = context.input(0).data<float>();
  if (channels_first_in_) {
    float* rows = reinterpret_cast<float*>(scratch);
    to_rows(context.parallel(), x, conv_.batch, in_channels(conv_), conv_.in.product(), rows);
    x = rows;
  }
  float* y = context.output(0).mutable_data<float>();
  parallel_for(context.parallel(), parts_, 1, [&](size_t first, size_t last, size_t thread) {
    for (size_t part = first; part < last; ++part) {
      compute(part, x, packed, y, epilogue, scratch + thread_offset_ + thread * thread_bytes_);
    }
  });
}

void ChannelsLastRunner::compute(size_t part, const float* x, const kernels::PackedConv& packed, float* y,
                                 const kernels::Epilogue& epilogue, char* scratch) const {
  Conv c = conv_;
  Range units = {0, units_}, channels = {0, c.out_channels};
  if (by_channels_) {
    channels = cut_at(c.out_channels, kernels::kPanelColumns, part, parts_);
  } else {
    units = cut_at(units_, step_, part, parts_);
  }
  if (!channels_first_out_) {
    how_.run(c, x, packed, y, epilogue, scratch, units, channels);
    return;
  }
  float* block = reinterpret_cast<float*>(scratch + kernel_bytes_);
  for (size_t unit = units.begin; unit < units.end; unit += block_units_) {
    const Range some = {unit, std::min(units.end, unit + block_units_)};
    const Range pixels = how_.pixels(c, some);
    c.out_first = pixels.begin;
    how_.run(c, x, packed, block, epilogue, scratch, some, channels);
    to_planes(c, block, pixels, y);
  }
}

}  // namespace wasmvino::ops
