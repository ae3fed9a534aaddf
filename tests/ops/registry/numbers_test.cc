// SPDX-License-Identifier: Apache-2.0
// NaN, infinities, denormals, -0.0, overflow, wide shifts and conversions out of range: results are those of
// OpenVINO's CPU plugin (tests/numbers/openvino.txt), except for the differences that
// tests/numbers/differences.txt lists with their reasons.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
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

// A line of openvino.txt, and the line `reference` below it.
struct Row {
  std::string op;
  int opset;
  Words types;
  model::AttributeTexts attributes;
  Words plugin, reference;
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
    if (left[0] == "reference") {
      table.rows.back().reference = right;
      continue;
    }
    if (left.size() == 1) {
      table.numbers[left[0]] = right;
      continue;
    }
    Row row{left[0], std::stoi(left[1]), {}, {}, right, {}};
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
    case ElementType::kF32:
      return tensor_of<float>(element, values);
    case ElementType::kF64:
      return tensor_of<double>(element, values);
    case ElementType::kI8:
      return tensor_of<int8_t>(element, values);
    case ElementType::kI16:
      return tensor_of<int16_t>(element, values);
    case ElementType::kI32:
      return tensor_of<int32_t>(element, values);
    case ElementType::kI64:
      return tensor_of<int64_t>(element, values);
    case ElementType::kU8:
      return tensor_of<uint8_t>(element, values);
    case ElementType::kU16:
      return tensor_of<uint16_t>(element, values);
    case ElementType::kU32:
      return tensor_of<uint32_t>(element, values);
    case ElementType::kU64:
      return tensor_of<uint64_t>(element, values);
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
    case ElementType::kF32:
      return text_of(tensor.data<float>()[i]);
    case ElementType::kF64:
      return text_of(tensor.data<double>()[i]);
    case ElementType::kI8:
      return std::to_string(tensor.data<int8_t>()[i]);
    case ElementType::kI16:
      return std::to_string(tensor.data<int16_t>()[i]);
    case ElementType::kI32:
      return std::to_string(tensor.data<int32_t>()[i]);
    case ElementType::kI64:
      return std::to_string(tensor.data<int64_t>()[i]);
    case ElementType::kU8:
      return std::to_string(tensor.data<uint8_t>()[i]);
    case ElementType::kU16:
      return std::to_string(tensor.data<uint16_t>()[i]);
    case ElementType::kU32:
      return std::to_string(tensor.data<uint32_t>()[i]);
    case ElementType::kU64:
      return std::to_string(tensor.data<uint64_t>()[i]);
    default:
      return tensor.data<uint8_t>()[i] != 0 ? "1" : "0";  // boolean
  }
}

// Equal, or finite numbers that differ by what the polynomials of functions do (gelu: 6e-7 below 0).
bool agree(const std::string& got, const std::string& want, bool real) {
  if (got == want) return true;
  if (!real) return false;
  const double a = std::strtod(got.c_str(), nullptr), b = std::strtod(want.c_str(), nullptr);
  return std::isfinite(a) && std::isfinite(b) && a != 0 && b != 0 &&
         std::fabs(a - b) <= 1e-6 * std::fabs(b) + 6e-7;
}

// base^exponent modulo 2^64; of a negative exponent rounded to 0, of base 0 then the lowest integer.
uint64_t power(int64_t base, uint64_t exponent, bool is_negative, int64_t lowest) {
  if (is_negative && base == 0) return static_cast<uint64_t>(lowest);
  if (is_negative && base != 1 && base != -1) return 0;
  uint64_t result = 1;
  for (uint64_t square = static_cast<uint64_t>(base); exponent != 0; exponent >>= 1, square *= square) {
    if (exponent & 1) result *= square;
  }
  return result;
}

// Narrow integers are computed in 32 bits; those of 8 bits saturate then, others wrap.
int64_t fitted(uint64_t bits, const std::string& type) {
  const auto word = static_cast<int32_t>(bits);
  if (type == "i8") return std::clamp(word, -128, 127);
  if (type == "u8") return std::clamp(word, 0, 255);
  if (type == "i16") return static_cast<int16_t>(word);
  if (type == "u16") return static_cast<uint16_t>(word);
  if (type == "i32") return word;
  if (type == "u32") return static_cast<uint32_t>(word);
  return static_cast<int64_t>(bits);
}

