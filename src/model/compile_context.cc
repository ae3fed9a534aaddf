// SPDX-License-Identifier: Apache-2.0
#include "model/compile_context.h"

#include "core/error.h"
#include "model/node.h"

namespace wasmvino::model {

std::shared_ptr<const void>& CompileContext::packed_place(size_t i, std::string_view key) {
  const Node* source = i < node_.inputs.size() ? node_.inputs[i].node : nullptr;
  if (source != nullptr && source->kind == NodeKind::kConstant) return services_.cache(*source, key);
  return services_.cache(node_, cat("input ", i, ": ", key));
}

}  // namespace wasmvino::model
