// SPDX-License-Identifier: Apache-2.0
// StridedSlice: numpy's data[begin:end:stride, ..., np.newaxis, i], expressed with masks.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/movement/strided-slice-1.html
#include "model/registry.h"
#include "ops/inputs/inputs.h"
#include "ops/movement/slices.h"
#include "ops/movement/strided_copy.h"

namespace wasmvino::ops::strided_slice {

class StridedSlice final : public CopyOp {
 public:
  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.on("begin_mask", begin_mask_);
    visitor.on("end_mask", end_mask_);
    visitor.on("new_axis_mask", new_axis_mask_);
    visitor.on("shrink_axis_mask", shrink_axis_mask_);
    visitor.on("ellipsis_mask", ellipsis_mask_);
  }

  void infer(InferContext& context) const override {
    context.expect_inputs(3, 4);
    const std::optional<Ints> begin = known_ints(context, 1, "begin");
    const std::optional<Ints> end = known_ints(context, 2, "end");
    std::optional<Ints> stride;
    if (context.input_count() == 4) stride = known_ints(context, 3, "stride");
    std::optional<size_t> steps;
    for (size_t i = 1; i < context.input_count(); ++i) {
      const std::optional<size_t> own = length_of(context, i);
      if (own && steps && *own != *steps) {
        fail(ErrorCode::kInvalidShape, i == 2 ? "end" : "stride", " has ", *own, " elements, but begin has ",
             *steps);
      }
      if (own) steps = own;
    }
    if (stride) {
      for (const int64_t step : *stride) {
        if (step == 0) fail(ErrorCode::kInvalidValue, "stride ", to_string(*stride), " contains 0");
      }
    }
    const PartialShape& input = context.input_shape(0);
    PartialShape output;
    if (input.has_rank() && steps) {
      output = PartialShape::of_rank(0);
      const bool known = begin && end && (context.input_count() == 3 || stride);
      for (const Part& part : parts(input.rank(), *steps)) {
        if (part.kind == Part::kNewAxis) {
          output.push_back(1);
          continue;
        }
        const Dimension size = input[part.axis];
        if (part.kind == Part::kWhole) {
          output.push_back(size);
        } else if (part.kind == Part::kSlice) {
          if (known) {
            const Slice slice = slice_of(part.step, *begin, *end, stride);
            output.push_back(slice_size(slice.start, slice.stop, slice.stride, size));
          } else {
            output.push_back({0, size.max});
          }
        } else if (known && size.is_static()) {
          element_of(part.step, *begin, size.size());
        }
      }
    }
    context.set_output(0, context.input_type(0), output);
  }

  // New axes and removed ones have size 1 if the shape stays the same. An index that only the run knows may
  // be outside.
  std::optional<Source> simplify(const Node& node, Model&) const override {
    return model::constant_ints(node.inputs[1]) ? whole_input(node, 3) : std::nullopt;
  }

 protected:
  StridedCopy plan(const CompileContext& context) const override {
    const Shape shape = context.input_shape(0);
    const Ints strides = row_major_strides(shape);
    const Ints begin = *context.constant_ints(1);
    const Ints end = *context.constant_ints(2);
    const std::optional<Ints> stride = context.input_count() == 4 ? context.constant_ints(3) : std::nullopt;
    Ints from_strides;
    int64_t offset = 0;
    for (const Part& part : parts(shape.size(), begin.size())) {
      if (part.kind == Part::kNewAxis) {
        from_strides.push_back(0);
      } else if (part.kind == Part::kWhole) {
        from_strides.push_back(strides[part.axis]);
      } else if (part.kind == Part::kElement) {
        offset += element_of(part.step, begin, shape[part.axis]) * strides[part.axis];
      } else {
        const Slice slice = slice_of(part.step, begin, end, stride);
        const SliceRange range = slice_range(slice.start, slice.stop, slice.stride, shape[part.axis]);
        offset += range.begin * strides[part.axis];
        // A step longer than the axis leaves one element, whose stride is not used.
        from_strides.push_back(range.count > 1 ? slice.stride * strides[part.axis] : 0);
      }
    }
    const Shape output = context.output_shape(0);
    return StridedCopy(context.output_type(0), output, from_strides, row_major_strides(output), offset);
  }

 private:
  // The operation on one axis.
  struct Part {
    enum Kind { kWhole, kSlice, kElement, kNewAxis } kind;
    size_t axis;  // of the input
    size_t step;  // index into begin, end and stride
  };
  struct Slice {
    int64_t start, stop, stride;
  };

  static bool is_set(const Ints& mask, size_t i) { return i < mask.size() && mask[i] != 0; }

  // The output's axes in order (and the removed axes of the input) for `steps` elements of begin.
  SmallVector<Part, 8> parts(size_t rank, size_t steps) const {
    size_t sliced = 0;  // axes of the input that have a step
    size_t ellipses = 0;
    for (size_t step = 0; step < steps; ++step) {
      if (is_set(ellipsis_mask_, step)) {
        ++ellipses;
      } else if (!is_set(new_axis_mask_, step)) {
        ++sliced;
      }
    }
    if (ellipses > 1) fail(ErrorCode::kInvalidModel, "attribute 'ellipsis_mask' contains 1 more than once");
    if (sliced > rank) {
      fail(ErrorCode::kInvalidShape, "begin selects ", sliced, " axes, but data has rank ", rank);
    }
    SmallVector<Part, 8> result;
    size_t axis = 0;
    for (size_t step = 0; step < steps; ++step) {
      if (is_set(ellipsis_mask_, step)) {
        for (size_t i = sliced; i < rank; ++i) result.push_back({Part::kWhole, axis++, 0});
      } else if (is_set(new_axis_mask_, step)) {
        result.push_back({Part::kNewAxis, 0, step});
      } else {
        result.push_back({is_set(shrink_axis_mask_, step) ? Part::kElement : Part::kSlice, axis++, step});
      }
    }
    while (axis < rank) result.push_back({Part::kWhole, axis++, 0});
    return result;
  }

  Slice slice_of(size_t step, const Ints& begin, const Ints& end, const std::optional<Ints>& stride) const {
    constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();
    constexpr int64_t kHighest = std::numeric_limits<int64_t>::max();
    Slice slice{begin[step], end[step], stride ? (*stride)[step] : 1};
    if (is_set(begin_mask_, step)) slice.start = slice.stride > 0 ? 0 : kHighest;
    if (is_set(end_mask_, step)) slice.stop = slice.stride > 0 ? kHighest : kLowest;
    return slice;
  }

  // The single element to which an axis shrinks.
  int64_t element_of(size_t step, const Ints& begin, int64_t size) const {
    const int64_t index = is_set(begin_mask_, step) ? 0 : begin[step];
    if (index < -size || index >= size) {
      throw Error(ErrorCode::kInvalidValue,
                  cat("begin[", step, "] is ", index, ", outside the axis of size ", size))
          .expected(cat(-size, "..", size - 1))
          .actual(cat(index))
          .port("begin");
    }
    return index < 0 ? index + size : index;
  }

  Ints begin_mask_, end_mask_, new_axis_mask_, shrink_axis_mask_, ellipsis_mask_;
};

}  // namespace wasmvino::ops::strided_slice

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(strided_slice) {
  registry.add<strided_slice::StridedSlice>({"StridedSlice",
                                             {1},
                                             "movement/strided-slice-1",
                                             {{"data", kAllTypes},
                                              {"begin", kAnyIntegers},
                                              {"end", kAnyIntegers},
                                              {"stride", kAnyIntegers | kFloats}}});
}
}  // namespace wasmvino::ops