// T is uint64_t for u64, int64_t for the other integer types. Quotients and remainders of the lowest integer
// by -1 are not asked for.
template <typename T>
std::string exact_integer(const std::string& op, const std::string& type, T a, T b) {
  const auto bits = static_cast<uint64_t>(a), others = static_cast<uint64_t>(b);
  const size_t shift = others % bit_width(*parse_element_type(type));
  const int64_t lowest = type == "i64" ? INT64_MIN : INT32_MIN;
  const auto is_down = [&] { return a % b != 0 && (a < 0) != (b < 0); };
  const auto fit = [&](uint64_t result) { return static_cast<T>(fitted(result, type)); };
  const T result = [&]() -> T {
    if (op == "Divide") return a / b - (is_down() ? 1 : 0);
    if (op == "Mod") return a % b;
    if (op == "FloorMod") return a % b + (is_down() ? b : 0);
    if (op == "Power") return fit(power(static_cast<int64_t>(a), others, b < 0, lowest));
    if (op == "SquaredDifference") return fit((bits - others) * (bits - others));
    if (op == "PRelu") return a < 0 ? fit(bits * others) : a;
    if (op == "BitwiseAnd") return fit(bits & others);
    if (op == "BitwiseOr") return fit(bits | others);
    if (op == "BitwiseXor") return fit(bits ^ others);
    if (op == "BitwiseNot") return fit(~bits);
    if (op == "BitwiseLeftShift") return fit(bits << shift);
    return a >> shift;
  }();
  return std::to_string(result);
}

// What mathematics gives: quotients of integers rounded down, remainders with the sign of the dividend (Mod)
// or of the divisor (FloorMod), powers that wrap.
std::string exact(const std::string& op, const std::string& type, const Words& numbers) {
  if (is_real(*parse_element_type(type))) {
    const float a = parse<float>(numbers[0]), b = parse<float>(numbers.back());
    const float rest = std::fmod(a, b);
    if (op == "Mod") return text_of(rest);
    if (rest == 0) return text_of(std::copysign(rest, b));
    return text_of((rest < 0) != (b < 0) ? rest + b : rest);
  }
  const char *const a = numbers[0].c_str(), *const b = numbers.back().c_str();
  return type == "u64"
             ? exact_integer<uint64_t>(op, type, std::strtoull(a, nullptr, 10), std::strtoull(b, nullptr, 10))
             : exact_integer<int64_t>(op, type, std::strtoll(a, nullptr, 10), std::strtoll(b, nullptr, 10));
}

// A line of differences.txt.
class Difference {
 public:
  explicit Difference(std::string line) : line_(std::move(line)) {
    const size_t colon = line_.find(": "), arrow = line_.find(" -> "), reason = line_.find("  # ");
    const Words left = words(line_.substr(0, colon));
    ops_ = left.at(0);
    types_ = left.at(1);
    numbers_ = words(line_.substr(colon + 2, arrow - colon - 2));
    result_ = words(line_.substr(arrow + 4, reason - arrow - 4)).at(0);
    if (reason == std::string::npos) ADD_FAILURE() << "no reason: " << line_;
  }

  bool explains(const Row& row, const Words& numbers, const std::string& got, const std::string& reference) {
    if (!lists(ops_, row.op) || !lists(types_, row.types[0]) || numbers.size() != numbers_.size())
      return false;
    for (size_t i = 0; i < numbers.size(); ++i) {
      if (!lists(numbers_[i], numbers[i])) return false;
    }
    const bool real = is_real(*parse_element_type(row.types[0]));
    const bool explained = result_ == "small" ? std::fabs(parse<double>(got)) <= 6e-7
                           : result_ == "exact"
                               ? agree(got, exact(row.op, row.types[0], numbers), real)
                               : agree(got, result_ == "reference" ? reference : result_, real);
    used_ = used_ || explained;
    return explained;
  }

  const std::string& line() const { return line_; }
  bool used() const { return used_; }

 private:
  static bool lists(const std::string& list, const std::string& item) {
    return list == "*" || ("," + list + ",").find("," + item + ",") != std::string::npos;
  }

