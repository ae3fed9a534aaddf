// SPDX-License-Identifier: Apache-2.0
// Shared by the tests of normalisations: data, and groups of elements that are normalised together.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "tests/ops/open_inputs.h"

namespace wasmvino::test {

inline Tensor pattern(const Shape& shape, unsigned seed = 1) {
  Tensor tensor(ElementType::kF32, shape);
  for (size_t i = 0; i < tensor.size(); ++i) {
    tensor.mutable_data<float>()[i] =
        0.25f * static_cast<float>(static_cast<int>((i * 31 + seed * 17) % 37) - 15);
  }
  return tensor;
}

// Applies `normalize` to each group of elements that differ only along `axes`.
inline std::vector<float> normalized(const Tensor& data, const std::vector<size_t>& axes,
                                     const std::function<void(std::vector<double>&)>& normalize) {
  const Shape& shape = data.shape();
  std::map<std::vector<size_t>, std::vector<size_t>> groups;
  for (size_t i = 0; i < data.size(); ++i) {
    std::vector<size_t> key;
    size_t rest = i;
    for (size_t axis = shape.size(); axis-- > 0;) {
      const size_t at = rest % static_cast<size_t>(shape[axis]);
      rest /= static_cast<size_t>(shape[axis]);
      if (std::find(axes.begin(), axes.end(), axis) == axes.end()) key.push_back(at);
    }
    groups[key].push_back(i);
  }
  std::vector<float> result(data.size());
  for (const auto& [key, members] : groups) {
    std::vector<double> values;
    for (const size_t i : members) values.push_back(static_cast<double>(data.data<float>()[i]));
    normalize(values);
    for (size_t j = 0; j < members.size(); ++j) result[members[j]] = static_cast<float>(values[j]);
  }
  return result;
}

// All subsets of the axes 0..rank-1.
inline std::vector<std::vector<size_t>> axis_sets(size_t rank) {
  std::vector<std::vector<size_t>> sets;
  for (unsigned mask = 0; mask < 1u << rank; ++mask) {
    std::vector<size_t> axes;
    for (size_t axis = 0; axis < rank; ++axis) {
      if (mask >> axis & 1) axes.push_back(axis);
    }
    sets.push_back(axes);
  }
  return sets;
}

// The axes as a tensor. The first one is negative.
inline Tensor axes_tensor(const std::vector<size_t>& axes, size_t rank) {
  std::vector<int64_t> values(axes.begin(), axes.end());
  if (!values.empty()) values[0] -= static_cast<int64_t>(rank);
  return Tensor::of<int64_t>({static_cast<int64_t>(values.size())}, values.data());
}

}  // namespace wasmvino::test
