// SPDX-License-Identifier: Apache-2.0
// MatMulNBits, MatMulBnb4, GatherBlockQuantized: weights of few bits.
#include "frontends/onnx/packed.h"

#include <array>
#include <cmath>

#include "core/checked.h"
#include "core/packed_bits.h"
#include "frontends/build/functions.h"
#include "frontends/onnx/families.h"

namespace wasmvino::onnx {
namespace {

using namespace frontends::build;  // NOLINT: builder functions are written in terms of these throughout
using model::Builder;
using model::ConstantData;

// The bytes of a constant in the form that an element type has here.
class Repacked final : public ByteSource {
 public:
  enum class Form : uint8_t {
    kSame,
    kSwapped,  // nibbles whose first one is in the high bits
    kSpread,   // single bits, the first one in the low bits, as bytes
  };

  Repacked(std::shared_ptr<const ConstantData> data, Form form) : data_(std::move(data)), form_(form) {}

  size_t size() const override {
    return (CheckedSize(element_count(data_->shape())) * (form_ == Form::kSpread ? 8 : 1)).value();
  }
  void read(size_t offset, size_t count, void* to) const override {
    const Tensor value = data_->value();
    const uint8_t* from = value.data<uint8_t>();
    auto* bytes = static_cast<uint8_t*>(to);
    for (size_t i = 0; i < count; ++i) {
      const size_t at = offset + i;
      if (form_ == Form::kSpread) {
        bytes[i] = from[at / 8] >> (at % 8) & 1;
      } else if (form_ == Form::kSwapped) {
        bytes[i] = static_cast<uint8_t>(from[at] << 4 | from[at] >> 4);
      } else {
        bytes[i] = from[at];
      }
    }
  }
  void keep(size_t, size_t) const override { data_->keep_source(); }

