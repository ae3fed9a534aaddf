// SPDX-License-Identifier: Apache-2.0
// Builds a .param from text and a .bin from entries, and reads them with the real operations.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/bytes.h"
#include "frontends/pnnx/reader.h"
#include "model/problems.h"
#include "ops/registry.h"
#include "runtime/compiled_model.h"

namespace wasmvino::test {

// The operator lines, preceded by the two header lines.
inline std::string param(const std::vector<std::string>& lines) {
  std::string text = cat("7767517\n", lines.size(), " 0\n");
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

inline void append_number(std::string& out, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += i < 8 ? static_cast<char>(value >> (8 * i)) : '\0';
}

// An uncompressed ZIP archive without the ZIP64 extension. All entries state `method`.
inline std::string zip(const std::vector<std::pair<std::string, std::string>>& entries, int method = 0) {
  std::string archive, directory;
  for (const auto& [name, content] : entries) {
    const size_t offset = archive.size();
    append_number(archive, 0x04034b50, 4);
    append_number(archive, 0, 4);
    append_number(archive, static_cast<uint64_t>(method), 2);
    append_number(archive, 0, 8);
    append_number(archive, content.size(), 4);
    append_number(archive, content.size(), 4);
    append_number(archive, name.size(), 2);
    append_number(archive, 0, 2);
    archive += name + content;
    append_number(directory, 0x02014b50, 4);
    append_number(directory, 0, 6);
    append_number(directory, static_cast<uint64_t>(method), 2);
    append_number(directory, 0, 8);
    append_number(directory, content.size(), 4);
    append_number(directory, content.size(), 4);
    append_number(directory, name.size(), 2);
    append_number(directory, 0, 12);
    append_number(directory, offset, 4);
    directory += name;
  }
  const size_t offset = archive.size();
  archive += directory;
  append_number(archive, 0x06054b50, 4);
  append_number(archive, 0, 4);
  append_number(archive, entries.size(), 2);
  append_number(archive, entries.size(), 2);
  append_number(archive, directory.size(), 4);
  append_number(archive, offset, 4);
  append_number(archive, 0, 2);
  return archive;
}

inline std::string floats(const std::vector<float>& values) {
  return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
}

inline std::shared_ptr<const ByteSource> bytes(const std::string& content) {
  return std::make_shared<MemoryBytes>(std::vector<char>(content.begin(), content.end()));
}

inline std::unique_ptr<model::Model> read_pnnx(const std::string& text,
                                               const std::string& archive = zip({})) {
  return pnnx::frontend().read(bytes(text), {bytes(archive)}, ops::registry());
}

// All problems of a model that is rejected, one per line.
inline std::string problems_of(const std::string& text, const std::string& archive = zip({})) {
  try {
    read_pnnx(text, archive);
  } catch (const model::ReadError& error) {
    std::string all;
    for (const Error& problem : error.problems()) all += std::string(problem.what()) + "\n";
    return all;
  }
  return "it was read";
}

// The outputs of a model for f32 inputs.
inline std::vector<Tensor> run(const model::Model& model, const std::vector<Tensor>& inputs) {
  const auto compiled = runtime::CompiledModel::compile(model, ops::registry(), {});
  const auto request = compiled->create_infer_request();
  for (size_t i = 0; i < inputs.size(); ++i) request->set_input(i, inputs[i]);
  request->infer();
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < compiled->outputs().size(); ++i) outputs.push_back(request->output(i).clone());
  return outputs;
}

inline std::vector<float> values(const Tensor& tensor) {
  return std::vector<float>(tensor.data<float>(), tensor.data<float>() + tensor.size());
}

}  // namespace wasmvino::test
