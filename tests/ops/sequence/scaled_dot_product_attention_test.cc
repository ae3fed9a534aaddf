// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "core/float_types.h"
#include "recurrent_tester.h"

namespace wasmvino::test::scaled_dot_product_attention_test {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

struct Case {
  Shape query, key, value;
  Tensor mask = {};
  Tensor scale = {};
  bool causal = false;
  Tensor sink = {};  // needs a mask and a scale
};

// Element `at` of a tensor broadcast to more or larger axes.
size_t place(const Shape& shape, const std::vector<size_t>& at) {
  size_t offset = 0;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    const size_t index = at[axis + at.size() - shape.size()];
    offset = offset * static_cast<size_t>(shape[axis]) + (shape[axis] == 1 ? 0 : index);
  }
  return offset;
}

void expect_attention(const Case& t) {
  const Tensor query = random_tensor(t.query, 1), key = random_tensor(t.key, 2),
               value = random_tensor(t.value, 3);
  const size_t rank =
      std::max({t.query.size(), t.key.size(), t.value.size(), t.mask ? t.mask.shape().size() : 0});
  Shape output(rank, 1);
  const auto widen = [&](const Shape& shape) {
    for (size_t back = 3; back <= shape.size(); ++back) {
      int64_t& size = output[rank - back];
      size = std::max(size, shape[shape.size() - back]);
    }
  };
  widen(t.query);
  widen(t.key);
  widen(t.value);
  if (t.mask) widen(t.mask.shape());
  const auto length = static_cast<size_t>(t.query[t.query.size() - 2]),
             embedding = static_cast<size_t>(t.query.back());
  const auto source = static_cast<size_t>(t.key[t.key.size() - 2]),
             width = static_cast<size_t>(t.value.back());
  output[rank - 2] = static_cast<int64_t>(length);
  output[rank - 1] = static_cast<int64_t>(width);
  const double scale =
      t.scale ? static_cast<double>(t.scale.data<float>()[0]) : 1 / std::sqrt(static_cast<double>(embedding));
  std::vector<float> expected;
  for (size_t i = 0; i < element_count(output); i += width) {
    std::vector<size_t> at(rank);
    size_t rest = i;
    for (size_t axis = rank; axis-- > 0;) {
      at[axis] = rest % static_cast<size_t>(output[axis]);
      rest /= static_cast<size_t>(output[axis]);
    }
    const size_t row = at[rank - 2];
    std::vector<double> weights(source);
    double sum = 0;
    for (size_t j = 0; j < source; ++j) {
      double score = 0;
      for (size_t e = 0; e < embedding; ++e) {
        at[rank - 2] = row, at[rank - 1] = e;
        const double q = static_cast<double>(query.data<float>()[place(t.query, at)]);
        at[rank - 2] = j;
        score += q * static_cast<double>(key.data<float>()[place(t.key, at)]);
      }
      score *= scale;
      at[rank - 2] = row, at[rank - 1] = j;
      if (t.causal) {
        if (j > row) score = -std::numeric_limits<double>::infinity();
      } else if (t.mask && t.mask.type() == ElementType::kBoolean) {
        if (!t.mask.data<bool>()[place(t.mask.shape(), at)]) score = -std::numeric_limits<double>::infinity();
      } else if (t.mask) {
        score += static_cast<double>(t.mask.data<float>()[place(t.mask.shape(), at)]);
      }
      sum += weights[j] = std::exp(score);
    }
    at[rank - 2] = row, at[rank - 1] = 0;
    if (t.sink) sum += std::exp(static_cast<double>(t.sink.data<float>()[place(t.sink.shape(), at)]));
    for (size_t v = 0; v < width; ++v) {
      double result = 0;
      for (size_t j = 0; j < source; ++j) {
        at[rank - 2] = j, at[rank - 1] = v;
        result += weights[j] / sum * static_cast<double>(value.data<float>()[place(t.value, at)]);
      }
      expected.push_back(static_cast<float>(result));
    }
  }
  std::vector<Tensor> inputs = {query, key, value};
  if (t.mask) inputs.push_back(t.mask);
  if (t.scale) inputs.push_back(t.scale);
  if (t.sink) inputs.push_back(t.sink);
  SCOPED_TRACE(testing::Message() << to_string(t.query) << to_string(t.key) << to_string(t.value)
                                  << t.causal);
  for (const size_t threads : {1, 3}) {
    expect_near(run_op_open("ScaledDotProductAttention", 13, {{"causal", t.causal ? "true" : "false"}},
                            inputs, 1, {}, threads)[0],
                output, expected, 1e-5f);
  }
}

