// SPDX-License-Identifier: Apache-2.0
// Constants: ranges of the weights, checked, and shared where two are the same.
#pragma once

#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "core/bytes.h"
#include "ir/layer_text.h"
#include "model/constant.h"

namespace wasmvino::ir {

class ConstantReader {
 public:
  // `weights` is nullptr where there are none.
  explicit ConstantReader(std::shared_ptr<const ByteSource> weights);

  // The value of a Const layer; throws Error(kInvalidModel) that says what is wrong. nullptr where it lies in
  // weights that cannot be read: these are counted, not refused one by one.
  std::shared_ptr<const model::ConstantData> read(const LayerText& layer);

  // Why no weights can be read: none were given, or what was given is something else. Empty where they can.
  const std::string& obstacle() const { return obstacle_; }
  // How many constants need weights that cannot be read.
  size_t unread() const { return unread_; }
  Error unread_error() const;
  // Throws unless `size` bytes at `offset` lie inside the weights.
  void check_range(uint64_t offset, uint64_t size) const;
  const std::shared_ptr<const ByteSource>& weights() const { return weights_; }

 private:
  std::shared_ptr<const ByteSource> weights_;
  std::string obstacle_;
  size_t unread_ = 0;
  std::string_view looks_like_;  // what else the weights may be
  std::map<std::tuple<uint64_t, uint64_t, ElementType, std::vector<int64_t>>,
           std::shared_ptr<const model::ConstantData>>
      known_;
};

}  // namespace wasmvino::ir
