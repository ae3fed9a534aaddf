// SPDX-License-Identifier: Apache-2.0
// NV12toRGB: converts an image from a plane of Y and a plane of U and V to RGB.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/image/nv12-to-rgb-8.html
#include "model/registry.h"
#include "ops/image/yuv.h"

namespace wasmvino::ops::nv12_to_rgb {

class Nv12ToRgb final : public YuvOp {
 public:
  Nv12ToRgb() : YuvOp(YuvFormat::kNv12, ColorOrder::kRgb) {}
};

}  // namespace wasmvino::ops::nv12_to_rgb

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(nv12_to_rgb) {
  registry.add<nv12_to_rgb::Nv12ToRgb>(
      {"NV12toRGB", {8}, "image/nv12-to-rgb-8", {{"Y", kPictures}, {"UV", kPictures, 0}}});
}
}  // namespace wasmvino::ops
