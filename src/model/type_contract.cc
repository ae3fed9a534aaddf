// SPDX-License-Identifier: Apache-2.0
#include "model/type_contract.h"

#include "core/error.h"

namespace wasmvino::model {

void TypeContract::check(std::span<const ElementType> types) const {
  // Repeated inputs share one name, so a number is appended.
  const auto called = [&](size_t i) {
    return input(i)->repeats ? cat(input(i)->name, " ", i + 1 - inputs_.size()) : std::string(input(i)->name);
  };
  for (size_t i = 0; i < types.size(); ++i) {
    const InputTypes* wanted = input(i);
    if (wanted == nullptr) return;  // inference checks the number of inputs
    const ElementType type = types[i];
    if (type == ElementType::kDynamic) continue;
    if (!wanted->types.contains(type)) {
      throw Error(ErrorCode::kInvalidType,
                  cat(called(i), " has element type ", type, ", expected ", to_string(wanted->types)))
          .expected(to_string(wanted->types))
          .actual(cat(type))
          .port(cat("input ", i));
    }
    if (wanted->like == InputTypes::kAny) continue;
    const size_t other = static_cast<size_t>(wanted->like);
    if (types[other] != type && types[other] != ElementType::kDynamic) {
      throw Error(ErrorCode::kInvalidType,
                  cat(called(i), " has element type ", type, ", ", called(other), " has ", types[other]))
          .expected(cat(types[other]))
          .actual(cat(type))
          .port(cat("input ", i));
    }
  }
}

}  // namespace wasmvino::model
