// SPDX-License-Identifier: Apache-2.0
#include "ops/common/compressed_weights.h"

namespace wasmvino::ops {

using kernels::WeightBits;

WeightBits bits_of(ElementType type) {
  switch (type) {
    case ElementType::kF16:
      return WeightBits::kF16;
    case ElementType::kBf16:
      return WeightBits::kBf16;
    case ElementType::kI8:
    case ElementType::kU8:
      return WeightBits::kInt8;
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
      return true;
    default:
      return false;
  }
}

int shift_of(ElementType type) { return type == ElementType::kI4 ? 8 : type == ElementType::kI8 ? 128 : 0; }

CompressedWeights::CompressedWeights(CompileContext& context, size_t values, const CompressedForm& form)
    : values_(values), form_(form), type_(context.input_type(values)) {
  const std::string key = cat("compressed ", form.n, " ", form.k, form.by_depth ? " by depth" : "");
  packed_ = context.shared<Tensor>(values, key, [&] {
    const WeightBits bits = bits_of(type_);
    const size_t bytes = kernels::compressed_size(bits, form.k, form.n);
    auto packed = std::make_shared<Tensor>(ElementType::kU8, Shape{static_cast<int64_t>(bytes)});
    std::vector<size_t> rows(form.k);
    for (size_t p = 0; p < form.k; ++p) rows[p] = form.by_depth ? p * form.n : p;
    kernels::pack_compressed(bits, shift_of(type_) != 0, context.constant(values)->memory, rows,
                             form.by_depth ? 1 : form.k, form.n, {0, form.n}, packed->mutable_data<char>());
    return packed;
  });
  context.consume(values);
}

kernels::CompressedMatrix CompressedWeights::matrix(const EvalContext& context) const {
  return {bits_of(type_),
          form_.k,
          form_.n,
          form_.group,
          packed_->data<char>(),
          form_.has_scales ? context.input(values_ + 1).data<float>() : nullptr,
          form_.has_zero_points ? context.input(values_ + 2).data<uint8_t>() : nullptr,
          form_.zero_point};
}

}  // namespace wasmvino::ops
