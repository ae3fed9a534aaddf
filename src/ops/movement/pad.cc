// SPDX-License-Identifier: Apache-2.0
// Pad: adds elements at the ends of axes, or removes some if pads are negative.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/movement/pad-12.html
#include "kernels/mapped_copy.h"
#include "model/registry.h"
#include "ops/inputs/inputs.h"

namespace wasmvino::ops::pad {

enum class Mode { kConstant, kEdge, kReflect, kSymmetric };

class Padding final : public Kernel {
 public:
  Padding(kernels::MappedCopy copy, bool has_value) : copy_(std::move(copy)), has_value_(has_value) {}
  void run(EvalContext& context) override {
    copy_.gather(context.parallel(), context.input(0).memory, context.output(0).memory,
                 has_value_ ? context.input(3).memory : nullptr);
  }

 private:
  kernels::MappedCopy copy_;
  bool has_value_;
};

class Pad final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.require("pad_mode");
    visitor.on_enum("pad_mode", mode_, {"constant", "edge", "reflect", "symmetric"});
  }

  bool copies_elements() const override { return mode_ != Mode::kConstant; }

  void infer(InferContext& context) const override {
    context.expect_inputs(3, 4);
    const PartialShape& data = context.input_shape(0);
    const char* const names[] = {"data", "pads_begin", "pads_end"};
    std::optional<Ints> pads[3];
    std::optional<size_t> axes;
    if (data.has_rank()) axes = data.rank();
    for (size_t i = 1; i < 3; ++i) {
      expect_rank(context, i, 0, 1, names[i]);
      const std::optional<size_t> length = length_of(context, i);
      if (length && axes && *length != *axes) {
        throw Error(ErrorCode::kInvalidShape,
                    cat(names[i], " has ", *length, " elements, expected one for each of ", *axes, " axes"))
            .expected(cat(*axes, " elements"))
            .actual(cat(*length, " elements"))
            .port(names[i]);
      }
      if (length) axes = length;
      pads[i] = known_ints(context, i, names[i]);
    }
    if (context.input_count() == 4 && mode_ == Mode::kConstant) {
      if (const std::optional<size_t> length = length_of(context, 3); length && *length != 1) {
        throw Error(ErrorCode::kInvalidShape,
                    cat("pad_value has shape ", context.input_shape(3), ", expected a scalar"))
            .expected("a scalar")
            .actual(cat(context.input_shape(3)))
            .port("pad_value");
      }
    }
    if (context.input_type(0) == ElementType::kString && mode_ != Mode::kConstant) {
      fail(ErrorCode::kInvalidType, "data has element type string, for which 'pad_mode' must be constant");
    }
    PartialShape output = axes ? PartialShape::of_rank(*axes) : PartialShape();
    if (data.has_rank() && pads[1] && pads[2]) {
      for (size_t axis = 0; axis < data.rank(); ++axis) {
        const int64_t begin = (*pads[1])[axis];
        const int64_t end = (*pads[2])[axis];
        check(axis, data[axis], begin, end);
        output[axis] = padded(data[axis], begin, end);
      }
    }
    context.set_output(0, context.input_type(0), output);
    // The pad value of quantised data is a level of the same quantisation.
    context.set_quantization(0, context.node().outputs[0].quantization);
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    const Shape data = context.input_shape(0);
    const Shape output = context.output_shape(0);
    const Ints strides = row_major_strides(data);
    const Ints begin = *context.constant_ints(1);
    std::vector<kernels::AxisMap> maps(data.size());
    for (size_t axis = 0; axis < data.size(); ++axis) {
      const ptrdiff_t stride = static_cast<ptrdiff_t>(strides[axis]);
      add_range(maps[axis], -begin[axis], output[axis], data[axis], stride);
    }
    return std::make_unique<Padding>(kernels::MappedCopy(context.output_type(0), std::move(maps)),
                                     mode_ == Mode::kConstant && context.input_count() == 4);
  }

  std::optional<ChannelsLastForm> channels_last_form(const Node& node) const override {
    const PartialShape& data = shape_of(node.inputs[0]);
    if (!has_spatial_axes(data)) return std::nullopt;
    ChannelsLastForm form(node.inputs.size());
    form.take(0);
    for (size_t i = 1; i <= 2; ++i) {
      const std::optional<Ints> pads = constant_ints(node.inputs[i]);
      if (!pads || pads->size() != data.rank()) return std::nullopt;
      Ints moved;
      for (const int64_t axis : order_to_channels_last(data.rank())) {
        moved.push_back((*pads)[static_cast<size_t>(axis)]);
      }
      form.replace(i, moved);
    }
    return form;
  }

 private:
  static Dimension padded(Dimension size, int64_t begin, int64_t end) {
    // Growth first, because removed elements may be among the added ones.
    for (const int64_t pad : {std::max(begin, end), std::min(begin, end)}) {
      if (pad >= 0) {
        size = size + Dimension(pad);
      } else {
        size = size - -std::max(pad, -std::numeric_limits<int64_t>::max());
      }
    }
    return size;
  }

  // Checks how far each mode may reach beyond the data.
  void check(size_t axis, Dimension size, int64_t begin, int64_t end) const {
    if (mode_ == Mode::kConstant || (begin <= 0 && end <= 0)) return;
    const int64_t longest = mode_ == Mode::kReflect ? (size.max == 0 ? -1 : size.max - 1) : size.max;
    if (mode_ == Mode::kEdge ? size.max > 0 : begin <= longest && end <= longest) return;
    const char* const mode = mode_ == Mode::kEdge      ? "edge"
                             : mode_ == Mode::kReflect ? "reflect"
                                                       : "symmetric";
    throw Error(ErrorCode::kInvalidValue, cat("pads of axis ", axis, " are ", begin, " and ", end,
                                              ", too large for mode ", mode, " and size ", size))
        .expected(mode_ == Mode::kEdge ? std::string("an axis that is not empty") : cat("at most ", longest))
        .actual(cat(begin, " and ", end))
        .port("pads_begin");
  }

  // Adds `count` indices starting at `first`, which may be before or after the data.
  void add_range(kernels::AxisMap& map, int64_t first, int64_t count, int64_t size, ptrdiff_t stride) const {
    const int64_t end = first + count;
    const auto add = [&](int64_t from, int64_t to, int64_t place, ptrdiff_t step) {
      if (from < to) map.add(static_cast<size_t>(to - from), static_cast<ptrdiff_t>(place) * stride, step);
    };
    const int64_t before = std::min<int64_t>(end, 0);       // end of the indices before the data
    const int64_t behind = std::max<int64_t>(first, size);  // start of the indices after it
    switch (mode_) {
      case Mode::kConstant:
        if (first < before) map.add_nowhere(static_cast<size_t>(before - first));
        break;
      case Mode::kEdge:
        add(first, before, 0, 0);
        break;
      case Mode::kReflect:
        add(first, before, -first, -stride);
        break;
      case Mode::kSymmetric:
        add(first, before, -first - 1, -stride);
        break;
    }
    const int64_t inside = std::max<int64_t>(first, 0);
    add(inside, std::min(end, size), inside, stride);
    switch (mode_) {
      case Mode::kConstant:
        if (behind < end) map.add_nowhere(static_cast<size_t>(end - behind));
        break;
      case Mode::kEdge:
        add(behind, end, size - 1, 0);
        break;
      case Mode::kReflect:
        add(behind, end, 2 * size - 2 - behind, -stride);
        break;
      case Mode::kSymmetric:
        add(behind, end, 2 * size - 1 - behind, -stride);
        break;
    }
  }

  Mode mode_ = Mode::kConstant;
};

}  // namespace wasmvino::ops::pad

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(pad) {
  registry.add<pad::Pad>({"Pad",
                          {1, 12},
                          "movement/pad-12",
                          {{"data", kAllTypes},
                           {"pads_begin", kAnyIntegers},
                           {"pads_end", kAnyIntegers},
                           {"pad_value", kAllTypes, 0}}});
}
}  // namespace wasmvino::ops
