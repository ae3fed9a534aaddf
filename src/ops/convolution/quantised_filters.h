// SPDX-License-Identifier: Apache-2.0
// Filters that are quantised constants.
#pragma once

#include <vector>

#include "ops/convolution/convolution_base.h"
#include "ops/quantised_data/quantised_constant.h"

namespace wasmvino::ops {

// The axes of filters in FilterForm's layout.
struct FilterAxes {
  explicit FilterAxes(const FilterForm& form)
      : output(form.first_spatial() - (form.transposed ? 1 : 2)),
        input(form.first_spatial() - (form.transposed ? 2 : 1)),
        first_spatial(form.first_spatial()) {}
  size_t output, input, first_spatial;
};

// Whether kernels can pack filters: they have scales per output or input channel, and zero points per output
// channel. Other filters are dequantised when they are packed.
bool can_pack_filters(const QuantisedConstant& filters, const FilterForm& form);

// The same filters, each multiplied by the factor of its output or input channel. Channels are numbered
// consecutively across all groups.
QuantisedConstant scaled_filters(const QuantisedConstant& filters, const FilterForm& form,
                                 const std::vector<float>& factors, bool by_input);

}  // namespace wasmvino::ops
