// SPDX-License-Identifier: Apache-2.0
#include "ops/sequence/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/binary.h"
#include "kernels/cache_rows.h"
#include "kernels/softmax.h"
#include "ops/inputs/checks.h"
#include "ops/matrix/gemm.h"

namespace wasmvino::ops {
namespace {

constexpr size_t kMask = 3;
constexpr size_t kScale = 4;
constexpr size_t kSink = 5;
// Rows of the query that are worked on together, and keys: 96 KB of scores stay in L2.
constexpr size_t kQueries = 48;
constexpr size_t kKeys = 512;
// For few matrices of few rows, as for a new token, the keys are divided into pieces of at most kPiece, which
// threads share. A head with three rows of the query takes about 15 us for that many keys of 64 elements.
constexpr size_t kFewMatrices = 64, kFewRows = 16, kPiece = 256;

Shape in_order(const Shape& values, const Ints& order) {
  if (order.empty()) return values;
  Shape result;
  for (const int64_t axis : order) result.push_back(values[static_cast<size_t>(axis)]);
  return result;
}

// What in_order() does the other way round.
Shape out_of_order(const Shape& values, const Ints& order) {
  Shape result = values;
  for (size_t i = 0; i < order.size(); ++i) result[static_cast<size_t>(order[i])] = values[i];
  return result;
}

// Matrices of a tensor: where the one for a product stands, by the axes in front.
struct Matrices {
  Ints strides;  // in elements; 0 along axes that are used again and again
  size_t row = 0, column = 0;
  size_t repeats;  // of each along the last axis in front

  // The last two axes are rows and columns, those in front broadcast to `batch`; `own` are the steps along
  // all.
  Matrices(const Shape& shape, const Ints& own, const Shape& batch, size_t of_each = 1)
      : strides(batch.size(), 0), repeats(of_each) {
    for (size_t back = 1; back <= shape.size(); ++back) {
      const size_t axis = shape.size() - back;
      if (shape[axis] == 1) continue;
      const size_t stride = static_cast<size_t>(own[axis]);
      if (back == 1) {
        column = stride;
      } else if (back == 2) {
        row = stride;
      } else {
        strides[batch.size() + 2 - back] = own[axis];
      }
    }
  }
  size_t offset(size_t i, const Shape& batch) const {
    size_t offset = 0;
    for (size_t axis = batch.size(); axis-- > 0;) {
      const size_t at = i % static_cast<size_t>(batch[axis]);
      offset += (axis + 1 == batch.size() ? at / repeats : at) * static_cast<size_t>(strides[axis]);
      i /= static_cast<size_t>(batch[axis]);
    }
    return offset;
  }
};

// Those of a tensor that is transposed by `order`.
Matrices matrices_of(const Shape& shape, const Ints& order, const Shape& batch, size_t repeats = 1) {
  return {in_order(shape, order), in_order(row_major_strides(shape), order), batch, repeats};
}

class AttentionKernel final : public Kernel {
 public:
  AttentionKernel(CompileContext& context, bool causal, const AttentionOrders& orders)
      : output_(out_of_order(context.output_shape(0), orders.output)),
        batch_(output_.begin(), output_.end() - 2),
        query_(matrices_of(context.input_shape(0), orders.query, batch_)),
        key_(matrices_of(context.input_shape(1), orders.key, batch_, orders.key_repeats)),
        value_(matrices_of(context.input_shape(2), orders.value, batch_, orders.value_repeats)),
        mask_(matrices_of(!causal && context.input_count() > kMask ? context.input_shape(kMask) : Shape(), {},
                          batch_)),
        sink_(matrices_of(context.input_count() > kSink ? context.input_shape(kSink) : Shape(), {}, batch_)),
        result_(output_, out_of_order(row_major_strides(context.output_shape(0)), orders.output), batch_),
        causal_(causal),
        masked_(!causal && context.input_count() > kMask && !is_zero(context.input(kMask))),
        length_(static_cast<size_t>(output_[output_.size() - 2])),
        width_(static_cast<size_t>(output_.back())),
        source_(static_cast<size_t>(back_of(in_order(context.input_shape(1), orders.key), 2))),
        embedding_(static_cast<size_t>(back_of(in_order(context.input_shape(0), orders.query), 1))),
        key_precision_(orders.key_precision),
        value_precision_(orders.value_precision) {
    join_heads();
    blocks_ = (length_ + kQueries - 1) / kQueries;
    // This does not depend on the number of threads, so that results do not, either.
    const bool few = element_count(batch_) <= kFewMatrices && length_ <= kFewRows;
    if (few && !causal_ && source_ > kPiece) pieces_ = (source_ + kPiece - 1) / kPiece;
    const size_t ranges = gemm_parts(context.parallel().threads(), element_count(batch_) * length_, source_,
                                     embedding_ + width_);
    const size_t tasks = element_count(batch_) * blocks_ * pieces_;
    grain_ = (tasks + ranges - 1) / ranges;
    scores_ = (std::min(kQueries, length_) * std::min(kKeys, source_) + 15) / 16 * 16;
    threads_ = std::min(context.parallel().threads(), context.parallel().ranges(tasks, grain_));
    const size_t keys = std::min(kKeys, source_);
    if (key_precision_ != VariablePrecision::kF32) expanded_ = keys * embedding_;
    if (value_precision_ != VariablePrecision::kF32) expanded_ = std::max(expanded_, keys * width_);
    const CheckedSize pieces = pieces_ > 1 ? CheckedSize(tasks) * piece_floats() : CheckedSize(0);
    context.request_scratch((CheckedSize(threads_) * thread_floats() + pieces) * sizeof(float));
  }

