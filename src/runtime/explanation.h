// SPDX-License-Identifier: Apache-2.0
// Describes a compiled model: what passes did, which kernels the plans use, and what takes memory.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/layout.h"
#include "model/quantization.h"
#include "runtime/compiled_model.h"

namespace wasmvino::runtime {

struct ExplainedValue {
  ElementType type = ElementType::kDynamic;
  PartialShape shape;
  bool constant = false;
  model::SharedQuantization quantization;
};

struct ExplainedNode {
  enum class How : uint8_t {
    kComputed,
    kView,      // is a view of an input
    kConstant,  // known when the plan was made
    kLate,      // data-dependent, so planned during the run
  };

  std::vector<std::string> path;  // names of the layers around it, outermost first
  std::string name, type;
  int version = 0;
  How how = How::kComputed;
  std::string method;  // of its kernel, if it has several
  std::optional<model::EdgeLayouts> layouts;
  std::vector<ExplainedValue> inputs, outputs;
  // Predicted, for one run of the graph or body.
  double operations = 0;
  double bytes = 0;  // read and written
};

struct ExplainedMemory {
  size_t weights = 0;  // constants as in the model
  size_t packed = 0;   // for kernels
  size_t arena = 0;    // temporaries, scratch memory
  size_t tensors = 0;  // inputs, outputs, variables
};

struct Explanation {
  std::vector<ExplainedNode> nodes;  // of the plans in use
  ExplainedMemory memory;
};

}  // namespace wasmvino::runtime
