// SPDX-License-Identifier: Apache-2.0
// The native command line: the same commands as `npx wasmvino`.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <exception>
#include <new>

#include "cli/commands.h"

namespace wasmvino::cli {
namespace {

constexpr const char kUsage[] =
    "wasmvino info MODEL.xml\n"
    "    inputs, outputs and operations, and all that is unsupported\n"
    "wasmvino run MODEL.xml [--input NAME=FILE.npy]... [--out DIR]\n"
    "    runs the model once; outputs go to DIR as .npy files (strings as .json)\n"
    "wasmvino bench MODEL.xml [--input NAME=FILE.npy]... [--shape NAME=1,3,...]... [--seconds S] "
    "[--profile]\n"
    "    times reading, compiling and running\n"
    "wasmvino ops [--markdown]\n"
    "    the operations of this build\n"
    "--no-passes, for run and bench: the graph runs as it was read\n"
    "--skip-pass NAME, for run and bench, may be repeated: leaves out this pass\n"
    "--no-integers, for run and bench: quantised networks, and quantised weights alone, run in f32\n"
    "--threads N, for run and bench: threads that compute; by default 1\n"
    "The exit code is 0 on success, 1 if a model or a file is the reason of a failure, "
    "2 if the command line is wrong.\n";

struct Command {
  std::string_view name;
  int (*run)(const std::vector<std::string>& arguments);
};
constexpr Command kCommands[] = {{"info", info}, {"run", run}, {"bench", bench}, {"ops", ops}};

int dispatch(const std::vector<std::string>& arguments) {
  const bool asked = std::any_of(arguments.begin(), arguments.end(),
                                 [](const std::string& each) { return each == "--help" || each == "-h"; });
  if (arguments.empty() || asked || arguments[0] == "help") {
    std::fputs(kUsage, arguments.empty() ? stderr : stdout);
    return arguments.empty() ? 2 : 0;
  }
  for (const Command& command : kCommands) {
    if (command.name == arguments[0]) return command.run({arguments.begin() + 1, arguments.end()});
  }
  const char* const moved =
      arguments[0] == "check" ? ": scripts/check of the source repository runs conformance cases" : "";
  std::fprintf(stderr, "unknown command %s%s\n%s", arguments[0].c_str(), moved, kUsage);
  return 2;
}

}  // namespace

Arguments::Arguments(const std::vector<std::string>& arguments,
                     std::initializer_list<std::string_view> valued,
                     std::initializer_list<std::string_view> flags) {
  const auto among = [](std::initializer_list<std::string_view> list, std::string_view name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument.compare(0, 2, "--") != 0) {
      positional_.push_back(argument);
    } else if (among(flags, argument)) {
      options_.emplace_back(argument, "");
    } else if (!among(valued, argument)) {
      throw UsageError(cat("unknown option ", argument));
    } else if (i + 1 == arguments.size()) {
      throw UsageError(cat("the option ", argument, " needs a value"));
    } else {
      options_.emplace_back(argument, arguments[++i]);
    }
  }
}

bool Arguments::has(std::string_view option) const {
  return std::any_of(options_.begin(), options_.end(),
                     [&](const auto& given) { return given.first == option; });
}

std::string Arguments::value(std::string_view option, std::string otherwise) const {
  for (const auto& [name, value] : options_) {
    if (name == option) otherwise = value;
  }
  return otherwise;
}

std::vector<std::string> Arguments::values(std::string_view option) const {
  std::vector<std::string> found;
  for (const auto& [name, value] : options_) {
    if (name == option) found.push_back(value);
  }
  return found;
}

const std::string& Arguments::only(std::string_view what) const {
  if (positional_.empty()) throw UsageError(cat(what, " is missing"));
  if (positional_.size() > 1) throw UsageError(cat("unexpected argument '", positional_[1], "'"));
  return positional_[0];
}

runtime::CompileOptions Arguments::compile_options() const {
  runtime::CompileOptions options;
  options.passes = !has("--no-passes");
  for (const std::string& name : values("--skip-pass")) options.skipped_passes += name + ",";
  options.integers = !has("--no-integers");
  options.row_group = options.integers ? runtime::kDefaultRowGroup : 0;
  using enum model::VariablePrecision;
  if (options.integers) options.cache_precision = {.keys = kU8, .values = kU8};
  const std::string text = value("--threads", "1");
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), options.threads);
  if (error != std::errc() || end != text.data() + text.size() || options.threads == 0) {
    throw UsageError(cat("--threads takes a number above 0, not '", text, "'"));
  }
  return options;
}

}  // namespace wasmvino::cli

int main(int count, char** values) {
  try {
    return wasmvino::cli::dispatch({values + std::min(count, 1), values + count});
  } catch (const std::bad_alloc&) {
    std::fputs("error: out of memory\n", stderr);
  } catch (const wasmvino::cli::UsageError& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
  }
  return 1;
}
