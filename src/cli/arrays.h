// SPDX-License-Identifier: Apache-2.0
// Arrays in files: numpy's .npy (format 1 to 3, C or Fortran order) and, for strings, .json {"shape",
// "data"}.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "core/tensor.h"

namespace wasmvino::cli {

std::string read_file(const std::filesystem::path& path);
// Makes the folders that the path lacks.
void write_file(const std::filesystem::path& path, std::string_view content);

// The array that a file of this content holds: .npy, or .json where `strings`. As read_array().
Tensor parse_array(const std::string& content, bool strings, ElementType type = ElementType::kDynamic);

// Reads an array as a tensor of `type`; kDynamic: the type the file has. numpy has no bf16 and no 8-bit
// floats: these are read from unsigned integers of the same width; elements narrower than a byte from one
// byte each, holding the value of an integer type or the raw bits of another. Throws Error where the file
// holds another type.
Tensor read_array(const std::filesystem::path& path, ElementType type = ElementType::kDynamic);

// Writes `stem` + ".npy", or ".json" for strings; types that numpy lacks as read_array takes them.
void write_array(const std::filesystem::path& stem, const TensorView& tensor);

}  // namespace wasmvino::cli
