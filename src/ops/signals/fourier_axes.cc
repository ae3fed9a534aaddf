// SPDX-License-Identifier: Apache-2.0
#include "ops/signals/fourier_axes.h"

#include <algorithm>
#include <vector>

#include "kernels/fourier.h"
#include "ops/elements/in_f32.h"
#include "ops/inputs/axes.h"
#include "ops/inputs/checks.h"

namespace wasmvino::ops {
namespace {

// Grain: numbers in about 15 µs of work.
constexpr size_t kGrain = size_t{1} << 11;

// Transforms all lines along one axis.
struct Pass {
  enum class Form { kComplex, kFromReal, kToReal };
  enum class Place { kInput, kWork, kOutput };

  Form form = Form::kComplex;
  bool inverse = false;
  Place from = Place::kInput, to = Place::kOutput;
  std::shared_ptr<const kernels::FourierTransform> transform;
  size_t read = 0, written = 0;  // per line; numbers beyond `read` are zero
  ptrdiff_t from_step = 0, to_step = 0;
  Shape lines;  // sizes of the other axes
  size_t count() const { return element_count(lines); }
  size_t grain() const { return kGrain / transform->size(); }
  Ints from_strides, to_strides;  // of the other axes

  // Positions of the first numbers of line `i` in the two arrays.
  std::pair<ptrdiff_t, ptrdiff_t> line(size_t i) const {
    ptrdiff_t from_place = 0, to_place = 0;
    for (size_t axis = lines.size(); axis-- > 0;) {
      const auto size = static_cast<size_t>(lines[axis]);
      const auto at = static_cast<ptrdiff_t>(i % size);
      i /= size;
      from_place += at * static_cast<ptrdiff_t>(from_strides[axis]);
      to_place += at * static_cast<ptrdiff_t>(to_strides[axis]);
    }
    return {from_place, to_place};
  }

  void run_line(size_t i, const float* x, float* y, kernels::Complex* buffer) const {
    const size_t n = transform->size();
    auto [from_place, to_place] = line(i);
    // To compute the inverse, real and imaginary parts are swapped.
    const auto put = [&](size_t k, double real, double imaginary) {
      buffer[k] = inverse ? kernels::Complex{imaginary, real} : kernels::Complex{real, imaginary};
    };
    std::fill_n(buffer, n, kernels::Complex());
    for (size_t k = 0; k < read; ++k, from_place += from_step) {
      if (form == Form::kFromReal) {
        put(k, static_cast<double>(x[from_place]), 0.0);
        continue;
      }
      const double real = static_cast<double>(x[2 * from_place]);
      const double imaginary = static_cast<double>(x[2 * from_place + 1]);
      // The other half of the spectrum of real numbers is the complex conjugate of the given half.
      if (form == Form::kToReal && k > 0) put(n - k, real, -imaginary);
      put(k, real, imaginary);
    }
    transform->run(buffer, buffer + n);
    const double scale = inverse ? 1.0 / static_cast<double>(n) : 1.0;
    for (size_t k = 0; k < written; ++k, to_place += to_step) {
      const double real = inverse ? buffer[k].imaginary : buffer[k].real;
      const double imaginary = inverse ? buffer[k].real : buffer[k].imaginary;
      if (form == Form::kToReal) {
        y[to_place] = static_cast<float>(real * scale);
      } else {
        y[2 * to_place] = static_cast<float>(real * scale);
        y[2 * to_place + 1] = static_cast<float>(imaginary * scale);
      }
    }
  }
};

class FourierKernel final : public Kernel {
 public:
  // `work` is the number of complex numbers kept between passes, besides the output.
  FourierKernel(std::vector<Pass> passes, size_t work, const Parallel& parallel)
      : passes_(std::move(passes)), work_(work) {
    for (const Pass& pass : passes_) {
      numbers_ = std::max(numbers_, pass.transform->size() + pass.transform->scratch_size());
      threads_ =
          std::max(threads_, std::min(parallel.threads(), parallel.ranges(pass.count(), pass.grain())));
    }
  }

