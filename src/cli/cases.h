// SPDX-License-Identifier: Apache-2.0
// Conformance cases in their two forms (arrays by position; named sets and sequences), read into one.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/compare.h"

namespace wasmvino::cli {

struct CaseInput {
  std::optional<size_t> position;  // of the model's input; where absent, `name` tells
  std::string name;
  std::filesystem::path file;
};

struct CaseOutput {
  size_t position = 0;
  std::string name;
  std::filesystem::path file;
  ElementType type = ElementType::kDynamic;  // kDynamic: the type of the file
  Rule rule;
  std::filesystem::path result;  // where a result belongs, below the folder of results, without a suffix
};

struct CaseStep {
  std::string name;  // "step 2"; empty where there is but one
  std::vector<CaseInput> inputs;
  std::vector<CaseOutput> outputs;
};

struct Case {
  std::string name;       // path below the folder, and the model where there are several
  std::string operation;  // what results are counted by
  std::filesystem::path model;
  // Each begins with a fresh state; within one the state is kept.
  std::vector<std::vector<CaseStep>> sequences;
  std::optional<int64_t> sort_axis;  // the outputs' order along it is unspecified
};

// All cases below a folder, sorted by path. With `int8`, outputs are compared with those of OpenVINO's int8
// kernels where a case has them. Throws Error for a case.json that cannot be understood.
std::vector<Case> find_cases(const std::filesystem::path& folder, bool int8);

}  // namespace wasmvino::cli
