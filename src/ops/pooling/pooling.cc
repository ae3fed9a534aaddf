// SPDX-License-Identifier: Apache-2.0
#include "ops/pooling/pooling.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "core/work.h"
#include "kernels/depthwise.h"
#include "kernels/numbers.h"
#include "ops/convolution/channels_last.h"
#include "ops/elements/in_f32.h"
#include "ops/inputs/axes.h"
#include "ops/inputs/inputs.h"
#include "ops/internal/channels_last_pooling.h"
#include "ops/pooling/pooling_problem.h"

namespace wasmvino::ops {
namespace {

using kernels::Conv;
using kernels::Pooling;
using kernels::Range;

// Grain: with fewer elements of windows, a second thread costs more than it saves.
constexpr size_t kGrain = size_t{1} << 15;

// --- f32 without indices: vectors across channels ----------------------------------------------------------

class PoolRows final : public ComputationByRows {
 public:
  explicit PoolRows(Pooling kind) : kind_(kind) {}
  void run(const Conv& c, const float* x, const kernels::PackedConv&, float* y, const kernels::Epilogue&,
           void*, Range units, Range) const override {
    kernels::pool(kind_, c, x, y, units);
  }

 private:
  Pooling kind_;
};

class F32Pooling final : public Kernel {
 public:
  F32Pooling(CompileContext& context, const PoolProblem& problem)
      : rows_(problem.kind),
        runner_(context, problem.conv, problem.in, problem.out, rows_,
                saturating_product(problem.conv.out_pixels(), problem.conv.groups,
                                   problem.conv.kernel.product())) {
    context.request_scratch(runner_.scratch_bytes());
  }
  void run(EvalContext& context) override {
    runner_.run(context, {}, {}, static_cast<char*>(context.scratch()));
  }

  std::string method() const override { return "NHWC"; }

 private:
  PoolRows rows_;
  ChannelsLastRunner runner_;
};

// --- any type, with indices: plane by plane ----------------------------------------------------------------

// For one output position along an axis, the taps inside the input.
struct Taps {
  size_t first, last;
  ptrdiff_t begin;  // input position of tap 0

  size_t count() const { return first < last ? last - first : 0; }
};

std::vector<Taps> taps_of(const Conv& c, size_t axis) {
  std::vector<Taps> all;
  for (size_t out = 0; out < c.out[axis]; ++out) {
    const size_t start = out * c.stride[axis];
    Taps taps = {c.kernel[axis], 0, static_cast<ptrdiff_t>(start) - static_cast<ptrdiff_t>(c.pads[axis])};
    for (size_t k = 0; k < c.kernel[axis]; ++k) {
      if (start + k * c.dilation[axis] - c.pads[axis] >= c.in[axis]) continue;
      taps.first = std::min(taps.first, k);
      taps.last = k + 1;
    }
    all.push_back(taps);
  }
  return all;
}

// Windows that divide an axis evenly: from floor(out * in / count) to ceil((out + 1) * in / count).
std::vector<Taps> adaptive_taps(size_t in, size_t count) {
  std::vector<Taps> all;
  for (size_t out = 0; out < count; ++out) {
    const size_t begin = part_begin(in, out, count);
    const auto end = static_cast<size_t>((uint64_t{in} * (out + 1) + count - 1) / count);
    all.push_back({0, end - begin, static_cast<ptrdiff_t>(begin)});
  }
  return all;
}

template <typename Wide>
Wide lowest(ElementType type) {
  if constexpr (std::is_floating_point_v<Wide>) {
    return std::numeric_limits<float>::lowest();
  } else {
    return is_signed(type) && std::is_signed_v<Wide> ? static_cast<Wide>(-1) << (bit_width(type) - 1) : 0;
  }
}

// Widens elements to Wide. Threads share the output's rows, or its planes if there are three axes. For each
// range, the part of a data plane that it reads is widened once.
template <typename Wide>
class ChannelsFirstPooling final : public Kernel {
 public:
  ChannelsFirstPooling(CompileContext& context, const PoolProblem& problem, bool adaptive)
      : problem_(problem),
        adaptive_(adaptive),
        load_(kernels::number_loader<Wide>(context.input_type(0))),
        store_(kernels::number_storer<Wide>(context.output_type(0))),
        lowest_(lowest<Wide>(context.output_type(0))) {
    for (size_t axis = 0; axis < 3; ++axis) {
      taps_[axis] = adaptive ? adaptive_taps(problem.conv.in[axis], problem.conv.out[axis])
                             : taps_of(problem.conv, axis);
    }
    if (context.output_count() > 1 && context.is_read(1)) {
      store_indices_ = kernels::number_storer<int64_t>(context.output_type(1));
      const Shape shape = context.input_shape(0);
      period_ = std::max<size_t>(1, product(shape, problem.index_axis, shape.size()));
    }
    const Conv& c = problem.conv;
    axis_ = c.in[0] > 1 || c.out[0] > 1 ? 0 : 1;
    slices_ = c.batch * c.groups * c.out[axis_];
    const size_t windows = c.out.product() / std::max<size_t>(1, c.out[axis_]);
    // Adaptive windows overlap little, so about as many elements are widened as read.
    const size_t cost = adaptive ? product(context.input_shape(0), 2, context.input_shape(0).size()) /
                                       std::max<size_t>(1, c.out[axis_])
                                 : saturating_product(windows, c.kernel.product());
    grain_ = kGrain / std::max<size_t>(1, cost);
    const size_t threads = std::min(context.parallel().threads(), context.parallel().ranges(slices_, grain_));
    context.request_scratch(threads * scratch_size() * sizeof(int64_t));
  }

