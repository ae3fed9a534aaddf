// SPDX-License-Identifier: Apache-2.0
#include "ops/normalization/mvn.h"

#include <algorithm>
#include <cmath>

#include "core/nan.h"
#include "kernels/columns.h"
#include "kernels/normalize.h"
#include "model/registry.h"
#include "ops/elements/in_f32.h"
#include "ops/inputs/axes.h"
#include "ops/inputs/axis_groups.h"
#include "ops/inputs/checks.h"

namespace wasmvino::ops::mvn {

constexpr size_t kColumns = 64;
constexpr size_t kGrain = size_t{1} << 14;

class MvnKernel final : public Kernel {
 public:
  struct Options {
    bool normalize_variance;
    bool eps_outside_root;
    double eps;
  };

  MvnKernel(AxisGroups groups, const Options& options) : groups_(std::move(groups)), options_(options) {}

  void run(EvalContext& context) override {
    const float* x = context.input(0).data<float>();
    float* y = context.output(0).mutable_data<float>();
    const bool rows = groups_.inner == 1;
    groups_.for_each_part(context.parallel(), kColumns, kGrain, [&](size_t base, size_t width, size_t) {
      if (rows) {
        row(x, y, base);
      } else {
        columns(x, y, base, width);
      }
    });
  }

 private:
  // The reciprocal of the standard deviation, from the sum of squared differences.
  double scale_of(double squares) const {
    if (!options_.normalize_variance) return 1;
    const double variance = squares / static_cast<double>(groups_.taken());
    return 1 / (options_.eps_outside_root ? std::sqrt(variance) + options_.eps
                                          : std::sqrt(variance + options_.eps));
  }

  // The statistics of a result's runs are merged by Chan's formula, which also avoids cancellation.
  void row(const float* x, float* y, size_t base) const {
    const double run = static_cast<double>(groups_.run);
    double mean = 0, squares = 0, count = 0;
    groups_.for_each_block(base, [&](size_t at) {
      const kernels::Moments moments = kernels::moments(x + at, groups_.run);
      const double difference = static_cast<double>(moments.mean) - mean;
      squares +=
          static_cast<double>(moments.variance) * run + difference * difference * run * count / (count + run);
      count += run;
      mean += difference * run / count;
    });
    const auto scale = static_cast<float>(scale_of(squares));
    groups_.for_each_block(base, [&](size_t at) {
      kernels::normalize_row(x + at, y + at, groups_.run, static_cast<float>(mean), scale, nullptr, nullptr);
    });
  }

  // Two passes: squares of differences do not cancel, unlike squares of the elements.
  void columns(const float* x, float* y, size_t base, size_t width) const {
    double sums[kColumns] = {}, squares[kColumns] = {};
    float means[kColumns], scales[kColumns];
    groups_.for_each_block(base, [&](size_t at) { kernels::add_columns(x + at, width, sums); });
    for (size_t j = 0; j < width; ++j) sums[j] /= static_cast<double>(groups_.taken());
    if (options_.normalize_variance) {
      groups_.for_each_block(base,
                             [&](size_t at) { kernels::add_square_columns(x + at, sums, width, squares); });
    }
    for (size_t j = 0; j < width; ++j) {
      means[j] = static_cast<float>(sums[j]);
      scales[j] = static_cast<float>(scale_of(squares[j]));
    }
    groups_.for_each_block(base,
                           [&](size_t at) { kernels::scale_columns(x + at, means, scales, y + at, width); });
  }

  AxisGroups groups_;
  Options options_;
};

// Computes integers in f32, rounded to nearest, ties to even. As in OpenVINO's CPU plugin, 8-bit results
// saturate and wider types wrap.
class IntegerMvn final : public Kernel {
 public:
  IntegerMvn(std::unique_ptr<Kernel> mvn, ElementType type, const Shape& shape)
      : mvn_(std::move(mvn)), type_(type), numbers_{ElementType::kF32, shape, nullptr} {}

  CheckedSize scratch_bytes() const { return CheckedSize(numbers_.byte_size()); }

