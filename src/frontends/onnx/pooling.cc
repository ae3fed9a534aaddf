// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/families.h"
#include "frontends/onnx/operands.h"
#include "frontends/onnx/windows.h"

namespace wasmvino::onnx {
namespace {

using namespace frontends::build;  // NOLINT: builder functions are written in terms of these throughout

Ints kernel_of(Context& c) {
  if (!c.has("kernel_shape")) fail(ErrorCode::kInvalidModel, "lacks its attribute kernel_shape");
  return c.ints("kernel_shape", c.ints("kernel_shape").size(), 1);
}

model::Attributes pooling_attributes(Context& c, const Ints& kernel, bool dilated) {
  model::Attributes attributes = windows_of(c, kernel.size()).attributes(dilated);
  attributes.push_back({"kernel", kernel});
  // A last window that begins in the padding is dropped.
  attributes.push_back({"rounding_type", c.flag("ceil_mode") ? "ceil_torch" : "floor"});
  return attributes;
}

// Places [batch, channel, row, column] in the tensor as a list to places whose rows change first.
Source column_major(Context& c, const Source& places, const Source& x) {
  if (c.b().rank(x) != 4) {
    fail(ErrorCode::kUnsupported, "gives indices in column-major order of ", c.b().shape(x),
         ", expected two spatial axes");
  }
  const auto size = [&](int64_t axis) { return squeeze(c.b(), size_of(c.b(), x, axis), {0}); };
  const Source rows = size(2), columns = size(3);
  const Source plane = c.b().add("Multiply", {rows, columns});
  const Source inside = c.b().add("FloorMod", {places, plane});
  const Source row = c.b().add("Divide", {inside, columns}),
               column = c.b().add("FloorMod", {inside, columns});
  const Source first = c.b().add("Subtract", {places, inside});
  return c.b().add("Add", {first, c.b().add("Add", {row, c.b().add("Multiply", {column, rows})})});
}

void max_pool(Context& c) {
  const Source x = c.input();
  model::Attributes attributes = pooling_attributes(c, kernel_of(c), true);
  attributes.push_back({"index_element_type", ElementType::kI64});
  attributes.push_back({"axis", int64_t{0}});
  const Source made = c.b().add("MaxPool", std::vector{x}, attributes, 2);
  std::vector<Source> outputs = {made};
  if (c.wants(1)) {
    const Source places = model::Builder::output(made, 1);
    outputs.push_back(c.flag("storage_order") ? column_major(c, places, x) : places);
  }
  c.give(outputs);
}

Source average(Context& c, const Source& x, const Ints& kernel, bool count_pads) {
  model::Attributes attributes = pooling_attributes(c, kernel, c.has("dilations"));
  attributes.push_back({"exclude-pad", !count_pads});
  return c.b().add("AvgPool", std::vector{x}, attributes);
}

void average_pool(Context& c) { c.give(average(c, c.input(), kernel_of(c), c.flag("count_include_pad"))); }

Source spatial_list(Context& c, const Source& x) { return c.b().list(axes_from(c, x, 2)); }

void global_pool(Context& c) {
  const Source x = c.input();
  c.give(c.b().add(c.operation(), std::vector{x, spatial_list(c, x)}, {{"keep_dims", true}}));
}

// |x|^p, added by `sum`, to the power of 1 / p.
template <typename Sum>
Source norm(Context& c, double p, Sum sum) {
  const Source powers = c.b().add("Power", {c.b().add("Abs", {c.input()}), number_like(c.b(), p, c.input())});
  return c.b().add("Power", {sum(powers), number_like(c.b(), 1 / p, c.input())});
}

void lp_pool(Context& c) {
  const Ints kernel = kernel_of(c);
  double count = 1;
  for (const int64_t size : kernel) count *= static_cast<double>(size);
  c.give(norm(c, c.real("p", 2), [&](const Source& x) {
    return c.b().add("Multiply", {average(c, x, kernel, true), number_like(c.b(), count, x)});
  }));
}

void global_lp_pool(Context& c) {
  c.give(norm(c, c.real("p", 2), [&](const Source& x) {
    return c.b().add("ReduceSum", {x, spatial_list(c, x)}, {{"keep_dims", true}});
  }));
}

constexpr Entry kEntries[] = {
    {"AveragePool", kAllOpsets, average_pool, "AvgPool"},
    {"GlobalAveragePool", kAllOpsets, global_pool, "ReduceMean"},
    {"GlobalLpPool", kAllOpsets, global_lp_pool, "ReduceSum Power"},
    {"GlobalMaxPool", kAllOpsets, global_pool, "ReduceMax"},
    {"LpPool", kAllOpsets, lp_pool, "AvgPool Power"},
    {"MaxPool", kAllOpsets, max_pool, "MaxPool"},
};

}  // namespace

std::span<const Entry> pooling() { return kEntries; }

}  // namespace wasmvino::onnx
