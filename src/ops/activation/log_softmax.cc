// SPDX-License-Identifier: Apache-2.0
// LogSoftmax: the logarithm of Softmax, computed without going through small numbers.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/activation/log-soft-max-5.html
#include "model/registry.h"
#include "ops/activation/softmax_op.h"

namespace wasmvino::ops::log_softmax {

class LogSoftmax final : public SoftmaxOp {
 public:
  LogSoftmax() : SoftmaxOp(true) {}

  void visit_attributes(AttributeVisitor& visitor) override { visitor.on("axis", attributes_.axis); }

 private:
  std::shared_ptr<SoftmaxOp> copy() const override { return std::make_shared<LogSoftmax>(*this); }
};

}  // namespace wasmvino::ops::log_softmax

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(log_softmax) {
  registry.add<log_softmax::LogSoftmax>(
      {"LogSoftmax", {5}, "activation/log-soft-max-5", {{"data", kNumbers}}});
}
}  // namespace wasmvino::ops
