// SPDX-License-Identifier: Apache-2.0
// `run` and `bench`: run one model, with arrays from files or generated values.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "cli/arrays.h"
#include "cli/commands.h"
#include "runtime/compiled_model.h"

namespace wasmvino::cli {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// Splits "NAME=VALUE" at its last '=', since names may contain one. A model with one input needs no name.
std::pair<size_t, std::string> input_option(const std::string& option,
                                            const std::vector<runtime::Port>& inputs) {
  const size_t equals = option.rfind('=');
  if (equals != std::string::npos) {
    return {runtime::find_port(inputs, option.substr(0, equals), "input"), option.substr(equals + 1)};
  }
  if (inputs.size() != 1) fail(ErrorCode::kInvalidArgument, "'", option, "' has no input name: write NAME=…");
  return {0, option};
}

// Makes a file name from a port's name.
std::string file_stem(std::string name) {
  for (char& c : name) {
    if (c == '/' || c == '\\' || c == ':' || c == '\0') c = '_';
  }
  return name;
}

// Values for an input that was not given: varied numbers from 0 to 1 for f32, and zeros for all other types,
// because integers may be indices.
Tensor made_up(const runtime::Port& port, const PartialShape& wanted) {
  Shape shape;
  if (!wanted.has_rank())
    fail(ErrorCode::kInvalidArgument, "input '", port.any_name(),
         "' has a dynamic rank: give its shape with --shape");
  for (const Dimension size : wanted)
    shape.push_back(size.is_static() ? size.size() : std::max<int64_t>(1, size.min));
  Tensor tensor(port.type == ElementType::kDynamic ? ElementType::kF32 : port.type, shape);
  if (tensor.type() == ElementType::kString) return tensor;
  std::fill_n(tensor.mutable_data<char>(), tensor.byte_size(), '\0');
  if (tensor.type() == ElementType::kF32) {
    for (size_t i = 0, count = tensor.size(); i < count; ++i) {
      tensor.mutable_data<float>()[i] = static_cast<float>(i * 2654435761u % 1024) / 1024.0f;
    }
  }
  return tensor;
}

void give_inputs(const Arguments& arguments, runtime::InferRequest& request, bool make_up) {
  const auto& inputs = request.compiled_model().inputs();
  std::vector<char> given(inputs.size());
  for (const std::string& option : arguments.values("--input")) {
    const auto [i, file] = input_option(option, inputs);
    request.set_input(i, read_array(file, inputs[i].type));
    given[i] = 1;
  }
  std::vector<PartialShape> shapes;
  for (const runtime::Port& port : inputs) shapes.push_back(port.shape);
  for (const std::string& option : arguments.values("--shape")) {
    const auto [i, text] = input_option(option, inputs);
    const auto shape = parse_partial_shape(text);
    if (!shape) fail(ErrorCode::kInvalidArgument, "'", text, "' is not a shape");
    shapes[i] = *shape;
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (given[i]) continue;
    if (!make_up) {
      fail(ErrorCode::kInvalidArgument, "input '", inputs[i].any_name(), "' (", inputs[i].type, " ",
           inputs[i].shape, ") is missing: --input ", inputs[i].any_name(), "=FILE.npy");
    }
    request.set_input(i, made_up(inputs[i], shapes[i]));
  }
}

}  // namespace

int run(const std::vector<std::string>& given) {
  const Arguments arguments(given, {"--input", "--out", "--skip-pass", "--threads"},
                            {"--no-passes", "--no-integers"});
  const auto model = read_model(arguments.only("the path of a model"));
  const runtime::CompileOptions options = arguments.compile_options();
  const auto compiled = runtime::CompiledModel::compile(*model, registry(), options);
  const auto request = compiled->create_infer_request();
  give_inputs(arguments, *request, false);
  request->infer();
  for (size_t i = 0; i < compiled->outputs().size(); ++i) {
    const Tensor& output = request->output(i);
    const std::string name = compiled->outputs()[i].any_name();
    std::printf("%s\n", cat(name, "  ", output.type(), " ", output.shape()).c_str());
    if (arguments.has("--out")) {
      write_array(std::filesystem::path(arguments.value("--out")) / file_stem(name), output.view());
    }
  }
  return 0;
}

int bench(const std::vector<std::string>& given) {
  const Arguments arguments(given, {"--input", "--shape", "--seconds", "--skip-pass", "--threads"},
                            {"--profile", "--no-passes", "--no-integers"});
  const std::string seconds = arguments.value("--seconds", "2");
  const double limit = 1000 * std::strtod(seconds.c_str(), nullptr);
  if (!(limit > 0)) {
    throw UsageError(cat("--seconds is '", seconds, "', expected a number above 0"));
  }
  auto start = Clock::now();
  const auto model = read_model(arguments.only("the path of a model"));
  std::printf("read     %10.3f ms\n", milliseconds_since(start));
  start = Clock::now();
  runtime::CompileOptions options = arguments.compile_options();
  options.profiling = arguments.has("--profile");
  const auto compiled = runtime::CompiledModel::compile(*model, registry(), options);
  std::printf("compile  %10.3f ms\n", milliseconds_since(start));
  const auto request = compiled->create_infer_request();
  give_inputs(arguments, *request, true);
  start = Clock::now();
  request->infer();
  std::printf("first    %10.3f ms\n", milliseconds_since(start));
  std::vector<double> times;
  for (double total = 0; total < limit || times.size() < 3; total += times.back()) {
    start = Clock::now();
    request->infer();
    times.push_back(milliseconds_since(start));
  }
  std::sort(times.begin(), times.end());
  std::printf(
      "median   %10.3f ms\nfastest  %10.3f ms\nruns     %10zu\nmemory   %10.3f MB of temporaries and "
      "outputs\n",
      times[times.size() / 2], times.front(), times.size(),
      static_cast<double>(request->memory_bytes()) / 1e6);
  auto profile = request->profiling();
  std::stable_sort(profile.begin(), profile.end(),
                   [](const auto& a, const auto& b) { return a.microseconds > b.microseconds; });
  for (const runtime::ProfilingInfo& node : profile) {
    std::printf("%12.1f us %6lld  %-28s %s\n", node.microseconds, static_cast<long long>(node.calls),
                node.exec_type.c_str(), node.node_name.c_str());
  }
  return 0;
}

}  // namespace wasmvino::cli
