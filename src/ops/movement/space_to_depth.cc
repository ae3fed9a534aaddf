// SPDX-License-Identifier: Apache-2.0
// SpaceToDepth: moves blocks of the axes after the channels into the channels.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/movement/space-to-depth-1.html
#include "model/registry.h"
#include "ops/movement/depth_blocks.h"

namespace wasmvino::ops::space_to_depth {

class SpaceToDepth final : public DepthBlocksOp {
 public:
  SpaceToDepth() : DepthBlocksOp(/*to_space=*/false) {}
};

}  // namespace wasmvino::ops::space_to_depth

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(space_to_depth) {
  registry.add<space_to_depth::SpaceToDepth>(
      {"SpaceToDepth", {1}, "movement/space-to-depth-1", {{"data", kAllTypes}}});
}
}  // namespace wasmvino::ops
