// SPDX-License-Identifier: Apache-2.0
// Applies rules that only IR v10 needs: types and names of inputs and outputs, and means that are subtracted
// from an input.
#pragma once

#include "frontends/ir/constant_reader.h"
#include "frontends/ir/layer_text.h"
#include "model/node.h"

namespace wasmvino::ir {

// Changes a model that is indexed and inferred. If it returns true, index and infer the model again. Throws
// Error.
bool apply_legacy_rules(const ModelText& text, const ConstantReader& constants,
                        const model::Registry& registry, model::Model& model);

}  // namespace wasmvino::ir
