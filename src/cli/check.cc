// SPDX-License-Identifier: Apache-2.0
// `check FOLDER`: runs every conformance case below a folder and counts by operation.
#include <chrono>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>

#include "cli/arrays.h"
#include "cli/cases.h"
#include "cli/commands.h"
#include "runtime/compiled_model.h"

namespace wasmvino::cli {
namespace {

enum class Status { kPassed, kFailed, kUnsupported };

const char* text(Status status) {
  return status == Status::kPassed ? "passed" : status == Status::kFailed ? "failed" : "unsupported";
}

struct Outcome {
  Status status = Status::kPassed;
  std::string message;
  double worst = 0;
  double milliseconds = 0;
};

// Rows of an output that belong to padding: where a step has an attention mask [batch, length], the rows
// [batch, last positions] of its outputs that the mask hides mean nothing.
std::vector<char> hidden_rows(const Tensor& mask, const Shape& output) {
  if (!mask || mask.shape().size() != 2 || output.size() != 3 || output[0] != mask.shape()[0]) return {};
  const int64_t length = mask.shape()[1], positions = output[1];
  if (positions > length) return {};
  const Ints values = to_ints(mask.view());
  std::vector<char> hidden;
  for (int64_t b = 0; b < output[0]; ++b) {
    for (int64_t p = length - positions; p < length; ++p) {
      hidden.push_back(values[static_cast<size_t>(b * length + p)] == 0);
    }
  }
  return hidden;
}

// The file of a result below a folder: what a case is called must not lead out of it.
std::filesystem::path inside(const std::filesystem::path& folder, const std::filesystem::path& name) {
  const std::filesystem::path normal = name.lexically_normal();
  if (name.is_absolute() || (!normal.empty() && *normal.begin() == "..")) {
    fail(ErrorCode::kInvalidArgument, "the result '", name.string(), "' would be written outside of ",
         folder.string());
  }
  return folder / normal;
}

void run_step(const Case& checked, const CaseStep& step, runtime::InferRequest& request,
              const std::filesystem::path& write_to, Outcome& outcome) {
  const auto& inputs = request.compiled_model().inputs();
  Tensor mask;
  for (const CaseInput& input : step.inputs) {
    const size_t i = input.position ? *input.position : runtime::find_port(inputs, input.name, "input");
    if (i >= inputs.size()) fail(ErrorCode::kInvalidArgument, "the model has no input ", i);
    const Tensor tensor = read_array(array_file(input.file), inputs[i].type);
    if (input.name == "attention_mask") mask = tensor;
    request.set_input(i, tensor);
  }
  request.infer();

  std::vector<Tensor> got, want;
  for (const CaseOutput& output : step.outputs) {
    if (output.position >= request.compiled_model().outputs().size()) {
      fail(ErrorCode::kInvalidArgument, "the model has no output ", output.position);
    }
    const Tensor& tensor = request.output(output.position);
    if (!write_to.empty()) write_array(inside(write_to, output.result), tensor.view());
    got.push_back(tensor);
    want.push_back(read_array(array_file(output.file), output.type));
  }
  if (checked.sort_axis) {
    sort_along(got, *checked.sort_axis);
    sort_along(want, *checked.sort_axis);
  }
  for (size_t i = 0; i < got.size(); ++i) {
    const CaseOutput& output = step.outputs[i];
    const Comparison result =
        compare(got[i].view(), want[i].view(), output.rule, hidden_rows(mask, want[i].shape()));
    outcome.worst = std::max(outcome.worst, result.worst);
    if (result.difference.empty() || outcome.status == Status::kFailed) continue;
    outcome.status = Status::kFailed;
    outcome.message = cat(step.name, step.name.empty() ? "" : ", ", "output ", output.position, " '",
                          output.name, "': ", result.difference);
  }
}

Outcome run_case(const Case& checked, const runtime::CompileOptions& options,
                 const std::filesystem::path& write_to) {
  Outcome outcome;
  const auto start = std::chrono::steady_clock::now();
  bool reading = true;
  try {
    const auto model = read_model(checked.model);
    reading = false;
    const auto compiled = runtime::CompiledModel::compile(*model, registry(), options);
    const auto request = compiled->create_infer_request();
    for (const auto& sequence : checked.sequences) {
      request->reset_state();
      for (const CaseStep& step : sequence) run_step(checked, step, *request, write_to, outcome);
    }
  } catch (const Error& error) {
    // Everything supported must work in every form: a case is unsupported only if the front end does not know
    // the operation.
    outcome.status =
        reading && error.code() == ErrorCode::kUnsupported ? Status::kUnsupported : Status::kFailed;
    outcome.message = error.what();
  } catch (const std::bad_alloc&) {
    outcome.status = Status::kFailed;
    outcome.message = "out of memory";
  }
  outcome.milliseconds =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return outcome;
}

}  // namespace

int check(const std::vector<std::string>& given) {
  const Arguments arguments(given, {"--write", "--json", "--build", "--filter", "--threads"},
                            {"--no-passes", "--int8"});
  const std::string& folder = arguments.only("a folder of cases");
  if (arguments.value("--build", "native") != "native") {
    fail(ErrorCode::kInvalidArgument, "this executable has one build, 'native'");
  }
  runtime::CompileOptions options = arguments.compile_options();
  // Goldens have FakeQuantize evaluated in f32, but those of int8 kernels.
  options.integers = arguments.has("--int8");
  const std::regex filter(arguments.value("--filter"), std::regex::ECMAScript);

  using Counts = std::array<int, 3>;
  std::map<std::string, Counts> by_operation;
  Counts total{};
  nlohmann::json cases = nlohmann::json::array();
  for (const Case& checked : find_cases(folder, options.integers)) {
    if (!std::regex_search(checked.name, filter)) continue;
    const Outcome outcome = run_case(checked, options, arguments.value("--write"));
    ++by_operation[checked.operation][static_cast<size_t>(outcome.status)];
    ++total[static_cast<size_t>(outcome.status)];
    if (outcome.status == Status::kFailed)
      std::printf("FAILED %s: %s\n", checked.name.c_str(), outcome.message.c_str());
    cases.push_back({{"name", checked.name},
                     {"operation", checked.operation},
                     {"status", text(outcome.status)},
                     {"message", outcome.message},
                     {"worst", outcome.worst},
                     {"milliseconds", outcome.milliseconds}});
  }
  std::printf("%-44s %8s %8s %12s\n", "operation", "passed", "failed", "unsupported");
  for (const auto& [operation, counts] : by_operation) {
    std::printf("%-44s %8d %8d %12d\n", operation.c_str(), counts[0], counts[1], counts[2]);
  }
  std::printf("%-44s %8d %8d %12d\n", "all", total[0], total[1], total[2]);
  if (arguments.has("--json")) {
    nlohmann::json report{
        {"build", "native"}, {"passed", total[0]}, {"failed", total[1]}, {"unsupported", total[2]}};
    for (const auto& [operation, counts] : by_operation) {
      report["operations"][operation] = {
          {"passed", counts[0]}, {"failed", counts[1]}, {"unsupported", counts[2]}};
    }
    report["cases"] = std::move(cases);
    write_file(arguments.value("--json"), report.dump(1) + "\n");
  }
  if (by_operation.empty()) {
    std::fprintf(stderr, "no case found below %s\n", folder.c_str());
    return 1;
  }
  // A run in which nothing could pass has shown nothing.
  return total[1] > 0 || total[0] == 0 ? 1 : 0;
}

}  // namespace wasmvino::cli
