// SPDX-License-Identifier: Apache-2.0
// Operations that JavaScript computes, on the main thread, where the caller's code is.
#pragma once

#include <emscripten/val.h>

namespace wasmvino::web {

// The staged list is of texts: type, version and number of each operation that readModel() and inspect() know
// from now on, beside those of the engine.
emscripten::val set_extensions();

}  // namespace wasmvino::web
