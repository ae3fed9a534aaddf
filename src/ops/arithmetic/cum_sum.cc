// SPDX-License-Identifier: Apache-2.0
// CumSum: for each element, the sum of all elements up to it along an axis.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/arithmetic/cumsum-3.html
#include <type_traits>

#include "kernels/numbers.h"
#include "model/registry.h"
#include "ops/inputs/axes.h"
#include "ops/inputs/checks.h"

namespace wasmvino::ops::cum_sum {

// Adjacent lanes that are summed together; elements that are read at a time from a contiguous lane.
constexpr size_t kBlock = 64;
constexpr size_t kGrain = size_t{1} << 14;

// Sums in f64 or in 64-bit integers, which wrap. Results of 8 and 16 bits saturate.
template <typename Wide>
class CumSumKernel final : public Kernel {
 public:
  CumSumKernel(ElementType type, const Shape& shape, size_t axis, bool exclusive, bool reverse)
      : load_(kernels::number_loader<Wide>(type)),
        store_(kernels::number_storer<Wide>(type)),
        outer_(product(shape, 0, axis)),
        length_(static_cast<size_t>(shape[axis])),
        inner_(product(shape, axis + 1, shape.size())),
        exclusive_(exclusive),
        reverse_(reverse) {}

  void run(EvalContext& context) override {
    const void* from = context.input(0).memory;
    void* to = context.output(0).memory;
    const size_t blocks = (inner_ + kBlock - 1) / kBlock;
    const size_t cost = std::max<size_t>(1, length_ * std::min(inner_, kBlock));
    parallel_for(context.parallel(), outer_ * blocks, std::max<size_t>(1, kGrain / cost),
                 [&](size_t begin, size_t end) {
                   for (size_t part = begin; part < end; ++part) {
                     const size_t column = part % blocks * kBlock;
                     sum(from, to, part / blocks * length_ * inner_ + column,
                         std::min(kBlock, inner_ - column));
                   }
                 });
  }

 private:
  static Wide add(Wide a, Wide b) {
    if constexpr (std::is_integral_v<Wide>) {
      return static_cast<Wide>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
    } else {
      return a + b;
    }
  }

  // Sums `width` adjacent lanes.
  void sum(const void* from, void* to, size_t first, size_t width) const {
    if (inner_ == 1) return sum_row(from, to, first);
    Wide sums[kBlock] = {}, values[kBlock], results[kBlock];
    for (size_t i = 0; i < length_; ++i) {
      const size_t at = first + (reverse_ ? length_ - 1 - i : i) * inner_;
      load_(from, at, 1, width, values);
      for (size_t j = 0; j < width; ++j) {
        const Wide before = sums[j];
        sums[j] = add(before, values[j]);
        results[j] = exclusive_ ? before : sums[j];
      }
      store_(results, width, to, at, 1);
    }
  }

  // Sums one contiguous lane.
  void sum_row(const void* from, void* to, size_t first) const {
    Wide values[kBlock], total = 0;
    for (size_t done = 0; done < length_; done += kBlock) {
      const size_t count = std::min(kBlock, length_ - done);
      const size_t at = first + (reverse_ ? length_ - done - count : done);
      load_(from, at, 1, count, values);
      for (size_t i = 0; i < count; ++i) {
        Wide& value = values[reverse_ ? count - 1 - i : i];
        const Wide before = total;
        total = add(total, value);
        value = exclusive_ ? before : total;
      }
      store_(values, count, to, at, 1);
    }
  }

  kernels::LoadNumbers<Wide> load_;
  kernels::StoreNumbers<Wide> store_;
  size_t outer_, length_, inner_;
  bool exclusive_, reverse_;
};

class CumSum final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.on("exclusive", exclusive_);
    visitor.on("reverse", reverse_);
  }

  void infer(InferContext& context) const override {
    context.expect_inputs(1, 2);
    const PartialShape& shape = context.input_shape(0);
    if (context.input_count() > 1) {
      expect_rank(context, 1, 0, 0, "axis");
      const auto axis = context.input_ints(1);
      if (axis && shape.has_rank()) normalize_axis((*axis)[0], shape.rank());
    } else if (shape.has_rank()) {
      normalize_axis(0, shape.rank());
    }
    context.set_output(0, context.input_type(0), shape);
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    const ElementType type = context.input_type(0);
    const Shape shape = context.input_shape(0);
    size_t axis = 0;
    if (context.input_count() > 1) {
      axis = normalize_axis((*context.constant_ints(1))[0], shape.size());
      context.consume(1);
    }
    if (is_real(type)) return std::make_unique<CumSumKernel<double>>(type, shape, axis, exclusive_, reverse_);
    // Sums that wrap have the same bits for signed and unsigned types.
    const ElementType twin = type == ElementType::kU64 ? ElementType::kI64 : type;
    return std::make_unique<CumSumKernel<int64_t>>(twin, shape, axis, exclusive_, reverse_);
  }

  bool can_overwrite(const CompileContext&, size_t input, size_t) const override { return input == 0; }

 private:
  bool exclusive_ = false;
  bool reverse_ = false;
};

}  // namespace wasmvino::ops::cum_sum

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(cum_sum) {
  registry.add<cum_sum::CumSum>(
      {"CumSum", {3}, "arithmetic/cumsum-3", {{"data", kNumbers}, {"axis", kIndices}}});
}
}  // namespace wasmvino::ops
