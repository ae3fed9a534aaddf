// SPDX-License-Identifier: Apache-2.0
#include "runtime/variables.h"

#include <cstring>

#include "core/call.h"
#include "core/checked.h"
#include "ops/movement/strided_copy.h"
#include "ops/quantised_data/compressed_rows.h"

namespace wasmvino::runtime {
namespace {

Ints identity(size_t rank) {
  Ints order;
  for (size_t i = 0; i < rank; ++i) order.push_back(static_cast<int64_t>(i));
  return order;
}

size_t room_for(size_t bytes) {
  // A growing value is copied eight times on average. The size of a tensor is rounded up to 64 bytes.
  const size_t more = (CheckedSize(bytes) + bytes / 8).rounded_up(64).value();
  const uint64_t limit = current_call().limits().tensor_bytes;
  return limit != 0 && more > limit ? bytes : more;
}

// Transposes a value from one order of axes to another.
Tensor transposed(const Tensor& from, const Ints& from_order, const Ints& to_order,
                  const Parallel& parallel) {
  if (from_order == to_order) return from;
  const size_t rank = from.shape().size();
  const Ints old = from_order.empty() ? identity(rank) : from_order;
  const Ints now = to_order.empty() ? identity(rank) : to_order;
  const Ints strides = row_major_strides(from.shape());
  // Sizes and strides by the declared axes, then in the new order.
  Ints sizes_by_axis(rank, 0), strides_by_axis(rank, 0);
  for (size_t i = 0; i < rank; ++i) {
    sizes_by_axis[static_cast<size_t>(old[i])] = from.shape()[i];
    strides_by_axis[static_cast<size_t>(old[i])] = strides[i];
  }
  Shape shape;
  Ints from_strides;
  for (const int64_t axis : now) {
    shape.push_back(sizes_by_axis[static_cast<size_t>(axis)]);
    from_strides.push_back(strides_by_axis[static_cast<size_t>(axis)]);
  }
  Tensor to(from.type(), shape);
  ops::StridedCopy(from.type(), shape, from_strides, row_major_strides(shape))
      .run(parallel, from.data<char>(), to.mutable_data<char>());
  return to;
}

}  // namespace

void lay_out(model::Variable& variable, const model::VariableForm& form, const Parallel& parallel) {
  if (variable.form == form) return;
  model::VariableForm next = form;
  if (variable.value) {
    const Tensor plain = ops::expand_rows(variable.form.precision, variable.value, parallel);
    const Tensor ordered = transposed(plain, variable.form.order, form.order, parallel);
    variable.value = ops::compress_rows(form.precision, ordered, parallel);
    variable.reserve = Tensor();
  }
  variable.form = std::move(next);
}

Tensor extend(model::Variable& variable, const Shape& shape) {
  const ElementType type = variable.value.type();
  const size_t bytes = storage_bytes(type, element_count(shape));
  if (bytes < variable.value.byte_size())
    fail(ErrorCode::kInternal, "variable '", variable.id, "' would lose part of its value ",
         to_string(variable.value.shape()), " as ", to_string(shape));
  Tensor& reserve = variable.reserve;
  // Somebody else may have set the value.
  const bool has_reserve = reserve && reserve.data<char>() == variable.value.data<char>();
  if (!has_reserve || reserve.byte_size() < bytes) {
    Tensor larger(ElementType::kU8, {static_cast<int64_t>(room_for(bytes))});
    std::memcpy(larger.mutable_data<char>(), variable.value.data<char>(), variable.value.byte_size());
    variable.value = Tensor(type, variable.value.shape(), larger.mutable_data<char>(), larger.owner());
    reserve = std::move(larger);
  }
  return Tensor(type, shape, reserve.mutable_data<char>(), reserve.owner());
}

}  // namespace wasmvino::runtime
