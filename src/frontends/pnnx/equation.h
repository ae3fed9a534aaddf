// SPDX-License-Identifier: Apache-2.0
// The equation of torch.einsum as pnnx writes it: without the ellipsis that stood for several axes.
#pragma once

#include <string>
#include <vector>

#include "core/shape.h"

namespace wasmvino::pnnx {

// The equation with an ellipsis again if inputs have more axes than letters. pnnx either drops the ellipsis,
// wherever it stood, or writes one letter for it. The first form that gives the declared shape is returned;
// the equation itself if there is none, or if no ellipsis is missing.
std::string with_ellipses(const std::string& equation, const std::vector<PartialShape>& inputs,
                          const PartialShape& declared);

}  // namespace wasmvino::pnnx
