// SPDX-License-Identifier: Apache-2.0
// Unsqueeze: inserts axes of size 1 at the positions in the second input, which are positions in the output.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/shape/unsqueeze-1.html
#include <algorithm>

#include "core/sort.h"
#include "model/registry.h"
#include "ops/inputs/axes.h"
#include "ops/inputs/inputs.h"

namespace wasmvino::ops::unsqueeze {

class Unsqueeze final : public Op {
 public:
  void infer(InferContext& context) const override {
    context.expect_inputs(2);
    const PartialShape& input = context.input_shape(0);
    const std::optional<Ints> axes = known_ints(context, 1, "axes");
    context.set_output(0, context.input_type(0),
                       axes && input.has_rank() ? output_shape(input, *axes) : PartialShape());
  }

  std::optional<ViewOf> view_of(const CompileContext&, size_t) const override { return ViewOf{0, 0}; }
  bool copies_elements() const override { return true; }

 private:
  static PartialShape output_shape(PartialShape shape, const Ints& axes) {
    // A repeated axis counts once, as in OpenVINO.
    Ints places;
    for (const int64_t axis : axes) {
      if (std::find(places.begin(), places.end(), axis) == places.end()) places.push_back(axis);
    }
    places = normalize_axes(places, shape.rank() + places.size(), "axes");
    sort_few(places.begin(), places.end());
    // All axes are checked before one is inserted: after a repeated axis, later axes would be out of range.
    if (const int64_t* const twice = std::adjacent_find(places.begin(), places.end());
        twice != places.end()) {
      fail(ErrorCode::kInvalidValue, "axes ", to_string(axes), " contain axis ", *twice, " twice");
    }
    for (const int64_t place : places) shape.insert(static_cast<size_t>(place), 1);
    return shape;
  }
};

}  // namespace wasmvino::ops::unsqueeze

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(unsqueeze) {
  registry.add<unsqueeze::Unsqueeze>(
      {"Unsqueeze", {1}, "shape/unsqueeze-1", {{"data", kAllTypes}, {"axes", kAnyIntegers | kFloats}}});
}
}  // namespace wasmvino::ops