  void run(EvalContext& context) override {
    const size_t matrices = element_count(batch_), tasks = matrices * blocks_ * pieces_;
    float* const scratch = static_cast<float*>(context.scratch());
    float* const pieces = scratch + threads_ * thread_floats();
    parallel_for(context.parallel(), tasks, grain_, [&](size_t begin, size_t end, size_t thread) {
      float* const scores = scratch + thread * thread_floats();
      for (size_t task = begin; task < end; ++task) {
        if (pieces_ > 1) {
          attend_to_piece(context, task / pieces_, task % pieces_, pieces + task * piece_floats(), scores);
        } else {
          attend(context, task / blocks_, task % blocks_ * kQueries, scores);
        }
      }
    });
    for (size_t i = 0; i < matrices && pieces_ > 1; ++i)
      join_pieces(context, i, pieces + i * pieces_ * piece_floats(), scratch + scores_);
  }

 private:
  size_t thread_floats() const {
    return (CheckedSize(scores_) + kernels::kGemmScratchSize + expanded_).rounded_up(16).value();
  }
  // The results for a piece of the keys, and for each row its greatest score and its sum.
  size_t piece_floats() const { return ((CheckedSize(width_) + 2) * length_).value(); }

  // Matrix i of keys or values.
  struct Source {
    const char* memory;  // of its first row
    size_t row, column;  // steps between compressed elements
    VariablePrecision precision;

    Source(const TensorView& tensor, const Matrices& matrices, size_t offset, VariablePrecision precision)
        : memory(tensor.data<char>() + offset * bit_width(tensor.type) / 8),
          row(matrices.row),
          column(matrices.column),
          precision(precision) {}
  };
  // Rows of a matrix in f32, and the steps between elements.
  struct Rows {
    const float* data;
    size_t row, column;
  };
  static Rows rows_of(const Source& from, size_t first, size_t count, size_t width, float* expanded) {
    const char* start = from.memory + first * from.row * bit_width(compressed_type(from.precision)) / 8;
    if (from.precision == VariablePrecision::kF32)
      return {reinterpret_cast<const float*>(start), from.row, from.column};
    expand_rows(from.precision, start, from.row, count, width, expanded);
    return {expanded, width, 1};
  }

  // Makes the single rows of all heads that share keys and values the rows of one matrix. Keys and values are
  // then read once for these heads.
  void join_heads() {
    const size_t heads = key_.repeats;
    if (length_ != 1 || causal_ || heads == 1 || value_.repeats != heads) return;
    length_ = heads;
    batch_.back() /= static_cast<int64_t>(heads);
    key_.repeats = value_.repeats = 1;
    for (Matrices* each : {&query_, &mask_, &sink_, &result_}) {
      int64_t& stride = each->strides.back();
      each->row = static_cast<size_t>(stride);
      stride *= static_cast<int64_t>(heads);
    }
  }

  static int64_t back_of(const Shape& shape, size_t back) { return shape[shape.size() - back]; }

  // A mask that changes nothing: what passes give where there is a scale, but no mask.
  static bool is_zero(const ValueInfo& mask) {
    return mask.constant != nullptr && mask.constant->type() == ElementType::kF32 &&
           mask.constant->shape().empty() && mask.constant->value().data<float>()[0] == 0;
  }

