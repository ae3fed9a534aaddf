// SPDX-License-Identifier: Apache-2.0
// What every front end offers. A front end reads one file format; it knows the model and no other front end.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/bytes.h"
#include "frontends/common/inspection.h"
#include "model/node.h"
#include "model/registry.h"

namespace wasmvino::frontends {

class Frontend {
 public:
  virtual ~Frontend() = default;

  // The format, as users call it: "OpenVINO IR".
  virtual std::string_view name() const = 0;

  // Whether a file that begins so is in this format. `start` has at most kRecognisedBytes bytes.
  virtual bool recognises(std::string_view start) const = 0;

  // The model, indexed and inferred. Values of constants stay in `weights` until they are needed; nullptr: there are
  // none. Throws model::ReadError that lists everything that is wrong.
  virtual std::unique_ptr<model::Model> read(const ByteSource& model, std::shared_ptr<const ByteSource> weights,
                                             const model::Registry& registry) const = 0;

  // What the model is made of. Never throws for what is wrong with it: that is listed in `problems`.
  virtual Inspection inspect(const ByteSource& model, std::shared_ptr<const ByteSource> weights,
                             const model::Registry& registry) const = 0;
};

// All of a source, as text.
std::string read_text(const ByteSource& source);

}  // namespace wasmvino::frontends
