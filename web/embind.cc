// SPDX-License-Identifier: Apache-2.0
// Exposes the functions of models.h and requests.h to JavaScript through Embind.
//
// Every function returns its result or {failure: {code, message, …}}, which js/src/engine/engine.ts turns
// into an Error. No exception leaves a function. Values of tensors are passed as addresses in wasm memory,
// from or to which the caller copies. An address is valid until the next call that may run the engine. Models
// and requests are numbers, not Embind classes. A caller that uses a number after disposal gets an error. An
// object that is released while a job runs is destroyed after the job.
#include <emscripten/bind.h>

#include "models.h"
#include "objects.h"
#include "requests.h"
#if WASMVINO_THREADS
#include <emscripten/eventloop.h>
#endif

namespace wasmvino::web {
namespace {

#if WASMVINO_THREADS

// Called once, before everything else. `may_wait`: whether this thread may block. A page's main thread must
// not.
void set_up(bool may_wait) {
  // Without this, the program ends after the first call from another thread, because a program without main()
  // counts as finished.
  emscripten_runtime_keepalive_push();
  Runner::shared().set_may_wait(may_wait);
}

val finish() {
  return guarded([] { return Runner::shared().finish(); });
}

// Starts the thread that runs jobs for this one.
void start_runner() { Runner::shared().start(); }

// Adds the staged part of the module to the thread that runs jobs.
void add_part() { Runner::shared().add_part(take_staged()); }

// Makes the job in the background end soon. It then fails with CANCELLED.
void cancel() { Runner::shared().cancel(); }

#endif

EMSCRIPTEN_BINDINGS(wasmvino) {
  emscripten::value_object<CallLimits>("CallLimits")
      .field("owner", &CallLimits::owner)
      .field("memoryBytes", &CallLimits::memory_bytes)
      .field("tensorBytes", &CallLimits::tensor_bytes)
      .field("layers", &CallLimits::layers)
      .field("nesting", &CallLimits::nesting)
      .field("iterations", &CallLimits::iterations)
      .field("milliseconds", &CallLimits::milliseconds);
  emscripten::value_object<CompileSettings>("CompileSettings")
      .field("passes", &CompileSettings::passes)
      .field("integers", &CompileSettings::integers)
      .field("lastLogits", &CompileSettings::last_logits)
      .field("profiling", &CompileSettings::profiling)
      .field("rowGroup", &CompileSettings::row_group)
      .field("threads", &CompileSettings::threads)
      .field("keyPrecision", &CompileSettings::key_precision)
      .field("valuePrecision", &CompileSettings::value_precision)
      .field("skippedPasses", &CompileSettings::skipped_passes);
  emscripten::value_object<LentBytes>("LentBytes")
      .field("id", &LentBytes::id)
      .field("size", &LentBytes::size);
  emscripten::function("stage", &stage);
  emscripten::function("partsOf", &parts_of);
  emscripten::function("outline", &outline);
  emscripten::function("readModel", &read_model);
  emscripten::function("inspect", &inspect);
  emscripten::function("operations", &operations);
  emscripten::function("setExtensions", &set_extensions);
  emscripten::function("describeModel", &describe_model);
  emscripten::function("modelOps", &model_ops);
  emscripten::function("copyModel", &copy_model);
  emscripten::function("reshapeModel", &reshape_model);
  emscripten::function("preprocessModel", &preprocess_model);
  emscripten::function("writeModel", &write_model);
  emscripten::function("checkLayout", &check_layout);
  emscripten::function("compileModel", &compile_model);
  emscripten::function("createInferRequest", &create_infer_request);
  emscripten::function("setInput", &set_input);
  emscripten::function("infer", &infer);
  emscripten::function("output", &output);
  emscripten::function("variables", &variables);
  emscripten::function("variable", &variable);
  emscripten::function("setVariable", &set_variable);
  emscripten::function("resetVariable", &reset_variable);
  emscripten::function("resetState", &reset_state);
  emscripten::function("profiling", &profiling);
  emscripten::function("observe", &observe);
  emscripten::function("observations", &observations);
  emscripten::function("explain", &explain);
  emscripten::function("memoryBytes", &memory_bytes);
  emscripten::function("release", &release);
#if WASMVINO_THREADS
  emscripten::function("setUp", &set_up);
  emscripten::function("startRunner", &start_runner);
  emscripten::function("addPart", &add_part);
  emscripten::function("cancel", &cancel);
  emscripten::function("startInfer", &start_infer);
  emscripten::function("startCompile", &start_compile);
  emscripten::function("finish", &finish);
#endif
}

}  // namespace
}  // namespace wasmvino::web
