// SPDX-License-Identifier: Apache-2.0
#include "frontends/build/functions.h"

namespace wasmvino::frontends::build {

Source convert(Builder& b, const Source& source, ElementType type) {
  return b.type(source) == type ? source : b.add("Convert", {source}, {{"destination_type", type}});
}

Source number_like(Builder& b, double number, const Source& like) { return b.scalar(number, b.type(like)); }

Source shape_of(Builder& b, const Source& source) {
  const PartialShape& shape = b.shape(source);
  return shape.is_static() ? b.list(shape.to_shape()) : b.add("ShapeOf", {source});
}

Source size_of(Builder& b, const Source& source, int64_t axis) {
  const PartialShape& shape = b.shape(source);
  if (shape.has_rank() && (axis < 0 || static_cast<uint64_t>(axis) >= shape.rank()))
    fail(ErrorCode::kInvalidModel, "takes the size of axis ", axis, " of ", shape);
  if (shape.has_rank() && shape[static_cast<size_t>(axis)].is_static())
    return b.list({shape[static_cast<size_t>(axis)].size()});
  return b.add("Gather", {shape_of(b, source), b.list({axis}), b.scalar(int64_t{0})});
}

Source range_to(Builder& b, const Source& end, int64_t step) {
  return b.add("Range", {b.scalar(int64_t{0}), end, b.scalar(step)}, {{"output_type", ElementType::kI64}});
}

Source concat_lists(Builder& b, const std::vector<Source>& lists) { return concat(b, lists, 0); }

Source reshape(Builder& b, const Source& source, const Source& shape) {
  return b.add("Reshape", {source, shape}, {{"special_zero", false}});
}

Source reshape(Builder& b, const Source& source, const Ints& shape) {
  return reshape(b, source, b.list(shape));
}

Source reshape_keeping(Builder& b, const Source& source, const Ints& shape) {
  return b.add("Reshape", {source, b.list(shape)}, {{"special_zero", true}});
}

Source transpose(Builder& b, const Source& source, const Ints& order) {
  return b.add("Transpose", {source, b.list(order)});
}

Source squeeze(Builder& b, const Source& source, const Ints& axes) {
  return b.add("Squeeze", {source, b.list(axes)});
}

Source unsqueeze(Builder& b, const Source& source, const Ints& axes) {
  return b.add("Unsqueeze", {source, b.list(axes)});
}

Source concat(Builder& b, const std::vector<Source>& parts, int64_t axis) {
  return parts.size() == 1 ? parts[0] : b.add("Concat", parts, {{"axis", axis}});
}

std::vector<Source> split(Builder& b, const Source& source, int64_t axis, const Ints& sizes) {
  const Source made = b.add("VariadicSplit", {source, b.scalar(axis), b.list(sizes)}, {}, sizes.size());
  std::vector<Source> parts;
  for (size_t i = 0; i < sizes.size(); ++i) parts.push_back(Builder::output(made, i));
  return parts;
}

Source select(Builder& b, const Source& source, int64_t axis, int64_t index) {
  return b.add("Gather", {source, b.scalar(index), b.scalar(axis)});
}

Source slice(Builder& b, const Source& source, int64_t axis, int64_t begin, int64_t end, int64_t step) {
  return b.add("Slice", {source, b.list({begin}), b.list({end}), b.list({step}), b.list({axis})});
}

Source filled(Builder& b, double number, const Source& shape, const Source& like) {
  return b.add("Broadcast", {number_like(b, number, like), shape});
}

Source reduce(Builder& b, const char* type, const Source& source, const Ints& axes, bool keep) {
  return b.add(type, {source, b.list(axes)}, {{"keep_dims", keep}});
}

Source log_sum_exp(Builder& b, const Source& x, const Source& axes, bool keep) {
  const Source most = b.add("ReduceMax", {x, axes}, {{"keep_dims", true}});
  const Source sum =
      b.add("ReduceSum", {b.add("Exp", {b.add("Subtract", {x, most})}), axes}, {{"keep_dims", keep}});
  const Source added = keep ? most : b.add("Squeeze", {most, axes});
  return b.add("Add", {b.add("Log", {sum}), added});
}

}  // namespace wasmvino::frontends::build
