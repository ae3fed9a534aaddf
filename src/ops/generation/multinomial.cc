// SPDX-License-Identifier: Apache-2.0
// Multinomial: draws classes by their probabilities, with or without replacement.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/generation/multinomial-13.html
#include <algorithm>
#include <cmath>
#include <random>

#include "core/dispatch.h"
#include "core/work.h"
#include "kernels/numbers.h"
#include "kernels/random.h"
#include "model/registry.h"
#include "ops/inputs/inputs.h"

namespace wasmvino::ops::multinomial {

// Grain: examined classes in about 10 µs of work.
constexpr size_t kGrain = size_t{1} << 12;

class Multinomial final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.require("convert_type");
    visitor.on("convert_type", convert_type_);
    visitor.require("with_replacement");
    visitor.on("with_replacement", with_replacement_);
    visitor.require("log_probs");
    visitor.on("log_probs", log_probs_);
    visitor.on("global_seed", global_seed_);
    visitor.on("op_seed", op_seed_);
  }

  void infer(InferContext& context) const override {
    context.expect_inputs(2);
    if (convert_type_ != ElementType::kI64 && convert_type_ != ElementType::kI32) {
      fail(ErrorCode::kInvalidModel, "attribute 'convert_type' is ", convert_type_, ", expected i32 or i64");
    }
    expect_rank(context, 0, 2, 2, "probs");
    const PartialShape probs =
        context.input_shape(0).has_rank() ? context.input_shape(0) : PartialShape::of_rank(2);
    Dimension samples;
    if (const std::optional<int64_t> count = known_int(context, 1, "num_samples")) {
      if (*count < 0 || (!with_replacement_ && *count > probs[1].max)) {
        const std::string most =
            with_replacement_ ? std::string("0 or more") : cat("0..", probs[1], ", the classes");
        throw Error(ErrorCode::kInvalidValue, cat("num_samples is ", *count, ", expected ", most))
            .expected(most)
            .actual(cat(*count))
            .port("num_samples");
      }
      samples = *count;
    }
    context.set_output(0, convert_type_, {probs[0], samples});
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    const auto batch = static_cast<size_t>(context.input_shape(0)[0]);
    const CheckedSize threads(std::min(context.parallel().threads(), std::max<size_t>(1, batch)));
    const auto classes = static_cast<size_t>(context.input_shape(0)[1]);
    context.request_scratch(threads * scratch_numbers(classes) * sizeof(double));
    return std::make_unique<Drawing>(*this);
  }

  bool is_pure() const override { return global_seed_ != 0 || op_seed_ != 0; }

 private:
  class Drawing final : public Kernel {
   public:
    explicit Drawing(const Multinomial& op) : op_(op) {}
    void run(EvalContext& context) override {
      with_index(op_.convert_type_,
                 [&]<typename T>() { op_.draw(context, context.output(0).mutable_data<T>()); });
    }

   private:
    const Multinomial& op_;
  };

  // Scratch memory for the probabilities and their cumulative sums.
  static size_t scratch_numbers(size_t classes) { return (CheckedSize(classes) * 2).value(); }

  template <typename T>
  void draw(EvalContext& context, T* to) const {
    const Shape& shape = context.input(0).shape;
    const size_t classes = static_cast<size_t>(shape[1]);
    const size_t samples = static_cast<size_t>(context.output(0).shape[1]);
    const std::mt19937 start = generator();
    const size_t grain = kGrain / std::max<size_t>(1, saturating_product(classes, samples + 4));
    parallel_for(context.parallel(), static_cast<size_t>(shape[0]), grain,
                 [&](size_t begin, size_t end, size_t thread) {
                   double* probs =
                       static_cast<double*>(context.scratch()) + thread * scratch_numbers(classes);
                   double* cumulated = probs + classes;
                   std::mt19937 bits = start;
                   bits.discard(begin * samples);
                   for (size_t batch = begin; batch < end; ++batch) {
                     kernels::number_loader<double>(context.input(0).type)(
                         context.input(0).memory, batch * classes, 1, classes, probs);
                     double sum = 0;
                     for (size_t i = 0; i < classes; ++i) {
                       if (log_probs_) probs[i] = std::exp(probs[i]);
                       cumulated[i] = sum += probs[i];
                     }
                     for (size_t sample = 0; sample < samples; ++sample) {
                       const float x = static_cast<float>(bits()) / static_cast<float>(std::mt19937::max());
                       count_work(2 * classes);
                       const size_t drawn = pick(cumulated, classes, x);
                       to[batch * samples + sample] = static_cast<T>(drawn);
                       if (!with_replacement_ && drawn < classes) {
                         for (size_t i = drawn; i < classes; ++i) cumulated[i] -= probs[drawn];
                       }
                     }
                   }
                 });
  }

  // The first class at which the cumulative share of the total reaches x.
  static size_t pick(const double* cumulated, size_t classes, float x) {
    for (size_t i = 0; i + 1 < classes; ++i) {
      if (x <= cumulated[i] / cumulated[classes - 1]) return i;
    }
    return classes - 1;
  }

  // Restarted from both seeds in each run.
  std::mt19937 generator() const {
    if (is_pure()) {
      std::seed_seq seeds{static_cast<uint32_t>(global_seed_), static_cast<uint32_t>(op_seed_)};
      return std::mt19937(seeds);
    }
    return std::mt19937(static_cast<uint32_t>(kernels::arbitrary_seed()));
  }

  ElementType convert_type_ = ElementType::kI64;
  bool with_replacement_ = false;
  bool log_probs_ = false;
  int64_t global_seed_ = 0;
  int64_t op_seed_ = 0;
};

}  // namespace wasmvino::ops::multinomial

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(multinomial) {
  registry.add<multinomial::Multinomial>({"Multinomial",
                                          {13},
                                          "generation/multinomial-13",
                                          {{"probs", kFloats}, {"num_samples", kAnyIntegers}}});
}
}  // namespace wasmvino::ops
