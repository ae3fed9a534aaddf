// SPDX-License-Identifier: Apache-2.0
// What every front end offers. A front end reads one file format, and may write it; it knows the model and no
// other front end.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/bytes.h"
#include "frontends/common/inspection.h"
#include "model/node.h"
#include "model/registry.h"

namespace wasmvino::frontends {

// Takes the bytes of the weights, one range after another.
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

  // The format's operators that an operation serves, sorted: "nn.ReLU" for "Relu". Nothing where the format
  // has no operators of its own: the layers of OpenVINO IR are the operations.
  virtual std::optional<std::vector<std::string_view>> operators_for(std::string_view /*operation*/) const {
    return std::nullopt;
  }

  // Whether a file that begins so is in this format. `start` has at most kRecognisedBytes bytes.
  virtual bool recognises(std::string_view start) const = 0;

  // The model, indexed and inferred. Values of constants stay in `weights` until they are needed; nullptr:
  // there are none. Throws model::ReadError that lists everything that is wrong.
  virtual std::unique_ptr<model::Model> read(const ByteSource& model,
                                             std::shared_ptr<const ByteSource> weights,
                                             const model::Registry& registry) const = 0;

  // What the model is made of. Never throws for what is wrong with it: that is listed in `problems`.
  virtual Inspection inspect(const ByteSource& model, std::shared_ptr<const ByteSource> weights,
                             const model::Registry& registry) const = 0;

  // The text of a model that is indexed and inferred; its weights go to `weights`, of which no more than one
  // constant is in memory at a time. Nothing where this build only reads the format.
  virtual std::optional<std::string> write(const model::Model&, const WeightsSink& /*weights*/,
                                           const WriteOptions&) const {
    return std::nullopt;
  }
};

// All of a source, as text.
std::string read_text(const ByteSource& source);

}  // namespace wasmvino::frontends