TEST(ScaledDotProductAttention, Shapes) {
  for (const bool causal : {false, true}) {
    expect_attention({.query = {1, 3, 4}, .key = {1, 5, 4}, .value = {1, 5, 6}, .causal = causal});
    expect_attention({.query = {2, 3, 5, 8}, .key = {2, 3, 5, 8}, .value = {2, 3, 5, 8}, .causal = causal});
    expect_attention({.query = {2, 1, 7, 4}, .key = {1, 3, 2, 4}, .value = {2, 3, 2, 1}, .causal = causal});
    expect_attention({.query = {3, 4, 4}, .key = {2, 1, 4, 4}, .value = {1, 4, 2}, .causal = causal});
    expect_attention(
        {.query = {1, 2, 130, 16}, .key = {1, 2, 150, 16}, .value = {1, 2, 150, 24}, .causal = causal});
  }
}

TEST(ScaledDotProductAttention, Masks) {
  const Shape query = {2, 3, 4, 8}, key = {2, 3, 5, 8};
  for (const Shape& shape : {Shape{2, 3, 4, 5}, Shape{2, 1, 4, 5}, Shape{1, 1, 1, 5}, Shape{3, 4, 5},
                             Shape{4, 5}, Shape{1, 4, 1}}) {
    expect_attention({.query = query, .key = key, .value = key, .mask = random_tensor(shape, 4, 3)});
    Tensor flags(ElementType::kBoolean, shape);
    for (size_t i = 0; i < flags.size(); ++i) flags.mutable_data<bool>()[i] = i % 3 != 1;
    expect_attention({.query = query, .key = key, .value = key, .mask = flags});
  }
  // A mask may have more matrices than the rest.
  expect_attention(
      {.query = {1, 4, 8}, .key = {1, 5, 8}, .value = {1, 5, 8}, .mask = random_tensor({3, 4, 5}, 4)});
}

// More keys than are worked on at once; some rows see none of the first ones.
TEST(ScaledDotProductAttention, ManyKeys) {
  const Shape query = {2, 50, 8}, key = {2, 1100, 8}, value = {2, 1100, 5};
  for (const bool causal : {false, true})
    expect_attention({.query = {1, 1100, 8}, .key = {1, 1100, 8}, .value = {1, 1100, 5}, .causal = causal});
  Tensor flags(ElementType::kBoolean, {50, 1100}), numbers = random_tensor({50, 1100}, 4, 3);
  for (size_t i = 0; i < flags.size(); ++i) {
    const bool seen = i % 1100 >= (i / 1100 % 3) * 520;
    flags.mutable_data<bool>()[i] = seen;
    if (!seen) numbers.mutable_data<float>()[i] = -kInf;
  }
  expect_attention({.query = query, .key = key, .value = value, .mask = flags});
  expect_attention({.query = query, .key = key, .value = value, .mask = numbers});
}

// Threads share the keys of a few rows. Some rows see none of the first ones, or none of the last ones.
TEST(ScaledDotProductAttention, FewRowsOfManyKeys) {
  for (const int64_t rows : {1, 3, 16, 17}) {
    for (const int64_t keys : {256, 257, 700, 1100}) {
      expect_attention({.query = {2, rows, 8}, .key = {2, keys, 8}, .value = {2, keys, 5}});
      Tensor numbers = random_tensor({rows, keys}, 4, 3);
      for (int64_t i = 0; i < rows * keys; ++i) {
        const int64_t row = i / keys, key = i % keys;
        if (row % 2 == 0 ? key < keys * 2 / 3 : key > keys / 5)
          numbers.mutable_data<float>()[static_cast<size_t>(i)] = -kInf;
      }
      expect_attention({.query = {2, rows, 8}, .key = {2, keys, 8}, .value = {1, keys, 5}, .mask = numbers});
    }
  }
  const Tensor hidden = Tensor::of<float>({1, 1}, {-kInf});
  const Tensor result = run_op(
      "ScaledDotProductAttention", 13, {},
      {random_tensor({1, 1, 4}, 1), random_tensor({1, 600, 4}, 2), random_tensor({1, 600, 2}, 3), hidden})[0];
  expect_near(result, {1, 1, 2}, {kNan, kNan});
}

TEST(ScaledDotProductAttention, ScaleAndScalarMask) {
  const Shape shape = {2, 4, 8};
  expect_attention({.query = shape,
                    .key = shape,
                    .value = shape,
                    .mask = Tensor::scalar(0.0f),
                    .scale = Tensor::scalar(0.7f)});
  expect_attention({.query = shape,
                    .key = shape,
                    .value = shape,
                    .mask = random_tensor({4, 4}, 4),
                    .scale = Tensor::of<float>({1}, {2}),
                    .causal = true});
}

