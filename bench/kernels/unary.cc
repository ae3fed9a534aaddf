// SPDX-License-Identifier: Apache-2.0
#include "kernels/unary.h"

#include "bench.h"

namespace wasmvino::bench {

void add_unary(Suite& suite) {
  using kernels::Unary;
  static constexpr struct {
    const char* name;
    Unary kind;
  } kFunctions[] = {{"relu", Unary::kRelu},       {"exp", Unary::kExp},
                    {"log", Unary::kLog},         {"tanh", Unary::kTanh},
                    {"sigmoid", Unary::kSigmoid}, {"erf", Unary::kErf},
                    {"gelu", Unary::kGeluErf},    {"gelu_tanh", Unary::kGeluTanh},
                    {"swish", Unary::kSwish},     {"mish", Unary::kMish},
                    {"hswish", Unary::kHSwish},   {"sin", Unary::kSin},
                    {"power", Unary::kPower}};
  for (size_t n : {size_t{1000}, size_t{1} << 20}) {
    float *x = buffer(n), *y = buffer(n);
    for (size_t i = 0; i < n; ++i) x[i] *= 8;
    for (const auto& f : kFunctions) {
      suite.add(std::string(f.name) + " " + std::to_string(n), 8.0 * static_cast<double>(n), "GB/s",
                [=, kind = f.kind] { kernels::apply_unary({kind, 1.0f, 0.5f}, x, y, n); });
    }
  }
}

}  // namespace wasmvino::bench
