// SPDX-License-Identifier: Apache-2.0
// LSTMSequence: a long short-term memory over sequences, forwards, backwards or both.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/sequence/lstm-sequence-5.html
#include "model/registry.h"
#include "ops/common/recurrent.h"

namespace wasmvino::ops::lstm_sequence {

class LSTMSequence final : public SequenceOp {
 public:
  LSTMSequence() : SequenceOp(Recurrence::kLstm) {}
};

}  // namespace wasmvino::ops::lstm_sequence

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(lstm_sequence) {
  registry.add<lstm_sequence::LSTMSequence>({"LSTMSequence", {5}, "sequence/lstm-sequence-5"});
}
}  // namespace wasmvino::ops
