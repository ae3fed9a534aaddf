// SPDX-License-Identifier: Apache-2.0
// The table of operators: (domain, type, opset) → the function that builds it. Each family has its own file.
#pragma once

#include <limits>
#include <span>
#include <string_view>

#include "frontends/onnx/context.h"

namespace wasmvino::onnx {

// The opsets since .. until, both included, in which an operator has one form.
struct Opsets {
  int since = 1;
  int until = std::numeric_limits<int>::max();
};
inline constexpr Opsets kAllOpsets = {};
constexpr Opsets since(int first) { return {first, Opsets().until}; }
constexpr Opsets until(int last) { return {1, last}; }

struct Entry {
  std::string_view type;
  Opsets opsets;
  Build build;
  // The operations that do its work, for the documentation. Operations that only adjust shapes and types are
  // left out.
  std::string_view operations;
  std::string_view domain = "";  // "ai.onnx" is empty here
};

std::span<const Entry> activations();
std::span<const Entry> arithmetic();
std::span<const Entry> attention();
std::span<const Entry> casts();
std::span<const Entry> comparisons();
std::span<const Entry> constants();
std::span<const Entry> control_flow();
std::span<const Entry> convolutions();
std::span<const Entry> images();
std::span<const Entry> losses();
std::span<const Entry> matrices();
std::span<const Entry> movement();
std::span<const Entry> normalizations();
std::span<const Entry> pooling();
std::span<const Entry> quantised();
std::span<const Entry> rearrangements();
std::span<const Entry> recurrent();
std::span<const Entry> reductions();
std::span<const Entry> sequences();
std::span<const Entry> shapes();
std::span<const Entry> signals();
std::span<const Entry> states();
std::span<const Entry> texts();
// ai.onnx.ml
std::span<const Entry> encoders();
std::span<const Entry> trees();
std::span<const Entry> vectors();
// com.microsoft
std::span<const Entry> experts();
std::span<const Entry> microsoft();
std::span<const Entry> microsoft_attention();
std::span<const Entry> packed_weights();
std::span<const Entry> quantised_functions();

// All families, one after the other.
std::span<const std::span<const Entry>> all_families();

// The entry of an operator in an opset of its domain, or nullptr if there is none.
const Entry* find_entry(std::string_view domain, std::string_view type, int opset);
// Any entry of the operator, whatever the opset.
const Entry* find_any_entry(std::string_view domain, std::string_view type);

}  // namespace wasmvino::onnx
