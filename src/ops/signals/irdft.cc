// SPDX-License-Identifier: Apache-2.0
// IRDFT: the inverse discrete Fourier transform along axes, to real numbers.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/signals/irdft-9.html
#include "model/registry.h"
#include "ops/signals/fourier_axes.h"

namespace wasmvino::ops::irdft {

class IRDFT final : public FourierOp {
 public:
  IRDFT() : FourierOp(FourierKind::kRealBack) {}
};

}  // namespace wasmvino::ops::irdft

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(irdft) {
  registry.add<irdft::IRDFT>({"IRDFT",
                              {9},
                              "signals/irdft-9",
                              {{"data", kFloats}, {"axes", kAnyIntegers}, {"signal_size", kAnyIntegers}}});
}
}  // namespace wasmvino::ops
