// SPDX-License-Identifier: Apache-2.0
#include "cli/model_files.h"

#include <string>

#include "cli/arrays.h"
#include "frontends/frontends.h"
#include "ops/registry.h"

namespace wasmvino::cli {
namespace {

// The bytes of a file.
class FileBytes final : public ByteSource {
 public:
  explicit FileBytes(std::string content) : content_(std::move(content)) {}
  size_t size() const override { return content_.size(); }
  void read(size_t offset, size_t count, void* to) const override {
    content_.copy(static_cast<char*>(to), count, offset);
  }

 private:
  std::string content_;
};

}  // namespace

ModelFiles read_model_files(const std::filesystem::path& xml) {
  ModelFiles files{std::make_shared<FileBytes>(read_file(xml)), nullptr};
  const std::filesystem::path bin = std::filesystem::path(xml).replace_extension(".bin");
  if (std::filesystem::is_regular_file(bin)) files.weights = std::make_shared<FileBytes>(read_file(bin));
  return files;
}

std::unique_ptr<model::Model> read_model(const std::filesystem::path& xml) {
  const ModelFiles files = read_model_files(xml);
  return frontends::read(*files.model, files.weights, ops::registry());
}

}  // namespace wasmvino::cli
