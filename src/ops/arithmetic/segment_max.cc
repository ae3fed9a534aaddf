// SPDX-License-Identifier: Apache-2.0
// SegmentMax: the elementwise maximum of the slices of data that share a segment.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/arithmetic/segment-max-16.html
#include <algorithm>
#include <limits>

#include "core/float_types.h"
#include "kernels/fill.h"
#include "kernels/numbers.h"
#include "model/registry.h"
#include "ops/inputs/axes.h"
#include "ops/inputs/checks.h"
#include "ops/inputs/indices.h"

namespace wasmvino::ops::segment_max {

enum class FillMode { kZero, kLowest };

// The smallest finite value of a type.
template <typename Wide>
Wide lowest(ElementType type) {
  if constexpr (std::is_floating_point_v<Wide>) {
    switch (type) {
      case ElementType::kF16:
        return -65504.0;
      case ElementType::kBf16:
        return -0x1.FEp127;
      case ElementType::kF32:
        return std::numeric_limits<float>::lowest();
      default:
        return std::numeric_limits<double>::lowest();
    }
  } else {
    return is_signed(type) ? static_cast<Wide>(-1) << (bit_width(type) - 1) : 0;
  }
}

// Calls body.template operator()<Wide>() with a type that holds all values of `type`.
template <typename Body>
void with_wide(ElementType type, const Body& body) {
  if (is_real(type)) return body.template operator()<double>();
  if (type == ElementType::kU64) return body.template operator()<uint64_t>();
  body.template operator()<int64_t>();
}

class SegmentMax final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.require("fill_mode");
    visitor.on_enum("fill_mode", fill_mode_, {"zero", "lowest"});
  }

  void infer(InferContext& context) const override {
    context.expect_inputs(2, 3);
    const ElementType type = context.input_type(0);
    const PartialShape& data = context.input_shape(0);
    const PartialShape& ids = context.input_shape(1);
    expect_rank(context, 0, 1, std::numeric_limits<size_t>::max(), "data");
    expect_rank(context, 1, 1, 1, "segment_ids");
    if (data.has_rank() && ids.has_rank() && !data[0].compatible(ids[0])) {
      fail(ErrorCode::kInvalidShape, "segment_ids has shape ", ids, " and data has shape ", data,
           ": they differ on axis 0");
    }
    Dimension segments;
    if (context.input_count() == 3) {
      if (const std::optional<int64_t> given = known_int(context, 2, "num_segments")) {
        if (*given < 0) {
          throw Error(ErrorCode::kInvalidValue, cat("num_segments is ", *given, ", expected 0 or more"))
              .expected("0 or more")
              .actual(cat(*given))
              .port("num_segments");
        }
        segments = *given;
      }
    } else if (const TensorView* known = context.known_value(1)) {
      // The value is not requested: if the ids are known only during the run, so is the shape.
      segments = count_segments(*known);
    }
    PartialShape output = data;
    if (output.has_rank()) output[0] = segments;
    context.set_output(0, type, output);
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    return std::make_unique<Reducing>(fill_mode_, !context.has_output_shape(0));
  }

  // Empty segments hold the lowest number of the type.
  bool depends_on_precision() const override { return fill_mode_ == FillMode::kLowest; }

 private:
  class Reducing final : public Kernel {
   public:
    Reducing(FillMode fill_mode, bool open) : fill_mode_(fill_mode), open_(open) {}

    void run(EvalContext& context) override {
      const int64_t given = count_segments(context.input(1));
      if (open_) {
        Shape shape = context.input(0).shape;
        shape[0] = given;
        context.set_output_shape(0, shape);
      }
      const size_t rows = static_cast<size_t>(context.input(0).shape[0]);
      const size_t columns = product(context.input(0).shape, 1, context.input(0).shape.size());
      with_wide(context.input(0).type, [&]<typename Wide>() {
        fill<Wide>(context);
        if (columns >= 2 * kBlock) {
          parallel_for(context.parallel(), columns, std::max(kBlock, kGrain / std::max<size_t>(1, rows)),
                       [&](size_t begin, size_t end) { reduce<Wide>(context, {0, rows}, {begin, end}); });
        } else {
          parallel_for(context.parallel(), rows, kGrain / std::max<size_t>(1, columns),
                       [&](size_t begin, size_t end) {
                         reduce<Wide>(context, whole_segments(context.input(1), {begin, end}), {0, columns});
                       });
        }
      });
    }

   private:
    static constexpr size_t kBlock = 128;
    // Grain: elements in about 10 µs of work.
    static constexpr size_t kGrain = size_t{1} << 13;

    struct Range {
      size_t begin, end;
    };

    // The rows of all segments that begin in `rows`.
    static Range whole_segments(const TensorView& ids, Range rows) {
      const auto first_of_next = [&](size_t row) {
        if (row == 0) return row;
        const int64_t id = load_integer(ids, row - 1);
        for (size_t end = ids.size(); row < end;) {
          const size_t middle = row + (end - row) / 2;
          if (load_integer(ids, middle) > id) {
            end = middle;
          } else {
            row = middle + 1;
          }
        }
        return row;
      };
      return {first_of_next(rows.begin), first_of_next(rows.end)};
    }

    template <typename Wide>
    void fill(EvalContext& context) const {
      TensorView& output = context.output(0);
      const Wide empty = fill_mode_ == FillMode::kZero ? Wide{0} : lowest<Wide>(output.type);
      alignas(8) char element[8];
      kernels::number_storer<Wide>(output.type)(&empty, 1, element, 0, 1);
      parallel_for(context.parallel(), output.size(), kGrain, [&](size_t begin, size_t end) {
        kernels::fill_elements(output.type, element, output.memory, begin, end - begin);
      });
    }

    template <typename Wide>
    void reduce(EvalContext& context, Range rows, Range columns) const {
      const TensorView& data = context.input(0);
      TensorView& output = context.output(0);
      const size_t inner = product(data.shape, 1, data.shape.size());
      const kernels::LoadNumbers<Wide> load = kernels::number_loader<Wide>(data.type);
      const kernels::StoreNumbers<Wide> store = kernels::number_storer<Wide>(data.type);
      int64_t previous = -1;
      for_indices(context.input(1), rows.begin, rows.end, [&](size_t row, int64_t segment) {
        if (segment >= output.shape[0]) return;
        const size_t to = static_cast<size_t>(segment) * inner;
        for (size_t i = columns.begin; i < columns.end; i += kBlock) {
          const size_t count = std::min(kBlock, columns.end - i);
          Wide numbers[kBlock], largest[kBlock];
          load(data.memory, row * inner + i, 1, count, numbers);
          if (segment == previous) {
            load(output.memory, to + i, 1, count, largest);
            for (size_t k = 0; k < count; ++k) numbers[k] = std::max(largest[k], numbers[k]);
          }
          store(numbers, count, output.memory, to + i, 1);
        }
        previous = segment;
      });
    }

    FillMode fill_mode_;
    bool open_;  // the number of segments is not known before the run
  };

  // One more than the last id. Throws if the ids are negative or not sorted.
  static int64_t count_segments(const TensorView& ids) {
    int64_t last = -1;
    for_indices(ids, 0, ids.size(), [&](size_t i, int64_t id) {
      if (id < 0 || id < last) {
        throw Error(ErrorCode::kInvalidValue, cat("element ", i, " of segment_ids is ", id, " after ", last,
                                                  ": they must be sorted and not negative"))
            .expected(cat(std::max<int64_t>(last, 0), " or more"))
            .actual(cat(id))
            .port("segment_ids");
      }
      last = id;
    });
    return last + 1;
  }

  FillMode fill_mode_ = FillMode::kZero;
};

}  // namespace wasmvino::ops::segment_max

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(segment_max) {
  registry.add<segment_max::SegmentMax>(
      {"SegmentMax",
       {16},
       "arithmetic/segment-max-16",
       {{"data", kNumbers}, {"segment_ids", kAnyIntegers}, {"num_segments", kAnyIntegers}}});
}
}  // namespace wasmvino::ops
