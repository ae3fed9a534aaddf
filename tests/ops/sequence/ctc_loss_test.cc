// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "tests/ops/op_tester.h"

namespace wasmvino::test::ctc_loss_test {
namespace {

struct Flags {
  bool collapse = false, merge = true, unique = false;
};

// The definition: every path of `length` classes, decoded and compared with the target.
double loss(const std::vector<double>& logits, size_t classes, size_t length, std::vector<int64_t> target,
            int64_t blank, Flags flags) {
  std::vector<int64_t> decoded;
  for (const int64_t label : target) {
    bool repeated = flags.unique ? std::find(decoded.begin(), decoded.end(), label) != decoded.end()
                                 : flags.collapse && !decoded.empty() && decoded.back() == label;
    if (!repeated) decoded.push_back(label);
  }
  double sum = 0;
  std::vector<size_t> path(length);
  size_t paths = 1;
  for (size_t t = 0; t < length; ++t) paths *= classes;
  for (size_t p = 0; p < paths; ++p) {
    size_t rest = p;
    double probability = 1;
    std::vector<int64_t> spelled;
    int64_t previous = -1;
    for (size_t t = 0; t < length; ++t) {
      const auto c = static_cast<int64_t>(rest % classes);
      rest /= classes;
      double all = 0;
      for (size_t k = 0; k < classes; ++k) all += std::exp(logits[t * classes + k]);
      probability *= std::exp(logits[t * classes + static_cast<size_t>(c)]) / all;
      if (c != blank && !(flags.merge && c == previous)) spelled.push_back(c);
      previous = c;
    }
    if (spelled == decoded) sum += probability;
  }
  return -std::log(sum);
}

TEST(CTCLoss, AgainstAllPaths) {
  const size_t classes = 3, steps = 5;
  std::vector<float> logits;
  for (size_t i = 0; i < 2 * steps * classes; ++i)
    logits.push_back(0.5f * static_cast<float>(i * 7 % 11) - 2);
  const std::vector<std::vector<int64_t>> targets = {{0, 1, 1, 0, 1}, {1, 1, 0, 0, 0}};
  for (const Flags flags : {Flags{}, Flags{true, true, false}, Flags{false, false, false},
                            Flags{true, false, false}, Flags{false, true, true}, Flags{false, false, true}}) {
    for (const int64_t blank : {2, 0}) {
      for (size_t length = 1; length <= steps; ++length) {
        for (size_t count = 0; count <= length; ++count) {
          SCOPED_TRACE(testing::Message() << length << ' ' << count << " blank " << blank << flags.collapse
                                          << flags.merge << flags.unique);
          std::vector<int64_t> labels;
          std::vector<float> expected;
          for (size_t i = 0; i < 2; ++i) {
            std::vector<int64_t> target(steps);
            for (size_t j = 0; j < steps; ++j) target[j] = blank == 0 ? targets[i][j] + 1 : targets[i][j];
            labels.insert(labels.end(), target.begin(), target.end());
            target.resize(count);
            const auto first = logits.begin() + static_cast<std::ptrdiff_t>(i * steps * classes);
            expected.push_back(static_cast<float>(
                loss({first, first + steps * classes}, classes, length, target, blank, flags)));
          }
          const auto n = static_cast<int64_t>(length), m = static_cast<int64_t>(count);
          const Tensor got =
              run_op("CTCLoss", 4,
                     {{"preprocess_collapse_repeated", flags.collapse ? "true" : "false"},
                      {"ctc_merge_repeated", flags.merge ? "true" : "false"},
                      {"unique", flags.unique ? "true" : "false"}},
                     {Tensor::of<float>({2, 5, 3}, logits.data()), Tensor::of<int64_t>({2}, {n, n}),
                      Tensor::of<int64_t>({2, 5}, labels.data()), Tensor::of<int64_t>({2}, {m, m}),
                      Tensor::scalar<int64_t>(blank)})[0];
          expect_near(got, {2}, expected, 1e-5f);
        }
      }
    }
  }
}

TEST(CTCLoss, BlankIsTheLastClassByDefault) {
  const Tensor logits = Tensor::of<float>({1, 2, 2}, {1, 0, 0, 1});
  const Tensor length = Tensor::of<int32_t>({1}, {2}), label = Tensor::of<int32_t>({1, 2}, {0, 0});
  const Tensor count = Tensor::of<int32_t>({1}, {1});
  const auto without = run_op("CTCLoss", 4, {}, {logits, length, label, count});
  const auto with = run_op("CTCLoss", 4, {}, {logits, length, label, count, Tensor::scalar<int32_t>(1)});
  EXPECT_EQ(without[0].data<float>()[0], with[0].data<float>()[0]);
}

TEST(CTCLoss, Refuses) {
  const Tensor logits(ElementType::kF32, {1, 2, 3});
  const auto run = [&](int32_t length, int32_t label, int32_t count) {
    return [=] {
      run_op("CTCLoss", 4, {},
             {Tensor::of<float>({1, 2, 3}, {1, 2, 3, 4, 5, 6}), Tensor::of<int32_t>({1}, {length}),
              Tensor::of<int32_t>({1, 2}, {label, 0}), Tensor::of<int32_t>({1}, {count})});
    };
  };
  expect_error(ErrorCode::kInvalidValue, "logit_length[0] is 3, outside 0..2", run(3, 0, 1));
  expect_error(ErrorCode::kInvalidValue, "label_length[0] is 2, outside 0..1", run(1, 0, 2));
  expect_error(ErrorCode::kInvalidValue, "labels[0] is 3, outside 0..2", run(2, 3, 1));
  expect_error(ErrorCode::kInvalidShape, "axis 1 of labels [1,3] is 3, axis 1 of logits is 2", [&] {
    run_op("CTCLoss", 4, {},
           {logits, Tensor::of<int32_t>({1}, {1}), Tensor(ElementType::kI32, {1, 3}),
            Tensor::of<int32_t>({1}, {1})});
  });
}

}  // namespace
}  // namespace wasmvino::test::ctc_loss_test
