// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/families.h"
#include "frontends/onnx/filters.h"
#include "frontends/onnx/operands.h"
#include "frontends/onnx/windows.h"

namespace wasmvino::onnx {
namespace {

using namespace frontends::build;  // NOLINT: builder functions are written in terms of these throughout

int64_t groups_of(Context& c) { return c.count("group", 1); }

// Filters with their groups as an axis: [groups, n / groups, ...].
Source grouped(Context& c, const Source& filters, int64_t groups) {
  Ints shape = {groups, -1};
  Ints rest;
  for (size_t i = 1; i < c.b().rank(filters); ++i) rest.push_back(static_cast<int64_t>(i));
  const PartialShape& known = c.b().shape(filters);
  if (!known.is_static()) {
    const Source sizes =
        c.b().add("Gather", {shape_of(c.b(), filters), c.b().list(rest), c.b().scalar(int64_t{0})});
    return reshape(c.b(), filters, concat_lists(c.b(), {c.b().list(shape), sizes}));
  }
  if (known[0].size() % groups != 0)
    fail(ErrorCode::kInvalidModel, "has ", groups, " groups for filters of shape ", known);
  shape[1] = known[0].size() / groups;
  for (const int64_t axis : rest) shape.push_back(known[static_cast<size_t>(axis)].size());
  return reshape(c.b(), filters, shape);
}

Source with_bias(Context& c, const Source& made, size_t rank) {
  const auto bias = c.find_input(2);
  return bias ? c.b().add("Add", {made, for_channels(c, *bias, rank)}) : made;
}

size_t spatial_axes(Context& c, const Source& filters) {
  const size_t rank = c.b().rank(filters);
  if (rank < 3) fail(ErrorCode::kInvalidModel, "has filters of shape ", c.b().shape(filters));
  return rank - 2;
}

void convolution(Context& c) {
  const Source made = convolve(c, c.input(0), c.input(1));
  c.give(with_bias(c, made, c.b().rank(c.input(1))));
}

// Sets the pads of a transposed convolution whose output sizes are given.
void pad_to(Context& c, const Source& filters, const Ints& sizes, const Ints& output_padding,
            Windows& windows) {
  const PartialShape &data = c.b().shape(c.input(0)), &kernel = c.b().shape(filters);
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (!data.has_rank() || !data[2 + i].is_static() || !kernel[2 + i].is_static()) {
      fail(ErrorCode::kUnsupported, "needs the sizes of its input and its filters for its pads, which are ",
           data, " and ", kernel);
    }
    const int64_t all = windows.strides[i] * (data[2 + i].size() - 1) + output_padding[i] +
                        (kernel[2 + i].size() - 1) * windows.dilations[i] + 1;
    const int64_t total = std::max<int64_t>(all - sizes[i], 0);
    const bool more_at_end = windows.auto_pad == "same_upper";
    windows.pads_begin[i] = more_at_end ? total / 2 : total - total / 2;
    windows.pads_end[i] = total - windows.pads_begin[i];
  }
  windows.auto_pad = "explicit";
}

void transposed_convolution(Context& c) {
  const Source filters = c.input(1);
  const size_t spatial = spatial_axes(c, filters);
  Windows windows = windows_of(c, spatial);
  Ints output_padding = c.ints("output_padding", spatial, 0);
  Ints sizes = c.ints("output_shape");
  // Old exporters list the batch and the channels too.
  if (sizes.size() == spatial + 2) sizes = Ints(sizes.begin() + 2, sizes.end());
  if (!sizes.empty() && sizes.size() != spatial)
    fail(ErrorCode::kInvalidModel, "has the output_shape ", sizes, " for ", spatial, " spatial axes");
  if (sizes.empty() && (windows.auto_pad == "same_upper" || windows.auto_pad == "same_lower")) {
    const PartialShape& data = c.b().shape(c.input(0));
    for (size_t i = 0; i < spatial; ++i) {
      const bool known = data.has_rank() && data[2 + i].is_static();
      sizes.push_back(known ? data[2 + i].size() * windows.strides[i] : 0);
    }
  }
  if (!sizes.empty()) {
    pad_to(c, filters, sizes, output_padding, windows);
    // Sizes beyond those of the windows are padding.
    for (size_t i = 0; i < spatial; ++i) {
      const int64_t made = windows.strides[i] * (c.b().shape(c.input(0))[2 + i].size() - 1) +
                           (c.b().shape(filters)[2 + i].size() - 1) * windows.dilations[i] + 1 -
                           windows.pads_begin[i] - windows.pads_end[i];
      output_padding[i] = sizes[i] - made;
    }
  }
  model::Attributes attributes = windows.attributes(true);
  attributes.push_back({"output_padding", output_padding});
  const int64_t groups = groups_of(c);
  const Source made = groups == 1
                          ? c.b().add("ConvolutionBackpropData", std::vector{c.input(0), filters}, attributes)
                          : c.b().add("GroupConvolutionBackpropData",
                                      std::vector{c.input(0), grouped(c, filters, groups)}, attributes);
  c.give(with_bias(c, made, spatial + 2));
}

void deformable_convolution(Context& c) {
  const Source filters = c.input(1);
  const size_t spatial = spatial_axes(c, filters);
  model::Attributes attributes = windows_of(c, spatial).attributes(true);
  attributes.push_back({"group", groups_of(c)});
  attributes.push_back({"deformable_group", c.count("offset_group", 1)});
  attributes.push_back({"bilinear_interpolation_pad", true});
  std::vector<Source> inputs = {c.input(0), c.input(2), filters};
  if (const auto mask = c.find_input(4)) inputs.push_back(*mask);
  const Source made = c.b().add("DeformableConvolution", inputs, attributes);
  const auto bias = c.find_input(3);
  c.give(bias ? c.b().add("Add", {made, for_channels(c, *bias, spatial + 2)}) : made);
}

}  // namespace

Source convolve(Context& c, const Source& x, const Source& filters) {
  const model::Attributes attributes = windows_of(c, spatial_axes(c, filters)).attributes(true);
  const int64_t groups = groups_of(c);
  if (groups == 1) return c.b().add("Convolution", std::vector{x, filters}, attributes);
  return c.b().add("GroupConvolution", std::vector{x, grouped(c, filters, groups)}, attributes);
}

namespace {

constexpr Entry kEntries[] = {
    {"Conv", kAllOpsets, convolution, "Convolution GroupConvolution"},
    {"ConvTranspose", kAllOpsets, transposed_convolution,
     "ConvolutionBackpropData GroupConvolutionBackpropData"},
    {"DeformConv", kAllOpsets, deformable_convolution, "DeformableConvolution"},
};

}  // namespace

std::span<const Entry> convolutions() { return kEntries; }

}  // namespace wasmvino::onnx
