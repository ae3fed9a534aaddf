// SPDX-License-Identifier: Apache-2.0
#include "model/contract_text.h"

#include "core/text.h"

namespace wasmvino::model {

std::string describe(const TypeContract& contract) {
  std::string text;
  for (const InputTypes& input : contract.inputs()) {
    text += cat(text.empty() ? "" : "; ", input.name, input.repeats ? " …" : "", ": ",
                input.like == InputTypes::kAny
                    ? to_string(input.types)
                    : cat("as ", contract.input(static_cast<size_t>(input.like))->name));
  }
  return text.empty() ? "none" : text;
}

}  // namespace wasmvino::model
