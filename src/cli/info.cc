// SPDX-License-Identifier: Apache-2.0
// `info MODEL`: lists inputs, outputs and operations, and everything that this build lacks for the model.
#include <cstdio>

#include "cli/commands.h"
#include "frontends/frontends.h"

namespace wasmvino::cli {
namespace {

void print_ports(const char* title, const std::vector<frontends::Inspection::Port>& ports) {
  std::printf("%s\n", title);
  for (const frontends::Inspection::Port& port : ports) {
    std::string line =
        cat("  ", port.names.empty() ? port.friendly_name : port.names[0], "  ", port.type, " ", port.shape);
    for (size_t i = 1; i < port.names.size(); ++i)
      line += cat(i == 1 ? "  also called " : ", ", port.names[i]);
    std::printf("%s\n", line.c_str());
  }
}

}  // namespace

int info(const std::vector<std::string>& given) {
  const Arguments arguments(given, {});
  const ModelFiles files = read_model_files(arguments.only("the path of a model"));
  const frontends::Inspection found = frontends::inspect(files.model, files.companions, registry());
  if (!found.operations.empty()) {
    const std::string version = found.ir_version > 0 ? cat(", IR version ", found.ir_version) : "";
    std::printf("model %s%s\n", found.name.c_str(), version.c_str());
    print_ports("inputs", found.inputs);
    print_ports("outputs", found.outputs);
    std::printf("operations\n");
    for (const frontends::Inspection::Operation& operation : found.operations) {
      std::printf("  %-36s %-10s %5zu%s\n", operation.type.c_str(), operation.version.c_str(),
                  operation.count, operation.supported ? "" : "  UNSUPPORTED");
    }
  }
  for (const Error& problem : found.problems) std::printf("problem: %s\n", problem.what());
  if (!found.missing_weights.empty()) std::printf("problem: %s\n", found.missing_weights.c_str());
  const bool can_run = found.problems.empty() && found.missing_weights.empty();
  std::printf("%s\n", can_run ? "the model can be run" : "the model cannot be run");
  return can_run ? 0 : 1;
}

}  // namespace wasmvino::cli
