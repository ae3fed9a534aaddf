// SPDX-License-Identifier: Apache-2.0
// GRUSequence: a gated recurrent unit over sequences, forwards, backwards or both.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/sequence/gru-sequence-5.html
#include "model/registry.h"
#include "ops/sequence/recurrent.h"

namespace wasmvino::ops::gru_sequence {

class GRUSequence final : public SequenceOp {
 public:
  GRUSequence() : SequenceOp(Recurrence::kGru) {}
};

}  // namespace wasmvino::ops::gru_sequence

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(gru_sequence) {
  registry.add<gru_sequence::GRUSequence>({"GRUSequence",
                                           {5},
                                           "sequence/gru-sequence-5",
                                           {{"X", kNumbers},
                                            {"initial_hidden_state", kNumbers, 0},
                                            {"sequence_lengths", kIntegers},
                                            {"W", kNumbers, 0},
                                            {"R", kNumbers, 0},
                                            {"B", kNumbers, 0}}});
}
}  // namespace wasmvino::ops
