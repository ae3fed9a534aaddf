// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/families.h"
#include "frontends/onnx/operands.h"

namespace wasmvino::onnx {
namespace {

using namespace frontends::build;  // NOLINT: builder functions are written in terms of these throughout

Source mean_variance(Context& c, const Source& x, const Ints& axes, double epsilon,
                     const char* mode = "inside_sqrt") {
  return c.b().add("MVN", {x, c.b().list(axes)},
                   {{"normalize_variance", true}, {"eps", epsilon}, {"eps_mode", mode}});
}

Source multiply(Context& c, const Source& a, const Source& b) { return c.b().add("Multiply", {a, b}); }
Source add(Context& c, const Source& a, const Source& b) { return c.b().add("Add", {a, b}); }

// Mean and 1 / sqrt(variance + epsilon) over axes, which are kept.
struct Moments {
  Source mean, variance;
};
Moments moments(Context& c, const Source& x, const Ints& axes) {
  const Source mean = reduce(c.b(), "ReduceMean", x, axes, true);
  const Source distance = c.b().add("Subtract", {x, mean});
  return {mean, reduce(c.b(), "ReduceMean", multiply(c, distance, distance), axes, true)};
}
Source inverse_deviation(Context& c, const Source& variance, double epsilon) {
  const Source deviation = c.b().add("Sqrt", {add(c, variance, number_like(c.b(), epsilon, variance))});
  return c.b().add("Divide", {number_like(c.b(), 1, variance), deviation});
}

void batch_normalization(Context& c) {
  const Source x = c.input(0), scale = c.input(1), offset = c.input(2), mean = c.input(3),
               variance = c.input(4);
  const double epsilon = c.real("epsilon", 1e-5);
  if (!c.flag("training_mode")) {
    return c.give(
        c.b().add("BatchNormInference", {x, scale, offset, mean, variance}, {{"epsilon", epsilon}}));
  }
  // The statistics are those of the batch. Further outputs are the running ones.
  const size_t rank = c.b().rank(x);
  Ints axes = axes_from(c, x, 1);
  if (!axes.empty()) axes[0] = 0;
  const Moments own = moments(c, x, axes);
  const Source normal =
      multiply(c, c.b().add("Subtract", {x, own.mean}), inverse_deviation(c, own.variance, epsilon));
  const Source made =
      add(c, multiply(c, normal, for_channels(c, scale, rank)), for_channels(c, offset, rank));
  const double momentum = c.real("momentum", 0.9);
  const auto running = [&](const Source& before, const Source& now) {
    const Source list = reshape(c.b(), now, Ints{-1});
    return add(c, multiply(c, before, number_like(c.b(), momentum, before)),
               multiply(c, list, number_like(c.b(), 1 - momentum, list)));
  };
  c.give({made, running(mean, own.mean), running(variance, own.variance)});
}

void instance_normalization(Context& c) {
  const Source x = c.input(0);
  const size_t rank = c.b().rank(x);
  const Source normal = mean_variance(c, x, axes_from(c, x, 2), c.real("epsilon", 1e-5));
  c.give(add(c, multiply(c, normal, for_channels(c, c.input(1), rank)), for_channels(c, c.input(2), rank)));
}

void layer_normalization(Context& c) {
  const Source given = c.input(0);
  const ElementType type = c.b().type(given);
  const Ints axes = axes_from(c, given, c.axis(c.integer("axis", -1), c.b().rank(given)));
  const double epsilon = c.real("epsilon", 1e-5);
  const auto finish = [&](const Source& normal) {
    const Source scaled = multiply(c, convert(c.b(), normal, type), c.input(1));
    const auto offset = c.find_input(2);
    return offset ? add(c, scaled, *offset) : scaled;
  };
  if (!c.wants(1) && !c.wants(2)) return c.give(finish(mean_variance(c, given, axes, epsilon)));
  // The statistics have the type that stash_type names, f32 by default.
  const Source x = convert(c.b(), given, c.element_type("stash_type", ElementType::kF32));
  const Moments own = moments(c, x, axes);
  const Source inverse = inverse_deviation(c, own.variance, epsilon);
  c.give({finish(multiply(c, c.b().add("Subtract", {x, own.mean}), inverse)), own.mean, inverse});
}

Source channel_count(Context& c, const Source& x) { return size_of(c.b(), x, 1); }

Source normalized_groups(Context& c, const Source& scale, const Source& offset) {
  return c.b().add("GroupNormalization", {c.input(0), scale, offset},
                   {{"num_groups", c.count("num_groups")}, {"epsilon", c.real("epsilon", 1e-5)}});
}
void group_normalization(Context& c) { c.give(normalized_groups(c, c.input(1), c.input(2))); }
// Until opset 20, scale and offset had one element for each group.
void legacy_group_normalization(Context& c) {
  const Source groups = c.b().list({c.count("num_groups")});
  const Source share = c.b().add("Divide", {channel_count(c, c.input(0)), groups});
  const auto for_each_channel = [&](const Source& list) {
    const Source rows =
        c.b().add("Broadcast", {unsqueeze(c.b(), list, {1}), concat_lists(c.b(), {groups, share})});
    return reshape(c.b(), rows, Ints{-1});
  };
  c.give(normalized_groups(c, for_each_channel(c.input(1)), for_each_channel(c.input(2))));
}

void local_response(Context& c) {
  c.give(c.b().add("LRN", {c.input(), c.b().list({1})},
                   {{"alpha", c.real("alpha", 0.0001)},
                    {"beta", c.real("beta", 0.75)},
                    {"bias", c.real("bias", 1)},
                    {"size", c.integer("size")}}));
}

void mean_variance_normalization(Context& c) {
  c.give(mean_variance(c, c.input(), c.has("axes") ? c.ints("axes") : Ints{0, 2, 3}, 1e-9, "outside_sqrt"));
}

void lp_normalization(Context& c) {
  const Source x = c.input();
  const int64_t p = c.integer("p", 2);
  if (p != 1 && p != 2) fail(ErrorCode::kInvalidModel, "its attribute p is ", p, ", expected 1 or 2");
  const Source norm = reduce(c.b(), p == 1 ? "ReduceL1" : "ReduceL2", x, {c.integer("axis", -1)}, true);
  const Source is_zero = c.b().add("Equal", {norm, number_like(c.b(), 0, norm)});
  c.give(c.b().add("Divide", {x, c.b().add("Select", {is_zero, number_like(c.b(), 1, norm), norm})}));
}

void rms_normalization(Context& c) {
  const Source given = c.input(0);
  const Ints axes = axes_from(c, given, c.axis(c.integer("axis", -1), c.b().rank(given)));
  const Source x = convert(c.b(), given, c.element_type("stash_type", ElementType::kF32));
  const Source square = reduce(c.b(), "ReduceMean", multiply(c, x, x), axes, true);
  const Source normal = multiply(c, x, inverse_deviation(c, square, c.real("epsilon", 1e-5)));
  c.give(multiply(c, convert(c.b(), normal, c.b().type(c.input(1))), c.input(1)));
}

constexpr Entry kEntries[] = {
    {"BatchNormalization", kAllOpsets, batch_normalization, "BatchNormInference"},
    {"GroupNormalization", until(20), legacy_group_normalization, "GroupNormalization"},
    {"GroupNormalization", since(21), group_normalization, "GroupNormalization"},
    {"InstanceNormalization", kAllOpsets, instance_normalization, "MVN"},
    {"LRN", kAllOpsets, local_response, "LRN"},
    {"LayerNormalization", kAllOpsets, layer_normalization, "MVN"},
    {"LpNormalization", kAllOpsets, lp_normalization, "ReduceL1 ReduceL2"},
    {"MeanVarianceNormalization", kAllOpsets, mean_variance_normalization, "MVN"},
    {"RMSNormalization", kAllOpsets, rms_normalization, "ReduceMean"},
};

}  // namespace

std::span<const Entry> normalizations() { return kEntries; }

}  // namespace wasmvino::onnx