  void run(EvalContext& context) override {
    constexpr size_t kChunk = 256;
    int64_t chunk[kChunk];
    numbers_.memory = context.scratch();
    float* numbers = numbers_.mutable_data<float>();
    const size_t count = numbers_.size();
    const kernels::LoadNumbers<int64_t> load = kernels::number_loader<int64_t>(type_);
    for (size_t first = 0; first < count; first += kChunk) {
      const size_t some = std::min(kChunk, count - first);
      load(context.input(0).memory, first, 1, some, chunk);
      std::copy_n(chunk, some, numbers + first);
    }
    TensorView* const views[] = {&numbers_};
    EvalContext inner(context.node(), views, views, nullptr, context.parallel());
    mvn_->run(inner);
    const kernels::StoreNumbers<int64_t> store = kernels::number_storer<int64_t>(type_);
    for (size_t first = 0; first < count; first += kChunk) {
      const size_t some = std::min(kChunk, count - first);
      for (size_t i = 0; i < some; ++i) chunk[i] = wrapped(std::nearbyint(numbers[first + i]));
      store(chunk, some, context.output(0).memory, first, 1);
    }
  }

 private:
  int64_t wrapped(float value) const {
    // Handles values that no integer can hold: NaN, and differences of the largest i64.
    const auto integer = static_cast<int64_t>(is_nan(value) ? 0.0f : std::clamp(value, -0x1p62f, 0x1p62f));
    if (type_ == ElementType::kI16) return static_cast<int16_t>(integer);
    return type_ == ElementType::kU16 ? static_cast<uint16_t>(integer) : integer;
  }

  std::unique_ptr<Kernel> mvn_;
  ElementType type_;
  TensorView numbers_;
};

void MVN::visit_attributes(AttributeVisitor& visitor) {
  visitor.on("eps", attributes_.eps);
  visitor.on("normalize_variance", attributes_.normalize_variance);
  if (version_ >= 6) {
    visitor.on_enum("eps_mode", attributes_.eps_mode, {"inside_sqrt", "outside_sqrt"});
  } else {
    visitor.on("across_channels", attributes_.across_channels);
    visitor.on("reduction_axes", attributes_.reduction_axes);
  }
}

void MVN::infer(InferContext& context) const {
  context.expect_inputs(version_ >= 6 ? 2 : 1);
  const PartialShape& shape = context.input_shape(0);
  if (version_ >= 6) {
    known_axes(context, 1, shape);
  } else if (shape.has_rank()) {
    attribute_axes(shape.rank());
  }
  context.set_output(0, context.input_type(0), shape);
}

std::unique_ptr<Kernel> MVN::compile(CompileContext& context) const {
  const Shape shape = context.input_shape(0);
  const Ints axes = version_ >= 6 ? *context.constant_ints(1) : attribute_axes(shape.size());
  if (version_ >= 6) context.consume(1);
  const auto make = [&](CompileContext&) -> std::unique_ptr<Kernel> {
    return std::make_unique<MvnKernel>(
        AxisGroups(shape, axes),
        MvnKernel::Options{attributes_.normalize_variance, attributes_.eps_mode == EpsMode::kOutsideSqrt,
                           attributes_.eps});
  };
  const ElementType type = context.input_type(0);
  if (is_real(type)) return compile_in_f32(context, make);
  auto kernel = std::make_unique<IntegerMvn>(make(context), type, shape);
  context.request_scratch(kernel->scratch_bytes());
  return kernel;
}

std::optional<ChannelsLastForm> MVN::channels_last_form(const Node& node) const {
  const Node& before = *node.inputs[0].node;
  const PartialShape& shape = shape_of(node.inputs[0]);
  if (node.inputs.size() < 2 || before.type != "Transpose" || !has_spatial_axes(shape) ||
      before.inputs[0].node->type != "FakeQuantize")
    return std::nullopt;
  std::optional<Ints> axes = constant_ints(node.inputs[1]);
  if (!axes) return std::nullopt;
  for (int64_t& axis : *axes) axis = channels_last_axis(axis, shape.rank());
  ChannelsLastForm form(node.inputs.size());
  form.take(0);
  form.replace(1, *axes);
  form.only_in_integers = true;  // in f32, rows of NCHW are faster than columns of NHWC
  return form;
}

Ints MVN::attribute_axes(size_t rank) const {
  if (!attributes_.reduction_axes.empty())
    return normalize_axes(attributes_.reduction_axes, rank, "reduction_axes");
  Ints axes;
  for (size_t axis = attributes_.across_channels ? 1 : 2; axis < rank; ++axis)
    axes.push_back(static_cast<int64_t>(axis));
  return axes;
}

}  // namespace wasmvino::ops::mvn

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(mvn) {
  registry.add<mvn::MVN>(
      {"MVN", {2, 6}, "normalization/mvn-6", {{"data", kNumbers}, {"axes", kNumbers | kSmallIntegers}}});
}
}  // namespace wasmvino::ops
