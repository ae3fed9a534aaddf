// SPDX-License-Identifier: Apache-2.0
// RDFT: the discrete Fourier transform of real numbers along axes.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/signals/rdft-9.html
#include "model/registry.h"
#include "ops/signals/fourier_axes.h"

namespace wasmvino::ops::rdft {

class RDFT final : public FourierOp {
 public:
  RDFT() : FourierOp(FourierKind::kReal) {}
};

}  // namespace wasmvino::ops::rdft

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(rdft) {
  registry.add<rdft::RDFT>({"RDFT",
                            {9},
                            "signals/rdft-9",
                            {{"data", kFloats}, {"axes", kAnyIntegers}, {"signal_size", kAnyIntegers}}});
}
}  // namespace wasmvino::ops
