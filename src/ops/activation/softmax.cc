// SPDX-License-Identifier: Apache-2.0
// Softmax: exp(x) over its sum along an axis.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/activation/softmax-8.html
#include "ops/common/softmax.h"

#include "model/registry.h"

namespace wasmvino::ops::softmax {

class Softmax final : public SoftmaxOp {
 public:
  explicit Softmax(int version) : SoftmaxOp(false, 1), version_(version) {}

  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.on("axis", axis_);
    if (version_ < 8 && axis_ < 0) {
      throw Error(ErrorCode::kInvalidModel,
                  cat("attribute 'axis' is ", axis_, ", expected 0 or more in Softmax-1"))
          .expected("0 or more")
          .actual(cat(axis_));
    }
  }

 private:
  int version_;
};

}  // namespace wasmvino::ops::softmax

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(softmax) {
  registry.add<softmax::Softmax>({"Softmax", {1, 8}, "activation/softmax-8", {{"data", kNumbers}}});
}
}  // namespace wasmvino::ops
