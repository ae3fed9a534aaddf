// SPDX-License-Identifier: Apache-2.0
// Running models, for JavaScript: inputs, results, variables, observations. embind.cc says what they give.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "limits.h"
#include "runtime/thread_pool.h"
#include "values.h"

namespace wasmvino::web {

val create_infer_request(uint32_t id);
// Makes input i a tensor of this type and shape and gives {address, ...} for its values; strings are staged.
// Memory of the last call is used again where type and shape are the same.
val set_input(uint32_t id, size_t i, const std::string& type, const std::string& sizes,
              const CallLimits& limits);
// `progress`: whether JavaScript hears of each node and iteration (Module.progress); in threaded builds only
// by start_infer().
val infer(uint32_t id, const CallLimits& limits, bool progress);
val output(uint32_t id, size_t i);
// [{id, type, shape, value}]; value is absent while the variable is unset.
val variables(uint32_t id);
// Gives variable i a value of this type and shape; the result is as set_input's.
val set_variable(uint32_t id, size_t i, const std::string& type, const std::string& sizes);
val reset_variable(uint32_t id, size_t i);
val reset_state(uint32_t id);
val profiling(uint32_t id);
// The staged list is of texts: for each port its number, the number of names in its path, and these,
// outermost first.
val observe(uint32_t id);
// [{observed, iterations, value}]
val observations(uint32_t id);
// {passes, nodes, memory}: runtime/explanation.h.
val explain(uint32_t id);
val memory_bytes(uint32_t id);
#if WASMVINO_THREADS
// infer() on the runner's thread; finish() gives what it would have given.
val start_infer(uint32_t id, const CallLimits& limits, bool progress);
#endif

}  // namespace wasmvino::web
