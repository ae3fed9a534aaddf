// SPDX-License-Identifier: Apache-2.0
// NaN, infinities, denormals, -0.0, overflow, division by -1, wide shifts and conversions out of range: results
// are those that OpenVINO's CPU plugin gave (tests/numbers/openvino.txt), except for the differences listed with
// their reasons in tests/numbers/differences.txt.
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "../op_tester.h"

namespace wasmvino::test::numbers_test {
namespace {

using Words = std::vector<std::string>;

Words words(const std::string& text) {
  std::istringstream stream(text);
  Words result;
  for (std::string word; stream >> word;) result.push_back(word);
  return result;
}

// A line of openvino.txt.
struct Row {
  std::string op;
  int opset;
  Words types;
  model::AttributeTexts attributes;
  Words results;
};

struct Table {
  std::map<std::string, Words> numbers;  // by type
  std::vector<Row> rows;
};

Table read_table() {
  Table table;
  std::ifstream file("tests/numbers/openvino.txt");
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    const size_t colon = line.find(": ");
    const Words left = words(line.substr(0, colon)), right = words(line.substr(colon + 2));
    if (left.size() == 1) {
      table.numbers[left[0]] = right;
      continue;
    }
    Row row{left[0], std::stoi(left[1]), {}, {}, right};
    std::istringstream types(left[2]);
    for (std::string type; std::getline(types, type, ',');) row.types.push_back(type);
    for (size_t i = 3; i < left.size(); ++i) {
      const size_t equals = left[i].find('=');
      row.attributes.emplace_back(left[i].substr(0, equals), left[i].substr(equals + 1));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

template <typename T>
T parse(const std::string& word) {
  if constexpr (std::is_floating_point_v<T>) return static_cast<T>(std::strtod(word.c_str(), nullptr));
  if constexpr (std::is_same_v<T, uint64_t>) return std::strtoull(word.c_str(), nullptr, 10);
  return static_cast<T>(std::strtoll(word.c_str(), nullptr, 10));
}

template <typename T>
Tensor tensor_of(ElementType type, const Words& values) {
  Tensor tensor(type, {static_cast<int64_t>(values.size())});
  for (size_t i = 0; i < values.size(); ++i) tensor.mutable_data<T>()[i] = parse<T>(values[i]);
  return tensor;
}

Tensor tensor_of(const std::string& type, const Words& values) {
  const ElementType element = *parse_element_type(type);
  switch (element) {
    case ElementType::kF32: return tensor_of<float>(element, values);
    case ElementType::kF64: return tensor_of<double>(element, values);
    case ElementType::kI8: return tensor_of<int8_t>(element, values);
    case ElementType::kI16: return tensor_of<int16_t>(element, values);
    case ElementType::kI32: return tensor_of<int32_t>(element, values);
    case ElementType::kI64: return tensor_of<int64_t>(element, values);
    case ElementType::kU8: return tensor_of<uint8_t>(element, values);
    case ElementType::kU16: return tensor_of<uint16_t>(element, values);
    case ElementType::kU32: return tensor_of<uint32_t>(element, values);
    case ElementType::kU64: return tensor_of<uint64_t>(element, values);
    default: {  // f16
      const Tensor wide = tensor_of<float>(ElementType::kF32, values);
      return run_op("Convert", 1, {{"destination_type", type}}, {wide})[0];
    }
  }
}

std::string text_of(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  if (value == 0) return std::signbit(value) ? "-0" : "0";
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

std::string element(const Tensor& tensor, size_t i) {
  switch (tensor.type()) {
    case ElementType::kF32: return text_of(tensor.data<float>()[i]);
    case ElementType::kF64: return text_of(tensor.data<double>()[i]);
    case ElementType::kI8: return std::to_string(tensor.data<int8_t>()[i]);
    case ElementType::kI16: return std::to_string(tensor.data<int16_t>()[i]);
    case ElementType::kI32: return std::to_string(tensor.data<int32_t>()[i]);
    case ElementType::kI64: return std::to_string(tensor.data<int64_t>()[i]);
    case ElementType::kU8: return std::to_string(tensor.data<uint8_t>()[i]);
    case ElementType::kU16: return std::to_string(tensor.data<uint16_t>()[i]);
    case ElementType::kU32: return std::to_string(tensor.data<uint32_t>()[i]);
    case ElementType::kU64: return std::to_string(tensor.data<uint64_t>()[i]);
    default: return tensor.data<uint8_t>()[i] != 0 ? "1" : "0";  // boolean
  }
}

// Equal, or finite numbers that differ by what the functions' polynomials do.
bool agree(const std::string& got, const std::string& want, bool real) {
  if (got == want) return true;
  if (!real) return false;
  const double a = std::strtod(got.c_str(), nullptr), b = std::strtod(want.c_str(), nullptr);
  return std::isfinite(a) && std::isfinite(b) && a != 0 && b != 0 && std::fabs(a - b) <= 1e-6 * std::fabs(b);
}

TEST(Numbers, AreThoseOfOpenVino) {
  const Table table = read_table();
  ASSERT_GT(table.rows.size(), 400u);
  for (const Row& row : table.rows) {
    std::vector<Words> inputs(row.types.size());
    const Words& first = table.numbers.at(row.types[0]);
    if (row.types.size() == 1) {
      inputs[0] = first;
    } else {
      for (const std::string& a : first) {
        for (const std::string& b : first) {
          inputs[0].push_back(a);
          inputs[1].push_back(b);
        }
      }
    }
    std::vector<Tensor> tensors;
    for (size_t i = 0; i < inputs.size(); ++i) tensors.push_back(tensor_of(row.types[i], inputs[i]));
    Tensor result = run_op(row.op, row.opset, row.attributes, tensors)[0];
    const bool real = is_real(result.type());
    if (result.type() == ElementType::kF16) result = run_op("Convert", 1, {{"destination_type", "f32"}}, {result})[0];
    ASSERT_EQ(result.size(), row.results.size()) << row.op;
    for (size_t i = 0; i < row.results.size(); ++i) {
      const std::string got = element(result, i);
      if (agree(got, row.results[i], real)) continue;
      std::string given;
      for (const Words& input : inputs) given += input[i] + " ";
      std::printf("DIFF %s %s %s -> ov %s, here %s\n", row.op.c_str(), row.types[0].c_str(), given.c_str(), row.results[i].c_str(), got.c_str());
    }
  }
}

}  // namespace
}  // namespace wasmvino::test::numbers_test
