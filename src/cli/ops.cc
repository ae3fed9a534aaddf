// SPDX-License-Identifier: Apache-2.0
// `ops`: the operations of this build, as a list or as the table of docs/operators.md.
#include <cstdio>

#include "cli/commands.h"
#include "model/contract_text.h"

namespace wasmvino::cli {

int ops(const std::vector<std::string>& given) {
  const Arguments arguments(given, {}, {"--markdown"});
  if (!arguments.has("--markdown")) {
    for (const model::OpClass& op : registry().all()) {
      std::printf("%.*s-%d\n", static_cast<int>(op.type.size()), op.type.data(), op.since);
    }
    return 0;
  }
  std::string types;  // lines of the table, one for each operation
  size_t count = 0;
  const auto& all = registry().all();
  for (size_t i = 0; i < all.size();) {
    std::string versions, taken, last_taken;
    std::string_view specification;
    const std::string_view type = all[i].type;
    for (; i < all.size() && all[i].type == type; ++i) {
      const bool one = all[i].since == all[i].until;
      versions += cat(versions.empty() ? "" : ", ", all[i].since);
      if (!one) versions += all[i].until >= model::kLastOpset ? std::string("…") : cat("–", all[i].until);
      specification = all[i].specification;
      // Versions that take the same are told once.
      const std::string own = model::describe(*all[i].types);
      if (own != last_taken) taken += taken.empty() ? own : cat("; from opset ", all[i].since, ": ", own);
      last_taken = own;
    }
    const size_t slash = specification.find('/');
    types += cat("| ", type, " | ", specification.substr(0, slash), " | ", versions, " | ");
    if (slash != std::string_view::npos) {
      types += cat(
          "[", specification.substr(slash + 1),
          "](https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/",
          specification, ".html)");
    }
    types += cat(" | ", taken, " |\n");
    ++count;
  }
  std::printf(
      "<!-- Made by `wasmvino ops --markdown` from the registry; not to be edited. -->\n"
      "# Operations\n\n"
      "%zu operations in %zu versions. A version is named by the first opset that has it; “3–10” is in "
      "opsets 3 to 10,\n"
      "“11…” in opset 11 and all later ones.\n\n"
      "An input of another element type is refused when a model is read. A floating point type is f16, bf16, "
      "f32 or f64;\n"
      "an integer type has 8 bits or more; a numeric type is either of these.\n\n"
      "| Operation | Category | Opsets | Specification | Element types of the inputs |\n"
      "|---|---|---|---|---|\n"
      "%s",
      count, all.size(), types.c_str());
  return 0;
}

}  // namespace wasmvino::cli
