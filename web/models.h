// SPDX-License-Identifier: Apache-2.0
// Functions for JavaScript that read, describe and compile models. embind.cc documents their results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "limits.h"
#include "runtime/thread_pool.h"
#include "values.h"

namespace wasmvino::web {

// Bytes that JavaScript owns: their number and how many there are. Number 0: none.
struct LentBytes {
  uint32_t id;
  double size;
};

// What the file says before the model is read: {files, inputs, outputs}. `files` has the paths of files with
// its tensors, `inputs` and `outputs` have {name, dimensions} of those whose dimensions have names.
val outline(LentBytes file, const CallLimits& limits);
// Reads the model from a file (an .xml, .param or .onnx) and its weights, and returns its number. Neither is
// copied as a whole. JavaScript keeps the weights, or reads them again, until the model is released. The
// staged texts are the path and the size of each file that the weights consist of, or none if they are a
// .bin.
val read_model(LentBytes file, LentBytes weights, const CallLimits& limits);
// The names of the parts of the module (web/parts.mjs) that read_model() and inspect() run for this file.
val parts_of(LentBytes file);
// Describes a model, whether or not it can be read: {name, irVersion, inputs, outputs, operations, problems}.
val inspect(LentBytes file, LentBytes weights);
// [{domain, type, since, until, specification, inputs, operators}] of all operations of this build, sorted.
// `parts`: the names of the parts that are loaded, separated by commas. The operators are of their formats.
val operations(const std::string& parts);
// Sets the operations that read_model() and inspect() know from now on in addition to those of the engine.
// The staged texts are the type, version and number of each operation.
val set_extensions();
// {name, inputs, outputs}
val describe_model(uint32_t id);
// [{name, type}] in the order of execution, without the operations of bodies.
val model_ops(uint32_t id);
val copy_model(uint32_t id);
// Sets new shapes of inputs. The staged texts are one shape per input (empty if it stays), followed by ids of
// variables, each with its new shape. On failure, nothing has changed.
val reshape_model(uint32_t id, const CallLimits& limits);
// Adds pre- and postprocessing. The staged texts are a recipe (preprocess/recipe.h). On failure, nothing has
// changed.
val preprocess_model(uint32_t id, const CallLimits& limits);
// Fails if the text is not a layout.
val check_layout(const std::string& layout);
// Writes the model as OpenVINO IR and returns {xml}. The bytes of the .bin are passed to JavaScript as they
// are written.
val write_model(uint32_t id, bool compress_to_f16);
struct CompileSettings {
  bool passes, integers, last_logits, profiling;
  size_t row_group, threads;
  uint32_t key_precision, value_precision;  // a model::VariablePrecision each
  std::string skipped_passes;
};
val compile_model(uint32_t id, const CompileSettings& settings, const CallLimits& limits);
#if WASMVINO_THREADS
// Runs compile_model() on the runner's thread. finish() returns its result.
val start_compile(uint32_t id, const CompileSettings& settings, const CallLimits& limits);
#endif

}  // namespace wasmvino::web
