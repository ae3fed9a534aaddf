// SPDX-License-Identifier: Apache-2.0
// VariadicSplit: parts of given lengths along an axis; -1 stands for the remaining length.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/movement/variadic-split-1.html
#include "model/registry.h"
#include "ops/inputs/axes.h"
#include "ops/inputs/inputs.h"
#include "ops/movement/split_outputs.h"

namespace wasmvino::ops::variadic_split {

class VariadicSplit final : public Op {
 public:
  bool copies_elements() const override { return true; }
  void infer(InferContext& context) const override {
    context.expect_inputs(3);
    const size_t outputs = context.output_count();
    if (const std::optional<size_t> count = length_of(context, 2); count && *count < outputs) {
      fail(ErrorCode::kInvalidModel, "the layer has ", outputs, " outputs, but split_lengths has ", *count,
           " elements");
    }
    PartialShape part = context.input_shape(0);
    const std::optional<int64_t> axis = known_int(context, 1, "axis");
    const std::optional<Ints> lengths = known_ints(context, 2, "split_lengths");
    if (!part.has_rank() || !axis) {
      const PartialShape open = part.has_rank() ? PartialShape::of_rank(part.rank()) : PartialShape();
      for (size_t i = 0; i < outputs; ++i) context.set_output(i, context.input_type(0), open);
      return;
    }
    const size_t split_axis = normalize_axis(*axis, part.rank());
    const Dimension whole = part[split_axis];
    const Dimension rest = lengths ? remaining(*lengths, whole) : Dimension();
    for (size_t i = 0; i < outputs; ++i) {
      part[split_axis] = lengths && (*lengths)[i] >= 0 ? Dimension((*lengths)[i]) : rest;
      context.set_output(i, context.input_type(0), part);
    }
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    return split_kernel(context, axis_of(context));
  }
  std::vector<std::optional<ViewOf>> views(const CompileContext& context) const override {
    return split_views(context, axis_of(context));
  }
  std::optional<ChannelsLastForm> channels_last_form(const Node& node) const override {
    return channels_last_split(node);
  }

 private:
  static size_t axis_of(const CompileContext& context) {
    return normalize_axis(context.constant_ints(1)->front(), context.input_shape(0).size());
  }

  // The length that -1 stands for.
  static Dimension remaining(const Ints& lengths, Dimension whole) {
    size_t open = 0;
    int64_t sum = 0;
    for (const int64_t length : lengths) {
      if (length < -1 || length > std::numeric_limits<int64_t>::max() - sum) refuse(lengths, whole);
      if (length == -1) {
        ++open;
      } else {
        sum += length;
      }
    }
    if (open > 1)
      fail(ErrorCode::kInvalidValue, "split_lengths ", to_string(lengths), " contain -1 more than once");
    if (open == 0 ? !whole.contains(sum) : sum > whole.max) refuse(lengths, whole);
    return whole - sum;
  }

  [[noreturn]] static void refuse(const Ints& lengths, Dimension whole) {
    throw Error(ErrorCode::kInvalidValue,
                cat("split_lengths ", to_string(lengths), " do not add up to the axis of size ", whole))
        .expected(cat(whole))
        .actual(to_string(lengths))
        .port("split_lengths");
  }
};

}  // namespace wasmvino::ops::variadic_split

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(variadic_split) {
  registry.add<variadic_split::VariadicSplit>(
      {"VariadicSplit",
       {1},
       "movement/variadic-split-1",
       {{"data", kAllTypes}, {"axis", kAnyIntegers | kFloats}, {"split_lengths", kAnyIntegers | kFloats}}});
}
}  // namespace wasmvino::ops
