// SPDX-License-Identifier: Apache-2.0
// The front ends of this build. They recognise their files by content.
#pragma once

#include <span>

#include "frontends/common/frontend.h"

namespace wasmvino::frontends {

// The front ends that WASMVINO_FRONTENDS names. CMake generates the table.
std::span<const Frontend* const> all();

// The front end that recognises the model, or nullptr.
const Frontend* find(const ByteSource& model);

// What the file says before the model is read. Empty if no front end recognises it.
Outline outline(const ByteSource& model);

// Reads the model with the front end that recognises it. Throws model::ReadError, also if none does.
std::unique_ptr<model::Model> read(std::shared_ptr<const ByteSource> model, const Companions& companions,
                                   const model::Registry& registry);

// Describes the model with the front end that recognises it. If none does, this is the only problem listed.
Inspection inspect(std::shared_ptr<const ByteSource> model, const Companions& companions,
                   const model::Registry& registry);

// Writes the model in the format that this build writes; see Frontend::write(). Throws Error(kUnsupported) if
// there is no such format.
std::string write(const model::Model& model, const WeightsSink& weights, const WriteOptions& options);

}  // namespace wasmvino::frontends
