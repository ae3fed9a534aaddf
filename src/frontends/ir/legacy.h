// SPDX-License-Identifier: Apache-2.0
// What a front end must add to IR v10: types and names of inputs and outputs, and means subtracted from an
// input.
#pragma once

#include "frontends/ir/constant_reader.h"
#include "frontends/ir/layer_text.h"
#include "model/node.h"

namespace wasmvino::ir {

// Changes a model that is indexed and inferred; true: it must be indexed and inferred again. Throws Error.
bool apply_legacy_rules(const ModelText& text, const ConstantReader& constants,
                        const model::Registry& registry, model::Model& model);

}  // namespace wasmvino::ir
