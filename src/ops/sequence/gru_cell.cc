// SPDX-License-Identifier: Apache-2.0
// GRUCell: one step of a gated recurrent unit.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/sequence/gru-cell-3.html
#include "model/registry.h"
#include "ops/sequence/recurrent.h"

namespace wasmvino::ops::gru_cell {

class GRUCell final : public CellOp {
 public:
  GRUCell() : CellOp(Recurrence::kGru, {}) {}
};

}  // namespace wasmvino::ops::gru_cell

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(gru_cell) {
  registry.add<gru_cell::GRUCell>({"GRUCell",
                                   {3},
                                   "sequence/gru-cell-3",
                                   {{"X", kNumbers},
                                    {"initial_hidden_state", kNumbers, 0},
                                    {"W", kNumbers, 0},
                                    {"R", kNumbers, 0},
                                    {"B", kNumbers, 0}}});
}
}  // namespace wasmvino::ops
