// SPDX-License-Identifier: Apache-2.0
// The engine's face in JavaScript, through Embind: the functions of models.h and requests.h.
//
// Every function gives JSON: its result, or {"failure": {code, message, ...}}, which js/src/error.ts makes an
// Error of; no exception leaves a function. (Embind's classes and emscripten::val would say the same
// with 10 KB more of JavaScript, and what embind.js leaves out of Embind is another 8 KB.) Bytes cross as
// addresses in wasm memory, for the caller to copy from or to; an address is valid until the next call that
// may run the engine.
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

// Called once, before all else. `may_wait`: whether this thread may sleep. One that may not is a page's: the
// thread that computes for it is started now, while the page loads its model.
void set_up(bool may_wait) {
  // Else the first call from another thread is followed by the end of the program, as one without main() is
  // over.
  emscripten_runtime_keepalive_push();
  Runner& runner = Runner::shared();
  runner.set_may_wait(may_wait);
  if (!may_wait) runner.start();
}

std::string finish() {
  return guarded([] { return Runner::shared().finish(); });
}

#endif

EMSCRIPTEN_BINDINGS(wasmvino) {
  emscripten::function("readModel", &read_model);
  emscripten::function("inspect", &inspect);
  emscripten::function("operations", &operations);
  emscripten::function("describeModel", &describe_model);
  emscripten::function("modelOps", &model_ops);
  emscripten::function("copyModel", &copy_model);
  emscripten::function("reshapeModel", &reshape_model);
  emscripten::function("compileModel", &compile_model);
  emscripten::function("createInferRequest", &create_infer_request);
  emscripten::function("setInput", &set_input);
  emscripten::function("infer", &infer);
  emscripten::function("output", &output);
  emscripten::function("variables", &variables);
  emscripten::function("setVariable", &set_variable);
  emscripten::function("resetVariable", &reset_variable);
  emscripten::function("resetState", &reset_state);
  emscripten::function("profiling", &profiling);
  emscripten::function("observe", &observe);
  emscripten::function("observations", &observations);
  emscripten::function("memoryBytes", &memory_bytes);
  emscripten::function("release", &release);
#if WASMVINO_THREADS
  emscripten::function("setUp", &set_up);
  emscripten::function("startInfer", &start_infer);
  emscripten::function("startCompile", &start_compile);
  emscripten::function("finish", &finish);
#endif
}

}  // namespace
}  // namespace wasmvino::web
