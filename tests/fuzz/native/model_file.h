// SPDX-License-Identifier: Apache-2.0
// What the fuzz targets for models share: the data is the text of the model, a zero byte and the .bin.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "frontends/frontends.h"
#include "ops/registry.h"
#include "outcome.h"
#include "passes/passes.h"
#include "runtime/compiled_model.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t most);

namespace wasmvino::test {

struct ModelFile {
  std::string text;
  std::vector<char> bin;
};

inline ModelFile split(const uint8_t* data, size_t size) {
  const uint8_t* const end = std::find(data, data + size, uint8_t{0});
  ModelFile file{std::string(reinterpret_cast<const char*>(data), static_cast<size_t>(end - data)), {}};
  if (end != data + size) file.bin.assign(end + 1, data + size);
  return file;
}

// The reverse of split(). Returns the size, or 0 if there is no room for the file.
inline size_t join(ModelFile file, uint8_t* data, size_t most) {
  file.text.erase(std::remove(file.text.begin(), file.text.end(), '\0'), file.text.end());
  const size_t size = file.text.size() + 1 + file.bin.size();
  if (size > most) return 0;
  uint8_t* const bin = std::copy(file.text.begin(), file.text.end(), data);
  *bin = 0;
  std::copy(file.bin.begin(), file.bin.end(), bin + 1);
  return size;
}

inline void mutate_bin(ModelFile& file) {
  const size_t used = file.bin.size(), room = used + 64;
  file.bin.resize(room);
  file.bin.resize(LLVMFuzzerMutate(reinterpret_cast<uint8_t*>(file.bin.data()), used, room));
}

// How a model is compiled and run: by the bits of a hash of the file, so that mutations try every
// combination.
inline uint32_t hash_of(const ModelFile& file) {
  uint32_t hash = 0x811c9dc5;  // FNV-1a
  for (const char byte : file.text) hash = (hash ^ static_cast<uint8_t>(byte)) * 0x01000193;
  return hash ^ (hash >> 16);
}

inline runtime::CompileOptions options_of(uint32_t hash) {
  constexpr size_t kRowGroups[] = {0, 4, 32, SIZE_MAX};
  static const std::vector<std::string_view> names = passes::pass_names();
  const bool skips = (hash & 0x200) != 0;
  return {.passes = hash % 8 != 0,
          .integers = (hash & 8) == 0,
          .row_group = kRowGroups[(hash >> 4) % 4],
          .skipped_passes = skips ? std::string(names[(hash >> 10) % names.size()]) : "",
          .last_logits = (hash & 0x40) != 0,
          .profiling = (hash & 0x80) != 0,
          .overwrites_inputs = (hash & 0x100) != 0};
}

// Sets all inputs. Dynamic dimensions become `size` if their bounds allow it.
inline void set_inputs(runtime::InferRequest& request, int64_t size) {
  const std::vector<runtime::Port>& ports = request.compiled_model().inputs();
  for (size_t i = 0; i < ports.size(); ++i) {
    const runtime::Port& port = ports[i];
    Shape shape;
    for (size_t axis = 0; port.shape.has_rank() && axis < port.shape.rank(); ++axis) {
      shape.push_back(std::clamp<int64_t>(size, port.shape[axis].min, port.shape[axis].max));
    }
    const ElementType type = port.type == ElementType::kDynamic ? ElementType::kF32 : port.type;
    Tensor tensor(type, shape);
    if (type != ElementType::kString) {
      uint8_t next = static_cast<uint8_t>(7 * i);
      for (size_t k = 0; k < tensor.byte_size(); ++k) {
        tensor.mutable_data<uint8_t>()[k] = type == ElementType::kBoolean ? next % 2 : next;
        next = static_cast<uint8_t>(next * 5 + 1);
      }
    }
    request.set_input(i, std::move(tensor));
  }
}

// Reads, compiles and runs a model: twice with the same shapes, then with others, then after a reset of its
// variables. A request can run again after a run that failed.
inline void run_model(ModelFile file) {
  const uint32_t hash = hash_of(file);
  auto text = std::make_shared<MemoryBytes>(std::vector<char>(file.text.begin(), file.text.end()));
  const auto model =
      frontends::read(std::move(text), {std::make_shared<MemoryBytes>(std::move(file.bin))}, ops::registry());
  const auto compiled = runtime::CompiledModel::compile(*model, ops::registry(), options_of(hash));
  const auto request = compiled->create_infer_request();
  for (const int64_t size : {2, 2, 3, 1, 2}) {
    run_within_limits([&] {
      set_inputs(*request, size);
      request->infer(kFuzzLimits);
    });
    if (size == 1) request->reset_state();
  }
}

}  // namespace wasmvino::test
