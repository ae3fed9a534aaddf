// SPDX-License-Identifier: Apache-2.0
// BGRtoNV12: converts an image from BGR to a plane of Y and a plane of U and V.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/image/bgr-to-nv12-17.html
#include "model/registry.h"
#include "ops/image/to_nv12.h"

namespace wasmvino::ops::bgr_to_nv12 {

class BgrToNv12 final : public ToNv12Op {
 public:
  BgrToNv12() : ToNv12Op(ColorOrder::kBgr) {}
};

}  // namespace wasmvino::ops::bgr_to_nv12

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(bgr_to_nv12) {
  registry.add<bgr_to_nv12::BgrToNv12>(
      {"BGRtoNV12", {17}, "image/bgr-to-nv12-17", {{"the picture", kPictures}}, 17});
}
}  // namespace wasmvino::ops
