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

void constant_pad(Context& c) { c.give(pad(c, c.input(), module_pads(c), "constant", c.number("value", 0))); }
void reflection_pad(Context& c) { c.give(pad(c, c.input(), module_pads(c), "reflect", {0, true, {}})); }
void replication_pad(Context& c) { c.give(pad(c, c.input(), module_pads(c), "replicate", {0, true, {}})); }
void circular_pad(Context& c) { c.give(pad(c, c.input(), module_pads(c), "circular", {0, true, {}})); }

// Pads whose numbers are computed: a list as in pad().
Source computed_pad(Context& c, const Source& x, const Source& pads, const std::string& mode,
                    const Scalar& value) {
  const size_t rank = c.b().rank(x);
  const PartialShape& shape = c.b().shape(pads);
  if (!shape.is_static() || shape.rank() != 1 || shape[0].size() % 2 != 0 ||
      static_cast<size_t>(shape[0].size()) / 2 > rank) {
    fail(ErrorCode::kUnsupported, "its pads are a list of the shape ", shape,
         ", expected two numbers for each of at most ", rank, " axes");
  }
  if (mode != "constant" && mode != "reflect" && mode != "replicate") {
    fail(ErrorCode::kUnsupported, "pads by computed numbers in the mode '", model::brief(mode), "'");
  }
  const int64_t axes = shape[0].size() / 2;
  // The numbers of an end of all axes: 0 for the first ones, then the list from behind.
  const auto end_of_axes = [&](int64_t end) {
    Ints order;
    for (int64_t i = axes; i-- > 0;) order.push_back(2 * i + end);
    const Source last = c.b().add("Gather", {pads, c.b().list(order), c.b().scalar(int64_t{0})});
    if (static_cast<size_t>(axes) == rank) return last;
    return concat_lists(c, {c.b().list(Ints(rank - static_cast<size_t>(axes), 0)), last});
  };
  std::vector<Source> inputs = {x, end_of_axes(0), end_of_axes(1)};
  if (mode == "constant") inputs.push_back(number_like(c, value, x));
  return c.b().add("Pad", inputs, {{"pad_mode", mode == "replicate" ? std::string("edge") : mode}});
}

void function_pad(Context& c) {
  if (c.is_marked("pad")) {
    const Source pads = convert(c, c.required_input("pad", 1), ElementType::kI64);
    c.give(computed_pad(c, c.input(0), pads, c.word("mode", "constant"), c.number("value", 0)));
    return;
  }
  c.give(pad(c, c.input(), c.ints("pad"), c.word("mode", "constant"), c.number("value", 0)));
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
