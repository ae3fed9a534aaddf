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

// The file, or nullptr if there is none.
std::shared_ptr<const ByteSource> find_file(const std::filesystem::path& path) {
  return std::filesystem::is_regular_file(path) ? std::make_shared<FileBytes>(read_file(path)) : nullptr;
}

}  // namespace

ModelFiles read_model_files(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.parent_path();
  return {std::make_shared<FileBytes>(read_file(path)),
          {find_file(std::filesystem::path(path).replace_extension(".bin")),
           [folder](const std::string& name) { return find_file(folder / name); }}};
}

std::unique_ptr<model::Model> read_model(const std::filesystem::path& path) {
  const ModelFiles files = read_model_files(path);
  return frontends::read(files.model, files.companions, ops::registry());
}

}  // namespace wasmvino::cli
