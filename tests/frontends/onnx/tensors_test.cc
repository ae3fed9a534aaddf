// SPDX-License-Identifier: Apache-2.0
// Tensors in the file and beside it.
#include "onnx_tester.h"

namespace wasmvino::test {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// y = x + w
std::string adds(const std::string& w) {
  return model_of(node("Add", {"x", "w"}, {"y"}) + input(value("x", kFloat, {2})) +
                  output(value("y", kFloat, {2})) + initializer(w));
}

std::vector<float> sum_with(const std::string& w, const Files& files = {}) {
  return run_onnx(adds(w), Tensor::of({2}, {1.f, 2.f}), files);
}

std::string entry(const char* key, const char* text) { return field(13, field(1, key) + field(2, text)); }
std::string external(const std::string& entries) {
  return tensor("w", kFloat, {2}, entries + field(14, uint64_t{1}));
}

TEST(OnnxTensors, ReadsRawPackedAndSingleElements) {
  const std::vector<float> expected = {11, 22};
  EXPECT_EQ(sum_with(tensor("w", kFloat, {2}, field(9, raw<float>({10, 20})))), expected);
  EXPECT_EQ(sum_with(tensor("w", kFloat, {2}, field(4, raw<float>({10, 20})))), expected);
  EXPECT_EQ(sum_with(tensor("w", kFloat, {2}, fixed(4, 10) + fixed(4, 20))), expected);
}

TEST(OnnxTensors, DecodesIntegersOfVaryingLength) {
  const auto model = [](const std::string& w) {
    return model_of(node("Cast", {"w"}, {"f"}, integer_attribute("to", kFloat)) +
                    node("Add", {"x", "f"}, {"y"}) + input(value("x", kFloat, {2})) +
                    output(value("y", kFloat, {2})) + initializer(w));
  };
  const Tensor x = Tensor::of({2}, {0.f, 0.f});
  const std::string minus = varint(static_cast<uint64_t>(int64_t{-3}));
  EXPECT_EQ(minus.size(), 10u);
  EXPECT_EQ(run_onnx(model(tensor("w", kInt64, {2}, field(7, minus + varint(300)))), x),
            (std::vector<float>{-3, 300}));
  EXPECT_EQ(run_onnx(model(tensor("w", kInt32, {2},
                                  field(5, static_cast<uint64_t>(int64_t{-3})) + field(5, uint64_t{7}))),
                     x),
            (std::vector<float>{-3, 7}));
}

TEST(OnnxTensors, RefusesDataThatDoNotFitTheShape) {
  const std::string two = field(9, raw<float>({10, 20}));
  EXPECT_PRED2(contains, problem_of(adds(tensor("w", kFloat, {3}, two))),
               "the tensor 'w' has 8 bytes, f32 [3] takes 12");
  EXPECT_PRED2(contains, problem_of(adds(tensor("w", kFloat, {2}, ""))), "'w' of type f32 has no data");
  EXPECT_PRED2(contains, problem_of(adds(tensor("w", kInt64, {2}, field(4, raw<float>({10, 20}))))),
               "has data of another type");
  EXPECT_PRED2(contains, problem_of(adds(tensor("w", kFloat, {uint64_t{1} << 40, uint64_t{1} << 40}, two))),
               "[1099511627776,1099511627776]");
  EXPECT_PRED2(contains, problem_of(adds(tensor("w", 14, {2}, two))),
               "the unsupported element type complex64");
  EXPECT_PRED2(contains, problem_of(adds(tensor("w", 99, {2}, two))), "the element type 99");
}

TEST(OnnxTensors, FindsExternalDataBesideTheModel) {
  const Files files = {{"a/w.data", "?" + raw<float>({10, 20})}};
  EXPECT_EQ(
      sum_with(external(entry("location", "a/w.data") + entry("offset", "1") + entry("length", "8")), files),
      (std::vector<float>{11, 22}));
  EXPECT_EQ(sum_with(external(entry("location", "a/w.data") + entry("offset", "1")), files),
            (std::vector<float>{11, 22}));
}

TEST(OnnxTensors, RefusesExternalDataThatItCannotReach) {
  const Files files = {{"w.data", raw<float>({10, 20})}};
  const auto problem = [&](const std::string& entries) { return problem_of(adds(external(entries)), files); };
  EXPECT_PRED2(contains, problem(entry("location", "other")), "'other', which was not given with the model");
  EXPECT_PRED2(contains, problem(entry("location", "w.data") + entry("offset", "4") + entry("length", "8")),
               "has 8 bytes at 4 of the file 'w.data', which has 8");
  EXPECT_PRED2(contains, problem(entry("location", "w.data") + entry("offset", "-4")), "expected a number");
  EXPECT_PRED2(contains, problem(""), "names no file");
  for (const char* path :
       {"../w.data", "a/../../w.data", "/w.data", "\\w.data", "C:\\w.data", "a\\..\\w.data"}) {
    EXPECT_PRED2(contains, problem(entry("location", path)), "expected a relative path without '..'");
  }
}

TEST(OnnxTensors, NamesTheFilesBesideTheModel) {
  const auto files_of = [](const std::string& model) {
    return frontends::outline(MemoryBytes(model.data(), model.size())).files;
  };
  const std::string w = external(entry("location", "w.data")), v = external(entry("location", "a/v.data"));
  const auto constant = [](const std::string& of) {
    return field(5, field(1, "value") + field(20, uint64_t{4}) + field(5, of));
  };
  const std::string branch = node("Constant", {}, {"c"}, constant(v)) + initializer(w);
  const std::string graph =
      initializer(w) + initializer(w) + initializer(external(entry("location", "../w.data"))) +
      initializer(external("")) +
      node("If", {"x"}, {"y"}, field(5, field(1, "then_branch") + field(20, uint64_t{5}) + field(6, branch)));
  const std::string function =
      field(25, field(1, "f") + field(7, field(2, "c") + field(4, "Constant") +
                                             constant(external(entry("location", "f.data")))));
  EXPECT_EQ(files_of(model_of(graph, function)), (std::vector<std::string>{"w.data", "a/v.data", "f.data"}));
  EXPECT_EQ(files_of(adds(tensor("w", kFloat, {2}, field(9, raw<float>({10, 20}))))),
            std::vector<std::string>());
  EXPECT_EQ(files_of("<?xml version=\"1.0\"?><net/>"), std::vector<std::string>());
  EXPECT_EQ(files_of(model_of(graph).substr(0, 20)), std::vector<std::string>()) << "a file cut off";
}

TEST(OnnxTensors, ReadsSparseInitializersAsDenseOnes) {
  const std::string values = tensor("w", kFloat, {1}, field(9, raw<float>({20})));
  const std::string indices = tensor("", kInt64, {1}, field(9, raw<int64_t>({1})));
  const std::string sparse = field(15, field(1, values) + field(2, indices) + field(3, uint64_t{2}));
  const std::string model = model_of(node("Add", {"x", "w"}, {"y"}) + input(value("x", kFloat, {2})) +
                                     output(value("y", kFloat, {2})) + sparse);
  EXPECT_EQ(run_onnx(model, Tensor::of({2}, {1.f, 2.f})), (std::vector<float>{1, 22}));
}

}  // namespace
}  // namespace wasmvino::test
