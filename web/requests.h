// SPDX-License-Identifier: Apache-2.0
// Functions for JavaScript that run models: inputs, results, variables, observations. embind.cc documents
// their results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "limits.h"
#include "runtime/thread_pool.h"
#include "values.h"

namespace wasmvino::web {

val create_infer_request(uint32_t id);
// Makes input i a tensor of this type and shape and returns {address, ...} for its values; strings are
// staged. If type and shape are the same as in the last call, its memory is reused.
val set_input(uint32_t id, size_t i, const std::string& type, const std::string& sizes,
              const CallLimits& limits);
// `progress`: whether to report each node and iteration to JavaScript (Module.progress). In threaded builds,
// only start_infer() supports it.
val infer(uint32_t id, const CallLimits& limits, bool progress);
val output(uint32_t id, size_t i);
// The ids of all variables.
val variables(uint32_t id);
// {type, shape, value}; `value` is absent while the variable is unset.
val variable(uint32_t id, size_t i);
// Gives variable i a value of this type and shape. Returns the same as set_input().
val set_variable(uint32_t id, size_t i, const std::string& type, const std::string& sizes);
val reset_variable(uint32_t id, size_t i);
val reset_state(uint32_t id);
val profiling(uint32_t id);
// The staged texts are, for each port: its number, the number of names in its path, and these names,
// outermost first.
val observe(uint32_t id);
// [{observed, iterations, value}]
val observations(uint32_t id);
// {passes, nodes, memory}: runtime/explanation.h.
val explain(uint32_t id);
val memory_bytes(uint32_t id);
#if WASMVINO_THREADS
// Runs infer() on the runner's thread. finish() returns its result.
val start_infer(uint32_t id, const CallLimits& limits, bool progress);
#endif

}  // namespace wasmvino::web
