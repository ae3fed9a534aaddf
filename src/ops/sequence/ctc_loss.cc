// SPDX-License-Identifier: Apache-2.0
// CTCLoss: the negative logarithm of the probability that a sequence of logits spells the labels.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/sequence/ctc-loss-4.html
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/work.h"
#include "kernels/numbers.h"
#include "model/registry.h"
#include "ops/elements/in_f32.h"
#include "ops/inputs/checks.h"
#include "ops/inputs/indices.h"

namespace wasmvino::ops::ctc_loss {

constexpr double kNever = -std::numeric_limits<double>::infinity();

// ln(e^a + e^b)
double add_logs(double a, double b) {
  if (a < b) std::swap(a, b);
  return b == kNever ? a : a + std::log1p(std::exp(b - a));
}

// Steps of count_work() for an exponential and a logarithm.
constexpr size_t kStepsPerLogarithm = 16;

// Grain: logits in about 20 µs of work.
constexpr size_t kGrain = size_t{1} << 10;

struct Options {
  bool collapse_repeated, merge_repeated, unique;
};

// Sums over all paths at once, with the forward variables of Graves et al., section 4.1. The states are the
// labels, with a blank before, between and after them; a path moves through the states. If repetitions are
// not merged, a path cannot stay on a label.
class LossKernel final : public Kernel {
 public:
  LossKernel(const Shape& shape, Options options, const Parallel& parallel)
      : batch_(static_cast<size_t>(shape[0])),
        steps_(static_cast<size_t>(shape[1])),
        classes_(static_cast<size_t>(shape[2])),
        options_(options),
        grain_(kGrain / std::max<size_t>(1, saturating_product(steps_, classes_))),
        threads_(std::min(parallel.threads(), parallel.ranges(batch_, grain_))) {}

  CheckedSize scratch_bytes() const { return threads_ * thread_size(); }

  void run(EvalContext& context) override {
    int64_t blank = static_cast<int64_t>(classes_) - 1;
    if (context.input_count() > 4) blank = checked(index_at(context.input(4), 0), classes_, "blank_index", 0);
    parallel_for(context.parallel(), batch_, grain_, [&](size_t begin, size_t end, size_t thread) {
      double* const now =
          reinterpret_cast<double*>(static_cast<char*>(context.scratch()) + thread * thread_bytes());
      double* const before = now + 2 * steps_ + 1;
      int64_t* const labels = reinterpret_cast<int64_t*>(before + 2 * steps_ + 1);
      for (size_t i = begin; i < end; ++i) {
        const size_t length =
            static_cast<size_t>(checked(index_at(context.input(1), i), steps_ + 1, "logit_length", i));
        const size_t count = read_labels(context, i, length, labels);
        const float* logits = context.input(0).data<float>() + i * steps_ * classes_;
        context.output(0).mutable_data<float>()[i] =
            static_cast<float>(-log_probability(logits, length, labels, count, blank, now, before));
      }
    });
  }

 private:
  CheckedSize thread_size() const {
    return (CheckedSize(steps_) * 4 + 2) * sizeof(double) + CheckedSize(steps_) * sizeof(int64_t);
  }
  size_t thread_bytes() const { return thread_size().value(); }

  static int64_t checked(int64_t value, size_t end, std::string_view name, size_t i) {
    if (value >= 0 && static_cast<uint64_t>(value) < end) return value;
    throw Error(ErrorCode::kInvalidValue, cat(name, "[", i, "] is ", value, ", outside 0..", end - 1))
        .port(std::string(name))
        .expected(cat("0..", end - 1))
        .actual(cat(value));
  }

  size_t read_labels(const EvalContext& context, size_t i, size_t length, int64_t* labels) const {
    const size_t given =
        static_cast<size_t>(checked(index_at(context.input(3), i), length + 1, "label_length", i));
    size_t count = 0;
    for (size_t j = 0; j < given; ++j) {
      if (options_.unique) count_work(count);
      const int64_t label =
          checked(index_at(context.input(2), i * steps_ + j), classes_, "labels", i * steps_ + j);
      if (options_.unique ? std::find(labels, labels + count, label) != labels + count
                          : options_.collapse_repeated && count > 0 && labels[count - 1] == label) {
        continue;
      }
      labels[count++] = label;
    }
    return count;
  }

