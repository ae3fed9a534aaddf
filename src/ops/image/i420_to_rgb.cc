// SPDX-License-Identifier: Apache-2.0
// I420toRGB: converts an image from planes of Y, U and V to RGB.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/image/i420-to-rgb-8.html
#include "model/registry.h"
#include "ops/image/yuv.h"

namespace wasmvino::ops::i420_to_rgb {

class I420ToRgb final : public YuvOp {
 public:
  I420ToRgb() : YuvOp(YuvFormat::kI420, ColorOrder::kRgb) {}
};

}  // namespace wasmvino::ops::i420_to_rgb

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(i420_to_rgb) {
  registry.add<i420_to_rgb::I420ToRgb>({"I420toRGB",
                                        {8},
                                        "image/i420-to-rgb-8",
                                        {{"Y", kPictures}, {"U", kPictures, 0}, {"V", kPictures, 0}}});
}
}  // namespace wasmvino::ops
