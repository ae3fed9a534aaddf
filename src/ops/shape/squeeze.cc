// SPDX-License-Identifier: Apache-2.0
// Squeeze: removes axes of size 1: those in the second input, or all.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/shape/squeeze-15.html
#include "model/registry.h"
#include "ops/inputs/axes.h"
#include "ops/inputs/inputs.h"

namespace wasmvino::ops::squeeze {

class Squeeze final : public Op {
 public:
  explicit Squeeze(int version) : version_(version) {}

  void visit_attributes(AttributeVisitor& visitor) override {
    if (version_ >= 15) visitor.on("allow_axis_skip", allow_axis_skip_);
  }

  void infer(InferContext& context) const override {
    context.expect_inputs(1, 2);
    std::optional<Ints> axes = Ints();
    if (context.input_count() == 2) axes = known_ints(context, 1, "axes");
    context.set_output(0, context.input_type(0),
                       axes ? output_shape(context.input_shape(0), *axes) : PartialShape());
  }

  std::optional<ViewOf> view_of(const CompileContext&, size_t) const override { return ViewOf{0, 0}; }
  bool copies_elements() const override { return true; }

 private:
  PartialShape output_shape(const PartialShape& input, const Ints& axes) const {
    if (!input.has_rank()) return {};
    SmallVector<char, 8> named(input.rank(), axes.empty());
    for (const int64_t axis : axes) named[normalize_axis(axis, input.rank(), "axes")] = 1;
    // Whether to remove a dynamic dimension is known only when its size is. Axes listed explicitly are
    // assumed to be 1.
    const bool wait = axes.empty() || allow_axis_skip_;
    PartialShape output = PartialShape::of_rank(0);
    for (size_t axis = 0; axis < input.rank(); ++axis) {
      const Dimension size = input[axis];
      if (!named[axis] || !size.contains(1)) {
        output.push_back(size);
      } else if (!size.is_static() && wait) {
        return {};
      }
    }
    return output;
  }

  int version_;
  bool allow_axis_skip_ = false;
};

}  // namespace wasmvino::ops::squeeze

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(squeeze) {
  registry.add<squeeze::Squeeze>(
      {"Squeeze", {1, 15}, "shape/squeeze-15", {{"data", kAllTypes}, {"axes", kAnyIntegers | kFloats}}});
}
}  // namespace wasmvino::ops