TEST(ScaledDotProductAttention, Sinks) {
  const Tensor none = Tensor::scalar(0.0f), scale = Tensor::scalar(0.5f);
  for (const Shape& shape : {Shape{3, 1, 1}, Shape{1, 3, 5, 1}, Shape{2, 1, 1, 1}, Shape{1, 1}, Shape{}}) {
    for (const bool causal : {false, true}) {
      expect_attention({.query = {2, 3, 5, 4},
                        .key = {2, 3, 6, 4},
                        .value = {2, 3, 6, 2},
                        .mask = none,
                        .scale = scale,
                        .causal = causal,
                        .sink = random_tensor(shape, 4, 3)});
    }
  }
  expect_attention({.query = {1, 2, 60, 4},
                    .key = {1, 2, 600, 4},
                    .value = {1, 2, 600, 3},
                    .mask = none,
                    .scale = scale,
                    .sink = random_tensor({1, 2, 60, 1}, 4, 3)});
  expect_attention({.query = {1, 2, 3, 4},
                    .key = {1, 2, 600, 4},
                    .value = {1, 2, 600, 3},
                    .mask = none,
                    .scale = scale,
                    .sink = random_tensor({1, 2, 1, 1}, 4, 3)});
  // Beside a sink, a row that sees no key is 0.
  for (const int64_t keys : {2, 600}) {
    const Tensor hidden = Tensor::of<float>({1, 1}, {-kInf});
    expect_near(run_op("ScaledDotProductAttention", 13, {},
                       {random_tensor({1, 1, 4}, 1), random_tensor({1, keys, 4}, 2),
                        random_tensor({1, keys, 2}, 3), hidden, scale, scale})[0],
                {1, 1, 2}, {0, 0});
  }
}

TEST(ScaledDotProductAttention, NothingToLookAt) {
  const Tensor ones = Tensor::of<float>({1, 1, 1}, {1});
  expect_near(
      run_op("ScaledDotProductAttention", 13, {}, {ones, ones, ones, Tensor::of<float>({1, 1}, {-kInf})})[0],
      {1, 1, 1}, {kNan});
}

TEST(ScaledDotProductAttention, Half) {
  const Tensor ones = Tensor::of<Float16>({1, 1, 1}, {Float16(1.0f)});
  const Tensor flag = Tensor::of<bool>({1, 1}, {true});
  EXPECT_EQ(f16_to_f32(
                run_op("ScaledDotProductAttention", 13, {}, {ones, ones, ones, flag})[0].data<uint16_t>()[0]),
            1.0f);
}

TEST(ScaledDotProductAttention, Inference) {
  using model::ValueInfo;
  const auto open = [](const PartialShape& shape) { return ValueInfo{ElementType::kF32, shape, nullptr}; };
  const auto shape = [&](const PartialShape& query, const PartialShape& key, const PartialShape& value) {
    return to_string(
        infer_op("ScaledDotProductAttention", 13, {}, {open(query), open(key), open(value)})[0].shape);
  };
  EXPECT_EQ(shape({1, Dimension(), 8}, {Dimension(), Dimension(), 8}, {3, 7, 9}), "[3,?,9]");
  EXPECT_EQ(shape({1, 2, 8}, PartialShape(), {3, 7, 9}), "[...]");
}

TEST(ScaledDotProductAttention, Refuses) {
  const auto run = [](const Shape& query, const Shape& key, const Shape& value, const Shape& mask) {
    return [=] {
      run_op(
          "ScaledDotProductAttention", 13, {},
          {random_tensor(query, 1), random_tensor(key, 2), random_tensor(value, 3), random_tensor(mask, 4)});
    };
  };
  expect_error(ErrorCode::kInvalidShape, "query has shape [4,8], expected rank 3 or more",
               run({4, 8}, {1, 4, 8}, {1, 4, 8}, {}));
  expect_error(ErrorCode::kInvalidShape, "axis 2 of key [1,4,7] is 7, the last axis of query is 8",
               run({1, 4, 8}, {1, 4, 7}, {1, 4, 8}, {}));
  expect_error(ErrorCode::kInvalidShape, "axis 1 of value [1,5,8] is 5",
               run({1, 4, 8}, {1, 4, 8}, {1, 5, 8}, {}));
  expect_error(ErrorCode::kInvalidShape, "the batches of query [2] and of key [3] do not fit",
               run({2, 4, 8}, {3, 4, 8}, {3, 4, 8}, {}));
  expect_error(ErrorCode::kInvalidShape, "attention_mask [3,4] does not fit the scores [1,4,4]",
               run({1, 4, 8}, {1, 4, 8}, {1, 4, 8}, {3, 4}));
  const Tensor ones = random_tensor({2, 3, 4}, 1);
  expect_error(ErrorCode::kInvalidShape, "sink [2,3,4] does not fit [batch, length, 1], here [2,3,1]", [&] {
    run_op("ScaledDotProductAttention", 13, {},
           {ones, ones, ones, Tensor::scalar(0.0f), Tensor::scalar(1.0f), ones});
  });
}

}  // namespace
}  // namespace wasmvino::test::scaled_dot_product_attention_test
