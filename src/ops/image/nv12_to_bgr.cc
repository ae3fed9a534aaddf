// SPDX-License-Identifier: Apache-2.0
// NV12toBGR: converts an image from a plane of Y and a plane of U and V to BGR.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/image/nv12-to-bgr-8.html
#include "model/registry.h"
#include "ops/image/yuv.h"

namespace wasmvino::ops::nv12_to_bgr {

class Nv12ToBgr final : public YuvOp {
 public:
  Nv12ToBgr() : YuvOp(YuvFormat::kNv12, ColorOrder::kBgr) {}
};

}  // namespace wasmvino::ops::nv12_to_bgr

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(nv12_to_bgr) {
  registry.add<nv12_to_bgr::Nv12ToBgr>(
      {"NV12toBGR", {8}, "image/nv12-to-bgr-8", {{"Y", kPictures}, {"UV", kPictures, 0}}});
}
}  // namespace wasmvino::ops
