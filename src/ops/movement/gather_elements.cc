// SPDX-License-Identifier: Apache-2.0
// GatherElements: for each element of indices, selects the element of data at the same position, except along
// the axis, where the index gives the position. Negative indices count from the end, as in OpenVINO.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/movement/gather-elements-6.html
#include <cstring>
#include <string>

#include "core/dispatch.h"
#include "core/packed_bits.h"
#include "model/registry.h"
#include "ops/inputs/axes.h"
#include "ops/inputs/indices.h"
#include "ops/inputs/inputs.h"
#include "ops/quantised_data/quantised_matrices.h"

namespace wasmvino::ops::gather_elements {

// data is [outer, size, inner], indices are [outer, count, inner].
struct Sizes {
  size_t outer, size, count, inner;
};

class Gathering final : public Kernel {
 public:
  Gathering(std::optional<QuantisedTable> quantised, ElementType type, const Sizes& sizes)
      : quantised_(std::move(quantised)), type_(type), sizes_(sizes) {}

  void run(EvalContext& context) override {
    const TensorView& indices = context.input(1);
    const void* data = context.input(0).memory;
    void* output = context.output(0).memory;
    const size_t total = sizes_.outer * sizes_.count * sizes_.inner;
    if (is_sub_byte(type_)) {  // adjacent elements share bytes, so one thread does everything
      gather(0, total, indices,
             [&](size_t to, size_t from) { store_bits(type_, output, to, load_bits(type_, data, from)); });
      return;
    }
    parallel_for(context.parallel(), total, 8192, [&](size_t first, size_t last) {
      if (quantised_) {
        return gather(first, last, indices, [&](size_t to, size_t from) {
          quantised_->load(from, 1, static_cast<float*>(output) + to);
        });
      }
      with_storage(type_, [&]<typename T>() {
        const T* from_data = static_cast<const T*>(data);
        T* to_output = static_cast<T*>(output);
        gather(first, last, indices, [&](size_t to, size_t from) { to_output[to] = from_data[from]; });
      });
    });
  }

 private:
  // Calls copy(to, from) for elements [first, last) of the output.
  template <typename Copy>
  void gather(size_t first, size_t last, const TensorView& indices, const Copy& copy) const {
    const int64_t size = static_cast<int64_t>(sizes_.size);
    const size_t slab = sizes_.count * sizes_.inner;
    while (first < last) {
      const size_t outer = first / slab;
      const size_t end = std::min(last, (outer + 1) * slab);
      const size_t base = outer * sizes_.size * sizes_.inner;
      size_t inner = first % sizes_.inner;
      for_indices(indices, first, end, [&](size_t i, int64_t index) {
        if (index < -size || index >= size) refuse(i, index);
        if (index < 0) index += size;
        copy(i, base + static_cast<size_t>(index) * sizes_.inner + inner);
        if (++inner == sizes_.inner) inner = 0;
      });
      first = end;
    }
  }

  [[noreturn]] void refuse(size_t i, int64_t index) const {
    const int64_t size = static_cast<int64_t>(sizes_.size);
    const std::string range = cat(-size, "..", size - 1);
    throw Error(ErrorCode::kInvalidValue, cat("element ", i, " of indices is ", index, ", outside ", range))
        .expected(range)
        .actual(cat(index))
        .port("indices");
  }

  std::optional<QuantisedTable> quantised_;
  ElementType type_;
  Sizes sizes_;
};

class GatherElements final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override { visitor.on("axis", axis_); }

  void infer(InferContext& context) const override {
    context.expect_inputs(2);
    const PartialShape& data = context.input_shape(0);
    const PartialShape& indices = context.input_shape(1);
    const size_t any = std::numeric_limits<size_t>::max();
    expect_rank(context, 0, 1, any, "data");
    expect_rank(context, 1, 1, any, "indices");
    PartialShape output = indices;
    if (data.has_rank()) {
      const size_t axis = normalize_axis(axis_, data.rank(), "attribute 'axis'");
      PartialShape wanted = data;
      wanted[axis] = Dimension();
      const auto both = wanted.merge(indices);
      if (!both) {
        throw Error(ErrorCode::kInvalidShape, cat("indices have shape ", indices, " and data has shape ",
                                                  data, ": they may differ only on axis ", axis))
            .expected(cat(wanted))
            .actual(cat(indices))
            .port("indices");
      }
      output = *both;
    }
    context.set_output(0, context.input_type(0), output);
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    const Shape data = context.input_shape(0);
    const Shape indices = context.input_shape(1);
    const size_t axis = normalize_axis(axis_, data.size());
    return std::make_unique<Gathering>(
        QuantisedTable::of(context, 0), context.output_type(0),
        Sizes{product(data, 0, axis), static_cast<size_t>(data[axis]), static_cast<size_t>(indices[axis]),
              product(data, axis + 1, data.size())});
  }

  InputRange quantised_inputs(const Node&) const override { return {0, 1}; }

 private:
  int64_t axis_ = 0;
};

}  // namespace wasmvino::ops::gather_elements

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(gather_elements) {
  registry.add<gather_elements::GatherElements>({"GatherElements",
                                                 {6},
                                                 "movement/gather-elements-6",
                                                 {{"data", kAllTypes}, {"indices", kAnyIntegers}}});
}
}  // namespace wasmvino::ops
