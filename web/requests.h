// SPDX-License-Identifier: Apache-2.0
// Running models, for JavaScript: inputs, results, variables, observations. All give JSON: embind.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "limits.h"
#include "runtime/thread_pool.h"

namespace wasmvino::web {

std::string create_infer_request(uint32_t id);
// Makes input i a tensor of this type and shape and gives {address, ...} for its values; strings are staged.
// Memory of the last call is used again where type and shape are the same.
std::string set_input(uint32_t id, size_t i, const std::string& type, const std::string& sizes,
                      const CallLimits& limits);
std::string infer(uint32_t id, const CallLimits& limits);
std::string output(uint32_t id, size_t i);
// [{id, type, shape, value}]; value is absent while the variable is unset.
std::string variables(uint32_t id);
// Gives variable i a value of this type and shape; the result is as set_input's.
std::string set_variable(uint32_t id, size_t i, const std::string& type, const std::string& sizes);
std::string reset_variable(uint32_t id, size_t i);
std::string reset_state(uint32_t id);
std::string profiling(uint32_t id);
// The staged list is of texts: for each port its number, the number of names in its path, and these,
// outermost first.
std::string observe(uint32_t id);
// [{observed, iterations, value}]
std::string observations(uint32_t id);
std::string memory_bytes(uint32_t id);
#if WASMVINO_THREADS
// infer() on the runner's thread; finish() gives what it would have given.
std::string start_infer(uint32_t id, const CallLimits& limits);
#endif

}  // namespace wasmvino::web
