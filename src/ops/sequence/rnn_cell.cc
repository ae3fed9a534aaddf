// SPDX-License-Identifier: Apache-2.0
// RNNCell: one step of a plain recurrent network.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/sequence/rnn-cell-3.html
#include "model/registry.h"
#include "ops/sequence/recurrent.h"

namespace wasmvino::ops::rnn_cell {

class RNNCell final : public CellOp {
 public:
  RNNCell() : CellOp(Recurrence::kRnn, {}) {}
};

}  // namespace wasmvino::ops::rnn_cell

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(rnn_cell) {
  registry.add<rnn_cell::RNNCell>(
      {"RNNCell",
       {1},
       "sequence/rnn-cell-3",
       {{"X", kNumbers}, {"H", kNumbers, 0}, {"W", kNumbers, 0}, {"R", kNumbers, 0}, {"B", kNumbers, 0}}});
}
}  // namespace wasmvino::ops