  // What some keys contribute to rows of the result, before it is divided by the sums of the exponentials,
  // which are relative to the greatest score of a row.
  struct Part {
    float* out;
    size_t stride;
    float *greatest, *sums;
  };

  // Rows first, first + 1, ... of matrix i.
  void attend(EvalContext& context, size_t i, size_t first, float* scores) const {
    const size_t rows = std::min(kQueries, length_ - first);
    // Keys beyond the diagonal are not read.
    const size_t end = causal_ ? std::min(source_, first + rows) : source_;
    float greatest[kQueries], sums[kQueries];
    float* const out = result_of(context, i) + first * result_.row;
    add_keys(context, i, {first, first + rows}, {0, end}, {out, result_.row, greatest, sums}, scores);
    for (size_t r = 0; r < rows; ++r) {
      float* const row = out + r * result_.row;
      const float scale = end > 0 ? 1.0f / (sums[r] + sink(context, i, first + r, greatest[r])) : 0.0f;
      kernels::apply_binary(kernels::Binary::kMultiply, row, 1, &scale, 0, row, width_);
    }
  }

  // All rows of matrix i, for a piece of the keys.
  void attend_to_piece(EvalContext& context, size_t i, size_t piece, float* out, float* scores) const {
    const kernels::Range keys = {part_begin(source_, piece, pieces_),
                                 part_begin(source_, piece + 1, pieces_)};
    float* const greatest = out + length_ * width_;
    add_keys(context, i, {0, length_}, keys, {out, width_, greatest, greatest + length_}, scores);
  }

  // A row of the result is the sum of the pieces' rows, each times a factor. The factors are written over the
  // greatest scores of the pieces.
  void join_pieces(EvalContext& context, size_t i, float* pieces, float* packing) const {
    constexpr float kLowest = -std::numeric_limits<float>::infinity();
    const size_t step = piece_floats(), end = pieces_ * step;
    kernels::Gemm sum{};
    sum.m = 1;
    sum.n = width_;
    sum.k = pieces_;
    sum.a_k_stride = step;
    for (size_t r = 0; r < length_; ++r) {
      float* const factors = pieces + length_ * width_ + r;
      const float* const sums = factors + length_;
      float greatest = kLowest, all = 0;
      for (size_t at = 0; at < end; at += step) {
        if (!(factors[at] <= greatest)) greatest = factors[at];  // also if it is NaN
      }
      for (size_t at = 0; at < end; at += step) {
        factors[at] = factors[at] == kLowest ? 0 : std::exp(factors[at] - greatest);
        all += factors[at] * sums[at];
      }
      all += sink(context, i, r, greatest);
      for (size_t at = 0; at < end; at += step) factors[at] /= all;
      sum.a = factors;
      sum.c = result_of(context, i) + r * result_.row;
      kernels::gemm(sum, pieces + r * width_, step, 1, packing, {0, 1}, {0, width_});
    }
  }

  // The exponential of the sink of a row, relative to the greatest score. The sink is one more score, of a
  // key without a value.
  float sink(const EvalContext& context, size_t i, size_t row, float greatest) const {
    if (context.input_count() <= kSink) return 0;
    const float score = context.input(kSink).data<float>()[sink_.offset(i, batch_) + row * sink_.row];
    return score == -std::numeric_limits<float>::infinity() ? 0 : std::exp(score - greatest);
  }

  float* result_of(EvalContext& context, size_t i) const {
    return context.output(0).mutable_data<float>() + result_.offset(i, batch_);
  }

