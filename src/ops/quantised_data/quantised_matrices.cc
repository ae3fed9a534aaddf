// SPDX-License-Identifier: Apache-2.0
#include "ops/quantised_data/quantised_matrices.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "core/checked.h"
#include "core/packed_bits.h"
#include "model/node.h"

namespace wasmvino::ops {
namespace {

using kernels::WeightBits;

constexpr size_t kPanel = kernels::kPanelColumns;

// How shared numbers depend on the rows and columns of a matrix. For element (p, j), it is number rows[p] +
// columns[j].
struct NumbersOfMatrix {
  std::vector<size_t> rows, columns;
  size_t run = 0;  // each run of this many rows shares its numbers; 0: all rows do
  bool varies_by_column = false;

  NumbersOfMatrix(const SharedNumbers& numbers, const MatrixPlaces& places) {
    for (const size_t place : places.rows) rows.push_back(numbers.index(place));
    for (const size_t place : places.columns) columns.push_back(numbers.index(place));
    for (size_t p = 1; p < rows.size(); ++p) {
      if (rows[p] != rows[p - 1]) run = std::gcd(run, p);
    }
    if (run > 0) run = std::gcd(run, rows.size());
    for (const size_t index : columns) varies_by_column |= index != columns[0];
  }
  // Whether there is one number per row, rather than one per column and group of rows.
  bool is_of_rows() const { return run % 4 != 0 && !varies_by_column; }
  // The index of the number of row p, if is_of_rows().
  size_t of_row(size_t p) const { return rows[p] + (columns.empty() ? 0 : columns[0]); }
};

// The form in which kernels pack the values.
WeightBits bits_of(const TensorView& values) {
  switch (values.type) {
    case ElementType::kF16:
      return kernels::are_small_f16(values.memory, values.size()) ? WeightBits::kSmallF16 : WeightBits::kF16;
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

// QuantisedMatrix::table for a type; empty for those that need none.
std::vector<float> table_of(ElementType type) {
  if (bit_width(type) > 8 || (!is_real(type) && type != ElementType::kU2)) return {};
  std::vector<float> table(size_t{1} << bit_width(type));
  for (size_t i = 0; i < table.size(); ++i) table[i] = decode_bits(type, static_cast<uint8_t>(i));
  return table;
}

}  // namespace

std::shared_ptr<const QuantisedMatrices> QuantisedConstant::pack(const PackRecipe& recipe) const {
  return std::make_shared<QuantisedMatrices>(*this, recipe);
}

QuantisedMatrices::QuantisedMatrices(const QuantisedConstant& value, const PackRecipe& recipe)
    : table_(table_of(value.stored_type())), parameters_(recipe.size()) {
  const QuantisedConstant::Parts& parts = value.parts();
  const auto shift = static_cast<float>(shift_of(value.stored_type()));
  const bool is_integer = is_integral(value.stored_type());
  {
    const Tensor raw = parts.stored->value();
    const TensorView& stored = raw.view();
    const kernels::WeightBits bits = bits_of(stored);
    CheckedSize bytes;
    for (const MatrixPlaces& places : recipe)
      bytes = bytes + kernels::quantised_size(bits, places.rows.size(), places.columns.size());
    values_ = Tensor(ElementType::kU8, {static_cast<int64_t>(bytes.value())});
    char* to = values_.mutable_data<char>();
    for (const MatrixPlaces& places : recipe) {
      const size_t k = places.rows.size(), n = places.columns.size();
      kernels::pack_quantised(bits, shift != 0, stored.memory, places.rows, places.columns, {0, n}, to);
      matrices_.push_back({.bits = bits,
                           .k = k,
                           .n = n,
                           .group = k,
                           .values = to,
                           .scales = nullptr,
                           .zero_points = nullptr,
                           .zero_point = shift,
                           .table = table_.data()});
      to += kernels::quantised_size(bits, k, n);
    }
  }

  std::vector<std::vector<float>> factors;
  for (const SharedNumbers& scale : parts.scales) factors.push_back(scale.read());
  std::vector<float> points;
  if (parts.zero_point) points = parts.zero_point->read();
  for (size_t i = 0; i < recipe.size(); ++i) {
    kernels::QuantisedMatrix& matrix = matrices_[i];
    Parameters& own = parameters_[i];
    std::vector<NumbersOfMatrix> scales;
    for (const SharedNumbers& scale : parts.scales) scales.emplace_back(scale, recipe[i]);
    std::optional<NumbersOfMatrix> zero;
    if (parts.zero_point) zero.emplace(*parts.zero_point, recipe[i]);
    const auto group_by = [&](const NumbersOfMatrix& numbers) {
      if (!numbers.is_of_rows()) matrix.group = std::gcd(matrix.group, numbers.run);
    };
    for (const NumbersOfMatrix& scale : scales) group_by(scale);
    if (zero) group_by(*zero);
    const size_t k = matrix.k, n = matrix.n, groups = k == 0 ? 1 : k / matrix.group;
    const CheckedSize count = CheckedSize((n + kPanel - 1) / kPanel) * groups * kPanel;
    const bool by_columns = std::any_of(scales.begin(), scales.end(),
                                        [](const NumbersOfMatrix& scale) { return !scale.is_of_rows(); });
    if (is_integer || by_columns) own.scales.assign(count.value(), 1.0f);
    if (zero && !zero->is_of_rows()) own.zero_points.resize(count.value());
    for (size_t j = 0; j < n && k > 0; ++j) {
      for (size_t g = 0; g < groups; ++g) {
        const size_t at = (j / kPanel * groups + g) * kPanel + j % kPanel, p = g * matrix.group;
        for (size_t s = 0; s < scales.size(); ++s) {
          if (!scales[s].is_of_rows()) own.scales[at] *= factors[s][scales[s].rows[p] + scales[s].columns[j]];
        }
        if (!own.zero_points.empty())
          own.zero_points[at] = static_cast<uint8_t>(points[zero->rows[p] + zero->columns[j]] + shift);
      }
    }
    for (size_t s = 0; s < scales.size(); ++s) {
      if (!scales[s].is_of_rows()) continue;
      own.row_scales.resize(k, 1.0f);
      for (size_t p = 0; p < k; ++p) own.row_scales[p] *= factors[s][scales[s].of_row(p)];
    }
    if (zero && zero->is_of_rows()) {
      for (size_t p = 0; p < k; ++p) own.row_zero_points.push_back(points[zero->of_row(p)] + shift);
    }
    if (!own.scales.empty()) matrix.scales = own.scales.data();
    if (!own.zero_points.empty()) matrix.zero_points = own.zero_points.data();
    if (!own.row_scales.empty()) matrix.row_scales = own.row_scales.data();
    if (!own.row_zero_points.empty()) matrix.row_zero_points = own.row_zero_points.data();
  }
}

const QuantisedConstant* quantised_input(const CompileContext& context, size_t input) {
  const Node& node = context.node();
  return input < node.inputs.size() ? quantised_of(*node.inputs[input].node) : nullptr;
}

PackRecipe recipe_of(const QuantisedConstant& value, const MatrixStrides& strides) {
  const auto& [first_element, k_stride, n_stride, k, n, count] = strides;
  const size_t width = value.row_length();
  const bool k_in_rows = k_stride == 1 && (n == 1 || n_stride % width == 0) && k <= width;
  const auto place = [&](size_t at, bool in_rows) {
    return in_rows ? value.place_in_row(at % width) : value.place_of_row(at / width);
  };
  PackRecipe recipe(count);
  for (size_t i = 0; i < count; ++i) {
    const size_t first = first_element + i * k * n;
    for (size_t p = 0; p < k; ++p) recipe[i].rows.push_back(place(first + p * k_stride, k_in_rows));
    for (size_t j = 0; j < n; ++j) recipe[i].columns.push_back(place(first + j * n_stride, !k_in_rows));
  }
  return recipe;
}

std::shared_ptr<const QuantisedMatrices> quantised_matrices(CompileContext& context, size_t input,
                                                            const MatrixStrides& s) {
  const QuantisedConstant* value = quantised_input(context, input);
  if (value == nullptr) return nullptr;
  const std::string key =
      cat("matrices ", s.first, " ", s.k_stride, " ", s.n_stride, " ", s.k, " ", s.n, " ", s.count);
  return context.shared<QuantisedMatrices>(input, key, [&] { return value->pack(recipe_of(*value, s)); });
}

std::optional<QuantisedTable> QuantisedTable::of(CompileContext& context, size_t input, bool packed) {
  const QuantisedConstant* value = quantised_input(context, input);
  if (value == nullptr) return std::nullopt;
  QuantisedTable table;
  if (packed) {
    const size_t n = static_cast<size_t>(value->shape()[0]), k = static_cast<size_t>(value->shape()[1]);
    table.packed_ = quantised_matrices(context, input, {0, 1, k, k, n});
  } else {
    table.elements_ = context.shared<DequantisedElements>(
        input, "elements", [&] { return std::make_shared<DequantisedElements>(*value); });
  }
  context.consume(input);
  return table;
}

void QuantisedTable::load(size_t first, size_t count, float* to) const {
  if (elements_ != nullptr) return elements_->load(first, count, to);
  // Dequantises the eight columns of a panel, block by block, and copies one of them.
  constexpr size_t kBlockRows = 64;
  std::array<float, kBlockRows * kPanel> block;
  const kernels::QuantisedMatrix& b = packed_->matrix();
  for (size_t i = first, part; i < first + count; i += part) {
    const size_t column = i / b.k, panel = column / kPanel * kPanel;
    const size_t row = i % b.k, begin = row / kBlockRows * kBlockRows;
    const size_t end = std::min(b.k, begin + kBlockRows);
    part = std::min(first + count - i, end - row);
    kernels::expand(b, {begin, end}, {panel, panel + kPanel}, block.data());
    for (size_t p = row; p < row + part; ++p) *to++ = block[(p - begin) * kPanel + column % kPanel];
  }
}

}  // namespace wasmvino::ops
