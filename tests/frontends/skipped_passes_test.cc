// SPDX-License-Identifier: Apache-2.0
// Whole models compute the same without any one of the passes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/bytes.h"
#include "core/float_types.h"
#include "frontends/frontends.h"
#include "ops/registry.h"
#include "passes/passes.h"
#include "runtime/compiled_model.h"

namespace wasmvino::test {
namespace {

namespace fs = std::filesystem;

struct Case {
  const char* name;
  int64_t size;  // of dynamic dimensions
  // Of the largest value of an output. A network in f16 rounds between operations without compute_f16_in_f32.
  // In quantised networks, a difference in the last bit may become a level.
  double tolerance;
};
constexpr Case kCases[] = {
    {"models/g2p", 3, 5e-4},
    {"models/silero_vad", 1, 5e-4},
    {"models/face_detector_e2e", 128, 5e-4},
    {"models/omz_lm_v10_FP16", 1, 2e-3},
    {"models/omz_lm_v10_FP16-INT8", 1, 0.02},
    {"models/textline_cls_int8", 1, 0.02},
    {"dynamic/u4_groups_of_32", 2, 0.005},
};

std::shared_ptr<MemoryBytes> contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return std::make_shared<MemoryBytes>(std::vector<char>(std::istreambuf_iterator<char>(file), {}));
}

// The same values for each run. Integers are small enough for indices and beam widths.
Tensor made_up(const runtime::Port& port, int64_t size) {
  Shape shape;
  for (const Dimension& d : port.shape) shape.push_back(d.is_static() ? d.size() : size);
  Tensor tensor(port.type, shape);
  const auto value = [](size_t i) { return static_cast<float>(i * 2654435761u % 1024) / 1024; };
  for (size_t i = 0; i < tensor.size(); ++i) {
    if (port.type == ElementType::kF32) tensor.mutable_data<float>()[i] = value(i);
    if (port.type == ElementType::kF16) tensor.mutable_data<Float16>()[i] = Float16(value(i));
    if (port.type == ElementType::kU8) tensor.mutable_data<uint8_t>()[i] = static_cast<uint8_t>(37 * i);
    if (port.type == ElementType::kI32) tensor.mutable_data<int32_t>()[i] = 3 + static_cast<int32_t>(i % 3);
  }
  return tensor;
}

std::vector<Tensor> results(const model::Model& model, const Case& each, std::string skipped) {
  const auto compiled = runtime::CompiledModel::compile(
      model, ops::registry(), {.row_group = runtime::kDefaultRowGroup, .skipped_passes = std::move(skipped)});
  const auto request = compiled->create_infer_request();
  for (size_t i = 0; i < compiled->inputs().size(); ++i)
    request->set_input(i, made_up(compiled->inputs()[i], each.size));
  request->infer();
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < compiled->outputs().size(); ++i) outputs.push_back(request->output(i));
  return outputs;
}

class SkippedPasses : public testing::TestWithParam<Case> {};

TEST_P(SkippedPasses, ChangeNoResult) {
  const Case& each = GetParam();
  const fs::path folder = fs::path(WASMVINO_TEST_DATA) / each.name;
  const auto model =
      frontends::read(contents(folder / "model.xml"), {contents(folder / "model.bin")}, ops::registry());
  const std::vector<Tensor> expected = results(*model, each, {});
  for (const std::string_view pass : passes::pass_names()) {
    SCOPED_TRACE(std::string(pass));
    const std::vector<Tensor> got = results(*model, each, std::string(pass));
    for (size_t r = 0; r < expected.size(); ++r) {
      ASSERT_EQ(to_string(got[r].shape()), to_string(expected[r].shape())) << "output " << r;
      if (expected[r].type() != ElementType::kF32) {
        EXPECT_TRUE(std::equal(got[r].data<char>(), got[r].data<char>() + got[r].byte_size(),
                               expected[r].data<char>()))
            << "output " << r;
        continue;
      }
      double largest = 0, difference = 0;
      for (size_t i = 0; i < expected[r].size(); ++i) {
        const double value = expected[r].data<float>()[i];
        largest = std::max(largest, std::abs(value));
        difference = std::max(difference, std::abs(got[r].data<float>()[i] - value));
      }
      EXPECT_LE(difference, each.tolerance * largest) << "output " << r;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, SkippedPasses, testing::ValuesIn(kCases), [](const auto& info) {
  std::string name = info.param.name;
  std::replace_if(name.begin(), name.end(), [](char c) { return std::isalnum(c) == 0; }, '_');
  return name;
});

}  // namespace
}  // namespace wasmvino::test
