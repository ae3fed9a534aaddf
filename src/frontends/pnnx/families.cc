// SPDX-License-Identifier: Apache-2.0
#include "frontends/pnnx/families.h"

#include <unordered_map>
#include <utility>

namespace wasmvino::pnnx {

std::span<const std::span<const Entry>> all_families() {
  static const std::span<const Entry> families[] = {
      activations(),       attention(), blocks(),      boxes(),           complex_numbers(), convolutions(),
      counting(),          creation(),  elementwise(), graph_operators(), images(),          indexing(),
      integrals(),         joins(),     losses(),      matrices(),        normalizations(),  padding(),
      pooling(),           recurrent(), reductions(),  scatters(),        shapes(),          sorting(),
      special_functions(), spectra()};
  return families;
}

const Entry* find_entry(std::string_view type) {
  // Never destroyed.
  static const auto& table = *[] {
    auto* made = new std::unordered_map<std::string_view, const Entry*>;
    for (const std::span<const Entry> family : all_families()) {
      for (const Entry& entry : family) made->emplace(entry.type, &entry);
    }
    return made;
  }();
  const auto found = table.find(type);
  return found == table.end() ? nullptr : found->second;
}

std::string_view obstacle_of(std::string_view type) {
  constexpr std::string_view kBranches =
      "pnnx writes neither the condition's branches nor the body of a loop into the file. Trace the network "
      "with torch.jit.trace, so that only the operators that run are recorded";
  constexpr std::string_view kMemory =
      "it reads the memory of its input by strides, and pnnx writes neither its offset nor the layout of "
      "that "
      "memory. Use slices or Tensor.unfold";
  constexpr std::string_view kRandom =
      "its results are random numbers, which a model does not repeat. Make them an input of the network";
  constexpr std::string_view kDecomposition =
      "no operation of OpenVINO decomposes matrices. Compute it outside of the model";
  constexpr std::string_view kQuantised =
      "quantised modules are not read from PNNX. Quantise with NNCF and use OpenVINO IR";
  constexpr std::pair<std::string_view, std::string_view> kObstacles[] = {
      {"prim::If", kBranches},
      {"prim::Loop", kBranches},
      {"torch.as_strided", kMemory},
      {"aten::as_strided", kMemory},
      {"aten::rand", kRandom},
      {"aten::normal", kRandom},
      {"aten::uniform", kRandom},
      {"aten::bernoulli", kRandom},
      {"aten::multinomial", kRandom},
      {"aten::poisson", kRandom},
      {"aten::linalg_svd", kDecomposition},
      {"aten::linalg_qr", kDecomposition},
      {"aten::linalg_lu", kDecomposition},
      {"aten::linalg_eig", kDecomposition},
      {"aten::linalg_cholesky", kDecomposition},
      {"aten::linalg_lstsq", kDecomposition},
      {"aten::linalg_pinv", kDecomposition},
      {"aten::linalg_matrix_exp", kDecomposition},
      {"aten::svd", kDecomposition},
      {"aten::qr", kDecomposition},
      {"aten::cholesky", kDecomposition},
      {"aten::pinverse", kDecomposition},
      {"nn.quantized.", kQuantised},
      {"quantized::", kQuantised},
      {"torch.quantize_per_tensor", kQuantised},
  };
  for (const auto& [prefix, reason] : kObstacles) {
    if (type.starts_with(prefix)) return reason;
  }
  return {};
}

}  // namespace wasmvino::pnnx
