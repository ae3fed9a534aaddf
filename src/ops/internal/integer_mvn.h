// SPDX-License-Identifier: Apache-2.0
// MVN of a quantised tensor; the result is f32 or quantised again. Sums and sums of squares are exact. Each
// element is then a linear function of its level.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "ops/internal/integer_op.h"

namespace wasmvino::ops {

struct IntegerMvnParts {
  // The axes of a group of elements: all that follow `begin`, or all of these but the last one.
  size_t begin = 0;
  bool to_last = true;
  bool normalize_variance = true, eps_outside_root = false;
  double eps = 0;
  // If present, one number per index of the last axis, which is in no group: a factor, and what is added.
  std::shared_ptr<const std::vector<float>> gamma = nullptr, beta = nullptr;
  // If absent, the result is f32. It is by channel only if the last axis is in no group.
  SharedQuantization output = nullptr;
};

class IntegerMvn final : public IntegerOpWithParts<IntegerMvn, IntegerMvnParts> {
 public:
  using IntegerOpWithParts::IntegerOpWithParts;
  static constexpr std::string_view kType = "IntegerMvn";

  // The parts for an MVN. nullopt for other nodes and other axes.
  static std::optional<Parts> parts_of(const Node& node);

  bool can_store(const Node&, const Quantization& levels) const {
    return levels.channels() == 1 || !parts_.to_last;
  }

  // Input: u8 data, quantised by channel only if the last axis is in no group.
  void infer(InferContext& context) const override;
  std::unique_ptr<Kernel> compile(CompileContext& context) const override;
};

}  // namespace wasmvino::ops
