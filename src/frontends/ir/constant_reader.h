// SPDX-License-Identifier: Apache-2.0
// Constants: ranges of the weights, checked, and shared where two are the same.
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
  // `weights` is nullptr where there are none.
  explicit ConstantReader(std::shared_ptr<const ByteSource> weights);

  // The value of a Const layer; throws Error(kInvalidModel) that says what is wrong. nullptr where it lies in
  // weights that cannot be read, or behind their end: these are counted, not refused one by one.
  std::shared_ptr<const model::ConstantData> read(const LayerText& layer);

  // Why no weights can be read: none were given, or what was given is something else. Empty where they can.
  const std::string& obstacle() const { return obstacle_; }
  // What is wrong about the constants that were counted, if any were.
  std::optional<Error> missing() const;
  // Throws unless `size` bytes at `offset` lie inside the weights.
  void check_range(uint64_t offset, uint64_t size) const;
  const std::shared_ptr<const ByteSource>& weights() const { return weights_; }

 private:
  std::shared_ptr<const ByteSource> weights_;
  std::string obstacle_;
  // Constants that need weights that cannot be read, or more of them than there are.
  size_t missing_ = 0;
  uint64_t needed_ = 0;         // bytes that the weights must have for them
  std::optional<Error> first_;  // what is wrong with the first of them
  std::string first_name_;
  std::string_view looks_like_;  // what else the weights may be
  std::map<std::tuple<uint64_t, uint64_t, ElementType, std::vector<int64_t>>,
           std::shared_ptr<const model::ConstantData>>
      known_;
};

}  // namespace wasmvino::ir
