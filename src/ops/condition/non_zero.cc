// SPDX-License-Identifier: Apache-2.0
// NonZero: the positions of all elements that are not zero, one column per element.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/condition/nonzero-3.html
#include <algorithm>

#include "core/dispatch.h"
#include "core/packed_bits.h"
#include "model/registry.h"

namespace wasmvino::ops::non_zero {

// Elements examined together: a multiple of the group of any sub-byte type that fills whole bytes.
constexpr size_t kBlock = 256;

// Sets flags[i] if element first + i is not zero; count <= kBlock. Decides by the bits, for real numbers
// without the sign.
void find_set(const TensorView& data, size_t first, size_t count, bool* flags) {
  if (is_sub_byte(data.type)) {
    for (size_t i = 0; i < count; ++i) {
      flags[i] = decode_bits(data.type, load_bits(data.type, data.memory, first + i)) != 0;
    }
    return;
  }
  with_storage(data.type, [&]<typename T>() {
    if constexpr (std::is_integral_v<T>) {
      const T* elements = data.data<T>() + first;
      const T mask = static_cast<T>(is_real(data.type) ? static_cast<T>(~T{0}) >> 1 : ~T{0});
      for (size_t i = 0; i < count; ++i) flags[i] = (elements[i] & mask) != 0;
    }
  });
}

// Grain: blocks in about 10 µs of work.
constexpr size_t kGrain = 64;
// Maximum number of parts of the data. First the parts' elements are counted; then each part is written after
// the parts before it.
constexpr size_t kMostParts = 64;

// Calls body(flags, count) for blocks [begin, end).
template <typename Body>
void for_blocks(const TensorView& data, size_t begin, size_t end, const Body& body) {
  bool flags[kBlock];
  const size_t last = std::min(data.size(), end * kBlock);
  for (size_t first = begin * kBlock; first < last; first += kBlock) {
    const size_t count = std::min(kBlock, last - first);
    find_set(data, first, count, flags);
    body(flags, count);
  }
}

class Finding final : public Kernel {
 public:
  explicit Finding(bool open) : open_(open) {}

  void run(EvalContext& context) override {
    const TensorView& data = context.input(0);
    const size_t blocks = (data.size() + kBlock - 1) / kBlock;
    const size_t parts = std::min(kMostParts, context.parallel().ranges(blocks, kGrain));
    size_t ends[kMostParts + 1] = {};  // by part: number of elements found up to its end
    for_parts(context, blocks, parts, [&](size_t part, size_t begin, size_t end) {
      size_t found = 0;
      for_blocks(data, begin, end, [&found](const bool* flags, size_t count) {
        for (size_t i = 0; i < count; ++i) found += flags[i];
      });
      ends[part + 1] = found;
    });
    for (size_t part = 0; part < parts; ++part) ends[part + 1] += ends[part];
    const size_t found = ends[parts];
    // A scalar has no axes. Its single position is written like that of a 1-D tensor with one element.
    const Shape shape = data.shape.empty() ? Shape{1} : data.shape;
    if (open_) context.set_output_shape(0, {static_cast<int64_t>(shape.size()), static_cast<int64_t>(found)});
    TensorView& output = context.output(0);
    if (found == 0) return;
    with_index(output.type, [&]<typename T>() {
      for_parts(context, blocks, parts, [&](size_t part, size_t begin, size_t end) {
        write(data, shape, {begin, end}, found, output.mutable_data<T>() + ends[part]);
      });
    });
  }

 private:
  // Calls body(part, begin, end) for parts of the blocks.
  template <typename Body>
  static void for_parts(const EvalContext& context, size_t blocks, size_t parts, const Body& body) {
    parallel_for(context.parallel(), parts, 1, [&](size_t first, size_t last) {
      for (size_t part = first; part < last; ++part) {
        body(part, part_begin(blocks, part, parts), part_begin(blocks, part + 1, parts));
      }
    });
  }

  struct Blocks {
    size_t begin, end;
  };

  template <typename T>
  static void write(const TensorView& data, const Shape& shape, Blocks blocks, size_t found, T* to) {
    const size_t rank = shape.size();
    Ints position(rank);
    for (size_t axis = rank, rest = blocks.begin * kBlock; axis-- > 0;) {
      const auto size = static_cast<size_t>(shape[axis]);
      position[axis] = static_cast<int64_t>(rest % size);
      rest /= size;
    }
    for_blocks(data, blocks.begin, blocks.end, [&](const bool* flags, size_t count) {
      for (size_t i = 0; i < count; ++i) {
        if (flags[i]) {
          for (size_t axis = 0; axis < rank; ++axis) to[axis * found] = static_cast<T>(position[axis]);
          ++to;
        }
        for (size_t axis = rank; axis-- > 0;) {
          if (++position[axis] < shape[axis]) break;
          position[axis] = 0;
        }
      }
    });
  }

  bool open_;  // the shape does not determine the number of positions
};

class NonZero final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override { visitor.on("output_type", output_type_); }

  void infer(InferContext& context) const override {
    context.expect_inputs(1);
    if (output_type_ != ElementType::kI64 && output_type_ != ElementType::kI32) {
      fail(ErrorCode::kInvalidModel, "attribute 'output_type' is ", output_type_, ", expected i32 or i64");
    }
    const PartialShape& data = context.input_shape(0);
    if (!data.has_rank()) {
      context.set_output(0, output_type_, PartialShape::of_rank(2));
      return;
    }
    Dimension most = 1;
    for (const Dimension size : data) most = most * size;
    const int64_t rank = std::max<int64_t>(1, static_cast<int64_t>(data.rank()));
    context.set_output(0, output_type_, {rank, Dimension(0, most.max)});
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    return std::make_unique<Finding>(!context.has_output_shape(0));
  }

 private:
  ElementType output_type_ = ElementType::kI64;
};

}  // namespace wasmvino::ops::non_zero

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(non_zero) {
  registry.add<non_zero::NonZero>({"NonZero", {3}, "condition/nonzero-3", {{"data", kAllTypes - kString}}});
}
}  // namespace wasmvino::ops
