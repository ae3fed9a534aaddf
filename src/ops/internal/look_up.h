// SPDX-License-Identifier: Apache-2.0
// Replaces each level of a quantised tensor by another level, found in a table. The pass compute_in_integers
// makes it from elementwise operations between two FakeQuantizes.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "model/node.h"

namespace wasmvino::ops {

class LookUp final : public Op {
 public:
  static constexpr char kFamily = 0;
  bool is_a(const void* family) const override { return family == &kFamily; }
  static constexpr std::string_view kType = "LookUp";

  // `tables` has 256 levels for all elements, or 256 levels for each index of the last axis.
  LookUp(std::vector<uint8_t> tables, SharedQuantization output)
      : tables_(std::make_shared<const std::vector<uint8_t>>(std::move(tables))),
        output_(std::move(output)) {}

  const std::vector<uint8_t>& tables() const { return *tables_; }

  void infer(InferContext& context) const override;
  std::unique_ptr<Kernel> compile(CompileContext& context) const override;
  bool can_overwrite(const CompileContext&, size_t, size_t) const override { return true; }

 private:
  std::shared_ptr<const std::vector<uint8_t>> tables_;
  SharedQuantization output_;
};

}  // namespace wasmvino::ops
