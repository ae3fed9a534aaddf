// SPDX-License-Identifier: Apache-2.0
#include "ops/convolution/quantised_filters.h"

namespace wasmvino::ops {

bool can_pack_filters(const QuantisedConstant& filters, const FilterForm& form) {
  const FilterAxes axes(form);
  const StridedAxes inputs = filters.along({axes.input}), outputs = filters.along({axes.output});
  const StridedAxes taps = filters.between(axes.first_spatial, filters.shape().size());
  for (const SharedNumbers& scale : filters.parts().scales) {
    if (scale.varies_along(taps) || (scale.varies_along(inputs) && scale.varies_along(outputs))) return false;
  }
  const auto& zero = filters.parts().zero_point;
  return !zero || !(zero->varies_along(taps) || zero->varies_along(inputs));
}

QuantisedConstant scaled_filters(const QuantisedConstant& filters, const FilterForm& form,
                                 const std::vector<float>& factors, bool by_input) {
  const FilterAxes axes(form);
  const size_t channels = by_input ? axes.input : axes.output;
  return form.grouped ? filters.scaled({0, channels}, factors) : filters.scaled({channels}, factors);
}

}  // namespace wasmvino::ops
