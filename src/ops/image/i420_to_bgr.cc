// SPDX-License-Identifier: Apache-2.0
// I420toBGR: converts an image from planes of Y, U and V to BGR.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/image/i420-to-bgr-8.html
#include "model/registry.h"
#include "ops/image/yuv.h"

namespace wasmvino::ops::i420_to_bgr {

class I420ToBgr final : public YuvOp {
 public:
  I420ToBgr() : YuvOp(YuvFormat::kI420, ColorOrder::kBgr) {}
};

}  // namespace wasmvino::ops::i420_to_bgr

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(i420_to_bgr) {
  registry.add<i420_to_bgr::I420ToBgr>({"I420toBGR",
                                        {8},
                                        "image/i420-to-bgr-8",
                                        {{"Y", kPictures}, {"U", kPictures, 0}, {"V", kPictures, 0}}});
}
}  // namespace wasmvino::ops
