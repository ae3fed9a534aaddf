// SPDX-License-Identifier: Apache-2.0
// Runs operations of other domains than OpenVINO's opsets, as op_tester.h and open_inputs.h run those.
#pragma once

#include "tests/ops/open_inputs.h"

namespace wasmvino::test {

inline std::unique_ptr<model::Node> make_domain_node(std::string_view domain, std::string_view type,
                                                     const model::AttributeTexts& attributes) {
  const model::OpClass* found = registry().find_newest(type, domain);
  if (found == nullptr) fail(ErrorCode::kUnsupported, "the domain ", domain, " has no ", type);
  auto op = found->make();
  model::AttributeReader reader(attributes);
  op->visit_attributes(reader);
  auto node = std::make_unique<model::Node>("test", std::string(found->type), found->since, std::move(op));
  node->outputs.resize(1);
  return node;
}

// With inputs that are all known, on one thread and on three.
inline Tensor run_domain_op(std::string_view domain, std::string_view type,
                            const model::AttributeTexts& attributes, const std::vector<Tensor>& inputs) {
  static const CutUp three(3);
  const auto node = make_domain_node(domain, type, attributes);
  Tensor result = model::evaluate_node(*node, inputs)[0];
  EXPECT_TRUE(same_elements(result, model::evaluate_node(*node, inputs, three)[0])) << "on three threads";
  return result;
}

// With inputs that are unknown until it runs, except for the `constants`.
inline Tensor run_domain_op_open(std::string_view domain, std::string_view type,
                                 const model::AttributeTexts& attributes, const std::vector<Tensor>& inputs,
                                 const std::vector<size_t>& constants, size_t threads) {
  return OpenRun(threads).run(*make_domain_node(domain, type, attributes), inputs, constants)[0];
}

}  // namespace wasmvino::test
