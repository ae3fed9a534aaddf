// SPDX-License-Identifier: Apache-2.0
// Reading, describing and compiling models, for JavaScript. embind.cc says what they give.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "limits.h"
#include "runtime/thread_pool.h"
#include "values.h"

namespace wasmvino::web {

// Bytes that JavaScript keeps, by number, and how many there are. 0: none.
struct LentBytes {
  uint32_t id;
  double size;
};

// The model of a file (an .xml or .param) and of its weights: its number. Neither is copied as a whole; the
// weights stay with JavaScript until the model is released.
val read_model(LentBytes file, LentBytes weights, const CallLimits& limits);
// What a model is made of, whether or not it can be read: {name, irVersion, inputs, outputs, operations,
// problems}.
val inspect(LentBytes file, LentBytes weights);
// [{type, since, until, specification, inputs, operators}] of all operations of this build, sorted.
val operations();
// The staged list is of texts: type, version and number of each operation that read_model() and inspect()
// know from now on, beside those of the engine.
val set_extensions();
// {name, inputs, outputs}
val describe_model(uint32_t id);
// [{name, type}] in the order of execution; those of bodies are not listed.
val model_ops(uint32_t id);
val copy_model(uint32_t id);
// Gives inputs new shapes: staged texts by position, empty for those that stay, and behind them ids of
// variables, each with its new shape. On a failure nothing has changed.
val reshape_model(uint32_t id);
// Adds pre- and post-processing: a staged recipe (preprocess/recipe.h). On a failure nothing has changed.
val preprocess_model(uint32_t id);
// Refuses a text that is no layout.
val check_layout(const std::string& layout);
// Writes the model as OpenVINO IR: {xml}. Bytes of the .bin go to JavaScript as they come.
val write_model(uint32_t id, bool compress_to_f16);
struct CompileSettings {
  bool passes, integers, profiling;
  size_t threads;
};
val compile_model(uint32_t id, const CompileSettings& settings, const CallLimits& limits);
#if WASMVINO_THREADS
// compileModel() on the runner's thread; finish() gives what it would have given.
val start_compile(uint32_t id, const CompileSettings& settings, const CallLimits& limits);
#endif

}  // namespace wasmvino::web
