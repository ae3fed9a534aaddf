// SPDX-License-Identifier: Apache-2.0
#include "ops/quantised_data/stored_constant.h"

#include <algorithm>
#include <numeric>

#include "model/node.h"

namespace wasmvino::ops {
namespace {

constexpr size_t kPanel = kernels::kPanelColumns;

// How a factor depends on the rows and columns of a matrix. For element (p, j), it is value rows[p] +
// columns[j].
struct FactorOfMatrix {
  std::vector<size_t> rows, columns;
  size_t run = 0;  // each run of this many rows shares its values; 0: all rows do
  bool varies_by_column = false;

  FactorOfMatrix(const StoredFactor& factor, std::span<const size_t> row_places,
                 std::span<const size_t> column_places) {
    for (const size_t place : row_places) rows.push_back(factor.index(place));
    for (const size_t place : column_places) columns.push_back(factor.index(place));
    for (size_t p = 1; p < rows.size(); ++p) {
      if (rows[p] != rows[p - 1]) run = std::gcd(run, p);
    }
    if (run > 0) run = std::gcd(run, rows.size());
    for (const size_t index : columns) varies_by_column |= index != columns[0];
  }
  // Whether there is one value per row, rather than one per column and group of rows.
  bool is_of_rows() const { return run % 4 != 0 && !varies_by_column; }
};

size_t row_length(const Shape& shape) {
  return shape.empty() ? 1 : std::max<size_t>(1, static_cast<size_t>(shape.back()));
}

}  // namespace

size_t StoredFactor::index(size_t place) const {
  int64_t index = 0;
  for (size_t i = 0; i < steps.size(); ++i) {
    index += static_cast<int64_t>(place) / axes.strides[i] % axes.sizes[i] * steps[i];
  }
  return static_cast<size_t>(index);
}

size_t StoredFactor::least_run(const StoredAxes& some) const {
  int64_t least = 0, step = 1;  // step: of axis i
  for (size_t i = some.sizes.size(); i-- > 0; step *= some.sizes[i]) {
    for (size_t j = 0; j < axes.sizes.size(); ++j) {
      const int64_t first = std::max(some.strides[i], axes.strides[j]);
      const int64_t last = std::min(some.strides[i] * some.sizes[i], axes.strides[j] * axes.sizes[j]);
      if (first >= last) continue;
      const int64_t run = first / some.strides[i] * step;
      least = least == 0 ? run : std::min(least, run);
    }
  }
  return static_cast<size_t>(least);
}

StoredConstant::StoredConstant(Shape shape, Parts parts)
    : shape_(std::move(shape)), parts_(std::move(parts)), pitch_(row_length(shape_)) {
  const StoredAxes& places = parts_.places;
  run_ = places.strides.empty() || places.strides.back() != 1 ? 1 : static_cast<size_t>(places.sizes.back());
  // Adjacent elements that share all factors are scaled together, if there are at least this many.
  constexpr int64_t kLeastRun = 8;
  const auto share = [&](const StoredFactor& factor) {
    for (const int64_t stride : factor.axes.strides) {
      if (stride >= kLeastRun) run_ = std::min(run_, static_cast<size_t>(stride));
    }
  };
  for (const StoredFactor& scale : parts_.scales) share(scale);
  if (parts_.zero_point) share(*parts_.zero_point);
  const StoredAxes neighbours = {{static_cast<int64_t>(run_)}, {1}};
  for (const StoredFactor& scale : parts_.scales) varies_.push_back(scale.varies_along(neighbours));
  varies_.push_back(parts_.zero_point && parts_.zero_point->varies_along(neighbours));
}

StoredConstant StoredConstant::columns(int64_t first, int64_t count) const {
  StoredConstant part = *this;
  part.first_ += static_cast<size_t>(first);
  part.shape_[1] = count;
  return part;
}

void StoredConstant::read(size_t offset, size_t count, void* to) const {
  const Tensor stored = parts_.stored->value();
  load(stored.view(), offset / sizeof(float), count / sizeof(float), static_cast<float*>(to));
}

void StoredConstant::load(const TensorView& raw, size_t first, size_t count, float* to) const {
  const size_t width = row_length(shape_);
  for (size_t i = first, part; i < first + count; i += part, to += part) {
    const size_t at = first_ + i / width * pitch_ + i % width, begin = place_of(parts_.places, at);
    part = std::min({first + count - i, run_ - at % run_, width - i % width});
    load_stored(raw, begin, part, to);
    const auto apply = [&](const StoredFactor& factor, bool varies, const auto& by) {
      const float same = factor.at(begin);
      for (size_t j = 0; j < part; ++j) to[j] = by(to[j], varies ? factor.at(begin + j) : same);
    };
    const auto subtract = [](float value, float by) { return value - by; };
    const auto multiply = [](float value, float by) { return value * by; };
    if (parts_.zero_point) apply(*parts_.zero_point, varies_.back(), subtract);
    for (size_t s = 0; s < parts_.scales.size(); ++s) apply(parts_.scales[s], varies_[s], multiply);
  }
}

std::unique_ptr<Node> stored_constant(std::string name, StoredConstant value) {
  auto op = std::make_shared<StoredConstantOp>(std::move(value));
  const std::shared_ptr<const StoredConstant>& source = op->value_;
  auto constant =
      std::make_shared<ConstantData>(ElementType::kF32, source->shape(), source, 0, source->size());
  auto node = std::make_unique<Node>(std::move(name), "Constant", 1, std::move(op), NodeKind::kConstant);
  node->outputs.push_back({constant->type(), constant->shape(), {}});
  node->constant = std::move(constant);
  return node;
}

const StoredConstant* stored_of(const Node& constant) {
  const auto* op = op_cast<StoredConstantOp>(constant.op.get());
  return op != nullptr ? &op->value() : nullptr;
}

const StoredConstant* stored_input(const CompileContext& context, size_t input) {
  const Node& node = context.node();
  return input < node.inputs.size() ? stored_of(*node.inputs[input].node) : nullptr;
}

StoredMatrix::StoredMatrix(const StoredConstant& value, size_t first, size_t k_stride, size_t n_stride,
                           size_t k, size_t n) {
  const size_t width = row_length(value.shape());
  const bool k_in_rows = k_stride == 1 && n_stride % width == 0 && k <= width;
  const auto place = [&](size_t at, bool in_rows) {
    return in_rows ? value.place_in_row(at % width) : value.place_of_row(at / width);
  };
  std::vector<size_t> rows(k), columns(n);
  for (size_t p = 0; p < k; ++p) rows[p] = place(first + p * k_stride, k_in_rows);
  for (size_t j = 0; j < n; ++j) columns[j] = place(first + j * n_stride, !k_in_rows);
  pack(value.parts(), rows, columns);
}

void StoredMatrix::pack(const StoredConstant::Parts& parts, std::span<const size_t> rows,
                        std::span<const size_t> columns) {
  const size_t k = rows.size(), n = columns.size();
  Tensor raw = parts.stored->value();
  const TensorView stored = raw.view();
  const kernels::WeightBits bits = bits_of(stored);
  const int shift = shift_of(stored.type);
  values_ = Tensor(ElementType::kU8, {static_cast<int64_t>(kernels::compressed_size(bits, k, n))});
  kernels::pack_compressed(bits, shift != 0, stored.memory, rows, columns, {0, n},
                           values_.mutable_data<char>());
  table_ = table_of(stored.type);
  const bool is_integer = is_integral(stored.type);
  raw = Tensor();
  matrix_ = {.bits = bits,
             .k = k,
             .n = n,
             .group = k,
             .values = values_.data<char>(),
             .scales = nullptr,
             .zero_points = nullptr,
             .zero_point = static_cast<float>(shift),
             .table = table_.data()};

  std::vector<FactorOfMatrix> scales;
  for (const StoredFactor& scale : parts.scales) scales.emplace_back(scale, rows, columns);
  std::optional<FactorOfMatrix> zero;
  if (parts.zero_point) zero.emplace(*parts.zero_point, rows, columns);
  const auto group_by = [&](const FactorOfMatrix& factor) {
    if (!factor.is_of_rows()) matrix_.group = std::gcd(matrix_.group, factor.run);
  };
  for (const FactorOfMatrix& scale : scales) group_by(scale);
  if (zero) group_by(*zero);
  const size_t groups = k == 0 ? 1 : k / matrix_.group, panels = (n + kPanel - 1) / kPanel;
  const CheckedSize factors = CheckedSize(panels) * groups * kPanel;
  if (is_integer || !scales.empty()) scales_.assign(factors.value(), 1.0f);
  if (zero && !zero->is_of_rows()) zero_points_.resize(factors.value());
  for (size_t j = 0; j < n && k > 0; ++j) {
    for (size_t g = 0; g < groups; ++g) {
      const size_t at = (j / kPanel * groups + g) * kPanel + j % kPanel, p = g * matrix_.group;
      for (size_t s = 0; s < scales.size(); ++s) {
        if (!scales[s].is_of_rows())
          scales_[at] *= parts.scales[s].values[scales[s].rows[p] + scales[s].columns[j]];
      }
      if (!zero_points_.empty()) {
        const float point = parts.zero_point->values[zero->rows[p] + zero->columns[j]];
        zero_points_[at] = static_cast<uint8_t>(point + static_cast<float>(shift));
      }
    }
  }
  for (size_t s = 0; s < scales.size(); ++s) {
    if (!scales[s].is_of_rows()) continue;
    row_scales_.resize(k, 1.0f);
    for (size_t p = 0; p < k; ++p) row_scales_[p] *= parts.scales[s].values[scales[s].rows[p]];
  }
  if (zero && zero->is_of_rows()) {
    for (const size_t index : zero->rows)
      row_zero_points_.push_back(parts.zero_point->values[index] + static_cast<float>(shift));
  }
  if (!scales_.empty()) matrix_.scales = scales_.data();
  if (!zero_points_.empty()) matrix_.zero_points = zero_points_.data();
  if (!row_scales_.empty()) matrix_.row_scales = row_scales_.data();
  if (!row_zero_points_.empty()) matrix_.row_zero_points = row_zero_points_.data();
}

std::shared_ptr<const StoredMatrix> stored_matrix(CompileContext& context, size_t input, size_t first,
                                                  size_t k_stride, size_t n_stride, size_t k, size_t n) {
  const StoredConstant* value = stored_input(context, input);
  if (value == nullptr) return nullptr;
  const std::string key = cat("matrix ", first, " ", k_stride, " ", n_stride, " ", k, " ", n);
  return context.shared<StoredMatrix>(
      input, key, [&] { return std::make_shared<StoredMatrix>(*value, first, k_stride, n_stride, k, n); });
}

std::optional<StoredTable> StoredTable::of(CompileContext& context, size_t input) {
  StoredTable table;
  table.value_ = stored_input(context, input);
  if (table.value_ == nullptr) return std::nullopt;
  table.raw_ = context.shared<Tensor>(
      input, "stored", [&] { return std::make_shared<Tensor>(table.value_->parts().stored->value()); });
  context.consume(input);
  return table;
}

}  // namespace wasmvino::ops
