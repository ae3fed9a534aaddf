// SPDX-License-Identifier: Apache-2.0
// Where pugixml gets its memory from.
#pragma once

#include <new>
#include <pugixml.hpp>

#include "core/work.h"

namespace wasmvino::ir {

// Call it before a document is made. By default, pugixml leaves out what there is no memory for, and says
// nothing: a model would be written without some of its layers. Operator new throws instead. Memory is asked
// for page by page, so the call is polled while a document is read.
inline void use_memory_that_throws() {
  pugi::set_memory_management_functions(
      [](size_t bytes) {
        count_work(bytes);
        return ::operator new(bytes);
      },
      [](void* memory) { ::operator delete(memory); });
}

}  // namespace wasmvino::ir
