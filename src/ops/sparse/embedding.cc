// SPDX-License-Identifier: Apache-2.0
#include "ops/sparse/embedding.h"

#include <algorithm>
#include <type_traits>

#include "kernels/numbers.h"
#include "ops/inputs/axes.h"
#include "ops/inputs/checks.h"
#include "ops/inputs/indices.h"
#include "ops/quantised_data/quantised_matrices.h"

namespace wasmvino::ops {
namespace {

constexpr size_t kBlock = 64;
constexpr size_t kGrain = size_t{1} << 13;
constexpr size_t kNone = static_cast<size_t>(-1);

// Indices of the inputs; kNone for absent ones.
struct Inputs {
  size_t bounds;  // offsets or segment_ids
  size_t default_index;
  size_t weights;
};

Inputs inputs_of(Bags bags, size_t count) {
  const auto present = [&](size_t i) { return i < count ? i : kNone; };
  switch (bags) {
    case Bags::kOffsets:
      return {2, present(3), present(4)};
    case Bags::kSegments:
      return {2, present(4), present(5)};
    default:
      return {kNone, kNone, present(2)};
  }
}

int64_t checked(int64_t value, int64_t first, int64_t last, std::string_view name, size_t i) {
  if (value >= first && value <= last) return value;
  throw Error(ErrorCode::kInvalidValue, cat(name, "[", i, "] is ", value, ", outside ", first, "..", last))
      .port(std::string(name))
      .expected(cat(first, "..", last))
      .actual(cat(value));
}

template <typename Wide>
class EmbeddingKernel final : public Kernel {
 public:
  EmbeddingKernel(CompileContext& context, Bags bags, bool mean)
      : bags_(bags),
        mean_(mean),
        inputs_(inputs_of(bags, context.input_count())),
        quantised_(QuantisedTable::of(context, 0)),
        load_(kernels::number_loader<Wide>(context.input_type(0))),
        store_(kernels::number_storer<Wide>(context.input_type(0))),
        rows_(context.input_shape(0)[0]),
        width_(product(context.input_shape(0), 1, context.input_shape(0).size())),
        count_(static_cast<size_t>(context.output_shape(0)[0])),
        indices_(element_count(context.input_shape(1))) {
    context.request_scratch((CheckedSize(count_) + 1) * sizeof(size_t));
  }

  void run(EvalContext& context) override {
    size_t* const bounds = static_cast<size_t*>(context.scratch());
    find_bounds(context, bounds);
    for (size_t i = 0; i < indices_; ++i) checked(index_at(context.input(1), i), 0, rows_ - 1, "indices", i);
    int64_t empty = -1;
    if (inputs_.default_index != kNone) {
      empty = checked(index_at(context.input(inputs_.default_index), 0), -1, rows_ - 1, "default_index", 0);
    }
    const size_t cost =
        std::max<size_t>(1, width_ * std::max<size_t>(1, indices_ / std::max<size_t>(1, count_)));
    parallel_for(context.parallel(), count_, std::max<size_t>(1, kGrain / cost),
                 [&](size_t begin, size_t end) {
                   for (size_t bag = begin; bag < end; ++bag) {
                     for (size_t column = 0; column < width_; column += kBlock) {
                       reduce(context, bag, bounds[bag], bounds[bag + 1], empty, column,
                              std::min(kBlock, width_ - column));
                     }
                   }
                 });
  }

 private:
  // Finds the start of each bag among the indices; the last bag ends at bounds[count].
  void find_bounds(const EvalContext& context, size_t* bounds) const {
    if (bags_ == Bags::kPacked) {
      for (size_t bag = 0; bag <= count_; ++bag) bounds[bag] = count_ == 0 ? 0 : indices_ / count_ * bag;
      return;
    }
    const TensorView& given = context.input(inputs_.bounds);
    const int64_t last = static_cast<int64_t>(indices_);
    if (bags_ == Bags::kOffsets) {
      int64_t before = 0;
      for (size_t bag = 0; bag < count_; ++bag) {
        before = checked(index_at(given, bag), before, last, "offsets", bag);
        bounds[bag] = static_cast<size_t>(before);
      }
      bounds[count_] = indices_;
      return;
    }
    size_t next = 0;
    int64_t before = 0;
    for (size_t i = 0; i < indices_; ++i) {
      const int64_t segment =
          checked(index_at(given, i), before, static_cast<int64_t>(count_) - 1, "segment_ids", i);
      while (next <= static_cast<size_t>(segment)) bounds[next++] = i;
      before = segment;
    }
    while (next <= count_) bounds[next++] = indices_;
  }

