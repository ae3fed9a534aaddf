// SPDX-License-Identifier: Apache-2.0
// Col2Im: adds up windows, given as columns, into the image from which they were taken.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/movement/col2im-15.html
#include <algorithm>
#include <type_traits>

#include "core/work.h"
#include "kernels/numbers.h"
#include "model/registry.h"
#include "ops/convolution/windows.h"
#include "ops/inputs/inputs.h"

namespace wasmvino::ops::col2im {

// Grain: elements to add up.
constexpr size_t kGrain = size_t{1} << 15;

struct Axis {
  size_t size, windows, taps, stride, dilation, pad;
};

// Adds up the rows of images in Wide: float, or 64-bit integers, which wrap.
template <typename Wide>
class Adding final : public Kernel {
 public:
  Adding(CompileContext& context, ElementType type, size_t planes, const Axis& y, const Axis& x)
      : load_(kernels::number_loader<Wide>(type)),
        store_(kernels::number_storer<Wide>(type)),
        planes_(planes),
        y_(y),
        x_(x) {
    const size_t rows = planes * y.size;
    grain_ = kGrain / std::max<size_t>(1, column_size() / std::max<size_t>(1, y.size));
    const size_t threads = std::min(context.parallel().threads(), context.parallel().ranges(rows, grain_));
    context.request_scratch(threads * (CheckedSize(y.size) * x.size + x.windows) * sizeof(Wide));
  }

  void run(EvalContext& context) override {
    parallel_for(context.parallel(), planes_ * y_.size, grain_, [&](size_t begin, size_t end, size_t thread) {
      Wide* windows = static_cast<Wide*>(context.scratch()) + thread * (x_.windows + y_.size * x_.size);
      Wide* picture = windows + x_.windows;
      while (begin < end) {
        const size_t plane = begin / y_.size, first = begin % y_.size;
        const size_t count = std::min(y_.size - first, end - begin);
        add(context.input(0).memory, plane * column_size(), first, count, windows, picture);
        store_(picture, count * x_.size, context.output(0).memory, begin * x_.size, 1);
        begin += count;
      }
    });
  }

 private:
  size_t column_size() const { return y_.taps * x_.taps * y_.windows * x_.windows; }

  static void add_to(Wide& sum, Wide value) {
    if constexpr (std::is_integral_v<Wide>) {
      sum = static_cast<Wide>(static_cast<uint64_t>(sum) + static_cast<uint64_t>(value));
    } else {
      sum += value;
    }
  }

  // Adds up rows first .. first + count - 1 of an image whose columns start at element `from`.
  void add(const void* data, size_t from, size_t first, size_t count, Wide* windows, Wide* picture) const {
    std::fill_n(picture, count * x_.size, Wide(0));
    for (size_t ky = 0; ky < y_.taps; ++ky) {
      for (size_t kx = 0; kx < x_.taps; ++kx) {
        for (size_t wy = 0; wy < y_.windows; ++wy, from += x_.windows) {
          const size_t row = wy * y_.stride + ky * y_.dilation - y_.pad - first;
          if (row >= count) continue;
          count_work(2 * x_.windows);
          load_(data, from, 1, x_.windows, windows);
          for (size_t wx = 0; wx < x_.windows; ++wx) {
            const size_t column = wx * x_.stride + kx * x_.dilation - x_.pad;
            if (column < x_.size) add_to(picture[row * x_.size + column], windows[wx]);
          }
        }
      }
    }
  }

  kernels::LoadNumbers<Wide> load_;
  kernels::StoreNumbers<Wide> store_;
  size_t planes_;
  Axis y_, x_;
  size_t grain_ = 1;  // in rows
};

class Col2Im final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override { window_.visit(visitor, true); }

  void infer(InferContext& context) const override {
    context.expect_inputs(3);
    expect_rank(context, 0, 2, 3, "data");
    const ElementType type = context.input_type(0);
    const std::optional<Ints> size = known_pair(context, 1, "output_size");
    const std::optional<Ints> kernel = known_pair(context, 2, "kernel_size");
    window_.expect_axes(2);
    const PartialShape& data = context.input_shape(0);
    if (!data.has_rank()) return context.set_output(0, type, PartialShape());
    PartialShape output = PartialShape::of_rank(data.rank() + 1);
    const size_t first = data.rank() - 2;
    if (first == 1) output[0] = data[0];
    if (kernel) output[first] = channels(data, first, *kernel);
    if (size) {
      for (size_t i = 0; i < 2; ++i) output[first + 1 + i] = (*size)[i];
    }
    if (size && kernel) check_windows(data, first + 1, *size, *kernel);
    context.set_output(0, type, output);
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    const Shape output = context.output_shape(0);
    const Ints kernel = *context.constant_ints(2);
    const size_t first = output.size() - 2;
    size_t planes = 1;
    for (size_t i = 0; i < first; ++i) planes *= static_cast<size_t>(output[i]);
    Axis axes[2];
    for (size_t i = 0; i < 2; ++i) {
      axes[i] = {static_cast<size_t>(output[first + i]),
                 static_cast<size_t>(window_count(window_, i, output[first + i], kernel[i]).size()),
                 static_cast<size_t>(kernel[i]),
                 static_cast<size_t>(window_.stride(i)),
                 static_cast<size_t>(window_.dilation(i)),
                 static_cast<size_t>(window_.pads(i, output[first + i], kernel[i]).begin)};
    }
    const ElementType type = context.output_type(0);
    if (is_real(type)) return std::make_unique<Adding<float>>(context, type, planes, axes[0], axes[1]);
    // Sums that wrap have the same bits for signed and unsigned types.
    const ElementType held = type == ElementType::kU64 ? ElementType::kI64 : type;
    return std::make_unique<Adding<int64_t>>(context, held, planes, axes[0], axes[1]);
  }

 private:
  static std::optional<Ints> known_pair(InferContext& context, size_t i, std::string_view what) {
    const std::optional<Ints> values = known_ints(context, i, what);
    if (!values) return values;
    expect_length(*values, 2, what);
    expect_window_values(*values, 2, 1, what);
    return values;
  }

  static Dimension channels(const PartialShape& data, size_t axis, const Ints& kernel) {
    const int64_t taps = kernel[0] * kernel[1];
    const Dimension rows = data[axis];
    if (!rows.is_static()) return {};
    if (rows.size() % taps == 0) return rows.size() / taps;
    throw Error(ErrorCode::kInvalidShape,
                cat("axis ", axis, " of data ", data, " is ", rows,
                    ", not a multiple of the product of kernel_size ", to_string(kernel)))
        .expected(cat("a multiple of ", taps))
        .actual(to_string(rows))
        .port("data");
  }

  void check_windows(const PartialShape& data, size_t axis, const Ints& size, const Ints& kernel) const {
    int64_t windows = 1;
    for (size_t i = 0; i < 2; ++i) windows *= window_count(window_, i, size[i], kernel[i]).size();
    if (data[axis].contains(windows)) return;
    throw Error(ErrorCode::kInvalidShape,
                cat("axis ", axis, " of data ", data, " is ", data[axis], ", but ", windows, " windows of ",
                    to_string(kernel), " fit output_size ", to_string(size)))
        .expected(cat(windows))
        .actual(to_string(data[axis]))
        .port("data");
  }

  WindowAttributes window_;
};

}  // namespace wasmvino::ops::col2im

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(col2im) {
  registry.add<col2im::Col2Im>(
      {"Col2Im",
       {15},
       "movement/col2im-15",
       {{"data", kNumbers}, {"output_size", kAnyIntegers}, {"kernel_size", kAnyIntegers}}});
}
}  // namespace wasmvino::ops
