// SPDX-License-Identifier: Apache-2.0
// Operations that JavaScript computes, on the main thread, where the caller's code is.
#pragma once

#include <memory>

#include "model/op.h"

namespace wasmvino::web {

// An operation that is inferred and computed by the JavaScript functions with this number.
std::shared_ptr<model::Op> make_extension(int number, const std::string& version,
                                          const model::AttributeTexts& attributes);

}  // namespace wasmvino::web
