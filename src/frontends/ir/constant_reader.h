// SPDX-License-Identifier: Apache-2.0
// Reads constants as ranges of the weights. It checks the ranges and shares equal constants.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "core/bytes.h"
#include "frontends/ir/layer_text.h"
#include "model/constant.h"

namespace wasmvino::ir {

class ConstantReader {
 public:
  // `weights` is nullptr if there are none.
  explicit ConstantReader(std::shared_ptr<const ByteSource> weights);

  // The value of a Const layer. Throws Error(kInvalidModel), which says what is wrong. Returns nullptr if the
  // value is in weights that cannot be read or beyond their end. Such constants are counted instead of
  // rejected one by one.
  std::shared_ptr<const model::ConstantData> read(const LayerText& layer);

  // Why no weights can be read: none were given, or the file is something else. Empty if they can be read.
  const std::string& obstacle() const { return obstacle_; }
  // Describes the problem of the constants that were counted, if any.
  std::optional<Error> missing() const;
  // Throws unless `size` bytes at `offset` are inside the weights.
  void check_range(uint64_t offset, uint64_t size) const;
  const std::shared_ptr<const ByteSource>& weights() const { return weights_; }

 private:
  std::shared_ptr<const ByteSource> weights_;
  std::string obstacle_;
  // The number of constants whose weights cannot be read or are beyond the end of the file.
  size_t missing_ = 0;
  uint64_t needed_ = 0;         // bytes that the weights must have for them
  std::optional<Error> first_;  // the problem of the first of them
  std::string first_name_;
  std::string_view looks_like_;  // what else the weights may be
  std::map<std::tuple<uint64_t, uint64_t, ElementType, std::vector<int64_t>>,
           std::shared_ptr<const model::ConstantData>>
      known_;
};

}  // namespace wasmvino::ir