  double log_probability(const float* logits, size_t length, const int64_t* labels, size_t count,
                         int64_t blank, double* now, double* before) const {
    const size_t states = 2 * count + 1;
    const auto class_of = [&](size_t state) { return state % 2 == 0 ? blank : labels[state / 2]; };
    // Before the first step, a path is at a start from which it reaches the first blank or the first label.
    std::fill_n(before, states, kNever);
    double start = 0;
    for (size_t t = 0; t < length; ++t, logits += classes_) {
      double sum = 0;
      count_work(kStepsPerLogarithm * (classes_ + states));
      const float largest = *std::max_element(logits, logits + classes_);
      for (size_t c = 0; c < classes_; ++c) sum += std::exp(static_cast<double>(logits[c] - largest));
      const double normalizer = static_cast<double>(largest) + std::log(sum);
      for (size_t s = 0; s < states; ++s) {
        const bool label = s % 2 != 0;
        double reached = !label || options_.merge_repeated ? before[s] : kNever;
        if (s > 0) reached = add_logs(reached, before[s - 1]);
        // A path may skip a blank between two labels, except between equal labels if repetitions are merged.
        if (label && s > 1 && !(options_.merge_repeated && class_of(s) == class_of(s - 2))) {
          reached = add_logs(reached, before[s - 2]);
        }
        if (s < 2) reached = add_logs(reached, start);
        now[s] = reached + static_cast<double>(logits[class_of(s)]) - normalizer;
      }
      start = kNever;
      std::swap(now, before);
    }
    if (length == 0) return count == 0 ? 0 : kNever;
    return add_logs(before[states - 1], states > 1 ? before[states - 2] : kNever);
  }

  size_t batch_, steps_, classes_;
  Options options_;
  size_t grain_, threads_;
};

class CTCLoss final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.on("preprocess_collapse_repeated", options_.collapse_repeated);
    visitor.on("ctc_merge_repeated", options_.merge_repeated);
    visitor.on("unique", options_.unique);
  }

  void infer(InferContext& context) const override {
    context.expect_inputs(4, 5);
    const std::string_view names[] = {"logits", "logit_length", "labels", "label_length", "blank_index"};
    const size_t ranks[] = {3, 1, 2, 1, 0};
    const PartialShape& shape = context.input_shape(0);
    Dimension batch = shape.has_rank() && shape.rank() == 3 ? shape[0] : Dimension();
    for (size_t i = 0; i < context.input_count(); ++i) {
      expect_rank(context, i, ranks[i], ranks[i], names[i]);
      if (ranks[i] > 0) batch = expect_size(context, i, names[i], 0, batch, "the batch");
    }
    expect_size(context, 2, names[2], 1, shape.has_rank() ? shape[1] : Dimension(), "axis 1 of logits");
    context.set_output(0, context.input_type(0), {batch});
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    return compile_in_f32(context,
                          [&](CompileContext& inner) -> std::unique_ptr<Kernel> {
                            auto kernel = std::make_unique<LossKernel>(inner.input_shape(0), options_,
                                                                       inner.parallel());
                            inner.request_scratch(kernel->scratch_bytes());
                            return kernel;
                          },
                          {.as_i64 = 30});
  }

 private:
  Options options_ = {false, true, false};
};

}  // namespace wasmvino::ops::ctc_loss

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(ctc_loss) {
  registry.add<ctc_loss::CTCLoss>({"CTCLoss",
                                   {4},
                                   "sequence/ctc-loss-4",
                                   {{"logits", kFloats},
                                    {"logit_length", kIntegers},
                                    {"labels", kIntegers},
                                    {"label_length", kIntegers},
                                    {"blank_index", kIntegers}}});
}
}  // namespace wasmvino::ops
