// SPDX-License-Identifier: Apache-2.0
#include "cli/arrays.h"

#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/packed_bits.h"

namespace wasmvino::cli {
namespace {

struct NumpyType {
  ElementType type;
  const char* descr;
};
constexpr NumpyType kNumpyTypes[] = {
    {ElementType::kBoolean, "|b1"}, {ElementType::kI8, "|i1"},  {ElementType::kU8, "|u1"},
    {ElementType::kI16, "<i2"},     {ElementType::kU16, "<u2"}, {ElementType::kI32, "<i4"},
    {ElementType::kU32, "<u4"},     {ElementType::kI64, "<i8"}, {ElementType::kU64, "<u8"},
    {ElementType::kF16, "<f2"},     {ElementType::kF32, "<f4"}, {ElementType::kF64, "<f8"},
};

bool is_signed_integer(ElementType type) { return is_integral(type) && is_signed(type); }

// The element type that a file uses for a tensor of `type`.
ElementType stored_type(ElementType type) {
  if (is_sub_byte(type)) return is_signed_integer(type) ? ElementType::kI8 : ElementType::kU8;
  for (const NumpyType& known : kNumpyTypes) {
    if (known.type == type) return type;
  }
  return bit_width(type) == 16 ? ElementType::kU16 : ElementType::kU8;
}

// The value of `key` in the header's dictionary, up to the comma or bracket that ends it.
std::string_view header_value(std::string_view header, std::string_view key) {
  const std::string quoted = cat("'", key, "':");
  const size_t at = header.find(quoted);
  if (at == std::string_view::npos) return {};
  header.remove_prefix(at + quoted.size());
  while (!header.empty() && header.front() == ' ') header.remove_prefix(1);
  if (header.empty()) return {};
  if (header.front() == '(') return header.substr(1, header.find(')') - 1);
  return header.substr(0, header.find_first_of(",}"));
}

ElementType numpy_type(std::string_view descr) {
  for (const NumpyType& known : kNumpyTypes) {
    const std::string_view wanted = known.descr;
    // Types of one byte may have any byte order.
    if (descr.size() == 5 && descr.substr(2, 2) == wanted.substr(1) &&
        (descr[1] == wanted[0] || wanted[0] == '|')) {
      return known.type;
    }
  }
  fail(ErrorCode::kInvalidType, "the array's type ", descr, " is not supported by OpenVINO");
}

Tensor read_npy(const std::string& content) {
  const auto byte = [&](size_t i) { return static_cast<size_t>(static_cast<uint8_t>(content[i])); };
  if (content.size() < 12 || content.compare(0, 6, "\x93NUMPY") != 0) {
    fail(ErrorCode::kInvalidArgument, "this is not a .npy file");
  }
  const bool long_header = byte(6) >= 2;
  const size_t start = long_header ? 12 : 10;
  const size_t length = byte(8) | byte(9) << 8 | (long_header ? byte(10) << 16 | byte(11) << 24 : 0);
  if (start + length > content.size()) fail(ErrorCode::kInvalidArgument, "the header is truncated");
  const std::string_view header(content.data() + start, length);
  const auto shape = parse_partial_shape([&] {
    std::string_view text = header_value(header, "shape");
    while (!text.empty() && (text.back() == ',' || text.back() == ' ')) text.remove_suffix(1);
    return text;
  }());
  if (!shape || !shape->is_static()) {
    fail(ErrorCode::kInvalidArgument, "the header has no shape: ", header.substr(0, 120));
  }
  const bool fortran = header_value(header, "fortran_order") == "True";
  Shape sizes = shape->to_shape();
  if (fortran) std::reverse(sizes.begin(), sizes.end());
  const ElementType type = numpy_type(header_value(header, "descr"));
  // Checks before memory is allocated: the header may claim any size.
  const size_t bytes = storage_bytes(type, element_count(sizes));
  if (content.size() - start - length < bytes) {
    fail(ErrorCode::kInvalidArgument, "an array of shape ", sizes, " takes ", bytes,
         " bytes, but the file has ", content.size() - start - length);
  }
  Tensor tensor(type, sizes);
  std::memcpy(tensor.mutable_data<char>(), content.data() + start + length, tensor.byte_size());
  if (!fortran || sizes.size() < 2) return tensor;
  // The elements of a shape in column-major order are those of the reversed shape in row-major order, so
  // transpose.
  const size_t width = bit_width(tensor.type()) / 8;
  const Ints strides = row_major_strides(sizes);
  Tensor result(tensor.type(), shape->to_shape());
  Ints index(sizes.size());
  for (size_t to = 0, count = result.size(); to < count; ++to) {
    int64_t from = 0;
    for (size_t axis = 0; axis < index.size(); ++axis) from += index[axis] * strides[index.size() - 1 - axis];
    std::memcpy(result.mutable_data<char>() + to * width,
                tensor.data<char>() + static_cast<size_t>(from) * width, width);
    for (size_t axis = index.size(); axis-- > 0 && ++index[axis] == result.shape()[axis];) index[axis] = 0;
  }
  return result;
}

Tensor read_strings(const std::string& content) {
  const auto json = nlohmann::json::parse(content);
  Shape shape;
  for (const auto& size : json.at("shape")) shape.push_back(size.get<int64_t>());
  const auto& data = json.at("data");
  if (data.size() != element_count(shape)) {
    fail(ErrorCode::kInvalidShape, "shape ", shape, " has ", element_count(shape),
         " elements, but the data has ", data.size());
  }
  Tensor tensor(ElementType::kString, shape);
  for (size_t i = 0; i < data.size(); ++i) tensor.mutable_data<std::string>()[i] = data[i].get<std::string>();
  return tensor;
}

Tensor as_type(Tensor tensor, ElementType type) {
  if (type == ElementType::kDynamic || tensor.type() == type) return tensor;
  const bool strings = type == ElementType::kString || tensor.type() == ElementType::kString;
  if (strings || tensor.type() != stored_type(type)) {
    throw Error(ErrorCode::kInvalidType, cat("the array is of type ", tensor.type(), ", expected ", type))
        .expected(std::string(name(type)))
        .actual(std::string(name(tensor.type())));
  }
  Tensor result(type, tensor.shape());
  if (!is_sub_byte(type)) {
    std::memcpy(result.mutable_data<char>(), tensor.data<char>(), tensor.byte_size());
    return result;
  }
  std::memset(result.mutable_data<char>(), 0, result.byte_size());
  const uint8_t mask = static_cast<uint8_t>((1u << bit_width(type)) - 1);
  for (size_t i = 0, count = tensor.size(); i < count; ++i) {
    store_bits(type, result.mutable_data<char>(), i, tensor.data<uint8_t>()[i] & mask);
  }
  return result;
}

}  // namespace

std::string read_file(const std::filesystem::path& path) {
  if (std::filesystem::is_directory(path)) {
    fail(ErrorCode::kInvalidArgument, path.string(), " is a folder, expected a file");
  }
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) fail(ErrorCode::kInvalidArgument, "there is no file ", path.string());
  std::string content(static_cast<size_t>(file.tellg()), '\0');
  file.seekg(0);
  file.read(content.data(), static_cast<std::streamsize>(content.size()));
  if (!file) fail(ErrorCode::kInvalidArgument, "the file ", path.string(), " cannot be read");
  return content;
}

