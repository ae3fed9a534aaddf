// SPDX-License-Identifier: Apache-2.0
#include "frontends/pnnx/families.h"
#include "frontends/pnnx/functions.h"

namespace wasmvino::pnnx {
namespace {

// The number of channels, on axis 1: of the input, or of the parameter `name` if only that tells.
int64_t channel_count(Context& c, const Source& x, const char* name) {
  const PartialShape& shape = c.b().shape(x);
  const bool named = c.has(name);
  if (shape.has_rank() && shape.rank() > 1 && shape[1].is_static()) return shape[1].size();
  if (named) return c.integer(name);
  const PartialShape& declared = c.declared(0).shape;
  if (declared.has_rank() && declared.rank() > 1 && declared[1].is_static()) return declared[1].size();
  fail(ErrorCode::kUnsupported, "the number of channels of its input ", shape, " is unknown");
}

// Multiplies by a weight and adds a bias, if present. Both have the shape of the last axes, or one value per
// channel.
Source scale_and_shift(Context& c, Source source, size_t first_input, size_t trailing_ones) {
  const auto apply = [&](const char* name, size_t position, const char* operation) {
    std::optional<Source> factor;
    if (c.has_weight(name)) {
      Shape shape = c.weight_text(name).shape;
      for (size_t i = 0; i < trailing_ones; ++i) shape.push_back(1);
      factor = c.weight(name, shape);
    } else if (c.find(name) == nullptr) {
      factor = c.find_input(name, position);
      if (factor && trailing_ones > 0) {
        Ints shape = {-1};
        for (size_t i = 0; i < trailing_ones; ++i) shape.push_back(1);
        factor = reshape(c, *factor, shape);
      }
    }
    if (factor) source = c.b().add(operation, {source, *factor});
  };
  apply("weight", first_input, "Multiply");
  apply("bias", first_input + 1, "Add");
  return source;
}

// The number of axes behind those of the batch and of the channels.
size_t trailing_axes(Context& c, const Source& x) {
  const size_t rank = c.b().rank(x);
  if (rank < 2) fail(ErrorCode::kInvalidModel, "its input has ", rank, " axes, expected 2 at least");
  return rank - 2;
}

Source standardize(Context& c, const Source& source, const Ints& axes) {
  return c.b().add("MVN", {source, c.b().list(axes)},
                   {{"eps", c.real("eps", 1e-5)}, {"normalize_variance", true}, {"eps_mode", "inside_sqrt"}});
}

Source by_running_statistics(Context& c, const Source& x) {
  const int64_t channels = channel_count(c, x, "num_features");
  const Source mean = scale_or(c, "running_mean", 1, 0, channels, x),
               variance = scale_or(c, "running_var", 2, 1, channels, x);
  const Source weight = scale_or(c, "weight", 3, 1, channels, x),
               bias = scale_or(c, "bias", 4, 0, channels, x);
  return c.b().add("BatchNormInference", {x, weight, bias, mean, variance},
                   {{"epsilon", c.real("eps", 1e-5)}});
}

bool has_running_statistics(Context& c) {
  return c.has_weight("running_mean") || c.is_marked("running_mean");
}

// By the statistics of the batch, if there are no others.
void batch_norm(Context& c) {
  c.ignore("affine num_features momentum cudnn_enabled");
  const bool training = c.flag("training", false);
  const Source x = c.input();
  const bool positional = c.op().input_names.size() > 1 && c.op().input_names[1].empty();
  if (!training && (has_running_statistics(c) || positional)) {
    c.give(by_running_statistics(c, x));
    return;
  }
  c.ignore("running_mean running_var");
  Ints axes = {0};
  for (size_t i = 2; i < c.b().rank(x); ++i) axes.push_back(static_cast<int64_t>(i));
  c.give(scale_and_shift(c, standardize(c, x, axes), 3, trailing_axes(c, x)));
}

// Scales the slices of an axis whose norm is above a limit down to it.
void renorm(Context& c) {
  const Source x = c.input();
  const size_t rank = c.b().rank(x);
  const int64_t kept = c.axis(c.integer("dim"), rank);
  Ints axes;
  for (int64_t i = 0; i < static_cast<int64_t>(rank); ++i) {
    if (i != kept) axes.push_back(i);
  }
  const Scalar limit = c.number("maxnorm");
  const Source norm = p_norm(c, x, c.real("p"), axes, true);
  const Source factor = with_number(c, "Divide", limit, with_number(c, "Add", norm, 1e-7));
  const Source above = with_number(c, "Greater", norm, limit);
  c.give(c.b().add("Multiply", {x, c.b().add("Select", {above, factor, number_like(c, 1, x)})}));
}

// Modules tell the number of spatial axes. Without a batch, the first axis has the channels.
size_t spatial_axes(Context& c) {
  const std::string& type = c.op().type;
  const char digit = type[type.size() - 2];
  return digit >= '1' && digit <= '3' ? static_cast<size_t>(digit - '0') : 0;
}

void instance_norm(Context& c) {
  c.ignore("affine num_features track_running_stats momentum cudnn_enabled");
  const size_t spatial = spatial_axes(c);
  const Source x = spatial == 0 ? c.input() : with_batch(c, c.input(), spatial);
  const bool own = c.flag("use_input_stats", !has_running_statistics(c));
  if (!own) {
    const Source made = by_running_statistics(c, x);
    c.give(spatial == 0 ? made : without_batch(c, c.input(), made, spatial));
    return;
  }
  c.ignore("running_mean running_var");
  const size_t rank = c.b().rank(x);
  Ints axes;
  for (size_t i = 2; i < rank; ++i) axes.push_back(static_cast<int64_t>(i));
  const Source made = scale_and_shift(c, standardize(c, x, axes), 3, trailing_axes(c, x));
  c.give(spatial == 0 ? made : without_batch(c, c.input(), made, spatial));
}

void group_norm(Context& c) {
  c.ignore("affine");
  const Source x = c.input();
  const int64_t channels = channel_count(c, x, "num_channels");
  const Source weight = scale_or(c, "weight", 1, 1, channels, x),
               bias = scale_or(c, "bias", 2, 0, channels, x);
  c.give(c.b().add("GroupNormalization", {x, weight, bias},
                   {{"num_groups", c.integer("num_groups")}, {"epsilon", c.real("eps", 1e-5)}}));
}

Ints last_axes(Context& c, size_t count) {
  const size_t rank = c.b().rank(c.input());
  if (count == 0 || count > rank) {
    fail(ErrorCode::kInvalidModel, "normalises ", count, " axes of an input with ", rank);
  }
  Ints axes;
  for (size_t i = rank - count; i < rank; ++i) axes.push_back(static_cast<int64_t>(i));
  return axes;
}

// The normalised axes, of which only the number is of interest.
Ints normalized_axes(Context& c) {
  c.ignore("elementwise_affine");
  if (!c.is_marked("normalized_shape")) return last_axes(c, c.ints("normalized_shape").size());
  const PartialShape& list = c.b().shape(c.required_input("normalized_shape", 1));
  if (!list.is_static() || list.rank() > 1)
    fail(ErrorCode::kUnsupported, "normalises a number of axes that the graph computes");
  return last_axes(c, list.rank() == 0 ? 1 : static_cast<size_t>(list[0].size()));
}

void layer_norm(Context& c) {
  const Ints axes = normalized_axes(c);
  c.give(scale_and_shift(c, standardize(c, c.input(), axes), 1, 0));
}

void rms_norm(Context& c) {
  const Source x = c.input();
  const Ints axes = normalized_axes(c);
  const Source mean = reduce(c, "ReduceMean", c.b().add("Multiply", {x, x}), axes, true);
  // PyTorch's default is the distance from 1 to the next f32.
  const Source root = c.b().add("Sqrt", {with_number(c, "Add", mean, c.real("eps", 1.1920928955078125e-07))});
  c.give(scale_and_shift(c, c.b().add("Divide", {x, root}), 1, 0));
}

// PyTorch's window of an even size begins one channel earlier than the operation's.
void local_response_norm(Context& c) {
  const Source x = c.input();
  const int64_t size = c.integer("size");
  const double alpha = c.real("alpha", 1e-4), beta = c.real("beta", 0.75), k = c.real("k", 1);
  if (size % 2 != 0) {
    c.give(c.b().add("LRN", {x, c.b().list({1})},
                     {{"alpha", alpha}, {"beta", beta}, {"bias", k}, {"size", size}}));
    return;
  }
  if (size < 1 || c.b().rank(x) < 3)
    fail(ErrorCode::kInvalidModel, "takes ", size, " channels of an input with ", c.b().rank(x), " axes");
  // [N, 1, C, elements]
  const Source squares = unsqueeze(c, c.b().add("Multiply", {x, x}), 1);
  const Source mean = c.b().add("AvgPool", {reshape_axes(c, squares, 3, c.b().rank(x) - 2, {-1})},
                                {{"strides", Ints{1, 1}},
                                 {"pads_begin", Ints{size / 2, 0}},
                                 {"pads_end", Ints{size / 2 - 1, 0}},
                                 {"kernel", Ints{size, 1}},
                                 {"exclude-pad", false},
                                 {"rounding_type", "floor"}});
  const Source sum = c.b().add("Reshape", {mean, shape_of(c, x)}, {{"special_zero", false}});
  const Source base = with_number(c, "Add", with_number(c, "Multiply", sum, alpha), k);
  c.give(c.b().add("Divide", {x, with_number(c, "Power", base, beta)}));
}

void normalize(Context& c) {
  const Source x = c.input();
  Ints axes;
  for (const int64_t axis : c.has("dim") ? c.ints("dim") : Ints{1})
    axes.push_back(c.axis(axis, c.b().rank(x)));
  const Source norm = p_norm(c, x, c.real("p", 2), axes, true);
  c.give(c.b().add("Divide", {x, with_number(c, "Maximum", norm, c.number("eps", 1e-12))}));
}

void pairwise_distance(Context& c) {
  const Source difference =
      with_number(c, "Add", binary(c, "Subtract", c.input(0), c.input(1)), c.number("eps", 1e-6));
  const Ints axes = {c.axis(-1, c.b().rank(difference))};
  c.give(p_norm(c, difference, c.real("p", 2), axes, c.flag("keepdim", false)));
}

void cosine_similarity(Context& c) {
  const auto spread = [&](const Source& x, const Source& other) {
    return c.b().add("Broadcast", {as_real(c, x), shape_of(c, other)}, {{"mode", "bidirectional"}});
  };
  const Source a = spread(c.input(0), c.input(1)), b = spread(c.input(1), c.input(0));
  const Scalar eps = c.number("eps", 1e-8);
  const Ints axes = {c.axis(c.integer("dim", 1), c.b().rank(a))};
  const auto norm = [&](const Source& x) {
    return with_number(c, "Maximum", p_norm(c, x, 2, axes, false), eps);
  };
  const Source dot = reduce(c, "ReduceSum", binary(c, "Multiply", a, b), axes, false);
  c.give(binary(c, "Divide", dot, binary(c, "Multiply", norm(a), norm(b))));
}

constexpr std::string_view kInstanceNorm = "MVN Multiply Add BatchNormInference";

constexpr Entry kEntries[] = {
    {"nn.BatchNorm1d", batch_norm, "BatchNormInference MVN Multiply Add"},
    {"nn.BatchNorm2d", batch_norm, "BatchNormInference MVN Multiply Add"},
    {"nn.BatchNorm3d", batch_norm, "BatchNormInference MVN Multiply Add"},
    {"F.batch_norm", batch_norm, "BatchNormInference MVN Multiply Add"},
    {"nn.InstanceNorm1d", instance_norm, kInstanceNorm},
    {"nn.InstanceNorm2d", instance_norm, kInstanceNorm},
    {"nn.InstanceNorm3d", instance_norm, kInstanceNorm},
    {"F.instance_norm", instance_norm, kInstanceNorm},
    {"aten::instance_norm", instance_norm, kInstanceNorm, false,
     "input weight bias running_mean running_var use_input_stats momentum eps cudnn_enabled"},
    {"nn.GroupNorm", group_norm, "GroupNormalization"},
    {"F.group_norm", group_norm, "GroupNormalization"},
    {"nn.LayerNorm", layer_norm, "MVN Multiply Add"},
    {"F.layer_norm", layer_norm, "MVN Multiply Add"},
    {"nn.RMSNorm", rms_norm, "Multiply ReduceMean Add Sqrt Divide"},
    {"F.rms_norm", rms_norm, "Multiply ReduceMean Add Sqrt Divide"},
    {"nn.LocalResponseNorm", local_response_norm, "LRN Multiply AvgPool Add Power Divide"},
    {"F.local_response_norm", local_response_norm, "LRN Multiply AvgPool Add Power Divide"},
    {"aten::renorm", renorm,
     "ReduceL2 ReduceL1 Abs Power ReduceSum ReduceMax ReduceMin NotEqual Add Divide Greater Select Multiply",
     false, "input p dim maxnorm"},
    {"F.normalize", normalize,
     "ReduceL2 ReduceL1 Abs Power ReduceSum ReduceMax ReduceMin NotEqual Maximum Divide"},
    {"F.pairwise_distance", pairwise_distance,
     "Subtract Add ReduceL2 ReduceL1 Abs Power ReduceSum ReduceMax ReduceMin NotEqual"},
    {"F.cosine_similarity", cosine_similarity,
     "ReduceL2 ReduceL1 Abs Power ReduceSum ReduceMax ReduceMin NotEqual Maximum Multiply Divide"},
    {"aten::cosine_similarity", cosine_similarity,
     "ReduceL2 ReduceL1 Abs Power ReduceSum ReduceMax ReduceMin NotEqual Maximum Multiply Divide", false,
     "x1 x2 dim eps"},
};

}  // namespace

std::span<const Entry> normalizations() { return kEntries; }

}  // namespace wasmvino::pnnx
