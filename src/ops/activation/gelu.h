// SPDX-License-Identifier: Apache-2.0
// Gelu: x Φ(x), where Φ is the distribution function of the normal distribution. Exact, or (from version 7)
// approximated by tanh.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/activation/gelu-7.html
#pragma once

#include "ops/elementwise/elementwise.h"

namespace wasmvino::ops::gelu {

enum class ApproximationMode { kErf, kTanh };

struct GeluAttributes {
  ApproximationMode approximation_mode = ApproximationMode::kErf;
};

class Gelu final : public FunctionElementwise {
 public:
  static constexpr std::string_view kType = "Gelu";
  using Attributes = GeluAttributes;

  explicit Gelu(int version);
  void visit_attributes(AttributeVisitor& visitor) override;
  // Call only before the operation is shared.
  void set_attributes(const Attributes& attributes);

 private:
  int version_;
  GeluAttributes attributes_;
};

}  // namespace wasmvino::ops::gelu
