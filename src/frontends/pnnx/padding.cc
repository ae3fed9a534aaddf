// SPDX-License-Identifier: Apache-2.0
#include "frontends/pnnx/families.h"
#include "frontends/pnnx/functions.h"

namespace wasmvino::pnnx {
namespace {

// A single number of a module applies to both sides of each axis. The type's name gives the number of axes.
Ints module_pads(Context& c) {
  const char digit = c.op().type[c.op().type.size() - 2];
  return c.ints("padding", 2 * static_cast<size_t>(digit - '0'));
}

void constant_pad(Context& c) { c.give(pad(c, c.input(), module_pads(c), "constant", c.real("value", 0))); }
void reflection_pad(Context& c) { c.give(pad(c, c.input(), module_pads(c), "reflect", 0)); }
void replication_pad(Context& c) { c.give(pad(c, c.input(), module_pads(c), "replicate", 0)); }
void circular_pad(Context& c) { c.give(pad(c, c.input(), module_pads(c), "circular", 0)); }
void function_pad(Context& c) {
  c.give(pad(c, c.input(), c.ints("pad"), c.word("mode", "constant"), c.real("value", 0)));
}

constexpr Entry kEntries[] = {
    {"nn.ConstantPad1d", constant_pad, "Pad"},       {"nn.ConstantPad2d", constant_pad, "Pad"},
    {"nn.ConstantPad3d", constant_pad, "Pad"},       {"nn.ZeroPad1d", constant_pad, "Pad"},
    {"nn.ZeroPad2d", constant_pad, "Pad"},           {"nn.ZeroPad3d", constant_pad, "Pad"},
    {"nn.ReflectionPad1d", reflection_pad, "Pad"},   {"nn.ReflectionPad2d", reflection_pad, "Pad"},
    {"nn.ReflectionPad3d", reflection_pad, "Pad"},   {"nn.ReplicationPad1d", replication_pad, "Pad"},
    {"nn.ReplicationPad2d", replication_pad, "Pad"}, {"nn.ReplicationPad3d", replication_pad, "Pad"},
    {"nn.CircularPad1d", circular_pad, "Concat"},    {"nn.CircularPad2d", circular_pad, "Concat"},
    {"nn.CircularPad3d", circular_pad, "Concat"},    {"F.pad", function_pad, "Pad"},
};

}  // namespace

std::span<const Entry> padding() { return kEntries; }

}  // namespace wasmvino::pnnx
