// SPDX-License-Identifier: Apache-2.0
// LSTMCell: one step of a long short-term memory.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/sequence/lstm-cell-1.html
#include "model/registry.h"
#include "ops/sequence/recurrent.h"

namespace wasmvino::ops::lstm_cell {

// Also accepts the form that TensorIterator's specification uses: W and R side by side in one input [4 *
// hidden_size, input_size + hidden_size].
class LSTMCell final : public CellOp {
 public:
  explicit LSTMCell(int version) : CellOp(Recurrence::kLstm, {version < 4, true}), version_(version) {}

  void visit_attributes(AttributeVisitor& visitor) override {
    CellOp::visit_attributes(visitor);
    if (version_ >= 4) return;
    visitor.on_choice("weights_format", weights_format_, {"fico", "icof", "ifco", "ifoc", "iofc"});
    visitor.on("input_forget", input_forget_);
  }

 private:
  int version_;
  // OpenVINO reads these attributes and the peepholes (input 6) of LSTMCell-1, then ignores them: gates are
  // f, i, c, o.
  int weights_format_ = 0;
  bool input_forget_ = false;
};

}  // namespace wasmvino::ops::lstm_cell

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(lstm_cell) {
  registry.add<lstm_cell::LSTMCell>({"LSTMCell",
                                     {1, 4},
                                     "sequence/lstm-cell-1",
                                     {{"X", kNumbers},
                                      {"initial_hidden_state", kNumbers, 0},
                                      {"initial_cell_state", kNumbers, 0},
                                      {"W", kNumbers, 0},
                                      {"R", kNumbers, 0},
                                      {"B", kNumbers, 0},
                                      {"P", kNumbers}}});
}
}  // namespace wasmvino::ops