  // Works through blocks of keys. If a block has a greater score, what earlier ones gave is scaled down
  // (online softmax), so scratch memory does not grow with the keys. https://arxiv.org/abs/1805.02867
  void add_keys(EvalContext& context, size_t i, kernels::Range query, kernels::Range part, const Part& to,
                float* scores) const {
    const size_t first = query.begin, rows = query.size();
    float* const packing = scores + scores_;
    std::fill_n(to.greatest, rows, -std::numeric_limits<float>::infinity());
    std::fill_n(to.sums, rows, 0.0f);
    kernels::Gemm products{};
    products.m = rows;
    products.k = embedding_;
    products.a = context.input(0).data<float>() + query_.offset(i, batch_) + first * query_.row;
    products.a_row_stride = query_.row;
    products.a_k_stride = query_.column;
    products.c = scores;
    kernels::Gemm sum{};
    sum.m = rows;
    sum.n = width_;
    sum.a = scores;
    sum.c = to.out;
    sum.c_row_stride = to.stride;
    const Source keys(context.input(1), key_, key_.offset(i, batch_), key_precision_);
    const Source values(context.input(2), value_, value_.offset(i, batch_), value_precision_);
    float* const expanded = packing + kernels::kGemmScratchSize;
    size_t key = part.begin;
    do {  // once without any key, which gives zeros
      const size_t count = std::min(kKeys, part.end - key);
      products.n = products.c_row_stride = sum.k = sum.a_row_stride = count;
      if (rows <= kernels::kFewQueries && query_.column == 1 && key_precision_ == VariablePrecision::kU8) {
        kernels::multiply_cache_rows({products.a, rows, query_.row},
                                     reinterpret_cast<const uint8_t*>(keys.memory) + key * keys.row, keys.row,
                                     count, embedding_, scores, count);
      } else {
        const Rows k = rows_of(keys, key, count, embedding_, expanded);
        kernels::gemm(products, k.data, k.column, k.row, packing, {0, rows}, {0, count});
      }
      scale_and_mask(context, i, first, rows, key, count, scores);
      for (size_t r = 0; r < rows; ++r) {
        float* const row = scores + r * count;
        const size_t seen = causal_ ? std::clamp<size_t>(first + r + 1, key, key + count) - key : count;
        const float shrink = kernels::online_softmax_row(row, seen, to.greatest[r], to.sums[r]);
        std::fill(row + seen, row + count, 0.0f);
        if (key == part.begin || shrink == 1.0f) continue;
        float* const before = to.out + r * to.stride;
        kernels::apply_binary(kernels::Binary::kMultiply, before, 1, &shrink, 0, before, width_);
      }
      sum.epilogue.residual = {nullptr, key > part.begin ? to.out : nullptr, to.stride};
      const Rows v = rows_of(values, key, count, width_, expanded);
      kernels::gemm(sum, v.data, v.row, v.column, packing, {0, rows}, {0, width_});
      key += count;
    } while (key < part.end);
  }

  // What stands in front of the softmax, for the scores of `rows` rows and `count` keys.
  void scale_and_mask(const EvalContext& context, size_t i, size_t first, size_t rows, size_t key,
                      size_t count, float* scores) const {
    const float scale = context.input_count() > kScale
                            ? context.input(kScale).data<float>()[0]
                            : static_cast<float>(1 / std::sqrt(static_cast<double>(embedding_)));
    kernels::apply_binary(kernels::Binary::kMultiply, scores, 1, &scale, 0, scores, rows * count);
    if (!masked_) return;
    const TensorView& mask = context.input(kMask);
    for (size_t r = 0; r < rows; ++r, scores += count) {
      const size_t at = mask_.offset(i, batch_) + (first + r) * mask_.row + key * mask_.column;
      if (mask.type == ElementType::kBoolean) {
        const float hidden = -std::numeric_limits<float>::infinity();
        kernels::select(mask.data<uint8_t>() + at, mask_.column, reinterpret_cast<const uint32_t*>(scores), 1,
                        reinterpret_cast<const uint32_t*>(&hidden), 0, reinterpret_cast<uint32_t*>(scores),
                        count);
      } else {
        kernels::apply_binary(kernels::Binary::kAdd, scores, 1, mask.data<float>() + at, mask_.column, scores,
                              count);
      }
    }
  }

