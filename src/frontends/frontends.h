// SPDX-License-Identifier: Apache-2.0
// The front ends of this build, which recognise their files by content.
#pragma once

#include <span>

#include "frontends/common/frontend.h"

namespace wasmvino::frontends {

// Those that WASMVINO_FRONTENDS names. CMake generates the table.
std::span<const Frontend* const> all();

// The front end that recognises the model; nullptr where none does.
const Frontend* find(const ByteSource& model);

// Reads the model with the front end that recognises it. Throws model::ReadError, also where none does.
std::unique_ptr<model::Model> read(const ByteSource& model, std::shared_ptr<const ByteSource> weights,
                                   const model::Registry& registry);

// Describes the model with the front end that recognises it. Where none does, that is the only problem
// listed.
Inspection inspect(const ByteSource& model, std::shared_ptr<const ByteSource> weights,
                   const model::Registry& registry);

// Writes the model in the format that this build writes: Frontend::write(). Throws Error(kUnsupported) where
// it writes none.
std::string write(const model::Model& model, const WeightsSink& weights, const WriteOptions& options);

}  // namespace wasmvino::frontends
