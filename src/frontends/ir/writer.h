// SPDX-License-Identifier: Apache-2.0
// Writes OpenVINO IR, version 11.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format.html
#pragma once

#include <string>

#include "frontends/common/frontend.h"

namespace wasmvino::ir {

// Returns the text of the .xml for a model that is indexed and inferred. Passes the bytes of its constants to
// `weights`, with at most one constant in memory at a time. A constant that several nodes share is written
// once.
std::string write(const model::Model& model, const frontends::WeightsSink& weights,
                  const frontends::WriteOptions& options = {});

}  // namespace wasmvino::ir
