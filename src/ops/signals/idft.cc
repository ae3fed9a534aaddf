// SPDX-License-Identifier: Apache-2.0
// IDFT: the inverse discrete Fourier transform along axes.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/signals/idft-7.html
#include "model/registry.h"
#include "ops/signals/fourier_axes.h"

namespace wasmvino::ops::idft {

class IDFT final : public FourierOp {
 public:
  IDFT() : FourierOp(FourierKind::kInverse) {}
};

}  // namespace wasmvino::ops::idft

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(idft) {
  registry.add<idft::IDFT>({"IDFT",
                            {7},
                            "signals/idft-7",
                            {{"data", kFloats}, {"axes", kAnyIntegers}, {"signal_size", kAnyIntegers}}});
}
}  // namespace wasmvino::ops
