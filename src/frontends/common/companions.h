// SPDX-License-Identifier: Apache-2.0
// The files that belong to a model beside its own.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/bytes.h"

namespace wasmvino::frontends {

// Whether a path is relative and stays in the folder that it starts from, on every system: Windows has drives
// and a second separator.
bool stays_inside(std::string_view path);

class Companions {
 public:
  // Returns the file at a path below the model's folder, or nullptr if there is none.
  using Find = std::function<std::shared_ptr<const ByteSource>(const std::string& path)>;

  Companions() = default;
  // `weights` is the .bin of the formats that have one. nullptr means that it was not given.
  Companions(std::shared_ptr<const ByteSource> weights, Find find = nullptr)  // NOLINT: .bin and no others
      : weights_(std::move(weights)), find_(std::move(find)) {}

  const std::shared_ptr<const ByteSource>& weights() const { return weights_; }

  // The file that a model names, by its path relative to the model's folder; nullptr if it was not given.
  // Throws Error(kInvalidModel) if the path is absolute or leads out of that folder.
  std::shared_ptr<const ByteSource> find(std::string_view path) const;

 private:
  std::shared_ptr<const ByteSource> weights_;
  Find find_;
};

}  // namespace wasmvino::frontends
