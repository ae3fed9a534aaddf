// SPDX-License-Identifier: Apache-2.0
#include "ops/reduction/reduce_mean.h"

#include "model/registry.h"

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(reduce_mean) {
  registry.add<reduce_mean::ReduceMean>(
      {"ReduceMean", {1}, "reduction/reduce-mean-1", {{"data", kNumbers}, {"axes", kAnyIntegers}}});
}
}  // namespace wasmvino::ops
