// SPDX-License-Identifier: Apache-2.0
// EmbeddingBagPackedSum: sums of bags of embeddings; all bags have the same size.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/sparse/embedding-bag-packed-sum-3.html
#include "model/registry.h"
#include "ops/sparse/embedding.h"

namespace wasmvino::ops::embedding_bag_packed_sum {

class EmbeddingBagPackedSum final : public EmbeddingOp {
 public:
  EmbeddingBagPackedSum() : EmbeddingOp(Bags::kPacked, false) {}
};

}  // namespace wasmvino::ops::embedding_bag_packed_sum

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(embedding_bag_packed_sum) {
  registry.add<embedding_bag_packed_sum::EmbeddingBagPackedSum>(
      {"EmbeddingBagPackedSum",
       {3},
       "sparse/embedding-bag-packed-sum-3",
       {{"emb_table", kNumbers}, {"indices", kIndices}, {"per_sample_weights", kNumbers, 0}}});
}
}  // namespace wasmvino::ops
