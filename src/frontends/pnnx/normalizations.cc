// SPDX-License-Identifier: Apache-2.0
#include "frontends/pnnx/families.h"
#include "frontends/pnnx/functions.h"

namespace wasmvino::pnnx {
namespace {

// The number of channels, on axis 1 if the input has a batch.
int64_t channel_count(Context& c, size_t axis = 1) {
  const PartialShape& shape = c.b().shape(c.input());
  if (!shape.has_rank() || shape.rank() <= axis || !shape[axis].is_static()) {
    fail(ErrorCode::kUnsupported, "the number of channels of its input ", shape, " is unknown");
  }
  return shape[axis].size();
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
    } else if (c.op().find(name) == nullptr) {
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

Source standardize(Context& c, const Source& source, const Ints& axes) {
  return c.b().add("MVN", {source, c.b().list(axes)},
                   {{"eps", c.real("eps", 1e-5)}, {"normalize_variance", true}, {"eps_mode", "inside_sqrt"}});
}

void by_running_statistics(Context& c) {
  const Source x = c.input();
  const int64_t channels = channel_count(c);
  const Source mean = scale_or(c, "running_mean", 1, 0, channels, x),
               variance = scale_or(c, "running_var", 2, 1, channels, x);
  const Source weight = scale_or(c, "weight", 3, 1, channels, x),
               bias = scale_or(c, "bias", 4, 0, channels, x);
  c.give(
      c.b().add("BatchNormInference", {x, weight, bias, mean, variance}, {{"epsilon", c.real("eps", 1e-5)}}));
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
  const double limit = c.real("maxnorm");
  const Source norm = p_norm(c, x, c.real("p"), axes, true);
  const Source factor = with_number(c, "Divide", limit, with_number(c, "Add", norm, 1e-7));
  const Source above = with_number(c, "Greater", norm, limit);
  c.give(c.b().add("Multiply", {x, c.b().add("Select", {above, factor, number_like(c, 1, x)})}));
}

void instance_norm(Context& c) {
  if (c.has_weight("running_mean")) {
    by_running_statistics(c);
    return;
  }
  const size_t rank = c.b().rank(c.input());
  Ints axes;
  for (size_t i = 2; i < rank; ++i) axes.push_back(static_cast<int64_t>(i));
  c.give(scale_and_shift(c, standardize(c, c.input(), axes), 3, rank - 2));
}

void group_norm(Context& c) {
  const Source x = c.input();
  const int64_t channels = channel_count(c);
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

void layer_norm(Context& c) {
  const Ints axes = last_axes(c, c.ints("normalized_shape").size());
  c.give(scale_and_shift(c, standardize(c, c.input(), axes), 1, 0));
}

void rms_norm(Context& c) {
  const Source x = c.input();
  const Ints axes = last_axes(c, c.ints("normalized_shape").size());
  const Source mean = reduce(c, "ReduceMean", c.b().add("Multiply", {x, x}), axes, true);
  // PyTorch's default is the distance from 1 to the next f32.
  const Source root = c.b().add("Sqrt", {with_number(c, "Add", mean, c.real("eps", 1.1920928955078125e-07))});
  c.give(scale_and_shift(c, c.b().add("Divide", {x, root}), 1, 0));
}

void local_response_norm(Context& c) {
  c.give(c.b().add("LRN", {c.input(), c.b().list({1})},
                   {{"alpha", c.real("alpha", 1e-4)},
                    {"beta", c.real("beta", 0.75)},
                    {"bias", c.real("k", 1)},
                    {"size", c.integer("size")}}));
}

void normalize(Context& c) {
  const Source x = c.input();
  const Ints axes = {c.axis(c.integer("dim", 1), c.b().rank(x))};
  const Source norm = p_norm(c, x, c.real("p", 2), axes, true);
  c.give(c.b().add("Divide", {x, with_number(c, "Maximum", norm, c.real("eps", 1e-12))}));
}

void pairwise_distance(Context& c) {
  const Source difference =
      with_number(c, "Add", binary(c, "Subtract", c.input(0), c.input(1)), c.real("eps", 1e-6));
  const Ints axes = {c.axis(-1, c.b().rank(difference))};
  c.give(p_norm(c, difference, c.real("p", 2), axes, c.flag("keepdim", false)));
}

void cosine_similarity(Context& c) {
  const Source a = c.input(0), b = c.input(1);
  const auto dim = c.find_literal("dim", 2), eps = c.find_literal("eps", 3);
  const int64_t* axis = dim ? std::get_if<int64_t>(&*dim) : nullptr;
  const double* least = eps ? std::get_if<double>(&*eps) : nullptr;
  const Ints axes = {c.axis(axis == nullptr ? 1 : *axis, c.b().rank(a))};
  const auto norm = [&](const Source& x) {
    return with_number(c, "Maximum", p_norm(c, x, 2, axes, false), least == nullptr ? 1e-8 : *least);
  };
  const Source dot = reduce(c, "ReduceSum", c.b().add("Multiply", {a, b}), axes, false);
  c.give(c.b().add("Divide", {dot, c.b().add("Multiply", {norm(a), norm(b)})}));
}

constexpr Entry kEntries[] = {
    {"nn.BatchNorm1d", by_running_statistics, "BatchNormInference"},
    {"nn.BatchNorm2d", by_running_statistics, "BatchNormInference"},
    {"nn.BatchNorm3d", by_running_statistics, "BatchNormInference"},
    {"F.batch_norm", by_running_statistics, "BatchNormInference"},
    {"nn.InstanceNorm1d", instance_norm, "MVN Multiply Add"},
    {"nn.InstanceNorm2d", instance_norm, "MVN Multiply Add"},
    {"nn.InstanceNorm3d", instance_norm, "MVN Multiply Add"},
    {"F.instance_norm", instance_norm, "MVN Multiply Add"},
    {"nn.GroupNorm", group_norm, "GroupNormalization"},
    {"F.group_norm", group_norm, "GroupNormalization"},
    {"nn.LayerNorm", layer_norm, "MVN Multiply Add"},
    {"F.layer_norm", layer_norm, "MVN Multiply Add"},
    {"nn.RMSNorm", rms_norm, "Multiply ReduceMean Add Sqrt Divide"},
    {"F.rms_norm", rms_norm, "Multiply ReduceMean Add Sqrt Divide"},
    {"nn.LocalResponseNorm", local_response_norm, "LRN"},
    {"F.local_response_norm", local_response_norm, "LRN"},
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
     "ReduceL2 ReduceL1 Abs Power ReduceSum ReduceMax ReduceMin NotEqual Maximum Multiply Divide"},
};

}  // namespace

std::span<const Entry> normalizations() { return kEntries; }

}  // namespace wasmvino::pnnx
