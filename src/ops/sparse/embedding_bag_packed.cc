// SPDX-License-Identifier: Apache-2.0
// EmbeddingBagPacked: sums or means of bags of embeddings; all bags have the same size.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/sparse/embedding-bag-packed-15.html
#include "model/registry.h"
#include "ops/sparse/embedding.h"

namespace wasmvino::ops::embedding_bag_packed {

class EmbeddingBagPacked final : public EmbeddingOp {
 public:
  EmbeddingBagPacked() : EmbeddingOp(Bags::kPacked, true) {}
};

}  // namespace wasmvino::ops::embedding_bag_packed

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(embedding_bag_packed) {
  registry.add<embedding_bag_packed::EmbeddingBagPacked>(
      {"EmbeddingBagPacked",
       {15},
       "sparse/embedding-bag-packed-15",
       {{"emb_table", kNumbers}, {"indices", kIndices}, {"per_sample_weights", kNumbers, 0}}});
}
}  // namespace wasmvino::ops
