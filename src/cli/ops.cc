// SPDX-License-Identifier: Apache-2.0
// `ops`: the operations of this build, as a list or as the table of docs/operators.md.
#include <cstdio>

#include "cli/commands.h"
#include "frontends/frontends.h"
#include "model/contract_text.h"

namespace wasmvino::cli {

namespace {

// The front ends whose formats have operators of their own. Each has a column.
std::vector<const frontends::Frontend*> columns() {
  std::vector<const frontends::Frontend*> found;
  for (const frontends::Frontend* frontend : frontends::all()) {
    if (frontend->operators_for("")) found.push_back(frontend);
  }
  return found;
}

}  // namespace

int ops(const std::vector<std::string>& given) {
  const Arguments arguments(given, {}, {"--markdown"});
  if (!arguments.has("--markdown")) {
    for (const model::OpClass& op : registry().all()) {
      const std::string name = op.domain.empty() ? cat(op.type, "-", op.since) : cat(op.domain, ":", op.type);
      std::printf("%s\n", name.c_str());
    }
    return 0;
  }
  std::string titles, rules;
  for (const frontends::Frontend* frontend : columns()) {
    titles += cat(" ", frontend->name(), " |");
    rules += "---|";
  }
  std::string types;  // lines of the table, one per operation
  size_t count = 0;
  // Left out: operations of OpenVINO Tokenizers, most of which need WASMVINO_TOKENIZERS.
  std::vector<model::OpClass> all = registry().all();
  std::erase_if(all, [](const model::OpClass& op) { return op.domain == "extension"; });
  for (size_t i = 0; i < all.size();) {
    std::string versions, taken, last_taken;
    std::string_view specification;
    const std::string_view type = all[i].type, domain = all[i].domain;
    for (; i < all.size() && all[i].type == type && all[i].domain == domain; ++i) {
      // Other domains have no opsets of their own here.
      const bool one = all[i].since == all[i].until || !domain.empty();
      versions += cat(versions.empty() ? "" : ", ", all[i].since);
      if (!one) versions += all[i].until >= model::kLastOpset ? std::string("…") : cat("–", all[i].until);
      specification = all[i].specification;
      // Versions with equal contracts are described once.
      const std::string own = model::describe(*all[i].types);
      if (own != last_taken) taken += taken.empty() ? own : cat("; from opset ", all[i].since, ": ", own);
      last_taken = own;
    }
    const size_t slash = specification.find('/');
    types += cat("| ", type, " | ", domain.empty() ? specification.substr(0, slash) : domain, " | ", versions,
                 " | ");
    if (slash != std::string_view::npos) {
      types += cat(
          "[", specification.substr(slash + 1),
          "](https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/",
          specification, ".html)");
    }
    types += cat(" | ", taken, " |");
    for (const frontends::Frontend* frontend : columns()) {
      std::string names;
      const auto operators = frontend->operators_for(type);
      for (const std::string_view name : operators.value())
        names += cat(names.empty() ? "`" : ", `", name, "`");
      types += cat(" ", names, " |");
    }
    types += "\n";
    ++count;
  }
  std::printf(
      "<!-- Made by `wasmvino ops --markdown`; do not edit. -->\n"
      "# Operations\n\n"
      "%zu operations in %zu versions. “3–10” means opsets 3 to 10, “11…” means opset 11 and all later "
      "ones.\n\n"
      "Reading a model fails if an input has another element type. Floating point types are f16, bf16, f32 "
      "and "
      "f64.\n"
      "Integer types have 8 bits or more. Numeric types are both.\n\n"
      "The last columns name the operators of other [formats](formats.md) that an operation serves.\n\n"
      "| Operation | Category | Opsets | Specification | Element types of the inputs |%s\n"
      "|---|---|---|---|---|%s\n"
      "%s",
      count, all.size(), titles.c_str(), rules.c_str(), types.c_str());
  return 0;
}

}  // namespace wasmvino::cli