 private:
  std::shared_ptr<const ConstantData> data_;
  Form form_;
};

// The same bytes as elements of another type.
Source retyped(Builder& b, const Source& constant, Repacked::Form form, ElementType type,
               const Shape& shape) {
  auto source = std::make_shared<Repacked>(constant.node->constant, form);
  const size_t bytes = storage_bytes(type, element_count(shape));
  if (bytes > source->size())
    fail(ErrorCode::kInvalidShape, "its weights have ", source->size(), " bytes, expected ", bytes);
  return b.constant(std::make_shared<ConstantData>(type, shape, std::move(source), 0, bytes));
}

bool is_stored(const Source& source) { return source.node->kind == model::NodeKind::kConstant; }

// The same rows with fewer numbers.
Source first_of_rows(Builder& b, const Source& x, int64_t count) {
  const PartialShape shape = b.shape(x);
  const Dimension last = shape.has_rank() && shape.rank() > 0 ? shape[shape.rank() - 1] : Dimension();
  return last == Dimension(count) ? x : slice(b, x, -1, 0, count);
}

// The numbers of bytes that the graph computes.
Source unpack_computed(Builder& b, const Source& bytes, int64_t bits) {
  const auto byte = [&](int64_t value) { return b.scalar(static_cast<double>(value), ElementType::kU8); };
  std::vector<Source> parts;
  for (int64_t shift = 0; shift < 8; shift += bits) {
    const Source low = shift == 0 ? bytes : b.add("BitwiseRightShift", {bytes, byte(shift)});
    parts.push_back(unsqueeze(b, b.add("BitwiseAnd", {low, byte((1 << bits) - 1)}), {-1}));
  }
  const Source together = concat(b, parts, -1);
  std::vector<Source> sizes;
  for (size_t i = 0; i + 1 < b.rank(bytes); ++i) sizes.push_back(size_of(b, bytes, static_cast<int64_t>(i)));
  sizes.push_back(b.list({-1}));
  return reshape(b, together, concat_lists(b, sizes));
}

void expect_bits(int64_t bits) {
  if (bits != 1 && bits != 2 && bits != 4 && bits != 8)
    fail(ErrorCode::kUnsupported, "its attribute 'bits' is ", bits, ", expected 1, 2, 4 or 8");
}

// In the shape [rows, blocks, block], so that numbers of blocks broadcast.
Source in_blocks(Context& c, const PackedMatrix& m) {
  Builder& b = c.b();
  const Shape shape = {m.rows, m.blocks(), m.block};
  const auto per_byte = 8 / m.bits;
  if (is_stored(m.data) && m.block % per_byte == 0) {
    if (m.bits == 1) return retyped(b, m.data, Repacked::Form::kSpread, ElementType::kU8, shape);
    const ElementType type = m.bits == 2   ? ElementType::kU2
                             : m.bits == 4 ? ElementType::kU4
                                           : ElementType::kU8;
    return retyped(b, m.data, Repacked::Form::kSame, type, shape);
  }
  const Source bytes = reshape(b, m.data, Ints{m.rows, m.blocks(), -1});
  return first_of_rows(b, unpack_computed(b, bytes, m.bits), m.block);
}

}  // namespace

Source unpack(Context& c, const Source& bytes, int64_t bits, int64_t count) {
  Builder& b = c.b();
  expect_bits(bits);
  if (bits == 8) return first_of_rows(b, bytes, count);
  const PartialShape shape = b.shape(bytes);
  if (is_stored(bytes) && bits != 1 && shape.rank() > 0) {
    Shape whole = shape.to_shape();
    whole.back() *= 8 / bits;
    const ElementType type = bits == 2 ? ElementType::kU2 : ElementType::kU4;
    const Source all = retyped(b, bytes, Repacked::Form::kSame, type, whole);
    return first_of_rows(b, all, count);
  }
  return first_of_rows(b, unpack_computed(b, bytes, bits), count);
}

Source unpack_matrix(Context& c, const PackedMatrix& m) {
  Builder& b = c.b();
  expect_bits(m.bits);
  if (m.rows < 1 || m.columns < 1 || m.block < 1) {
    fail(ErrorCode::kInvalidModel, "has weights of ", m.rows, " rows of ", m.columns,
         " numbers in blocks of ", m.block, ", expected 1 or more of each");
  }
  const auto real = [&](const Source& x) { return convert(b, x, ElementType::kF32); };
  const Ints per_block = {m.rows, m.blocks(), 1};
  Source value = real(in_blocks(c, m));
  Source offset;
  if (!m.zero_points) {
    offset = b.scalar(std::ldexp(1.0, static_cast<int>(m.bits) - 1), ElementType::kF32);
  } else if (b.type(*m.zero_points) == ElementType::kU8) {
    const Source bytes = reshape(b, *m.zero_points, Ints{m.rows, -1});
    const Source stored = is_stored(*m.zero_points) ? *m.zero_points : bytes;
    const bool flat = b.shape(stored).has_rank() && b.rank(stored) == 2;
    offset = real(reshape(b, unpack(c, flat ? stored : bytes, m.bits, m.blocks()), per_block));
  } else {
    offset = real(reshape(b, *m.zero_points, per_block));
  }
  value = b.add("Subtract", {value, offset});
  value = b.add("Multiply", {value, real(reshape(b, m.scales, per_block))});
  return reshape(b, value, Ints{m.rows, m.blocks() * m.block});
}

Source multiply_by_packed(Context& c, const Source& x, const PackedMatrix& m) {
  Builder& b = c.b();
  Source data = convert(b, x, ElementType::kF32);
  const int64_t padding = m.blocks() * m.block - m.columns;
  if (padding > 0) {
    // The numbers after the last one of each row meet zeros.
    Ints none(b.rank(x), 0), end(b.rank(x), 0);
    end[end.size() - 1] = padding;
    data =
        b.add("Pad", {data, b.list(none), b.list(end), number_like(b, 0, data)}, {{"pad_mode", "constant"}});
  }
  const Source product = b.add("MatMul", {data, unpack_matrix(c, m)}, {{"transpose_b", true}});
  return convert(b, product, b.type(x));
}

namespace {

void mat_mul_n_bits(Context& c) {
  Builder& b = c.b();
  PackedMatrix m;
  m.data = c.input(1);
  m.scales = c.input(2);
  m.zero_points = c.find_input(3);
  m.rows = c.count("N");
  m.columns = c.count("K");
  m.block = c.count("block_size");
  m.bits = c.count("bits", 4);
  Source x = c.input(0);
  if (c.has_input(4))
    fail(ErrorCode::kUnsupported, "has g_idx, an order of the columns, which is not supported");
  const Source product = multiply_by_packed(c, x, m);
  c.give(c.has_input(5) ? b.add("Add", {product, c.input(5)}) : product);
}

// The values of FP4 in bitsandbytes.
constexpr std::array<float, 16> kFp4 = {
    0.0f,  5.208333333e-03f,  0.66666667f,  1.0f,  0.33333333f,  0.5f,  0.16666667f,  0.25f,
    -0.0f, -5.208333333e-03f, -0.66666667f, -1.0f, -0.33333333f, -0.5f, -0.16666667f, -0.25f};

std::array<float, 16> nf4_values() {
  std::array<float, 16> values;
  for (uint8_t code = 0; code < values.size(); ++code) values[code] = decode_bits(ElementType::kNf4, code);
  return values;
}

void mat_mul_bnb4(Context& c) {
  Builder& b = c.b();
  const int64_t n = c.count("N"), k = c.count("K"), block = c.count("block_size");
  const int64_t kind = c.integer("quant_type", 1);
  if (kind != 0 && kind != 1)
    fail(ErrorCode::kInvalidModel, "its attribute 'quant_type' is ", kind, ", expected 0 (FP4) or 1 (NF4)");
  const Source x = c.input(0), bytes = c.input(1);
  const size_t weights_count = (CheckedSize(static_cast<uint64_t>(n)) * static_cast<size_t>(k)).value();
  if (b.shape(bytes).is_static() && element_count(b.shape(bytes).to_shape()) != (weights_count + 1) / 2) {
    fail(ErrorCode::kInvalidModel, "has ", b.shape(bytes), " bytes for N ", n, " times K ", k,
         " weights of 4 bits, expected ", (weights_count + 1) / 2);
  }
  const Source scales = convert(b, c.input(2), ElementType::kF32);
  Source weights;
  if (kind == 1 && is_stored(bytes) && k % block == 0) {
    const Source stored =
        retyped(b, bytes, Repacked::Form::kSwapped, ElementType::kNf4, {n, k / block, block});
    weights =
        b.add("Multiply", {convert(b, stored, ElementType::kF32), reshape(b, scales, Ints{n, k / block, 1})});
    weights = reshape(b, weights, Ints{n, k});
  } else {
    const auto byte = [&](double value) { return b.scalar(value, ElementType::kU8); };
    const Source list = reshape(b, bytes, Ints{-1});
    const Source high = b.add("BitwiseRightShift", {list, byte(4)}),
                 low = b.add("BitwiseAnd", {list, byte(15)});
    const Source codes =
        reshape(b, concat(b, {unsqueeze(b, high, {1}), unsqueeze(b, low, {1})}, 1), Ints{-1});
    const Source table = b.constant(Tensor::of<float>({16}, (kind == 0 ? kFp4 : nf4_values()).data()));
    const Source values = b.add(
        "Gather", {table, convert(b, slice(b, codes, 0, 0, n * k), ElementType::kI32), b.scalar(int64_t{0})});
    const Source of_block = b.add("Divide", {range_to(b, b.scalar(n * k)), b.scalar(block)});
    const Source factors = b.add("Gather", {reshape(b, scales, Ints{-1}), of_block, b.scalar(int64_t{0})});
    weights = reshape(b, b.add("Multiply", {values, factors}), Ints{n, k});
  }
  const Source product =
      b.add("MatMul", {convert(b, x, ElementType::kF32), weights}, {{"transpose_b", c.flag("transB", true)}});
  c.give(convert(b, product, b.type(x)));
}

// Rows of a quantised tensor, dequantised after they are taken. Scales are those of blocks along one axis.
void gather_block_quantized(Context& c) {
  Builder& b = c.b();
  Source data = c.input(0);
  const Source indices = c.input(1), scales = c.input(2);
  const size_t rank = b.rank(data);
  const int64_t bits = c.count("bits", 4), block = c.count("block_size", 128);
  const int64_t axis = c.axis(c.integer("gather_axis", 0), rank);
  const int64_t quantised = c.axis(c.integer("quantize_axis", 1), rank);
  const ElementType type = b.type(data);
  const bool packed = type == ElementType::kU8 && bits < 8;
  std::optional<Source> zero_points = c.find_input(3);
  if (packed) {
    const PartialShape shape = b.shape(data);
    const Dimension last = shape[rank - 1];
    if (!last.is_static()) fail(ErrorCode::kUnsupported, "the size of the last axis of its data is unknown");
    data = unpack(c, data, bits, last.size() * 8 / bits);
    if (zero_points) {
      const PartialShape sizes = b.shape(scales);
      if (!sizes.has_rank() || !sizes[sizes.rank() - 1].is_static())
        fail(ErrorCode::kUnsupported, "the shape of its scales is unknown");
      zero_points = unpack(c, *zero_points, bits, sizes[sizes.rank() - 1].size());
    }
  }
  const auto real = [&](const Source& x) { return convert(b, x, ElementType::kF32); };
  // The scale of each element along the quantised axis.
  const auto repeated = [&](const Source& x) {
    const Source positions = range_to(b, squeeze(b, size_of(b, data, quantised), {0}));
    return b.add("Gather", {x, b.add("Divide", {positions, b.scalar(block)}), b.scalar(quantised)});
  };
  const bool unsigned_data = type == ElementType::kU8 || type == ElementType::kU4;
  std::optional<Source> offset;
  if (zero_points) {
    offset = real(*zero_points);
  } else if (unsigned_data && type == ElementType::kU8) {
    offset = b.scalar(std::ldexp(1.0, static_cast<int>(bits) - 1), ElementType::kF32);
  }
  const auto taken = [&](const Source& x) { return b.add("Gather", {x, indices, b.scalar(axis)}); };
  // The usual case, rows of a table in blocks, in the form that keeps the table quantised.
  const PartialShape shape = b.shape(data);
  if (axis == 0 && rank == 2 && quantised == 1 && shape.is_static() && shape[1].size() % block == 0) {
    const int64_t blocks = shape[1].size() / block;
    const Ints split = {shape[0].size(), blocks, block}, per_block = {shape[0].size(), blocks, 1};
    Source value = real(data);
    value = reshape(b, value, split);
    if (offset) value = b.add("Subtract", {value, zero_points ? reshape(b, *offset, per_block) : *offset});
    value = b.add("Multiply", {value, real(reshape(b, scales, per_block))});
    value = taken(reshape(b, value, Ints{shape[0].size(), shape[1].size()}));
    return c.give(convert(b, value, b.type(scales)));
  }
  Source value = real(taken(data));
  if (offset) value = b.add("Subtract", {value, zero_points ? taken(repeated(*offset)) : *offset});
  value = b.add("Multiply", {value, real(taken(repeated(scales)))});
  c.give(convert(b, value, b.type(scales)));
}

constexpr Entry kEntries[] = {
    {"GatherBlockQuantized", kAllOpsets, gather_block_quantized, "Gather", "com.microsoft"},
    {"MatMulBnb4", kAllOpsets, mat_mul_bnb4, "MatMul", "com.microsoft"},
    {"MatMulNBits", kAllOpsets, mat_mul_n_bits, "MatMul", "com.microsoft"},
};

}  // namespace

std::span<const Entry> packed_weights() { return kEntries; }

}  // namespace wasmvino::onnx
