// SPDX-License-Identifier: Apache-2.0
// RGBtoNV12: converts an image from RGB to a plane of Y and a plane of U and V.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/image/rgb-to-nv12-17.html
#include "model/registry.h"
#include "ops/image/to_nv12.h"

namespace wasmvino::ops::rgb_to_nv12 {

class RgbToNv12 final : public ToNv12Op {
 public:
  RgbToNv12() : ToNv12Op(ColorOrder::kRgb) {}
};

}  // namespace wasmvino::ops::rgb_to_nv12

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(rgb_to_nv12) {
  registry.add<rgb_to_nv12::RgbToNv12>(
      {"RGBtoNV12", {17}, "image/rgb-to-nv12-17", {{"the picture", kPictures}}, 17});
}
}  // namespace wasmvino::ops
