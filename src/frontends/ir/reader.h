// SPDX-License-Identifier: Apache-2.0
// Reads OpenVINO IR, versions 10 and 11.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format.html
#pragma once

#include <memory>
#include <string_view>

#include "core/bytes.h"
#include "frontends/common/frontend.h"
#include "model/node.h"
#include "model/registry.h"

namespace wasmvino::ir {

// Returns the model that the text of the .xml and the bytes of the .bin describe, indexed and inferred.
// Values of constants stay in `weights` until they are requested. nullptr means that there are no weights.
// Throws model::ReadError, which lists all problems.
std::unique_ptr<model::Model> read(std::string_view xml, std::shared_ptr<const ByteSource> weights,
                                   const model::Registry& registry);

// Does not throw for problems of a model, but lists them in `problems`. Without weights, shapes that depend
// on their values are dynamic and not checked.
frontends::Inspection inspect(std::string_view xml, std::shared_ptr<const ByteSource> weights,
                              const model::Registry& registry);

// The front end, for the table of built-in front ends.
const frontends::Frontend& frontend();

}  // namespace wasmvino::ir
