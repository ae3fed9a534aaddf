// SPDX-License-Identifier: Apache-2.0
// Range: start, start + step, ... up to stop, which is excluded.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/generation/range-4.html
#include <cmath>

#include "core/dispatch.h"
#include "model/registry.h"
#include "ops/inputs/indices.h"
#include "ops/inputs/inputs.h"

namespace wasmvino::ops::range {

// Grain: elements in about 10 µs of work.
constexpr size_t kGrain = size_t{1} << 14;

class Range final : public Op {
 public:
  explicit Range(int version) : version_(version) {}

  void visit_attributes(AttributeVisitor& visitor) override {
    if (version_ < 4) return;
    visitor.require("output_type");
    visitor.on("output_type", output_type_);
  }

  void infer(InferContext& context) const override {
    context.expect_inputs(3);
    ElementType type = output_type_;
    if (version_ < 4) {
      type = context.common_type(0, 1);
    }
    const bool narrow_real = is_real(type) && bit_width(type) < 16;
    if (is_sub_byte(type) || narrow_real || type == ElementType::kBoolean || type == ElementType::kString) {
      throw Error(ErrorCode::kInvalidType,
                  cat("the output has element type ", type, ", expected a numeric type"))
          .expected("a numeric type")
          .actual(cat(type));
    }
    const TensorView* values[3];
    bool known = true;
    for (size_t i = 0; i < 3; ++i) {
      const char* const name = i == 0 ? "start" : i == 1 ? "stop" : "step";
      if (const std::optional<size_t> length = length_of(context, i); length && *length != 1) {
        throw Error(ErrorCode::kInvalidShape,
                    cat(name, " has shape ", context.input_shape(i), ", expected a scalar"))
            .expected("a scalar")
            .actual(cat(context.input_shape(i)))
            .port(name);
      }
      values[i] = context.input_value(i);
      known &= values[i] != nullptr;
    }
    PartialShape output = {Dimension()};
    if (known) output = {is_integral(type) ? integer_count(values) : real_count(values)};
    context.set_output(0, type, output);
  }

  void evaluate(EvalContext& context) const override {
    parallel_for(context.parallel(), context.output(0).size(), kGrain,
                 [&](size_t begin, size_t end) { fill(context, begin, end); });
  }

  std::shared_ptr<Op> with_f32_results() const override {
    if (!is_half_precision(output_type_)) return nullptr;
    auto op = std::make_shared<Range>(*this);
    op->output_type_ = ElementType::kF32;
    return op;
  }

 private:
  // Fills elements [begin, end).
  void fill(EvalContext& context, size_t begin, size_t end) const {
    TensorView& output = context.output(0);
    if (is_integral(output.type)) {
      const uint64_t start = static_cast<uint64_t>(load_integer(context.input(0), 0));
      const uint64_t step = static_cast<uint64_t>(load_integer(context.input(2), 0));
      with_numeric(output.type, [&]<typename T>() {
        if constexpr (std::is_integral_v<T>) {
          T* to = output.mutable_data<T>();
          for (size_t i = begin; i < end; ++i) to[i] = static_cast<T>(start + i * step);
        }
      });
    } else {
      const double start = to_doubles(context.input(0))[0];
      const double step = to_doubles(context.input(2))[0];
      with_numeric(output.type, [&]<typename T>() {
        if constexpr (!std::is_integral_v<T>) {
          T* to = output.mutable_data<T>();
          for (size_t i = begin; i < end; ++i) {
            const double value = start + static_cast<double>(i) * step;
            if constexpr (std::is_same_v<T, double>) {
              to[i] = value;
            } else {
              to[i] = T(static_cast<float>(value));
            }
          }
        }
      });
    }
  }

  [[noreturn]] static void refuse_step() { fail(ErrorCode::kInvalidValue, "step is 0"); }

  // Integers are counted after truncation to the output's type, which gives an exact count.
  static int64_t integer_count(const TensorView* const (&values)[3]) {
    for (const TensorView* value : values) finite(*value);
    const int64_t start = load_integer(*values[0], 0);
    const int64_t stop = load_integer(*values[1], 0);
    const int64_t step = load_integer(*values[2], 0);
    if (step == 0) refuse_step();
    if (step > 0 ? start >= stop : start <= stop) return 0;
    const uint64_t distance = step > 0 ? static_cast<uint64_t>(stop) - static_cast<uint64_t>(start)
                                       : static_cast<uint64_t>(start) - static_cast<uint64_t>(stop);
    const uint64_t stride =
        step > 0 ? static_cast<uint64_t>(step) : uint64_t{0} - static_cast<uint64_t>(step);
    return checked(static_cast<double>((distance - 1) / stride + 1));
  }

  static int64_t real_count(const TensorView* const (&values)[3]) {
    const double start = finite(*values[0]);
    const double stop = finite(*values[1]);
    const double step = finite(*values[2]);
    if (step == 0) refuse_step();
    return checked(std::fmax(0.0, std::ceil((stop - start) / step)));
  }

  static double finite(const TensorView& value) {
    const double number = to_doubles(value)[0];
    if (!std::isfinite(number)) fail(ErrorCode::kInvalidValue, "start, stop or step is ", number);
    return number;
  }

  static int64_t checked(double count) {
    if (count >= 9007199254740992.0) {  // 2^53: more than any memory holds, and within i64
      fail(ErrorCode::kInvalidShape, "the range has ", count, " elements");
    }
    return static_cast<int64_t>(count);
  }

  int version_;
  ElementType output_type_ = ElementType::kDynamic;
};

}  // namespace wasmvino::ops::range

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(range) {
  registry.add<range::Range>({"Range",
                              {1},
                              "generation/range-1",
                              {{"start", kNumbers}, {"stop", kNumbers, 0}, {"step", kNumbers, 0}},
                              3});
  registry.add<range::Range>(
      {"Range", {4}, "generation/range-4", {{"start", kNumbers}, {"stop", kNumbers}, {"step", kNumbers}}});
}
}  // namespace wasmvino::ops
