// SPDX-License-Identifier: Apache-2.0
// Runs one operation of OpenVINO Tokenizers, on strings instead of their tensors.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "tests/ops/op_tester.h"

namespace wasmvino::test {

using Texts = std::vector<std::string>;
using Numbers = std::vector<int32_t>;

inline Tensor vector_of(const Numbers& values) {
  return Tensor::of<int32_t>({static_cast<int64_t>(values.size())}, values.data());
}

// A u8 tensor: a pattern, for example.
inline Tensor bytes_of(const std::string& text) {
  Tensor tensor(ElementType::kU8, {static_cast<int64_t>(text.size())});
  std::copy(text.begin(), text.end(), tensor.mutable_data<char>());
  return tensor;
}

inline Tensor flags_of(const std::vector<int>& flags) {
  Tensor tensor(ElementType::kBoolean, {static_cast<int64_t>(flags.size())});
  for (size_t i = 0; i < flags.size(); ++i) tensor.mutable_data<bool>()[i] = flags[i] != 0;
  return tensor;
}

// Begins, ends and bytes.
inline std::vector<Tensor> strings_of(const Texts& texts) {
  Numbers begins, ends;
  std::string bytes;
  for (const std::string& text : texts) {
    begins.push_back(static_cast<int32_t>(bytes.size()));
    bytes += text;
    ends.push_back(static_cast<int32_t>(bytes.size()));
  }
  return {vector_of(begins), vector_of(ends), bytes_of(bytes)};
}

// Strings behind rows: row i has `sizes[i]` of them.
inline std::vector<Tensor> rows_of(const Numbers& sizes, const Texts& texts) {
  Numbers begins, ends;
  int32_t at = 0;
  for (const int32_t size : sizes) {
    begins.push_back(at);
    ends.push_back(at += size);
  }
  std::vector<Tensor> tensors = strings_of(texts);
  tensors.insert(tensors.begin(), {vector_of(begins), vector_of(ends)});
  return tensors;
}

inline std::vector<Tensor> joined(std::vector<Tensor> first, const std::vector<Tensor>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

inline Numbers numbers_of(const Tensor& tensor) {
  return {tensor.data<int32_t>(), tensor.data<int32_t>() + tensor.size()};
}

inline std::vector<int> flags_in(const Tensor& tensor) {
  return {tensor.data<bool>(), tensor.data<bool>() + tensor.size()};
}

// The strings in three tensors.
inline Texts texts_in(const std::vector<Tensor>& tensors, size_t first = 0) {
  Texts texts;
  for (size_t i = 0; i < tensors[first].size(); ++i) {
    const int32_t begin = tensors[first].data<int32_t>()[i], end = tensors[first + 1].data<int32_t>()[i];
    texts.emplace_back(tensors[first + 2].data<char>() + begin, static_cast<size_t>(end - begin));
  }
  return texts;
}

inline std::vector<Tensor> run_extension(const std::string& type, const model::AttributeTexts& attributes,
                                         const std::vector<Tensor>& inputs, size_t outputs) {
  const model::OpClass* found = registry().find_newest(type, "extension");
  if (found == nullptr) fail(ErrorCode::kUnsupported, "there is no ", type);
  auto op = found->make();
  model::AttributeReader reader(attributes);
  op->visit_attributes(reader);
  model::Node node("test", std::string(found->type), found->since, std::move(op));
  node.outputs.resize(outputs);
  return model::evaluate_node(node, inputs);
}

}  // namespace wasmvino::test
