// SPDX-License-Identifier: Apache-2.0
// The commands of the command line. Each receives the arguments after its name and returns the exit code.
#pragma once

#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "cli/model_files.h"
#include "ops/registry.h"
#include "runtime/compiled_model.h"

namespace wasmvino::cli {

// A mistake in the command line. The exit code is then 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Options ("--name value", or "--flag" alone) and positional arguments, in order.
class Arguments {
 public:
  // Throws UsageError for an option that is in neither list or lacks its value.
  Arguments(const std::vector<std::string>& arguments, std::initializer_list<std::string_view> valued,
            std::initializer_list<std::string_view> flags = {});

  const std::vector<std::string>& positional() const { return positional_; }
  bool has(std::string_view option) const;
  // The last value given, or `otherwise`.
  std::string value(std::string_view option, std::string otherwise = {}) const;
  std::vector<std::string> values(std::string_view option) const;
  // The only positional argument. Throws UsageError, which says what is missing.
  const std::string& only(std::string_view what) const;
  // The settings from --no-passes, --skip-pass, --no-integers and --threads. Throws UsageError
  // if the value of --threads is not a number above 0.
  runtime::CompileOptions compile_options() const;

 private:
  std::vector<std::string> positional_;
  std::vector<std::pair<std::string, std::string>> options_;
};

using ops::registry;

int info(const std::vector<std::string>& arguments);
int run(const std::vector<std::string>& arguments);
int bench(const std::vector<std::string>& arguments);
int ops(const std::vector<std::string>& arguments);

}  // namespace wasmvino::cli
