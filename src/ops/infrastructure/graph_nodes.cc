// SPDX-License-Identifier: Apache-2.0
// Registers Parameter, Constant and Result, the ends of a graph. Their classes are part of the model layer.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/infrastructure/parameter-1.html
#include "model/registry.h"

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(graph_nodes) {
  registry.add<ParameterOp>({"Parameter", {1}, "infrastructure/parameter-1", {}, 17});
  registry.add<ConstantOp>({"Constant", {1}, "infrastructure/constant-1", {}});
  registry.add<ResultOp>({"Result", {1}, "infrastructure/result-1", {{"input", kAllTypes}}});
}
}  // namespace wasmvino::ops