  void run(EvalContext& context) override {
    const size_t slices = problem_.conv.out[axis_];
    parallel_for(context.parallel(), slices_, grain_, [&](size_t begin, size_t end, size_t thread) {
      int64_t* scratch = static_cast<int64_t*>(context.scratch()) + thread * scratch_size().value();
      while (begin < end) {
        const size_t plane = begin / slices, first = begin % slices;
        const size_t count = std::min(slices - first, end - begin);
        pool(context, plane, {first, first + count}, scratch);
        begin += count;
      }
    });
  }

  std::string method() const override { return "NCHW"; }

 private:
  CheckedSize scratch_size() const {
    return CheckedSize(problem_.conv.in.product()) + CheckedSize(problem_.conv.out.product()) * 2;
  }

  // Computes slices of an output plane along axis_.
  void pool(EvalContext& context, size_t plane, const Range& slices, int64_t* scratch) const {
    const Conv& c = problem_.conv;
    const size_t in = c.in.product(), out = c.out.product();
    Wide* x = reinterpret_cast<Wide*>(scratch);
    Wide* y = reinterpret_cast<Wide*>(scratch + in);
    int64_t* indices = scratch + in + out;
    const Range met = elements_of(slices);
    load_(context.input(0).memory, plane * in + met.begin, 1, met.size(), x + met.begin);
    const Range depths = axis_ == 0 ? slices : Range{0, c.out[0]};
    const Range rows = axis_ == 1 ? slices : Range{0, c.out[1]};
    size_t count = 0;
    for (size_t z = depths.begin; z < depths.end; ++z) {
      for (size_t row = rows.begin; row < rows.end; ++row) {
        const size_t area = taps_[0][z].count() * taps_[1][row].count();
        for (const Taps& column : taps_[2]) {
          count_work(column.count() * area);
          y[count] = problem_.kind == Pooling::kMaximum
                         ? maximum(x, taps_[0][z], taps_[1][row], column, indices[count])
                         : average(x, taps_[0][z], taps_[1][row], column);
          ++count;
        }
      }
    }
    const size_t first = plane * out + slices.begin * (out / c.out[axis_]);
    store_(y, count, context.output(0).memory, first, 1);
    if (store_indices_ == nullptr) return;
    for (size_t i = 0; i < count; ++i) {
      indices[i] = static_cast<int64_t>((plane * in + static_cast<size_t>(indices[i])) % period_);
    }
    store_indices_(indices, count, context.output(1).memory, first, 1);
  }

  // The elements of a data plane from the first to the last slice that the windows of these slices read.
  Range elements_of(const Range& slices) const {
    const Conv& c = problem_.conv;
    ptrdiff_t begin = static_cast<ptrdiff_t>(c.in[axis_]), end = 0;
    for (size_t i = slices.begin; i < slices.end; ++i) {
      const Taps& taps = taps_[axis_][i];
      if (taps.first >= taps.last) continue;
      const auto at = [&](size_t k) { return taps.begin + static_cast<ptrdiff_t>(k * c.dilation[axis_]); };
      begin = std::min(begin, at(taps.first));
      end = std::max(end, at(taps.last - 1) + 1);
    }
    if (begin >= end) return {0, 0};
    const size_t slice = c.in.product() / c.in[axis_];
    return {static_cast<size_t>(begin) * slice, static_cast<size_t>(end) * slice};
  }

  // Calls body(index in the plane) for the elements of a window.
  template <typename Body>
  void for_window(const Taps& z, const Taps& row, const Taps& column, const Body& body) const {
    const Conv& c = problem_.conv;
    const auto position = [&c](const Taps& taps, size_t axis, size_t k) {
      return static_cast<size_t>(taps.begin + static_cast<ptrdiff_t>(k * c.dilation[axis]));
    };
    for (size_t kz = z.first; kz < z.last; ++kz) {
      for (size_t ky = row.first; ky < row.last; ++ky) {
        const size_t start = (position(z, 0, kz) * c.in[1] + position(row, 1, ky)) * c.in[2];
        for (size_t kx = column.first; kx < column.last; ++kx) body(start + position(column, 2, kx));
      }
    }
  }

