// SPDX-License-Identifier: Apache-2.0
#include "ops/movement/batch_blocks.h"

#include <algorithm>
#include <utility>

#include "ops/inputs/inputs.h"

namespace wasmvino::ops {
namespace {

// Checks that all elements are at least `lowest`, and that the batch axis has exactly that value.
void check_block_input(const Ints& values, const char* name, int64_t lowest) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] >= lowest && (i > 0 || values[i] == lowest)) continue;
    const std::string wanted = cat(lowest, i == 0 ? ": the batch axis must stay unchanged" : " or more");
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

kernels::MappedCopy block_copy(ElementType type, const Shape& blocked, const Shape& spatial,
                               const Ints& block_shape, const Ints& margin_begin) {
  const size_t rank = spatial.size();
  const Ints strides = row_major_strides(blocked);
  std::vector<kernels::AxisMap> maps(rank);
  maps[0].add(static_cast<size_t>(spatial[0]), 0, static_cast<ptrdiff_t>(strides[0]));
  // The innermost block factor has a stride of one whole batch; each outer factor has a stride of all inner
  // factors.
  int64_t factor_stride = spatial[0] * strides[0];
  for (size_t axis = rank; axis-- > 1;) {
    const int64_t block = block_shape[axis];
    if (block == 1) {
      maps[axis].add(static_cast<size_t>(spatial[axis]),
                     static_cast<ptrdiff_t>(margin_begin[axis] * strides[axis]),
                     static_cast<ptrdiff_t>(strides[axis]));
      continue;
    }
    const int64_t end = margin_begin[axis] + spatial[axis];
    for (int64_t i = margin_begin[axis]; i < end;) {
      const int64_t next = std::min(end, (i / block + 1) * block);
      maps[axis].add(static_cast<size_t>(next - i),
                     static_cast<ptrdiff_t>(i / block * strides[axis] + i % block * factor_stride),
                     static_cast<ptrdiff_t>(factor_stride));
      i = next;
    }
    factor_stride *= block;
  }
  return kernels::MappedCopy(type, std::move(maps));
}

}  // namespace wasmvino::ops
