// SPDX-License-Identifier: Apache-2.0
// DepthToSpace: moves blocks of channels into the axes after them.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/movement/depth-to-space-1.html
#include "model/registry.h"
#include "ops/movement/depth_blocks.h"

namespace wasmvino::ops::depth_to_space {

class DepthToSpace final : public DepthBlocksOp {
 public:
  DepthToSpace() : DepthBlocksOp(/*to_space=*/true) {}
};

}  // namespace wasmvino::ops::depth_to_space

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(depth_to_space) {
  registry.add<depth_to_space::DepthToSpace>(
      {"DepthToSpace", {1}, "movement/depth-to-space-1", {{"data", kAllTypes}}});
}
}  // namespace wasmvino::ops
