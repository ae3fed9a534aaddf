// SPDX-License-Identifier: Apache-2.0
// The map from operator types to the functions that build them. Each family has its own file.
#pragma once

#include <span>
#include <string_view>

#include "frontends/pnnx/context.h"

namespace wasmvino::pnnx {

struct Entry {
  std::string_view type;  // as the .param spells it: "nn.Conv2d"
  Build build;
  // The operations that do its work, for the documentation. Operations that only adjust shapes and types are
  // left out.
  std::string_view operations;
  // For complex numbers, the operator is built twice: for the real and for the imaginary parts. This suits
  // operators that move elements, or add them up.
  bool takes_parts = false;
  // Of a call by position: the names of its arguments, as in named_call().
  std::string_view arguments = {};
};

std::span<const Entry> activations();
std::span<const Entry> attention();
std::span<const Entry> blocks();
std::span<const Entry> boxes();
std::span<const Entry> complex_numbers();
std::span<const Entry> convolutions();
std::span<const Entry> counting();
std::span<const Entry> creation();
std::span<const Entry> elementwise();
std::span<const Entry> graph_operators();
std::span<const Entry> images();
std::span<const Entry> indexing();
std::span<const Entry> integrals();
std::span<const Entry> joins();
std::span<const Entry> losses();
std::span<const Entry> matrices();
std::span<const Entry> normalizations();
std::span<const Entry> padding();
std::span<const Entry> pooling();
std::span<const Entry> recurrent();
std::span<const Entry> reductions();
std::span<const Entry> scatters();
std::span<const Entry> shapes();
std::span<const Entry> sorting();
std::span<const Entry> special_functions();
std::span<const Entry> spectra();

// All families, one after the other.
std::span<const std::span<const Entry>> all_families();

// The entry of an operator type, or nullptr if it is unknown.
const Entry* find_entry(std::string_view type);

// Why an operator cannot be read, for those that no version of this front end could build. Empty for others.
std::string_view obstacle_of(std::string_view type);

}  // namespace wasmvino::pnnx