  std::string line_, ops_, types_, result_;
  Words numbers_;
  bool used_ = false;
};

std::vector<Difference> read_differences() {
  std::vector<Difference> differences;
  std::ifstream file("tests/numbers/differences.txt");
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line[0] != '#') differences.emplace_back(line);
  }
  return differences;
}

// The inputs of a row: each number, or each pair of them.
std::vector<Words> inputs_of(const Row& row, const Words& numbers) {
  if (row.types.size() == 1) return {numbers};
  const bool divides = row.op == "Divide" || row.op == "Mod" || row.op == "FloorMod";
  const bool whole = !is_real(*parse_element_type(row.types[0]));
  std::vector<Words> inputs(2);
  for (const std::string& a : numbers) {
    for (const std::string& b : numbers) {
      const bool has_no_result = divides && whole && (b == "0" || (a == numbers[0] && b == "-1"));
      inputs[0].push_back(a);
      inputs[1].push_back(has_no_result ? "1" : b);
    }
  }
  return inputs;
}

TEST(Numbers, AreThoseOfOpenVino) {
  const Table table = read_table();
  std::vector<Difference> differences = read_differences();
  ASSERT_GT(table.rows.size(), 400u);
  for (const Row& row : table.rows) {
    const std::vector<Words> inputs = inputs_of(row, table.numbers.at(row.types[0]));
    std::vector<Tensor> tensors;
    for (const Words& values : inputs) tensors.push_back(tensor_of(row.types[0], values));
    Tensor result = run_op(row.op, row.opset, row.attributes, tensors)[0];
    const bool real = is_real(result.type());
    if (result.type() == ElementType::kF16) {
      result = run_op("Convert", 1, {{"destination_type", "f32"}}, {result})[0];
    }
    ASSERT_EQ(result.size(), row.plugin.size()) << row.op;
    for (size_t i = 0; i < row.plugin.size(); ++i) {
      const std::string got = element(result, i);
      if (agree(got, row.plugin[i], real)) continue;
      Words numbers;
      for (const Words& values : inputs) numbers.push_back(values[i]);
      const std::string reference = row.reference.empty() ? row.plugin[i] : row.reference[i];
      const bool explained = std::any_of(differences.begin(), differences.end(), [&](Difference& difference) {
        return difference.explains(row, numbers, got, reference);
      });
      EXPECT_TRUE(explained) << row.op << " " << row.types[0] << ": " << numbers[0] << " "
                             << (numbers.size() > 1 ? numbers[1] : "") << " -> " << got << ", OpenVINO gives "
                             << row.plugin[i] << ", its reference " << reference;
    }
  }
  for (const Difference& difference : differences) EXPECT_TRUE(difference.used()) << difference.line();
}

// OpenVINO's plugin gives the lowest integer or 0, its reference implementation refuses.
TEST(Numbers, IntegersAreNotDividedByZero) {
  for (const char* op : {"Divide", "Mod", "FloorMod"}) {
    for (const char* type : {"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"}) {
      const Tensor one = tensor_of(type, {"1", "5"}), zero = tensor_of(type, {"1", "0"});
      expect_error(ErrorCode::kInvalidValue, "integer division by zero",
                   [&] { run_op(op, 1, {}, {one, zero}); });
    }
  }
}

TEST(Numbers, TheLowestIntegerDividedByMinusOne) {
  const std::map<std::string, std::pair<std::string, std::string>> quotients = {
      {"i8", {"-128", "127"}},
      {"i16", {"-32768", "-32768"}},
      {"i32", {"-2147483648", "-2147483648"}},
      {"i64", {"-9223372036854775808", "-9223372036854775808"}}};
  for (const auto& [type, numbers] : quotients) {
    const std::vector<Tensor> inputs = {tensor_of(type, {numbers.first}), tensor_of(type, {"-1"})};
    EXPECT_EQ(element(run_op("Divide", 1, {}, inputs)[0], 0), numbers.second);
    EXPECT_EQ(element(run_op("Mod", 1, {}, inputs)[0], 0), "0");
    EXPECT_EQ(element(run_op("FloorMod", 1, {}, inputs)[0], 0), "0");
  }
}

}  // namespace
}  // namespace wasmvino::test::numbers_test
