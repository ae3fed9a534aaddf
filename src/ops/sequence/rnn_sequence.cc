// SPDX-License-Identifier: Apache-2.0
// RNNSequence: a plain recurrent network over sequences, forwards, backwards or both.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/sequence/rnn-sequence-5.html
#include "model/registry.h"
#include "ops/sequence/recurrent.h"

namespace wasmvino::ops::rnn_sequence {

class RNNSequence final : public SequenceOp {
 public:
  RNNSequence() : SequenceOp(Recurrence::kRnn) {}
};

}  // namespace wasmvino::ops::rnn_sequence

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(rnn_sequence) {
  registry.add<rnn_sequence::RNNSequence>({"RNNSequence",
                                           {5},
                                           "sequence/rnn-sequence-5",
                                           {{"X", kNumbers},
                                            {"initial_hidden_state", kNumbers, 0},
                                            {"sequence_lengths", kIntegers},
                                            {"W", kNumbers, 0},
                                            {"R", kNumbers, 0},
                                            {"B", kNumbers, 0}}});
}
}  // namespace wasmvino::ops
