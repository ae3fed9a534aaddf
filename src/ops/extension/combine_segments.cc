// SPDX-License-Identifier: Apache-2.0
// CombineSegments: joins the rows of several ragged tensors, and says from which one each element comes.
// https://github.com/openvinotoolkit/openvino_tokenizers/blob/master/src/combine_segments.cpp
#include <algorithm>

#include "core/dispatch.h"
#include "model/registry.h"
#include "ops/extension/strings.h"

namespace wasmvino::ops::extension::combine_segments {

class Combining final : public Kernel {
 public:
  void run(EvalContext& context) override {
    const size_t segments = (context.input_count() - 1) / 3;
    const TensorView& ids = context.input(context.input_count() - 1);
    if (ids.size() != segments) {
      fail(ErrorCode::kInvalidValue, "there are ", ids.size(), " segment ids for ", segments, " segments");
    }
    const size_t rows = context.output(0).size();
    rows_.clear();
    parts_.clear();
    size_t length = 0;
    for (size_t row = 0; row < rows; ++row) {
      const size_t first = length;
      for (size_t segment = 0; segment < segments; ++segment) {
        const Ranges ranges = rows_of(context, 3 * segment);
        if (ranges.size() != 1 && ranges.size() != rows) {
          fail(ErrorCode::kInvalidShape, "segment ", segment, " has ", ranges.size(), " rows, expected 1 or ",
               rows);
        }
        const Range range = ranges[ranges.size() == 1 ? 0 : row];
        if (range.size() == 0) continue;
        parts_.push_back({segment, range});
        length += range.size();
      }
      rows_.add(first, length);
    }
    for (const size_t first : {size_t{0}, size_t{3}}) {
      if (first >= context.output_count()) break;
      rows_.write(context, first);
      context.set_output_shape(first + 2, {static_cast<int64_t>(length)});
    }
    with_storage(context.output(2).type, [&]<typename T>() {
      T* to = context.output(2).mutable_data<T>();
      for (const Part& part : parts_) {
        const T* elements = context.input(3 * part.segment + 2).data<T>();
        to = std::copy(elements + part.range.begin, elements + part.range.end, to);
      }
    });
    if (context.output_count() < 6) return;
    with_storage(ids.type, [&]<typename T>() {
      T* to = context.output(5).mutable_data<T>();
      for (const Part& part : parts_) to = std::fill_n(to, part.range.size(), ids.data<T>()[part.segment]);
    });
  }

 private:
  struct Part {
    size_t segment;
    Range range;
  };
  RowList rows_;
  std::vector<Part> parts_;
};

class CombineSegments final : public Op {
 public:
  size_t least_outputs() const override { return 3; }

  void infer(InferContext& context) const override {
    const size_t count = context.input_count();
    if (count < 4 || count % 3 != 1) {
      fail(ErrorCode::kInvalidModel, "CombineSegments has ", count,
           " inputs, expected three per segment and the ids");
    }
    // Rows are those of the segments that are not scalars. These are constants: special tokens.
    PartialShape rows = Shape();
    ElementType type = ElementType::kDynamic;
    bool scalar = true;
    for (size_t i = 0; i + 1 < count; i += 3) {
      for (const size_t input : {i, i + 1}) {
        if (context.input_type(input) == ElementType::kI32 ||
            context.input_type(input) == ElementType::kDynamic)
          continue;
        fail(ErrorCode::kInvalidType, "input ", input, " is ", context.input_type(input), ", expected i32");
      }
      expect_vector(context, i + 2, "elements");
      const PartialShape& shape = context.input_shape(i);
      if (!shape.has_rank() || shape.rank() > 0) {
        const auto merged = scalar ? shape : rows.merge(shape);
        if (!merged) {
          throw Error(ErrorCode::kInvalidShape,
                      cat("segment ", i / 3, " has rows ", shape, ", but others have ", rows))
              .expected(cat(rows))
              .actual(cat(shape));
        }
        rows = *merged;
        scalar = false;
      }
      if (type == ElementType::kDynamic) type = context.input_type(i + 2);
      if (type != context.input_type(i + 2) && context.input_type(i + 2) != ElementType::kDynamic) {
        throw Error(ErrorCode::kInvalidType, cat("segment ", i / 3, " has elements of ",
                                                 context.input_type(i + 2), ", but others have ", type))
            .expected(cat(type))
            .actual(cat(context.input_type(i + 2)));
      }
    }
    infer_rows(context, 0, rows, type);
    infer_rows(context, 3, rows, context.input_type(count - 1));
  }

  std::unique_ptr<Kernel> compile(CompileContext&) const override { return std::make_unique<Combining>(); }
};

}  // namespace wasmvino::ops::extension::combine_segments

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(combine_segments) {
  registry.add<extension::combine_segments::CombineSegments>(
      {.type = "CombineSegments",
       .versions = {1},
       .specification = "",
       .types = {{"begins", ElementType::kI32},
                 {"ends", ElementType::kI32},
                 {"elements", kWholeBytes},
                 {"segments", kWholeBytes, InputTypes::kAny, true}},
       .domain = "extension"});
}
}  // namespace wasmvino::ops