  Shape output_, batch_;
  Matrices query_, key_, value_, mask_, sink_, result_;
  bool causal_, masked_;
  size_t length_, width_;  // rows and columns of a result matrix
  size_t source_;          // keys
  size_t embedding_;       // of a query and a key
  VariablePrecision key_precision_, value_precision_;
  size_t expanded_ = 0;         // floats of scratch for expanded keys or values
  size_t blocks_, pieces_ = 1;  // of the query's rows, and of the keys
  size_t grain_, threads_;
  size_t scores_;  // floats of scratch for the scores of a block
};

Dimension expect_back_size(const InferContext& context, size_t i, std::string_view name, size_t back,
                           Dimension size, std::string_view source) {
  const PartialShape& shape = context.input_shape(i);
  return shape.has_rank() ? expect_size(context, i, name, shape.rank() - back, size, source) : size;
}

PartialShape with_matrix(PartialShape batch) {
  batch.push_back(1);
  batch.push_back(1);
  return batch;
}

PartialShape batch_of(const PartialShape& shape) {
  PartialShape batch = PartialShape::of_rank(0);
  for (size_t axis = 0; axis + 2 < shape.rank(); ++axis) batch.push_back(shape[axis]);
  return batch;
}

PartialShape broadcast_batch(const PartialShape& a, const PartialShape& b, std::string_view name) {
  if (const auto both = broadcast(batch_of(a), batch_of(b))) return *both;
  throw Error(ErrorCode::kInvalidShape,
              cat("the batches of query ", batch_of(a), " and of ", name, " ", batch_of(b), " do not fit"))
      .port(std::string(name))
      .expected(to_string(batch_of(a)))
      .actual(to_string(batch_of(b)));
}

// The mask is broadcast to [batch, length, source]; a scalar is none.
PartialShape check_mask(const InferContext& context, const PartialShape& batch, Dimension length,
                        Dimension source) {
  const PartialShape& mask = context.input_shape(kMask);
  if (!mask.has_rank() || mask.rank() == 0) return batch;
  PartialShape scores = batch;
  scores.push_back(length);
  scores.push_back(source);
  const auto both = broadcast(scores, mask);
  const bool fits = mask.rank() > 1 && both && both->rank() == scores.rank() &&
                    (*both)[both->rank() - 1].compatible(source) &&
                    (*both)[both->rank() - 2].compatible(length);
  if (!fits) {
    throw Error(ErrorCode::kInvalidShape, cat("attention_mask ", mask, " does not fit the scores ", scores))
        .port("attention_mask")
        .expected(to_string(scores))
        .actual(to_string(mask));
  }
  return batch_of(*both);
}

// The sink is broadcast to [batch, length, 1].
void check_sink(const InferContext& context, const PartialShape& batch, Dimension length) {
  const PartialShape& sink = context.input_shape(kSink);
  PartialShape column = batch;
  column.push_back(length);
  column.push_back(1);
  const auto both = broadcast(column, sink);
  if (both && both->compatible(column)) return;
  throw Error(ErrorCode::kInvalidShape, cat("sink ", sink, " does not fit [batch, length, 1], here ", column))
      .port("sink")
      .expected(to_string(column))
      .actual(to_string(sink));
}

}  // namespace

void infer_attention(InferContext& context, bool causal) {
  context.expect_inputs(3, 6);
  ElementType type = context.input_type(0);
  const std::string_view names[] = {"query", "key", "value", "attention_mask", "scale", "sink"};
  for (size_t i = 0; i < context.input_count(); ++i) {
    if (i == kMask && context.input_type(i) == ElementType::kBoolean) continue;
    if (type == ElementType::kDynamic) type = context.input_type(i);
  }
  for (size_t i = 0; i < 3; ++i) expect_rank(context, i, 3, static_cast<size_t>(-1), names[i]);
  if (context.input_count() > kScale) {
    expect_rank(context, kScale, 0, 1, names[kScale]);
    const PartialShape& scale = context.input_shape(kScale);
    if (scale.has_rank() && scale.rank() == 1)
      expect_size(context, kScale, names[kScale], 0, 1, "its only size");
  }
  const PartialShape& query = context.input_shape(0);
  const PartialShape& key = context.input_shape(1);
  const PartialShape& value = context.input_shape(2);
  if (query.has_rank()) {
    expect_back_size(context, 1, "key", 1, query[query.rank() - 1], "the last axis of query");
  }
  Dimension source;
  if (key.has_rank()) {
    source = expect_back_size(context, 2, "value", 2, key[key.rank() - 2], "the axis before the last of key");
  }
  if (!query.has_rank() || !key.has_rank() || !value.has_rank()) {
    context.set_output(0, type, PartialShape());
    return;
  }
  PartialShape batch = broadcast_batch(query, key, names[1]);
  batch = broadcast_batch(with_matrix(batch), value, names[2]);
  if (!causal && context.input_count() > kMask)
    batch = check_mask(context, batch, query[query.rank() - 2], source);
  if (context.input_count() > kSink) check_sink(context, batch, query[query.rank() - 2]);
  batch.push_back(query[query.rank() - 2]);
  batch.push_back(value[value.rank() - 1]);
  context.set_output(0, type, batch);
}

std::unique_ptr<Kernel> compile_attention(CompileContext& context, bool causal,
                                          const AttentionOrders& orders) {
  return std::make_unique<AttentionKernel>(context, causal, orders);
}

}  // namespace wasmvino::ops
