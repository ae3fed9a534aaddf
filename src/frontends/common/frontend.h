// SPDX-License-Identifier: Apache-2.0
// The interface of a front end. A front end reads one file format and may write it. It knows the model layer,
// but no other front end.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/bytes.h"
#include "frontends/common/companions.h"
#include "frontends/common/inspection.h"
#include "frontends/common/outline.h"
#include "model/node.h"
#include "model/registry.h"

namespace wasmvino::frontends {

// Receives the bytes of the weights, one range after another.
using WeightsSink = std::function<void(const void* bytes, size_t count)>;

struct WriteOptions {
  // Stores constants of f32 and f64 as f16, as OpenVINO's save_model() does.
  bool compress_to_f16 = false;
};

class Frontend {
 public:
  virtual ~Frontend() = default;

  // The format, as users call it: "OpenVINO IR".
  virtual std::string_view name() const = 0;

  // The format's operators that are built with an operation, sorted: "nn.ReLU" for "Relu". nullopt if the
  // format has no operators of its own: the layers of OpenVINO IR are the operations.
  virtual std::optional<std::vector<std::string_view>> operators_for(std::string_view /*operation*/) const {
    return std::nullopt;
  }

  // Whether a file with this start has this format. `start` has at most kRecognisedBytes bytes.
  virtual bool recognises(std::string_view start) const = 0;

  // What the file says before the model is read. Problems of the file are left to read(). Empty for formats
  // that name neither dimensions nor files of their own.
  virtual Outline outline(const ByteSource& /*model*/) const { return {}; }

  // Returns the model, indexed and inferred. Values of constants stay in their files until they are needed.
  // Throws model::ReadError, which lists all problems.
  virtual std::unique_ptr<model::Model> read(std::shared_ptr<const ByteSource> model,
                                             const Companions& companions,
                                             const model::Registry& registry) const = 0;

  // Describes the model. Never throws for problems of the model; it lists them in `problems`.
  virtual Inspection inspect(std::shared_ptr<const ByteSource> model, const Companions& companions,
                             const model::Registry& registry) const = 0;

  // Returns the text of a model that is indexed and inferred, and passes its weights to `weights`. At most
  // one constant is in memory at a time. Returns nullopt if this build only reads the format.
  virtual std::optional<std::string> write(const model::Model&, const WeightsSink& /*weights*/,
                                           const WriteOptions&) const {
    return std::nullopt;
  }
};

// All of a source, as text.
std::string read_text(const ByteSource& source);

}  // namespace wasmvino::frontends
