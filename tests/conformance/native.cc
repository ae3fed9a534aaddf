// SPDX-License-Identifier: Apache-2.0
// Runs conformance cases with the native engine, for native_engine.mjs. Each line of the input is a job:
//   {"model", "passes", "integers", "rowGroup", "threads", "steps": [{"fresh", "inputs", "outputs"}]}
// `fresh` resets the state. An input is {"position" or "name", "file"}, an output {"position", "stem"}.
// Outputs are written to files. Each line of the output answers a job:
//   {"stage", "milliseconds", "types"} with the element types of the outputs, step by step, and for a failure
//   {"code", "message"} in addition. `stage` is "read" or "run", and "done" after success.
#include <chrono>
#include <iostream>
#include <new>
#include <nlohmann/json.hpp>

#include "cli/arrays.h"
#include "cli/model_files.h"
#include "ops/registry.h"
#include "runtime/compiled_model.h"

namespace wasmvino {
namespace {

using Json = nlohmann::json;

size_t position_of(const Json& port, const std::vector<runtime::Port>& ports) {
  if (port.contains("name")) return runtime::find_port(ports, port["name"].get<std::string>(), "input");
  const size_t position = port.at("position");
  if (position >= ports.size()) fail(ErrorCode::kInvalidArgument, "the model has no port ", position);
  return position;
}

Json run_step(const Json& step, runtime::InferRequest& request) {
  const auto& inputs = request.compiled_model().inputs();
  if (step.at("fresh")) request.reset_state();
  for (const Json& input : step.at("inputs")) {
    const size_t i = position_of(input, inputs);
    request.set_input(i, cli::read_array(input.at("file").get<std::string>(), inputs[i].type));
  }
  request.infer();
  Json types = Json::array();
  for (const Json& output : step.at("outputs")) {
    const size_t i = position_of(output, request.compiled_model().outputs());
    cli::write_array(output.at("stem").get<std::string>(), request.output(i).view());
    types.push_back(name(request.output(i).type()));
  }
  return types;
}

void run_job(const Json& job, Json& answer) {
  answer["stage"] = "read";
  const auto model = cli::read_model(job.at("model").get<std::string>());
  answer["stage"] = "run";
  const auto compiled = runtime::CompiledModel::compile(*model, ops::registry(),
                                                        {.passes = job.at("passes"),
                                                         .integers = job.at("integers"),
                                                         .row_group = job.at("rowGroup"),
                                                         .threads = job.at("threads")});
  const auto request = compiled->create_infer_request();
  for (const Json& step : job.at("steps")) answer["types"].push_back(run_step(step, *request));
  answer["stage"] = "done";
}

Json answer_to(const Json& job) {
  Json answer;
  const auto start = std::chrono::steady_clock::now();
  try {
    run_job(job, answer);
  } catch (const Error& error) {
    answer["code"] = name(error.code());
    answer["message"] = error.what();
  } catch (const std::bad_alloc&) {
    answer["code"] = "OUT_OF_MEMORY";
    answer["message"] = "out of memory";
  }
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  answer["milliseconds"] = took.count();
  return answer;
}

}  // namespace
}  // namespace wasmvino

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    std::cout << wasmvino::answer_to(nlohmann::json::parse(line)).dump() << std::endl;
  }
}
