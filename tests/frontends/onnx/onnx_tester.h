// SPDX-License-Identifier: Apache-2.0
// Writes small ONNX files, reads them and runs them.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/frontends.h"
#include "model/problems.h"
#include "ops/registry.h"
#include "runtime/compiled_model.h"

namespace wasmvino::test {

// The wire format of protocol buffers.
inline std::string varint(uint64_t value) {
  std::string text;
  for (; value >= 0x80; value >>= 7) text += static_cast<char>(value | 0x80);
  return text + static_cast<char>(value);
}
inline std::string field(unsigned number, uint64_t value) { return varint(number << 3) + varint(value); }
inline std::string field(unsigned number, std::string_view bytes) {
  return varint(number << 3 | 2) + varint(bytes.size()) + std::string(bytes);
}
inline std::string field(unsigned number, const char* text) { return field(number, std::string_view(text)); }
inline std::string fixed(unsigned number, float value) {
  return varint(number << 3 | 5) + std::string(reinterpret_cast<const char*>(&value), sizeof(value));
}
template <typename T>
std::string raw(std::initializer_list<T> values) {
  return std::string(reinterpret_cast<const char*>(values.begin()), values.size() * sizeof(T));
}

inline constexpr int kFloat = 1, kInt32 = 6, kInt64 = 7;  // TensorProto.DataType

// A tensor without its data, which `data` adds: field(9, raw<float>({...})).
inline std::string tensor(const char* name, int type, std::initializer_list<uint64_t> shape,
                          const std::string& data) {
  std::string text;
  for (const uint64_t size : shape) text += field(1, size);
  return text + field(2, static_cast<uint64_t>(type)) + field(8, name) + data;
}
// A value with a name, a type and sizes; -1 leaves a size open.
inline std::string value(const char* name, int type, std::initializer_list<int64_t> shape) {
  std::string sizes;
  for (const int64_t size : shape)
    sizes += field(1, size < 0 ? field(2, "n") : field(1, static_cast<uint64_t>(size)));
  const std::string tensor_type = field(1, static_cast<uint64_t>(type)) + field(2, sizes);
  return field(1, name) + field(2, field(1, tensor_type));
}
inline std::string node(const char* type, std::initializer_list<const char*> inputs,
                        std::initializer_list<const char*> outputs, const std::string& more = "") {
  std::string text;
  for (const char* input : inputs) text += field(1, input);
  for (const char* output : outputs) text += field(2, output);
  return field(1, text + field(4, type) + more);
}
inline std::string integer_attribute(const char* name, uint64_t value) {
  return field(5, field(1, name) + field(20, uint64_t{2}) + field(3, value));
}
// A model of IR version 10 with operator set 21. `graph` has the fields of a graph: nodes, inputs and so on.
inline std::string model_of(const std::string& graph, const std::string& more = "") {
  return field(1, uint64_t{10}) + field(7, field(2, "g") + graph) + field(8, field(2, uint64_t{21})) + more;
}
inline std::string input(const std::string& text) { return field(11, text); }
inline std::string output(const std::string& text) { return field(12, text); }
inline std::string initializer(const std::string& text) { return field(5, text); }

using Files = std::map<std::string, std::string>;

inline std::unique_ptr<model::Model> read_onnx(const std::string& file, const Files& files = {}) {
  const auto bytes = [](const std::string& text) {
    return std::make_shared<MemoryBytes>(std::vector<char>(text.begin(), text.end()));
  };
  const frontends::Companions companions(nullptr,
                                         [&](const std::string& path) -> std::shared_ptr<const ByteSource> {
                                           const auto found = files.find(path);
                                           return found == files.end() ? nullptr : bytes(found->second);
                                         });
  return frontends::read(bytes(file), companions, ops::registry());
}

// Why a model cannot be read.
inline std::string problem_of(const std::string& file, const Files& files = {}) {
  try {
    read_onnx(file, files);
  } catch (const model::ReadError& error) {
    return error.what();
  }
  return "it was read";
}

// The output of a model whose input and output are f32.
inline std::vector<float> run_onnx(const std::string& file, const Tensor& input, const Files& files = {}) {
  const auto model = read_onnx(file, files);
  const auto compiled = runtime::CompiledModel::compile(*model, ops::registry(), {});
  const auto request = compiled->create_infer_request();
  request->set_input(0, input);
  request->infer();
  const Tensor& made = request->output(0);
  return std::vector<float>(made.data<float>(), made.data<float>() + made.size());
}

}  // namespace wasmvino::test