void write_file(const std::filesystem::path& path, std::string_view content) {
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  if (!file.flush()) fail(ErrorCode::kInvalidArgument, "the file ", path.string(), " cannot be written");
}

Tensor parse_array(const std::string& content, bool strings, ElementType type) {
  try {
    return as_type(strings ? read_strings(content) : read_npy(content), type);
  } catch (const nlohmann::json::exception& error) {
    fail(ErrorCode::kInvalidArgument, "this is not an array in JSON: ", error.what());
  }
}

Tensor read_array(const std::filesystem::path& path, ElementType type) {
  const std::string content = read_file(path);
  try {
    return parse_array(content, path.extension() == ".json", type);
  } catch (Error& error) {
    error.within(path.string());
    throw;
  }
}

void write_array(const std::filesystem::path& stem, const TensorView& tensor) {
  if (tensor.type == ElementType::kString) {
    nlohmann::json json;
    json["shape"] = std::vector<int64_t>(tensor.shape.begin(), tensor.shape.end());
    json["data"] =
        std::vector<std::string>(tensor.data<std::string>(), tensor.data<std::string>() + tensor.size());
    write_file(stem.string() + ".json", json.dump());
    return;
  }
  std::string bytes;
  if (is_sub_byte(tensor.type)) {
    const int unused = 8 - static_cast<int>(bit_width(tensor.type));
    for (size_t i = 0, count = tensor.size(); i < count; ++i) {
      const uint8_t bits = load_bits(tensor.type, tensor.memory, i);
      const int8_t extended = static_cast<int8_t>(static_cast<int8_t>(bits << unused) >> unused);
      bytes += is_signed_integer(tensor.type) ? static_cast<char>(extended) : static_cast<char>(bits);
    }
  } else {
    bytes.assign(static_cast<const char*>(tensor.memory), tensor.byte_size());
  }
  const char* descr = nullptr;
  for (const NumpyType& known : kNumpyTypes) {
    if (known.type == stored_type(tensor.type)) descr = known.descr;
  }
  std::string shape;
  for (const int64_t size : tensor.shape) shape += cat(size, ", ");
  if (tensor.shape.size() == 1) shape.pop_back();  // "(3,)", and "(3, 4)" below
  if (tensor.shape.size() > 1) shape.resize(shape.size() - 2);
  std::string header = cat("{'descr': '", descr, "', 'fortran_order': False, 'shape': (", shape, "), }");
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::string content("\x93NUMPY\x01\x00", 8);
  content += static_cast<char>(header.size() & 255);
  content += static_cast<char>(header.size() >> 8);
  write_file(stem.string() + ".npy", content + header + bytes);
}

}  // namespace wasmvino::cli
