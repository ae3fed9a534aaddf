// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>

#include "ops/internal/fused_convolution.h"
#include "ops/quantised_data/compressed_filters.h"
#include "passes/constants.h"
#include "passes/edit.h"
#include "passes/passes.h"
#include "passes/stored_values.h"

namespace wasmvino::passes {
namespace {

using model::Model;
using model::Node;
using model::Source;
using ops::CompressedFilters;
using ops::StoredAxes;

// Filters with scales per output and input channel and zero points per output channel.
std::shared_ptr<const CompressedFilters> compressed(Source source, const Shape& shape,
                                                    const ops::FilterForm& form) {
  const std::optional<StoredValues> stored = trace_stored(source);
  if (!stored || shape.size() != stored->rank) return nullptr;
  const size_t first = form.first_spatial();
  const StoredAxes inputs = stored->axis(form.transposed ? first - 2 : first - 1);
  const StoredAxes outputs = stored->axis(form.transposed ? first - 1 : first - 2);
  const StoredAxes taps = stored->merged(first, shape.size());
  const ops::FilterChannels of_output(shape, form, false), of_input(shape, form, true);

  CompressedFilters::Parts parts;
  parts.stored = stored->constant->constant;
  parts.places = stored->merged(0, shape.size());
  for (const StoredFactor& scale : stored->scales) {
    const bool by_input = scale.varies_along(inputs);
    if (scale.varies_along(taps) || (by_input && scale.varies_along(outputs))) return nullptr;
    std::vector<float>& values = by_input ? parts.input_scales : parts.scales;
    const ops::FilterChannels& channels = by_input ? of_input : of_output;
    values.resize(channels.count(), 1.0f);
    for (size_t c = 0; c < values.size(); ++c)
      values[c] *= scale.at(place_of(parts.places, channels.first(c)));
  }
  if (const auto& zero = stored->zero_point) {
    if (zero->varies_along(taps) || zero->varies_along(inputs)) return nullptr;
    for (size_t c = 0; c < of_output.count(); ++c) {
      const auto point = stored->packed_zero_point(place_of(parts.places, of_output.first(c)));
      if (!point) return nullptr;
      parts.zero_points.push_back(*point);
    }
  }
  return std::make_shared<CompressedFilters>(shape, form, std::move(parts));
}

}  // namespace

bool keep_quantised_filters(Model& model, const model::Registry&) {
  // Convolutions with the same filters share their packed form.
  struct Found {
    bool grouped, transposed;
    std::shared_ptr<const CompressedFilters> filters;
    Source constant;
  };
  std::unordered_map<Source, std::vector<Found>, SourceHash> all;
  return rewrite_operations(model, [&](Node& node) {
    auto view = ops::as_convolution(node);
    if (!view || node.outputs[0].type != ElementType::kF32) return false;
    const Source source = node.inputs[1];
    const ops::FilterForm& form = view->spec.form;
    std::vector<Found>& same = all[source];
    auto found = std::find_if(same.begin(), same.end(), [&](const Found& other) {
      return other.grouped == form.grouped && other.transposed == form.transposed;
    });
    if (found == same.end()) {
      const PartialShape& open = port_of(source).shape;
      if (!open.is_static() || open.rank() < form.first_spatial()) return false;
      const Shape shape = open.to_shape();
      auto filters = compressed(source, shape, form);
      if (filters == nullptr) return false;
      const Source constant = add_constant(model, source.node->name, ops::expanded(filters));
      found = same.insert(same.end(), {form.grouped, form.transposed, std::move(filters), constant});
    }
    view->fusion.filters = found->filters;
    std::vector<Source> inputs = node.inputs;
    inputs[1] = found->constant;
    replace_with(model, node,
                 remade_as(node, std::make_shared<ops::FusedConvolution>(view->spec, view->fusion), inputs));
    return true;
  });
}

}  // namespace wasmvino::passes
