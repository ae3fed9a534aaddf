// SPDX-License-Identifier: Apache-2.0
#include "ops/quantised_data/compressed_weights.h"

#include "core/packed_bits.h"
#include "kernels/convert.h"
#include "kernels/numbers.h"

namespace wasmvino::ops {

using kernels::WeightBits;

size_t place_of(const StoredAxes& axes, size_t index) {
  int64_t place = 0, left = static_cast<int64_t>(index);
  for (size_t i = axes.sizes.size(); i-- > 0; left /= axes.sizes[i]) {
    place += left % axes.sizes[i] * axes.strides[i];
  }
  return static_cast<size_t>(place);
}

std::vector<size_t> places_of(const StoredAxes& axes, size_t count) {
  std::vector<size_t> places(count);
  for (size_t i = 0; i < count; ++i) places[i] = place_of(axes, i);
  return places;
}

Shape CompressedForm::transposed_shape() const {
  Shape shape = matrices;
  shape.push_back(static_cast<int64_t>(k));
  shape.push_back(static_cast<int64_t>(n));
  return shape;
}

bool CompressedForm::is_plain() const {
  const int64_t rows = static_cast<int64_t>(n), columns = static_cast<int64_t>(k);
  return matrices.empty() && (n == 1 || of_n == StoredAxes{{rows}, {columns}}) &&
         (k == 1 || of_k == StoredAxes{{columns}, {1}});
}

bool CompressedForm::packs_like(const CompressedForm& other) const {
  return n == other.n && k == other.k && of_matrices == other.of_matrices && of_n == other.of_n &&
         of_k == other.of_k;
}

WeightBits bits_of(const TensorView& values) {
  switch (values.type) {
    case ElementType::kF16:
      return kernels::are_small_halves(values.memory, values.size()) ? WeightBits::kSmallF16
                                                                     : WeightBits::kF16;
    case ElementType::kBf16:
      return WeightBits::kBf16;
    case ElementType::kI8:
    case ElementType::kU8:
      return WeightBits::kInt8;
    case ElementType::kF8e4m3:
    case ElementType::kF8e5m2:
      return WeightBits::kCode8;
    case ElementType::kNf4:
    case ElementType::kF4e2m1:
      return WeightBits::kCode4;
    case ElementType::kU2:
      return WeightBits::kCode2;
    default:
      return WeightBits::kInt4;
  }
}

bool is_compressed_type(ElementType type) {
  switch (type) {
    case ElementType::kF16:
    case ElementType::kBf16:
    case ElementType::kI8:
    case ElementType::kU8:
    case ElementType::kI4:
    case ElementType::kU4:
    case ElementType::kU2:
    case ElementType::kNf4:
    case ElementType::kF8e4m3:
    case ElementType::kF8e5m2:
    case ElementType::kF4e2m1:
      return true;
    default:
      return false;
  }
}

int shift_of(ElementType type) { return type == ElementType::kI4 ? 8 : type == ElementType::kI8 ? 128 : 0; }

std::vector<float> table_of(ElementType type) {
  if (bit_width(type) > 8 || (!is_real(type) && type != ElementType::kU2)) return {};
  std::vector<float> table(size_t{1} << bit_width(type));
  for (size_t i = 0; i < table.size(); ++i) table[i] = decode_bits(type, static_cast<uint8_t>(i));
  return table;
}

void load_stored(const TensorView& values, size_t first, size_t count, float* to) {
  const ElementType type = values.type;
  if (type == ElementType::kI8) {
    kernels::convert(static_cast<const int8_t*>(values.memory) + first, to, count);
  } else if (type == ElementType::kU8) {
    kernels::convert(static_cast<const uint8_t*>(values.memory) + first, to, count);
  } else if (is_sub_byte(type)) {
    for (size_t i = 0; i < count; ++i) to[i] = decode_bits(type, load_bits(type, values.memory, first + i));
  } else if (bit_width(type) == 8) {
    const auto* bytes = static_cast<const uint8_t*>(values.memory) + first;
    for (size_t i = 0; i < count; ++i) to[i] = decode_bits(type, bytes[i]);
  } else {
    kernels::number_loader<float>(type)(values.memory, first, 1, count, to);
  }
}

CompressedWeights::CompressedWeights(CompileContext& context, size_t values, const CompressedForm& form)
    : values_(values), form_(form) {
  std::string key = cat("compressed ", form.n, " ", form.k);
  for (const StoredAxes* axes : {&form.of_matrices, &form.of_n, &form.of_k}) {
    key += cat(" ", to_string(axes->sizes), to_string(axes->strides));
  }
  packed_ = context.shared<Packed>(values, key, [&] {
    const TensorView& stored = *context.constant(values);
    const WeightBits bits = bits_of(stored);
    const size_t count = element_count(form.matrices);
    const size_t bytes = kernels::compressed_size(bits, form.k, form.n);
    auto packed = std::make_shared<Packed>(
        bits, Tensor(ElementType::kU8, {static_cast<int64_t>(count), static_cast<int64_t>(bytes)}),
        table_of(stored.type));
    const std::vector<size_t> columns = places_of(form.of_n, form.n);
    for (size_t i = 0; i < count; ++i) {
      std::vector<size_t> rows = places_of(form.of_k, form.k);
      for (size_t& row : rows) row += place_of(form.of_matrices, i);
      kernels::pack_compressed(bits, shift_of(stored.type) != 0, stored.memory, rows, columns, {0, form.n},
                               packed->memory.mutable_data<char>() + i * bytes);
    }
    return packed;
  });
  context.consume(values);
}

kernels::CompressedMatrix CompressedWeights::matrix(const EvalContext& context, size_t i) const {
  kernels::CompressedMatrix matrix = {
      .bits = packed_->bits,
      .k = form_.k,
      .n = form_.n,
      .group = form_.group,
      .values = packed_->memory.data<char>() + i * kernels::compressed_size(packed_->bits, form_.k, form_.n),
      .scales = nullptr,
      .zero_points = nullptr,
      .zero_point = form_.zero_point,
      .table = packed_->table.data()};
  const size_t parameters = i * form_.panels() * form_.groups() * kernels::kPanelColumns;
  size_t input = values_;
  if (form_.has_scales) matrix.scales = context.input(++input).data<float>() + parameters;
  if (form_.has_zero_points) matrix.zero_points = context.input(++input).data<uint8_t>() + parameters;
  if (form_.has_column_scales) matrix.row_scales = context.input(++input).data<float>() + i * form_.k;
  if (form_.has_column_zero_points)
    matrix.row_zero_points = context.input(++input).data<float>() + i * form_.k;
  return matrix;
}

}  // namespace wasmvino::ops
