// SPDX-License-Identifier: Apache-2.0
// Reads and writes arrays in files: numpy's .npy (format 1 to 3, C or Fortran order) and, for strings, .json
// {"shape", "data"}.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "core/tensor.h"

namespace wasmvino::cli {

std::string read_file(const std::filesystem::path& path);
// Creates missing folders of the path.
void write_file(const std::filesystem::path& path, std::string_view content);

// Parses the content of an array file: .json if `strings`, else .npy. Otherwise like read_array().
Tensor parse_array(const std::string& content, bool strings, ElementType type = ElementType::kDynamic);

// Reads an array as a tensor of `type`. With kDynamic, the tensor has the type of the file. numpy has no bf16
// and no 8-bit floats: they are read from unsigned integers of the same width. Elements narrower than a byte
// are read from one byte each, which holds the value of an integer type or the raw bits of another. Throws
// Error if the file has another type.
Tensor read_array(const std::filesystem::path& path, ElementType type = ElementType::kDynamic);

// Writes `stem` + ".npy", or ".json" for strings. Types that numpy lacks are written as read_array() expects
// them.
void write_array(const std::filesystem::path& stem, const TensorView& tensor);

}  // namespace wasmvino::cli
