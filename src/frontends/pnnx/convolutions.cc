// SPDX-License-Identifier: Apache-2.0
// Convolutions and transposed convolutions of one to three dimensions, and deformable convolutions.
#include "frontends/pnnx/families.h"
#include "frontends/pnnx/functions.h"

namespace wasmvino::pnnx {
namespace {

// Splits the groups of a weight of shape [rows, columns, kernel...]: [groups, rows / groups, columns,
// kernel...].
Source grouped_weight(Context& c, int64_t groups) {
  const bool stored = c.has_weight("weight");
  if (groups == 1) return stored ? c.weight("weight") : c.required_input("weight", 1);
  if (!stored) {
    const Source weight = c.required_input("weight", 1);
    const Dimension rows = c.b().shape(weight).has_rank() ? c.b().shape(weight)[0] : Dimension();
    if (!rows.is_static()) fail(ErrorCode::kUnsupported, "the size of its weight is unknown");
    return reshape_axes(c, weight, 0, 1, {groups, rows.size() / groups});
  }
  Shape shape = c.weight_text("weight").shape;
  if (groups < 1 || shape.empty() || shape[0] % groups != 0) {
    fail(ErrorCode::kInvalidModel, "its ", groups, " groups do not divide the weight's shape ", shape);
  }
  shape[0] /= groups;
  shape.insert(0, groups);
  return c.weight("weight", shape);
}

// The number of spatial axes, derived from the weight.
size_t spatial_rank(Context& c) {
  size_t rank = 0;
  if (c.has_weight("weight")) {
    rank = c.weight_text("weight").shape.size();
  } else if (const auto weight = c.find_input("weight", 1)) {
    rank = c.b().rank(*weight);
  } else {
    fail(ErrorCode::kInvalidModel, "lacks its weight");
  }
  if (rank < 3 || rank > 5)
    fail(ErrorCode::kInvalidModel, "its weight has ", rank, " axes, expected 3, 4 or 5");
  return rank - 2;
}

Ints kernel_of(Context& c, size_t spatial) {
  const Shape shape = c.has_weight("weight") ? c.weight_text("weight").shape
                                             : c.b().shape(c.required_input("weight", 1)).to_shape();
  return Ints(shape.end() - spatial, shape.end());
}

Ints zeros(size_t count) {
  Ints list;
  for (size_t i = 0; i < count; ++i) list.push_back(0);
  return list;
}

Source add_bias(Context& c, const Source& source, size_t spatial) {
  // The weight tells these.
  c.ignore("in_channels out_channels kernel_size");
  if (c.has_weight("bias")) {
    c.ignore("bias");
    Shape shape = {1, static_cast<int64_t>(element_count(c.weight_text("bias").shape))};
    for (size_t i = 0; i < spatial; ++i) shape.push_back(1);
    return c.b().add("Add", {source, c.weight("bias", shape)});
  }
  if (c.find("bias") != nullptr) {
    if (c.flag("bias", false)) c.weight_text("bias");
    return source;
  }
  const auto bias = c.find_input("bias", 2);
  if (!bias) return source;
  Ints shape = {1, -1};
  for (size_t i = 0; i < spatial; ++i) shape.push_back(1);
  return c.b().add("Add", {source, reshape(c, *bias, shape)});
}

void convolution(Context& c) {
  const size_t spatial = spatial_rank(c);
  const int64_t groups = c.integer("groups", 1);
  const Ints dilations = c.ints("dilation", spatial, 1);
  Ints before, after;
  const auto* padding = std::get_if<std::string>(c.find("padding"));
  // pnnx writes an empty list for 'same' beside another padding mode.
  const auto* list = std::get_if<Ints>(c.find("padding"));
  const bool same = padding != nullptr ? *padding == "same" : list != nullptr && list->empty();
  if (padding == nullptr && !same && c.has("padding") && c.ints("padding").size() == 2 * spatial) {
    // As in F.pad: begin and end of the last axis come first.
    const Ints pads = c.ints("padding");
    for (size_t i = spatial; i-- > 0;) {
      before.push_back(pads[2 * i]);
      after.push_back(pads[2 * i + 1]);
    }
  } else if (padding == nullptr && !same) {
    before = after = c.ints("padding", spatial, 0);
  } else if (padding != nullptr && *padding == "valid") {
    before = after = zeros(spatial);
  } else if (same) {
    const Ints kernel = kernel_of(c, spatial);
    for (size_t i = 0; i < spatial; ++i) {
      const int64_t total = dilations[i] * (kernel[i] - 1);
      before.push_back(total / 2);
      after.push_back(total - total / 2);
    }
  } else {
    fail(ErrorCode::kInvalidModel, "its padding is '", *padding, "', expected numbers, same or valid");
  }
  Source x = with_batch(c, c.input(), spatial);
  const std::string mode = c.word("padding_mode", "zeros");
  if (mode != "zeros") {
    Ints pads;
    for (size_t i = spatial; i-- > 0;) {
      pads.push_back(before[i]);
      pads.push_back(after[i]);
    }
    x = pad(c, x, pads, mode, {0, true, {}});
    before = after = zeros(spatial);
  }
  const Source result =
      c.b().add(groups == 1 ? "Convolution" : "GroupConvolution", {x, grouped_weight(c, groups)},
                {{"strides", c.ints("stride", spatial, 1)},
                 {"dilations", dilations},
                 {"pads_begin", before},
                 {"pads_end", after}});
  c.give(without_batch(c, c.input(), add_bias(c, result, spatial), spatial));
}

void transposed_convolution(Context& c) {
  const size_t spatial = spatial_rank(c);
  const int64_t groups = c.integer("groups", 1);
  if (c.has("output_size"))
    fail(ErrorCode::kUnsupported, "takes an output size (", c.op().parameter_text, ")");
  const Ints pads = c.ints("padding", spatial, 0);
  const Source result = c.b().add(groups == 1 ? "ConvolutionBackpropData" : "GroupConvolutionBackpropData",
                                  {with_batch(c, c.input(), spatial), grouped_weight(c, groups)},
                                  {{"strides", c.ints("stride", spatial, 1)},
                                   {"dilations", c.ints("dilation", spatial, 1)},
                                   {"pads_begin", pads},
                                   {"pads_end", pads},
                                   {"output_padding", c.ints("output_padding", spatial, 0)}});
  c.give(without_batch(c, c.input(), add_bias(c, result, spatial), spatial));
}

// Offset and mask have the channels of their groups. The inputs are [x, offset, mask].
void deform(Context& c, const Source& x, const Source& weight, const Source& offset,
            std::optional<Source> mask, const Ints& strides, const Ints& pads, const Ints& dilations,
            int64_t groups, std::optional<Source> bias) {
  const PartialShape weights = c.b().shape(weight), offsets = c.b().shape(offset);
  if (!weights.is_static() || weights.rank() != 4 || !offsets.has_rank() || offsets.rank() != 4 ||
      !offsets[1].is_static()) {
    fail(ErrorCode::kUnsupported, "the sizes of its weight and its offsets' channels are unknown");
  }
  const int64_t taps = 2 * weights[2].size() * weights[3].size();
  if (taps == 0 || offsets[1].size() % taps != 0) {
    fail(ErrorCode::kInvalidModel, "its offsets have ", offsets[1].size(),
         " channels, expected a multiple of ", taps);
  }
  std::vector<Source> inputs = {x, offset, weight};
  if (mask) inputs.push_back(*mask);
  Source result = c.b().add("DeformableConvolution", inputs,
                            {{"strides", strides},
                             {"pads_begin", pads},
                             {"pads_end", pads},
                             {"dilations", dilations},
                             {"group", groups},
                             {"deformable_group", offsets[1].size() / taps},
                             {"bilinear_interpolation_pad", true}});
  if (bias) result = c.b().add("Add", {result, reshape(c, *bias, {1, -1, 1, 1})});
  c.give(result);
}

void deformable_convolution(Context& c) {
  c.ignore("in_channels out_channels kernel_size bias");
  std::optional<Source> mask, bias;
  if (c.input_count() > 2) mask = c.input(2);
  if (c.has_weight("bias")) bias = c.weight("bias");
  deform(c, c.input(0), c.weight("weight"), c.input(1), mask, c.ints("stride", 2, 1), c.ints("padding", 2, 0),
         c.ints("dilation", 2, 1), c.integer("groups", 1), bias);
}

// torchvision's function as TorchScript calls it: input, weight, offset, mask, bias, then twelve numbers.
void deformable_convolution_call(Context& c) {
  const auto argument = [&](int i) {
    return c.required_input(cat("arg_", i).c_str(), static_cast<size_t>(i));
  };
  const auto number = [&](int i) { return c.integer(cat("arg_", i).c_str()); };
  // The offsets tell the number of their groups, argument 12. There is always a mask, but it may not be used.
  c.ignore("arg_12");
  const Source given = argument(3);
  const std::optional<Source> mask = c.flag("arg_13", false) ? std::optional(given) : std::nullopt;
  deform(c, argument(0), argument(1), argument(2), mask, {number(5), number(6)}, {number(7), number(8)},
         {number(9), number(10)}, number(11), argument(4));
}

constexpr Entry kEntries[] = {
    {"nn.Conv1d", convolution, "Convolution GroupConvolution Pad Add"},
    {"nn.Conv2d", convolution, "Convolution GroupConvolution Pad Add"},
    {"nn.Conv3d", convolution, "Convolution GroupConvolution Pad Add"},
    {"F.conv1d", convolution, "Convolution GroupConvolution Pad Add"},
    {"F.conv2d", convolution, "Convolution GroupConvolution Pad Add"},
    {"F.conv3d", convolution, "Convolution GroupConvolution Pad Add"},
    {"nn.ConvTranspose1d", transposed_convolution,
     "ConvolutionBackpropData GroupConvolutionBackpropData Add"},
    {"nn.ConvTranspose2d", transposed_convolution,
     "ConvolutionBackpropData GroupConvolutionBackpropData Add"},
    {"nn.ConvTranspose3d", transposed_convolution,
     "ConvolutionBackpropData GroupConvolutionBackpropData Add"},
    {"F.conv_transpose1d", transposed_convolution,
     "ConvolutionBackpropData GroupConvolutionBackpropData Add"},
    {"F.conv_transpose2d", transposed_convolution,
     "ConvolutionBackpropData GroupConvolutionBackpropData Add"},
    {"F.conv_transpose3d", transposed_convolution,
     "ConvolutionBackpropData GroupConvolutionBackpropData Add"},
    {"torchvision.ops.DeformConv2d", deformable_convolution, "DeformableConvolution Add"},
    {"pnnx.custom_op.torchvision.deform_conv2d", deformable_convolution_call, "DeformableConvolution Add"},
};

}  // namespace

std::span<const Entry> convolutions() { return kEntries; }

}  // namespace wasmvino::pnnx
