// SPDX-License-Identifier: Apache-2.0
// EmbeddingBagOffsetsSum: sums of bags of embeddings; offsets mark the start of each bag.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/sparse/embedding-bag-offsets-sum-3.html
#include "model/registry.h"
#include "ops/sparse/embedding.h"

namespace wasmvino::ops::embedding_bag_offsets_sum {

class EmbeddingBagOffsetsSum final : public EmbeddingOp {
 public:
  EmbeddingBagOffsetsSum() : EmbeddingOp(Bags::kOffsets, false) {}
};

}  // namespace wasmvino::ops::embedding_bag_offsets_sum

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(embedding_bag_offsets_sum) {
  registry.add<embedding_bag_offsets_sum::EmbeddingBagOffsetsSum>({"EmbeddingBagOffsetsSum",
                                                                   {3},
                                                                   "sparse/embedding-bag-offsets-sum-3",
                                                                   {{"emb_table", kNumbers},
                                                                    {"indices", kIndices},
                                                                    {"offsets", kIndices, 1},
                                                                    {"default_index", kIndices, 1},
                                                                    {"per_sample_weights", kNumbers, 0}}});
}
}  // namespace wasmvino::ops
