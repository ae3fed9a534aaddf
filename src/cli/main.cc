// SPDX-License-Identifier: Apache-2.0
// The native command line: the same commands as `npx wasmvino`.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <exception>
#include <new>

#include "cli/arrays.h"
#include "cli/commands.h"
#include "frontends/frontends.h"

namespace wasmvino::cli {
namespace {

constexpr const char kUsage[] =
    "wasmvino info MODEL.xml\n"
    "    inputs, outputs and operations, and all that is unsupported\n"
    "wasmvino run MODEL.xml [--input NAME=FILE.npy]... [--out DIR]\n"
    "    runs the model once; outputs go to DIR as .npy files (strings as .json)\n"
    "wasmvino check FOLDER [--int8] [--write DIR] [--json FILE] [--filter REGEX]\n"
    "    runs every conformance case below FOLDER and counts by operation; quantised networks run in f32, as "
    "their\n"
    "    goldens did, with --int8 in integers, compared with the outputs of OpenVINO's int8 kernels where a "
    "case has them\n"
    "wasmvino bench MODEL.xml [--input NAME=FILE.npy]... [--shape NAME=1,3,...]... [--seconds S] "
    "[--profile]\n"
    "    times reading, compiling and running\n"
    "wasmvino ops [--markdown]\n"
    "    the operations of this build\n"
    "--no-passes, for run, check and bench: the graph runs as it was read\n"
    "--no-integers, for run and bench: quantised networks run in f32\n"
    "--threads N, for run, check and bench: threads that compute; by default 1\n";

// The bytes of a file.
class FileBytes final : public ByteSource {
 public:
  explicit FileBytes(std::string content) : content_(std::move(content)) {}
  size_t size() const override { return content_.size(); }
  void read(size_t offset, size_t count, void* to) const override {
    content_.copy(static_cast<char*>(to), count, offset);
  }

 private:
  std::string content_;
};

struct Command {
  std::string_view name;
  int (*run)(const std::vector<std::string>& arguments);
};
constexpr Command kCommands[] = {
    {"info", info}, {"run", run}, {"check", check}, {"bench", bench}, {"ops", ops}};

int dispatch(const std::vector<std::string>& arguments) {
  const bool asked = std::find(arguments.begin(), arguments.end(), "--help") != arguments.end();
  if (arguments.empty() || asked || arguments[0] == "help") {
    std::fputs(kUsage, arguments.empty() ? stderr : stdout);
    return arguments.empty() ? 2 : 0;
  }
  for (const Command& command : kCommands) {
    if (command.name == arguments[0]) return command.run({arguments.begin() + 1, arguments.end()});
  }
  std::fprintf(stderr, "there is no command %s\n%s", arguments[0].c_str(), kUsage);
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
      fail(ErrorCode::kInvalidArgument, "there is no option ", argument);
    } else if (i + 1 == arguments.size()) {
      fail(ErrorCode::kInvalidArgument, "the option ", argument, " wants a value");
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
  if (positional_.empty()) fail(ErrorCode::kInvalidArgument, what, " is missing");
  if (positional_.size() > 1) fail(ErrorCode::kInvalidArgument, "'", positional_[1], "' is too much");
  return positional_[0];
}

runtime::CompileOptions Arguments::compile_options() const {
  runtime::CompileOptions options;
  options.passes = !has("--no-passes");
  options.integers = !has("--no-integers");
  const std::string text = value("--threads", "1");
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), options.threads);
  if (error != std::errc() || end != text.data() + text.size() || options.threads == 0) {
    fail(ErrorCode::kInvalidArgument, "--threads takes a number above 0, not '", text, "'");
  }
  return options;
}

ModelFiles read_model_files(const std::filesystem::path& xml) {
  ModelFiles files{std::make_shared<FileBytes>(read_file(xml)), nullptr};
  const std::filesystem::path bin = std::filesystem::path(xml).replace_extension(".bin");
  if (std::filesystem::is_regular_file(bin)) files.weights = std::make_shared<FileBytes>(read_file(bin));
  return files;
}

std::unique_ptr<model::Model> read_model(const std::filesystem::path& xml) {
  const ModelFiles files = read_model_files(xml);
  return frontends::read(*files.model, files.weights, registry());
}

}  // namespace wasmvino::cli

int main(int count, char** values) {
  try {
    return wasmvino::cli::dispatch({values + std::min(count, 1), values + count});
  } catch (const std::bad_alloc&) {
    std::fputs("error: out of memory\n", stderr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
  }
  return 1;
}
