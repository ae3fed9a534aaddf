// SPDX-License-Identifier: Apache-2.0
// EmbeddingBagOffsets: sums or means of bags of embeddings; offsets mark the start of each bag.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/sparse/embedding-bag-offsets-15.html
#include "model/registry.h"
#include "ops/sparse/embedding.h"

namespace wasmvino::ops::embedding_bag_offsets {

class EmbeddingBagOffsets final : public EmbeddingOp {
 public:
  EmbeddingBagOffsets() : EmbeddingOp(Bags::kOffsets, true) {}
};

}  // namespace wasmvino::ops::embedding_bag_offsets

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(embedding_bag_offsets) {
  registry.add<embedding_bag_offsets::EmbeddingBagOffsets>({"EmbeddingBagOffsets",
                                                            {15},
                                                            "sparse/embedding-bag-offsets-15",
                                                            {{"emb_table", kNumbers},
                                                             {"indices", kIndices},
                                                             {"offsets", kIndices, 1},
                                                             {"default_index", kIndices, 1},
                                                             {"per_sample_weights", kNumbers, 0}}});
}
}  // namespace wasmvino::ops
