// SPDX-License-Identifier: Apache-2.0
// LSTMSequence: a long short-term memory over sequences, forwards, backwards or both.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/sequence/lstm-sequence-5.html
#include "model/registry.h"
#include "ops/sequence/recurrent.h"

namespace wasmvino::ops::lstm_sequence {

class LSTMSequence final : public SequenceOp {
 public:
  LSTMSequence() : SequenceOp(Recurrence::kLstm) {}
};

}  // namespace wasmvino::ops::lstm_sequence

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(lstm_sequence) {
  registry.add<lstm_sequence::LSTMSequence>({"LSTMSequence",
                                             {5},
                                             "sequence/lstm-sequence-5",
                                             {{"X", kNumbers},
                                              {"initial_hidden_state", kNumbers, 0},
                                              {"initial_cell_state", kNumbers, 0},
                                              {"sequence_lengths", kIntegers},
                                              {"W", kNumbers, 0},
                                              {"R", kNumbers, 0},
                                              {"B", kNumbers, 0}}});
}
}  // namespace wasmvino::ops
