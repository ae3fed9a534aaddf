// SPDX-License-Identifier: Apache-2.0
// EmbeddingSegmentsSum: sums of the embeddings of segments.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/sparse/embedding-segments-sum-3.html
#include "model/registry.h"
#include "ops/sparse/embedding.h"

namespace wasmvino::ops::embedding_segments_sum {

class EmbeddingSegmentsSum final : public EmbeddingOp {
 public:
  EmbeddingSegmentsSum() : EmbeddingOp(Bags::kSegments, false) {}
};

}  // namespace wasmvino::ops::embedding_segments_sum

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(embedding_segments_sum) {
  registry.add<embedding_segments_sum::EmbeddingSegmentsSum>({"EmbeddingSegmentsSum",
                                                              {3},
                                                              "sparse/embedding-segments-sum-3",
                                                              {{"emb_table", kNumbers},
                                                               {"indices", kIndices},
                                                               {"segment_ids", kIndices, 1},
                                                               {"num_segments", kIndices, 1},
                                                               {"default_index", kIndices, 1},
                                                               {"per_sample_weights", kNumbers, 0}}});
}
}  // namespace wasmvino::ops
