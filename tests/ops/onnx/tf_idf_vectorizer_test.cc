// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/domain_tester.h"

namespace wasmvino::test::tf_idf_vectorizer_test {
namespace {

// Single items 2, 3, 5, 4 and pairs 5 6, 7 8, 6 7, as in the examples of ONNX's specification.
const Tensor kPool = Tensor::of<int64_t>({10}, {2, 3, 5, 4, 5, 6, 7, 8, 6, 7});

struct Attributes {
  const char* shortest = "1";
  const char* longest = "2";
  const char* skips = "0";
  const char* mode = "TF";
  const char* counts = "0,4";
  const char* columns = "0,1,2,3,4,5,6";
  const char* weights = "";

  model::AttributeTexts texts() const {
    return {{"min_gram_length", shortest}, {"max_gram_length", longest},
            {"max_skip_count", skips},     {"mode", mode},
            {"ngram_counts", counts},      {"ngram_indexes", columns},
            {"weights", weights}};
  }
};

Attributes grams(const char* shortest, const char* longest, const char* skips) {
  Attributes made;
  made.shortest = shortest;
  made.longest = longest;
  made.skips = skips;
  return made;
}

Tensor count(const Tensor& data, const Attributes& attributes) {
  run_domain_op_open("ai.onnx", "TfIdfVectorizer", attributes.texts(), {data, kPool}, {1}, 3);
  return run_domain_op("ai.onnx", "TfIdfVectorizer", attributes.texts(), {data, kPool});
}

TEST(TfIdfVectorizer, CountsPairs) {
  const Tensor row = Tensor::of<int32_t>({12}, {1, 1, 3, 3, 3, 7, 8, 6, 7, 5, 6, 8});
  expect_tensor<float>(count(row, grams("2", "2", "0")), {7}, {0, 0, 0, 0, 1, 1, 1});
  expect_tensor<float>(count(row, grams("2", "2", "5")), {7}, {0, 0, 0, 0, 1, 3, 1});
  expect_tensor<float>(count(row, grams("1", "2", "5")), {7}, {0, 3, 1, 0, 1, 3, 1});
}

TEST(TfIdfVectorizer, CountsInEachRow) {
  const Tensor rows = Tensor::of<int32_t>({2, 6}, {1, 1, 3, 3, 3, 7, 8, 6, 7, 5, 6, 8});
  expect_tensor<float>(count(rows, grams("2", "2", "0")), {2, 7}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1});
}

TEST(TfIdfVectorizer, Weights) {
  const Tensor row = Tensor::of<int64_t>({4}, {3, 3, 5, 6});
  Attributes weighted;
  weighted.weights = "1,2,3,4,5,6,7";
  weighted.mode = "TFIDF";
  expect_tensor<float>(count(row, weighted), {7}, {0, 4, 3, 0, 5, 0, 0});
  weighted.mode = "IDF";
  expect_tensor<float>(count(row, weighted), {7}, {0, 2, 3, 0, 5, 0, 0});
}

TEST(TfIdfVectorizer, Refuses) {
  const Tensor row = Tensor::of<int64_t>({1}, {3});
  Attributes wrong;
  wrong.counts = "0,11";
  expect_error(ErrorCode::kInvalidModel, "ascending positions in the 10 items", [&] { count(row, wrong); });
  wrong = Attributes();
  wrong.columns = "0,1";
  expect_error(ErrorCode::kInvalidModel, "2 numbers for 7 n-grams", [&] { count(row, wrong); });
  wrong = Attributes();
  wrong.shortest = "3";
  expect_error(ErrorCode::kInvalidModel, "n-grams have 3 to 2 items", [&] { count(row, wrong); });
}

}  // namespace
}  // namespace wasmvino::test::tf_idf_vectorizer_test
