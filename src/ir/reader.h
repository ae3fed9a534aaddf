// SPDX-License-Identifier: Apache-2.0
// Reads OpenVINO IR, versions 10 and 11.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format.html
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "core/bytes.h"
#include "core/error.h"
#include "model/node.h"
#include "model/registry.h"

namespace wasmvino::ir {

// All that is wrong with a model. Where it is one thing, the error itself is about it (layer, port, expected,
// actual); where there are several, the message lists them, one a line.
class ReadError : public Error {
 public:
  // `count` may be larger than the number of problems: the others are too many to keep.
  ReadError(std::vector<Error> problems, size_t count);
  // Each names its layer: type, name, id and line of the .xml.
  const std::vector<Error>& problems() const { return problems_; }

 private:
  std::vector<Error> problems_;
};

// The model that the text of the .xml and the bytes of the .bin describe, indexed and inferred. Values of
// constants stay in `weights` until somebody asks for them; nullptr: there are none. Throws ReadError that
// lists everything that is wrong.
std::unique_ptr<model::Model> read(std::string_view xml, std::shared_ptr<const ByteSource> weights,
                                   const model::Registry& registry);

// What a model is made of, whether or not it can be read.
struct Inspection {
  struct Port {
    std::vector<std::string> names;  // tensor names
    std::string friendly_name;       // of the Parameter or Result
    ElementType type = ElementType::kDynamic;
    PartialShape shape;
  };
  struct Operation {
    std::string type;     // as the registry spells it, or as written where it is unknown
    std::string version;  // "opset1": as written
    size_t count = 0;     // bodies included
    bool supported = false;
  };
  std::string name;
  int ir_version = 0;                 // 0 where the file is no IR
  std::vector<Port> inputs, outputs;  // as declared where the model cannot be read
  std::vector<Operation> operations;  // sorted by type, then version
  std::string missing_weights;        // why it cannot be run without its weights, where none were given
  std::vector<Error> problems;
};

// Never throws for what is wrong with a model: that stands in `problems`. Without weights, what depends on
// their values is left open and not checked.
Inspection inspect(std::string_view xml, std::shared_ptr<const ByteSource> weights,
                   const model::Registry& registry);

}  // namespace wasmvino::ir
