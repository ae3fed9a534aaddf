// SPDX-License-Identifier: Apache-2.0
// What the runtime provides to nodes during compilation.
#pragma once

#include <string>
#include <vector>

#include "model/op.h"
#include "runtime/run_state.h"

namespace wasmvino::runtime {

class Services final : public model::CompileServices {
 public:
  Services(RunState& state, const std::vector<std::string>& path) : state_(state), path_(path) {}

  std::unique_ptr<model::Subgraph> subgraph(const model::Node& node, size_t body,
                                            std::span<const model::ValueInfo> parameters) override;
  std::shared_ptr<const void>& cache(const model::Node& node, std::string_view key) override {
    return (*state_.weights)[{&node, std::string(key)}];
  }
  model::Variable& variable(std::string_view id) override { return state_.variable(id); }
  const Parallel& parallel() const override { return *state_.parallel; }

 private:
  RunState& state_;
  const std::vector<std::string>& path_;
};

}  // namespace wasmvino::runtime