  void reduce(EvalContext& context, size_t bag, size_t begin, size_t end, int64_t empty, size_t column,
              size_t width) const {
    const void* table = context.input(0).memory;
    Wide sums[kBlock] = {}, values[kBlock];
    const auto read = [&](int64_t row) {
      const size_t from = static_cast<size_t>(row) * width_ + column;
      if (!quantised_) return load_(table, from, 1, width, values);
      float numbers[kBlock];
      quantised_->load(from, width, numbers);
      std::copy_n(numbers, width, values);
    };
    for (size_t i = begin; i < end; ++i) {
      read(index_at(context.input(1), i));
      Wide weight = 1;
      if (inputs_.weights != kNone) load_(context.input(inputs_.weights).memory, i, 1, 1, &weight);
      for (size_t j = 0; j < width; ++j) {
        if constexpr (std::is_integral_v<Wide>) {  // wraps
          sums[j] = static_cast<Wide>(static_cast<uint64_t>(sums[j]) +
                                      static_cast<uint64_t>(values[j]) * static_cast<uint64_t>(weight));
        } else {
          sums[j] += values[j] * weight;
        }
      }
    }
    if (begin == end && empty >= 0) {
      read(empty);
      std::copy_n(values, width, sums);
    } else if (mean_ && begin != end) {
      for (size_t j = 0; j < width; ++j) sums[j] /= static_cast<Wide>(end - begin);
    }
    store_(sums, width, context.output(0).memory, bag * width_ + column, 1);
  }

  Bags bags_;
  bool mean_;
  Inputs inputs_;
  std::optional<QuantisedTable> quantised_;
  kernels::LoadNumbers<Wide> load_;
  kernels::StoreNumbers<Wide> store_;
  int64_t rows_;
  size_t width_;  // elements per row
  size_t count_;  // number of bags
  size_t indices_;
};

}  // namespace

void EmbeddingOp::visit_attributes(AttributeVisitor& visitor) {
  if (!modes_) return;
  int mode = mean_ ? 1 : 0;
  visitor.on_choice("reduction", mode, {"sum", "mean"});
  mean_ = mode == 1;
}

void EmbeddingOp::infer(InferContext& context) const {
  const bool packed = bags_ == Bags::kPacked, segments = bags_ == Bags::kSegments;
  context.expect_inputs(packed ? 2 : segments ? 4 : 3, packed ? 3 : segments ? 6 : 5);
  const Inputs inputs = inputs_of(bags_, context.input_count());
  expect_rank(context, 0, 1, static_cast<size_t>(-1), "emb_table");
  expect_rank(context, 1, packed ? 2 : 1, packed ? 2 : 1, "indices");
  ElementType type = context.input_type(0);
  const PartialShape& table = context.input_shape(0);
  const PartialShape& indices = context.input_shape(1);
  Dimension count = packed && indices.has_rank() ? indices[0] : Dimension();
  if (inputs.bounds != kNone) {
    const std::string_view name = segments ? "segment_ids" : "offsets";
    expect_rank(context, inputs.bounds, 1, 1, name);
    if (segments) {
      if (indices.has_rank()) expect_size(context, inputs.bounds, name, 0, indices[0], "axis 0 of indices");
      expect_rank(context, 3, 0, 0, "num_segments");
      if (const auto number = context.input_ints(3)) {
        if ((*number)[0] < 0)
          fail(ErrorCode::kInvalidValue, "num_segments is ", (*number)[0], ", expected 0 or more");
        count = (*number)[0];
      }
    } else if (context.input_shape(inputs.bounds).has_rank()) {
      count = context.input_shape(inputs.bounds)[0];
    }
  }
  if (inputs.default_index != kNone) {
    expect_rank(context, inputs.default_index, 0, 0, "default_index");
  }
  if (inputs.weights != kNone) {
    if (mean_) fail(ErrorCode::kInvalidModel, "per_sample_weights are given, but 'reduction' is mean");
    type = context.common_type(0, inputs.weights);
    expect_rank(context, inputs.weights, packed ? 2 : 1, packed ? 2 : 1, "per_sample_weights");
    for (size_t axis = 0; indices.has_rank() && axis < indices.rank(); ++axis) {
      expect_size(context, inputs.weights, "per_sample_weights", axis, indices[axis],
                  cat("axis ", axis, " of indices"));
    }
  }
  if (!table.has_rank()) {
    context.set_output(0, type, PartialShape());
    return;
  }
  PartialShape shape = table;
  shape[0] = count;
  context.set_output(0, type, shape);
}

std::unique_ptr<Kernel> EmbeddingOp::compile(CompileContext& context) const {
  const ElementType type = context.input_type(0);
  if (is_real(type)) return std::make_unique<EmbeddingKernel<double>>(context, bags_, mean_);
  if (type == ElementType::kU64) return std::make_unique<EmbeddingKernel<uint64_t>>(context, bags_, mean_);
  return std::make_unique<EmbeddingKernel<int64_t>>(context, bags_, mean_);
}

}  // namespace wasmvino::ops
