// SPDX-License-Identifier: Apache-2.0
// Reads models from files: an .xml and the .bin next to it.
#pragma once

#include <filesystem>
#include <memory>

#include "core/bytes.h"
#include "model/node.h"

namespace wasmvino::cli {

struct ModelFiles {
  std::shared_ptr<const ByteSource> model;
  std::shared_ptr<const ByteSource> weights;  // nullptr: there is no .bin
};
ModelFiles read_model_files(const std::filesystem::path& xml);

// Throws Error if the model cannot be read.
std::unique_ptr<model::Model> read_model(const std::filesystem::path& xml);

}  // namespace wasmvino::cli
