// SPDX-License-Identifier: Apache-2.0
// DFT: the discrete Fourier transform along axes.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/signals/dft-7.html
#include "model/registry.h"
#include "ops/signals/fourier_axes.h"

namespace wasmvino::ops::dft {

class DFT final : public FourierOp {
 public:
  DFT() : FourierOp(FourierKind::kForward) {}
};

}  // namespace wasmvino::ops::dft

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(dft) {
  registry.add<dft::DFT>({"DFT",
                          {7},
                          "signals/dft-7",
                          {{"data", kFloats}, {"axes", kAnyIntegers}, {"signal_size", kAnyIntegers}}});
}
}  // namespace wasmvino::ops
