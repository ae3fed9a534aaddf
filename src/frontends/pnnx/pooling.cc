// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "core/number_text.h"
#include "frontends/pnnx/families.h"
#include "frontends/pnnx/functions.h"

namespace wasmvino::pnnx {
namespace {

// The number at the end of a type's name: 2 for "nn.MaxPool2d".
size_t spatial_rank(Context& c) {
  const std::string& type = c.op().type;
  const char digit = type.size() < 2 ? '\0' : type[type.size() - 2];
  if (digit < '1' || digit > '3') fail(ErrorCode::kInternal, "its type tells no number of axes");
  return static_cast<size_t>(digit - '0');
}

struct Windows {
  size_t spatial;
  Ints kernel, strides, pads;
  std::string rounding;
};

Windows windows(Context& c) {
  Windows result;
  result.spatial = spatial_rank(c);
  result.kernel = c.ints("kernel_size", result.spatial);
  result.strides = c.has("stride") ? c.ints("stride", result.spatial) : result.kernel;
  result.pads = c.ints("padding", result.spatial, 0);
  // In PyTorch no window begins after the end of the input. OpenVINO calls this ceil_torch.
  result.rounding = c.flag("ceil_mode", false) ? "ceil_torch" : "floor";
  return result;
}

// Maxima and their indices.
void give_maxima(Context& c, const Source& result, size_t spatial) {
  const Source x = c.input();
  c.give({without_batch(c, x, result, spatial),
          without_batch(c, x, model::Builder::output(result, 1), spatial)});
}

void max_pool(Context& c) {
  // The outputs tell it.
  c.ignore("return_indices");
  const Windows w = windows(c);
  const Source result = c.b().add("MaxPool", {with_batch(c, c.input(), w.spatial)},
                                  {{"strides", w.strides},
                                   {"dilations", c.ints("dilation", w.spatial, 1)},
                                   {"pads_begin", w.pads},
                                   {"pads_end", w.pads},
                                   {"kernel", w.kernel},
                                   {"rounding_type", w.rounding},
                                   {"index_element_type", ElementType::kI64},
                                   {"axis", int64_t{2}}},
                                  2);
  give_maxima(c, result, w.spatial);
}

Source average(Context& c, const Source& source, const Windows& w, bool exclude_pads) {
  return c.b().add("AvgPool", {source},
                   {{"strides", w.strides},
                    {"pads_begin", w.pads},
                    {"pads_end", w.pads},
                    {"kernel", w.kernel},
                    {"exclude-pad", exclude_pads},
                    {"rounding_type", w.rounding}});
}

double window_size(const Windows& w) {
  double size = 1;
  for (const int64_t kernel : w.kernel) size *= static_cast<double>(kernel);
  return size;
}

Ints each(size_t count, int64_t value) { return Ints(count, value); }

// `x` with zeros around it, and so many behind it that windows may reach beyond them.
Source padded(Context& c, const Source& x, const Windows& w, bool beyond) {
  Ints pads;
  for (size_t i = w.spatial; i-- > 0;) {
    pads.push_back(w.pads[i]);
    pads.push_back(w.pads[i] + (beyond ? w.kernel[i] + w.strides[i] : 0));
  }
  return pad_with_zeros(c, x, pads);
}

// The first windows along the axes of images, as many as `like` has.
Source as_many(Context& c, const Source& x, const Source& like, size_t spatial) {
  Ints axes;
  for (size_t i = 0; i < spatial + 2; ++i) axes.push_back(static_cast<int64_t>(i));
  return c.b().add("Slice", {x, c.b().list(each(spatial + 2, 0)), shape_of(c, like),
                             c.b().list(each(spatial + 2, 1)), c.b().list(axes)});
}

// With ceil_mode, the last windows may reach beyond the padding. PyTorch divides their sums by the number of
// elements inside the padding, or by divisor_override.
void avg_pool(Context& c) {
  const Windows w = windows(c);
  const bool divided = c.has("divisor_override"), counts_pads = c.flag("count_include_pad", true);
  const Source x = with_batch(c, c.input(), w.spatial);
  const bool ceil = w.rounding != "floor", any_pads = w.pads != each(w.spatial, 0);
  Source result = average(c, x, w, !divided && !counts_pads);
  if (ceil && (divided || (counts_pads && any_pads))) {
    Windows inside = w;
    inside.pads = each(w.spatial, 0);
    if (divided) inside.rounding = "floor";
    result = as_many(c, average(c, padded(c, x, w, divided), inside, !divided), result, w.spatial);
  }
  if (divided) {
    result = with_number(c, "Divide", with_number(c, "Multiply", result, window_size(w)),
                         c.number("divisor_override"));
  }
  c.give(without_batch(c, c.input(), result, w.spatial));
}

// (sum of x^p over a window)^(1/p), which is NaN for negative sums, as in PyTorch.
void lp_pool(Context& c) {
  const Windows w = windows(c);
  const double p = c.real("norm_type");
  const Source powers = with_number(c, "Power", with_batch(c, c.input(), w.spatial), p);
  const Source sum = with_number(c, "Multiply", average(c, powers, w, false), window_size(w));
  const Source result = with_number(c, "Power", sum, 1 / p);
  c.give(without_batch(c, c.input(), result, w.spatial));
}

// The output's sizes; 0 and None stand for the size of the input.
Ints output_sizes(Context& c, size_t spatial) {
  Ints sizes;
  const Parameter* given = c.find("output_size");
  if (const auto* words = given ? std::get_if<std::vector<std::string>>(given) : nullptr) {
    for (const std::string& text : *words) {
      const std::optional<int64_t> size = text == "None" ? 0 : parse_integer(text);
      if (!size)
        fail(ErrorCode::kInvalidModel, "its parameter output_size holds '", text,
             "', expected a size or None");
      sizes.push_back(*size);
    }
  } else {
    sizes = c.ints("output_size", spatial);
  }
  if (sizes.size() != spatial) {
    fail(ErrorCode::kInvalidModel, "its parameter output_size has ", sizes.size(), " numbers, expected ",
         spatial);
  }
  return sizes;
}

Source sizes_value(Context& c, const Ints& sizes) {
  std::vector<Source> lists;
  if (c.b().rank(c.input()) <= sizes.size()) {
    fail(ErrorCode::kInvalidModel, "its input has ", c.b().rank(c.input()), " axes, expected ",
         sizes.size() + 1, " at least");
  }
  for (size_t i = 0; i < sizes.size(); ++i) {
    const int64_t axis = static_cast<int64_t>(c.b().rank(c.input()) - sizes.size() + i);
    lists.push_back(sizes[i] == 0 ? size_of(c, c.input(), axis) : c.b().list({sizes[i]}));
  }
  return concat_lists(c, lists);
}

// Sizes that the graph computes. One number counts for all axes.
Source computed_sizes(Context& c, size_t spatial) {
  const Source given = convert(c, c.required_input("output_size", 1), ElementType::kI64);
  return c.b().add("Broadcast", {given, c.b().list({static_cast<int64_t>(spatial)})});
}

bool all_ones(const Ints& sizes) {
  for (const int64_t size : sizes) {
    if (size != 1) return false;
  }
  return true;
}

void adaptive_avg_pool(Context& c) {
  const size_t spatial = spatial_rank(c);
  const bool computed = c.is_marked("output_size");
  const Ints sizes = computed ? Ints() : output_sizes(c, spatial);
  if (computed || !all_ones(sizes)) {
    const Source target = computed ? computed_sizes(c, spatial) : sizes_value(c, sizes);
    const Source result = c.b().add("AdaptiveAvgPool", {with_batch(c, c.input(), spatial), target});
    c.give(without_batch(c, c.input(), result, spatial));
    return;
  }
  Ints axes;
  for (size_t i = 0; i < sizes.size(); ++i)
    axes.push_back(static_cast<int64_t>(c.b().rank(c.input()) - sizes.size() + i));
  c.give(reduce(c, "ReduceMean", c.input(), axes, true));
}

void adaptive_max_pool(Context& c) {
  c.ignore("return_indices");
  const size_t spatial = spatial_rank(c);
  const Source sizes =
      c.is_marked("output_size") ? computed_sizes(c, spatial) : sizes_value(c, output_sizes(c, spatial));
  const Source result = c.b().add("AdaptiveMaxPool", {with_batch(c, c.input(), spatial), sizes},
                                  {{"index_element_type", ElementType::kI64}}, 2);
  give_maxima(c, result, spatial);
}

constexpr Entry kEntries[] = {
    {"nn.MaxPool1d", max_pool, "MaxPool"},
    {"nn.MaxPool2d", max_pool, "MaxPool"},
    {"nn.MaxPool3d", max_pool, "MaxPool"},
    {"F.max_pool1d", max_pool, "MaxPool"},
    {"F.max_pool2d", max_pool, "MaxPool"},
    {"F.max_pool3d", max_pool, "MaxPool"},
    {"nn.AvgPool1d", avg_pool, "AvgPool Pad Slice Multiply Divide"},
    {"nn.AvgPool2d", avg_pool, "AvgPool Pad Slice Multiply Divide"},
    {"nn.AvgPool3d", avg_pool, "AvgPool Pad Slice Multiply Divide"},
    {"F.avg_pool1d", avg_pool, "AvgPool Pad Slice Multiply Divide"},
    {"F.avg_pool2d", avg_pool, "AvgPool Pad Slice Multiply Divide"},
    {"F.avg_pool3d", avg_pool, "AvgPool Pad Slice Multiply Divide"},
    {"nn.LPPool1d", lp_pool, "Power AvgPool Multiply"},
    {"nn.LPPool2d", lp_pool, "Power AvgPool Multiply"},
    {"F.lp_pool1d", lp_pool, "Power AvgPool Multiply"},
    {"F.lp_pool2d", lp_pool, "Power AvgPool Multiply"},
    {"nn.AdaptiveAvgPool1d", adaptive_avg_pool, "AdaptiveAvgPool ReduceMean"},
    {"nn.AdaptiveAvgPool2d", adaptive_avg_pool, "AdaptiveAvgPool ReduceMean"},
    {"nn.AdaptiveAvgPool3d", adaptive_avg_pool, "AdaptiveAvgPool ReduceMean"},
    {"F.adaptive_avg_pool1d", adaptive_avg_pool, "AdaptiveAvgPool ReduceMean"},
    {"F.adaptive_avg_pool2d", adaptive_avg_pool, "AdaptiveAvgPool ReduceMean"},
    {"F.adaptive_avg_pool3d", adaptive_avg_pool, "AdaptiveAvgPool ReduceMean"},
    {"nn.AdaptiveMaxPool1d", adaptive_max_pool, "AdaptiveMaxPool"},
    {"nn.AdaptiveMaxPool2d", adaptive_max_pool, "AdaptiveMaxPool"},
    {"nn.AdaptiveMaxPool3d", adaptive_max_pool, "AdaptiveMaxPool"},
    {"F.adaptive_max_pool1d", adaptive_max_pool, "AdaptiveMaxPool"},
    {"F.adaptive_max_pool2d", adaptive_max_pool, "AdaptiveMaxPool"},
    {"F.adaptive_max_pool3d", adaptive_max_pool, "AdaptiveMaxPool"},
};

}  // namespace

std::span<const Entry> pooling() { return kEntries; }

}  // namespace wasmvino::pnnx
