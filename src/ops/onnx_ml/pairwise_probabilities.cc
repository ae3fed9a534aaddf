// SPDX-License-Identifier: Apache-2.0
// PairwiseProbabilities: the probabilities of classes from those of each pair of classes, by the second
// method of Wu, Lin and Weng, as SVMClassifier of ai.onnx.ml computes them.
// https://www.csie.ntu.edu.tw/~cjlin/papers/svmprob/svmprob.pdf
// https://onnx.ai/onnx/operators/onnx_aionnxml_SVMClassifier.html
#include <algorithm>
#include <cmath>
#include <string>

#include "model/registry.h"
#include "ops/inputs/checks.h"

namespace wasmvino::ops::pairwise_probabilities {

class Coupling final : public Kernel {
 public:
  Coupling(CompileContext& context, size_t classes) : classes_(classes) {
    const CheckedSize matrix = CheckedSize(classes) * classes;
    doubles_ = (matrix * 2 + classes * 2).value();
    context.request_scratch(CheckedSize(context.parallel().threads()) * doubles_ * sizeof(double));
  }

  void run(EvalContext& context) override {
    const size_t pairs = classes_ * (classes_ - 1) / 2;
    const size_t rows = pairs == 0 ? 0 : context.input(0).size() / pairs;
    parallel_for(context.parallel(), rows, 1, [&](size_t begin, size_t end, size_t thread) {
      double* scratch = static_cast<double*>(context.scratch()) + thread * doubles_;
      for (size_t row = begin; row < end; ++row) {
        couple(context.input(0).data<float>() + row * pairs, scratch,
               context.output(0).mutable_data<float>() + row * classes_);
      }
    });
  }

 private:
  // `of_pairs` holds the probability of the first class of each pair, in the order (0, 1), (0, 2) ...
  void couple(const float* of_pairs, double* scratch, float* to) const {
    const size_t n = classes_;
    double* const r = scratch;
    double* const q = r + n * n;
    double* const p = q + n * n;
    double* const qp = p + n;
    for (size_t i = 0; i < n; ++i) {
      r[i * n + i] = 0;
      for (size_t j = i + 1; j < n; ++j) {
        r[i * n + j] = static_cast<double>(*of_pairs++);
        r[j * n + i] = 1 - r[i * n + j];
      }
    }
    for (size_t i = 0; i < n; ++i) {
      p[i] = 1.0 / static_cast<double>(n);
      q[i * n + i] = 0;
      for (size_t j = 0; j < n; ++j) {
        if (j == i) continue;
        q[i * n + i] += r[j * n + i] * r[j * n + i];
        q[i * n + j] = -r[j * n + i] * r[i * n + j];
      }
    }
    iterate(q, p, qp);
    for (size_t i = 0; i < n; ++i) to[i] = static_cast<float>(p[i]);
  }

  void iterate(const double* q, double* p, double* qp) const {
    const size_t n = classes_;
    const double tolerance = 0.005 / static_cast<double>(n);
    for (size_t round = 0; round < std::max<size_t>(100, n); ++round) {
      double pqp = 0, error = 0;
      for (size_t i = 0; i < n; ++i) {
        qp[i] = 0;
        for (size_t j = 0; j < n; ++j) qp[i] += q[i * n + j] * p[j];
        pqp += p[i] * qp[i];
      }
      for (size_t i = 0; i < n; ++i) error = std::max(error, std::abs(qp[i] - pqp));
      if (error < tolerance) return;
      for (size_t i = 0; i < n; ++i) {
        const double diagonal = q[i * n + i], change = (pqp - qp[i]) / diagonal, all = 1 + change;
        p[i] += change;
        pqp = (pqp + change * (change * diagonal + 2 * qp[i])) / (all * all);
        for (size_t j = 0; j < n; ++j) {
          qp[j] = (qp[j] + change * q[i * n + j]) / all;
          p[j] /= all;
        }
      }
    }
  }

  size_t classes_;
  size_t doubles_;  // of scratch per thread
};

class PairwiseProbabilities final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.require("classes");
    visitor.on("classes", classes_);
  }

  void infer(InferContext& context) const override {
    context.expect_inputs(1);
    constexpr int64_t kMost = int64_t{1} << 15;
    if (classes_ < 2 || classes_ > kMost)
      fail(ErrorCode::kInvalidModel, "attribute 'classes' is ", classes_, ", expected 2 to ", kMost);
    expect_rank(context, 0, 2, 2, "data");
    const PartialShape& data = context.input_shape(0);
    if (data.has_rank()) expect_size(context, 0, "data", 1, classes_ * (classes_ - 1) / 2, "the pairs");
    context.set_output(0, ElementType::kF32, {data.has_rank() ? data[0] : Dimension(), Dimension(classes_)});
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    return std::make_unique<Coupling>(context, static_cast<size_t>(classes_));
  }

 private:
  int64_t classes_ = 0;
};

}  // namespace wasmvino::ops::pairwise_probabilities

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(pairwise_probabilities) {
  registry.add<pairwise_probabilities::PairwiseProbabilities>({"PairwiseProbabilities",
                                                               {1},
                                                               "SVMClassifier",
                                                               {{"data", ElementType::kF32}},
                                                               kLastOpset,
                                                               "ai.onnx.ml"});
}
}  // namespace wasmvino::ops