  CheckedSize scratch_bytes() const {
    return CheckedSize(work_) * (2 * sizeof(float)) +
           CheckedSize(threads_) * numbers_ * sizeof(kernels::Complex);
  }

  void run(EvalContext& context) override {
    kernels::Complex* const buffers = static_cast<kernels::Complex*>(context.scratch());
    float* const work = reinterpret_cast<float*>(buffers + threads_ * numbers_);
    TensorView& output = context.output(0);
    std::fill_n(work, 2 * work_, 0.0f);
    if (passes_.front().from == Pass::Place::kInput && passes_.front().to == Pass::Place::kOutput) {
      std::fill_n(output.mutable_data<float>(), output.size(), 0.0f);
    }
    for (const Pass& pass : passes_) {
      const float* x = pass.from == Pass::Place::kInput  ? context.input(0).data<float>()
                       : pass.from == Pass::Place::kWork ? work
                                                         : output.data<float>();
      float* y = pass.to == Pass::Place::kWork ? work : output.mutable_data<float>();
      parallel_for(context.parallel(), pass.count(), pass.grain(),
                   [&](size_t begin, size_t end, size_t thread) {
                     for (size_t i = begin; i < end; ++i) pass.run_line(i, x, y, buffers + thread * numbers_);
                   });
    }
  }

