// SPDX-License-Identifier: Apache-2.0
#include "ops/common/batch_blocks.h"

#include <utility>

#include "ops/common/inputs.h"

namespace wasmvino::ops {
namespace {

// All elements are at least `lowest`, the batch axis has exactly that.
void check_block_input(const Ints& values, const char* name, int64_t lowest) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] >= lowest && (i > 0 || values[i] == lowest)) continue;
    const std::string wanted = cat(lowest, i == 0 ? ": the batch axis stays whole" : " or more");
    throw Error(ErrorCode::kInvalidValue, cat(name, "[", i, "] is ", values[i], ", expected ", wanted))
        .expected(wanted)
        .actual(cat(values[i]))
        .port(name);
  }
}

}  // namespace

BlockInputs infer_block_inputs(InferContext& context, const char* begin, const char* end) {
  const char* const names[] = {"data", "block_shape", begin, end};
  std::optional<Ints> values[4];
  const PartialShape& data = context.input_shape(0);
  expect_rank(context, 0, 2, std::numeric_limits<size_t>::max(), names[0]);
  for (size_t i = 1; i < 4; ++i) {
    expect_rank(context, i, 1, 1, names[i]);
    const std::optional<size_t> length = length_of(context, i);
    if (length && data.has_rank() && *length != data.rank()) {
      throw Error(ErrorCode::kInvalidShape,
                  cat(names[i], " has ", *length, " elements, expected one for each axis of data ", data))
          .expected(cat(data.rank(), " elements"))
          .actual(cat(*length, " elements"))
          .port(names[i]);
    }
    values[i] = known_ints(context, i, names[i]);
    if (values[i]) check_block_input(*values[i], names[i], i == 1 ? 1 : 0);
  }
  return {std::move(values[1]), std::move(values[2]), std::move(values[3])};
}

TableCopy block_copy(ElementType type, const Shape& blocked, const Shape& spatial, const Ints& block_shape,
                     const Ints& margin_begin) {
  const size_t rank = spatial.size();
  const Ints strides = row_major_strides(blocked);
  std::vector<TableCopy::Table> tables(rank);
  // The innermost block factor steps over whole batches; each one further out over all those inside it.
  ptrdiff_t factor_stride = static_cast<ptrdiff_t>(spatial[0] * strides[0]);
  for (size_t axis = rank; axis-- > 0;) {
    TableCopy::Table& table = tables[axis];
    table.reserve(static_cast<size_t>(spatial[axis]));
    for (int64_t i = 0; i < spatial[axis]; ++i) {
      const int64_t place = axis == 0 ? i : i + margin_begin[axis];
      const int64_t block = axis == 0 ? 1 : block_shape[axis];
      table.push_back(static_cast<ptrdiff_t>(place / block * strides[axis]) +
                      static_cast<ptrdiff_t>(place % block) * factor_stride);
    }
    if (axis > 0) factor_stride *= static_cast<ptrdiff_t>(block_shape[axis]);
  }
  return TableCopy(type, std::move(tables));
}

}  // namespace wasmvino::ops
