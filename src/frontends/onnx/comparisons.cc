// SPDX-License-Identifier: Apache-2.0
// Comparisons and logic.
#include "frontends/onnx/families.h"
#include "frontends/onnx/operands.h"

namespace wasmvino::onnx {
namespace {

void is_inf(Context& c) {
  c.give(c.b().add("IsInf", {c.input()},
                   {{"detect_negative", c.flag("detect_negative", true)},
                    {"detect_positive", c.flag("detect_positive", true)}}));
}

void where(Context& c) { c.give(c.b().add("Select", {c.input(0), c.input(1), c.input(2)})); }

void equal(Context& c) {
  if (c.b().type(c.input(0)) != ElementType::kString) return binary(c);
  c.give(c.b().add_of("ai.onnx", "StringEqual", {c.input(0), c.input(1)}));
}

constexpr Entry kEntries[] = {
    {"And", until(6), legacy_binary, "LogicalAnd"},
    {"And", since(7), binary, "LogicalAnd"},
    {"Equal", until(6), legacy_binary, "Equal"},
    {"Equal", since(7), equal, "Equal StringEqual"},
    {"Greater", until(6), legacy_binary, "Greater"},
    {"Greater", since(7), binary, "Greater"},
    {"GreaterOrEqual", kAllOpsets, binary, "GreaterEqual"},
    {"IsInf", kAllOpsets, is_inf, "IsInf"},
    {"IsNaN", kAllOpsets, unary, "IsNaN"},
    {"Less", until(6), legacy_binary, "Less"},
    {"Less", since(7), binary, "Less"},
    {"LessOrEqual", kAllOpsets, binary, "LessEqual"},
    {"Not", kAllOpsets, unary, "LogicalNot"},
    {"Or", until(6), legacy_binary, "LogicalOr"},
    {"Or", since(7), binary, "LogicalOr"},
    {"Where", kAllOpsets, where, "Select"},
    {"Xor", until(6), legacy_binary, "LogicalXor"},
    {"Xor", since(7), binary, "LogicalXor"},
};

}  // namespace

std::span<const Entry> comparisons() { return kEntries; }

}  // namespace wasmvino::onnx