 private:
  std::vector<Pass> passes_;
  size_t work_, threads_ = 1, numbers_ = 0;
};

class CopyKernel final : public Kernel {
 public:
  void run(EvalContext& context) override {
    std::copy_n(context.input(0).data<float>(), context.input(0).size(),
                context.output(0).mutable_data<float>());
  }
};

void check_axes(const Ints& axes, FourierKind kind) {
  if (axes.empty() && (kind == FourierKind::kReal || kind == FourierKind::kRealBack)) {
    fail(ErrorCode::kInvalidValue, "axes is empty, expected 1 or more axes");
  }
  for (size_t i = 0; i < axes.size(); ++i) {
    if (std::find(axes.begin(), axes.begin() + i, axes[i]) != axes.begin() + i) {
      fail(ErrorCode::kInvalidValue, "axes contain axis ", axes[i], " twice");
    }
  }
}

}  // namespace

void FourierOp::infer(InferContext& context) const {
  context.expect_inputs(2, 3);
  PartialShape shape = context.input_shape(0);
  const auto axes_value = known_ints(context, 1, "axes");
  const bool sized = context.input_count() > 2;
  const auto sizes = sized ? known_ints(context, 2, "signal_size") : std::nullopt;
  if (!shape.has_rank()) return context.set_output(0, context.input_type(0), {});
  if (complex_input()) {
    if (shape.rank() < 2)
      fail(ErrorCode::kInvalidShape, "data ", shape,
           " has no axis besides the last one, which separates real and imaginary parts");
    expect_size(context, 0, "data", shape.rank() - 1, 2, "the number of parts (real and imaginary)");
    shape.erase(shape.rank() - 1);
  }
  if (!axes_value) {
    shape = PartialShape::of_rank(shape.rank());
  } else {
    const Ints axes = normalize_axes(*axes_value, shape.rank());
    check_axes(axes, kind_);
    if (sizes) expect_length(*sizes, axes.size(), "signal_size");
    for (size_t i = 0; i < axes.size(); ++i) {
      Dimension& size = shape[static_cast<size_t>(axes[i])];
      const bool last = i + 1 == axes.size();
      if (sizes && (*sizes)[i] != -1) {
        if ((*sizes)[i] < 1) {
          fail(ErrorCode::kInvalidValue, "signal_size[", i, "] is ", (*sizes)[i],
               ", expected -1 or at least 1");
        }
        size = (*sizes)[i];
      } else if (sized && !sizes) {
        size = Dimension();
      } else if (last && kind_ == FourierKind::kRealBack) {
        size = size.is_static() ? Dimension(std::max<int64_t>(0, 2 * (size.size() - 1))) : Dimension();
      }
      if (size.max == 0) {
        fail(ErrorCode::kInvalidShape, "axis ", axes[i], " of data ", context.input_shape(0),
             " is too short to transform");
      }
      if (last && kind_ == FourierKind::kReal) {
        size = size.is_static() ? Dimension(size.size() / 2 + 1) : Dimension();
      }
    }
  }
  if (complex_output()) shape.push_back(2);
  context.set_output(0, context.input_type(0), shape);
}

std::unique_ptr<Kernel> FourierOp::compile(CompileContext& context) const {
  return compile_in_f32(context, [&](CompileContext& inner) -> std::unique_ptr<Kernel> {
    Shape input = inner.input_shape(0), output = inner.output_shape(0);
    if (complex_input()) input.pop_back();
    if (complex_output()) output.pop_back();
    Ints axes = normalize_axes(*inner.constant_ints(1), input.size());
    if (axes.empty()) return std::make_unique<CopyKernel>();
    const auto sizes = inner.input_count() > 2 ? inner.constant_ints(2) : std::nullopt;
    const size_t last = static_cast<size_t>(axes.back());
    // Lengths of the transforms.
    Shape lengths = output;
    if (kind_ == FourierKind::kReal)
      lengths[last] = sizes && sizes->back() != -1 ? sizes->back() : input[last];
    // The array between the first and the last pass: the spectrum, or half of it for real numbers.
    Shape work = kind_ == FourierKind::kRealBack ? lengths : output;
    if (kind_ == FourierKind::kRealBack) work[last] = std::min(input[last], lengths[last] / 2 + 1);
    // The last axis comes first if it makes numbers complex, and last if it makes them real.
    if (kind_ == FourierKind::kReal) std::rotate(axes.begin(), axes.end() - 1, axes.end());

    std::vector<Pass> passes;
    // The part of each pass's array that holds values. The rest is zero or does not exist.
    Shape filled = input;
    for (size_t axis = 0; axis < input.size(); ++axis) filled[axis] = std::min(input[axis], work[axis]);
    if (kind_ == FourierKind::kReal) filled[last] = std::min(input[last], lengths[last]);
    for (size_t i = 0; i < axes.size(); ++i) {
      const auto axis = static_cast<size_t>(axes[i]);
      Pass pass;
      const bool is_last = axis == last;
      if (is_last && kind_ == FourierKind::kReal) pass.form = Pass::Form::kFromReal;
      if (is_last && kind_ == FourierKind::kRealBack) pass.form = Pass::Form::kToReal;
      pass.inverse = kind_ == FourierKind::kInverse || kind_ == FourierKind::kRealBack;
      const bool through_work = kind_ == FourierKind::kRealBack;
      pass.from = i == 0 ? Pass::Place::kInput : through_work ? Pass::Place::kWork : Pass::Place::kOutput;
      pass.to = through_work && i + 1 < axes.size() ? Pass::Place::kWork : Pass::Place::kOutput;
      const Shape& from_shape = i == 0 ? input : work;
      const Shape& to_shape = pass.to == Pass::Place::kWork ? work : output;
      const Ints from_strides = row_major_strides(from_shape), to_strides = row_major_strides(to_shape);
      pass.transform = std::make_shared<kernels::FourierTransform>(static_cast<size_t>(lengths[axis]));
      pass.read = static_cast<size_t>(filled[axis]);
      pass.written = static_cast<size_t>(to_shape[axis]);
      pass.from_step = static_cast<ptrdiff_t>(from_strides[axis]);
      pass.to_step = static_cast<ptrdiff_t>(to_strides[axis]);
      for (size_t other = 0; other < input.size(); ++other) {
        if (other == axis) continue;
        pass.lines.push_back(filled[other]);
        pass.from_strides.push_back(from_strides[other]);
        pass.to_strides.push_back(to_strides[other]);
      }
      filled[axis] = to_shape[axis];
      passes.push_back(std::move(pass));
    }
    const bool needs_work = kind_ == FourierKind::kRealBack && axes.size() > 1;
    auto kernel = std::make_unique<FourierKernel>(std::move(passes), needs_work ? element_count(work) : 0,
                                                  inner.parallel());
    inner.request_scratch(kernel->scratch_bytes());
    return kernel;
  });
}

}  // namespace wasmvino::ops