  // The first greatest element. As in OpenVINO, NaN is never greater, and a window without anything greater
  // than the lowest number gives that number and index 0. An adaptive window, however, starts with its first
  // element, whatever its value.
  Wide maximum(const Wide* x, const Taps& z, const Taps& row, const Taps& column, int64_t& where) const {
    Wide best = lowest_;
    where = 0;
    bool begun = !adaptive_;
    for_window(z, row, column, [&](size_t at) {
      if (begun && !(x[at] > best)) return;
      begun = true;
      best = x[at];
      where = static_cast<int64_t>(at);
    });
    return best;
  }

  Wide average(const Wide* x, const Taps& z, const Taps& row, const Taps& column) const {
    double sum = 0, count = 0;
    for_window(z, row, column, [&](size_t at) {
      sum += static_cast<double>(x[at]);
      ++count;
    });
    if (problem_.kind == Pooling::kAverageWithPads)
      count = static_cast<double>(problem_.conv.kernel.product());
    if constexpr (std::is_integral_v<Wide>)
      return count == 0 ? 0 : static_cast<Wide>(std::nearbyint(sum / count));
    return static_cast<Wide>(sum / count);
  }

  PoolProblem problem_;
  bool adaptive_;
  std::vector<Taps> taps_[3];
  kernels::LoadNumbers<Wide> load_;
  kernels::StoreNumbers<Wide> store_;
  kernels::StoreNumbers<int64_t> store_indices_ = nullptr;
  Wide lowest_;
  size_t period_ = 1;  // number of elements after which indices restart
  // The axis whose slices are divided among threads: slices_ in total, grain_ per range.
  size_t axis_ = 1;
  size_t slices_ = 0, grain_ = 1;
};

std::unique_ptr<Kernel> make_channels_first(CompileContext& context, const PoolProblem& problem,
                                            bool adaptive = false) {
  const ElementType type = context.output_type(0);
  if (type == ElementType::kU64)
    return std::make_unique<ChannelsFirstPooling<uint64_t>>(context, problem, adaptive);
  if (!is_real(type)) return std::make_unique<ChannelsFirstPooling<int64_t>>(context, problem, adaptive);
  return std::make_unique<ChannelsFirstPooling<float>>(context, problem, adaptive);
}

}  // namespace

void PoolAttributes::visit(AttributeVisitor& visitor, bool dilated, bool has_ceil_torch) {
  visitor.require("kernel");
  visitor.on("kernel", kernel);
  window.visit(visitor, dilated);
  if (has_ceil_torch) {
    visitor.on_enum("rounding_type", rounding, {"floor", "ceil", "ceil_torch"});
  } else {
    visitor.on_enum("rounding_type", rounding, {"floor", "ceil"});
  }
}

void expect_index_type(ElementType type) {
  if (type == ElementType::kI32 || type == ElementType::kI64) return;
  throw Error(ErrorCode::kInvalidType, cat("index_element_type is ", type, ", expected i32 or i64"))
      .expected("i32 or i64")
      .actual(cat(type));
}

PartialShape infer_pooling(const PartialShape& data, const PoolAttributes& attributes) {
  const size_t axes = data.has_rank() ? spatial_axes(data, "data") : attributes.kernel.size();
  expect_length(attributes.kernel, axes, "kernel");
  expect_window_values(attributes.kernel, axes, 1, "kernel");
  element_count(attributes.kernel);
  attributes.window.expect_axes(axes);
  PartialShape output = PartialShape::of_rank(2 + axes);
  if (!data.has_rank()) return output;
  output[0] = data[0];
  output[1] = data[1];
  for (size_t i = 0; i < axes; ++i) {
    output[2 + i] =
        window_count(attributes.window, i, data[2 + i], attributes.kernel[i], attributes.rounding);
  }
  return output;
}

PoolProblem make_pooling(Pooling kind, const Shape& data, const Shape& output,
                         const PoolAttributes& attributes, Layout in, Layout out) {
  PoolProblem problem;
  problem.kind = kind;
  problem.in = in;
  problem.out = out;
  bool padded = false;
  Conv& c = problem.conv;
  const size_t axes = data.size() - 2, first_in = in == Layout::kChannelsFirst ? 2 : 1,
               first_out = out == Layout::kChannelsFirst ? 2 : 1;
  c.batch = static_cast<size_t>(data[0]);
  c.groups = static_cast<size_t>(data[in == Layout::kChannelsFirst ? 1 : axes + 1]);
  for (size_t i = 0; i < axes; ++i) {
    const size_t to = 3 - axes + i;
    const Pads pads = attributes.window.pads(i, data[first_in + i], attributes.kernel[i]);
    c.in[to] = static_cast<size_t>(data[first_in + i]);
    c.out[to] = static_cast<size_t>(output[first_out + i]);
    c.kernel[to] = static_cast<size_t>(attributes.kernel[i]);
    c.stride[to] = static_cast<size_t>(attributes.window.stride(i));
    c.dilation[to] = static_cast<size_t>(attributes.window.dilation(i));
    c.pads[to] = static_cast<size_t>(pads.begin);
    padded = padded || pads.begin > 0 || pads.end > 0;
  }
  c.in_stride = c.out_stride = c.groups;
  // As in OpenVINO, positions beyond the input that result from rounding sizes up count only if there are
  // pads.
  if (kind == Pooling::kAverageWithPads && !padded) problem.kind = Pooling::kAverage;
  return problem;
}

std::unique_ptr<Kernel> compile_pooling(CompileContext& context, const PoolProblem& problem) {
  const bool with_indices = context.output_count() > 1 && context.is_read(1);
  if (with_indices || !is_real(context.output_type(0))) return make_channels_first(context, problem);
  return compile_in_f32(context, [&problem](CompileContext& inner) -> std::unique_ptr<Kernel> {
    return std::make_unique<F32Pooling>(inner, problem);
  });
}

PartialShape infer_adaptive_pooling(InferContext& context) {
  const PartialShape& data = context.input_shape(0);
  const std::optional<Ints> sizes = known_ints(context, 1, "output_shape");
  const std::optional<size_t> length = sizes ? std::optional(sizes->size()) : length_of(context, 1);
  if (!data.has_rank() && !length) return {};
  const size_t axes = data.has_rank() ? spatial_axes(data, "data") : *length;
  if (length && *length != axes) {
    throw Error(ErrorCode::kInvalidShape, cat("output_shape has ", *length, " elements, but data ", data,
                                              " has ", axes, " spatial axes"))
        .expected(cat(axes, " elements"))
        .actual(cat(*length, " elements"))
        .port("output_shape");
  }
  PartialShape output = data.has_rank() ? data : PartialShape::of_rank(2 + axes);
  for (size_t i = 0; i < axes; ++i) {
    output[2 + i] = sizes ? Dimension((*sizes)[i]) : Dimension();
    const Dimension in = data.has_rank() ? data[2 + i] : Dimension();
    if (in.max == 0 && output[2 + i].min > 0) {
      throw Error(ErrorCode::kInvalidShape,
                  cat("data has shape ", data, ", expected 1 or more elements along spatial axis ", i,
                      " for ", output[2 + i], " windows"))
          .expected("1 or more elements")
          .actual(cat(data))
          .port("data");
    }
    if (!sizes || (*sizes)[i] >= 0) continue;
    throw Error(ErrorCode::kInvalidValue,
                cat("output_shape is ", to_string(*sizes), ", expected sizes of 0 or more"))
        .expected("0 or more")
        .actual(to_string(*sizes))
        .port("output_shape");
  }
  return output;
}

std::unique_ptr<Kernel> compile_adaptive_pooling(CompileContext& context, Pooling kind) {
  const Shape data = context.input_shape(0), output = context.output_shape(0);
  PoolProblem problem;
  problem.kind = kind;
  problem.index_axis = 2;
  problem.conv.batch = static_cast<size_t>(data[0]);
  problem.conv.groups = static_cast<size_t>(data[1]);
  const size_t axes = data.size() - 2;
  for (size_t i = 0; i < axes; ++i) {
    problem.conv.in[3 - axes + i] = static_cast<size_t>(data[2 + i]);
    problem.conv.out[3 - axes + i] = static_cast<size_t>(output[2 + i]);
  }
  return make_channels_first(context, problem, /*adaptive=*/true);
}

std::optional<ChannelsLastForm> PoolOp::channels_last_form(const Node& node) const {
  const bool has_indices = node.outputs.size() > 1 && !node.users(1).empty();
  if (has_indices || !is_real(node.outputs[0].type)) return std::nullopt;
  ChannelsLastForm form(1);
  form.take(0);
  form.op = std::make_shared<ChannelsLastPooling>(kind(), node.version, attributes_,
                                                  EdgeLayouts{Layout::kChannelsLast, Layout::kChannelsLast});
  form.type = ChannelsLastPooling::kType;
  form.outputs = 1;
  return form;
}

}  // namespace wasmvino::ops
