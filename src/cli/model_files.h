// SPDX-License-Identifier: Apache-2.0
// Reads models from files: the model's own and those beside it.
#pragma once

#include <filesystem>
#include <memory>

#include "core/bytes.h"
#include "frontends/common/companions.h"
#include "model/node.h"

namespace wasmvino::cli {

struct ModelFiles {
  std::shared_ptr<const ByteSource> model;
  frontends::Companions companions;  // the .bin beside it, and files of its folder
};
ModelFiles read_model_files(const std::filesystem::path& path);

// Throws Error if the model cannot be read.
std::unique_ptr<model::Model> read_model(const std::filesystem::path& path);

}  // namespace wasmvino::cli
