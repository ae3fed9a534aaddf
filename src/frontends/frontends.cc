// SPDX-License-Identifier: Apache-2.0
#include "frontends/frontends.h"

#include <algorithm>

#include "frontends/common/file_kind.h"
#include "model/problems.h"

namespace wasmvino::frontends {
namespace {

std::string start_of(const ByteSource& source) {
  std::string start(std::min(source.size(), kRecognisedBytes), '\0');
  if (!start.empty()) source.read(0, start.size(), start.data());
  return start;
}

// Explains why no front end accepts the model.
Error unrecognised(const ByteSource& model) {
  const std::string_view kind = recognise_file(start_of(model));
  std::string formats;
  for (const Frontend* frontend : all()) formats += cat(formats.empty() ? "" : " or ", frontend->name());
  if (model.size() == 0)
    return Error(ErrorCode::kInvalidModel, cat("the model is empty, expected ", formats));
  if (!kind.empty()) return Error(ErrorCode::kInvalidModel, cat("this is not ", formats, " but ", kind));
  return Error(ErrorCode::kInvalidModel, cat("this is not a model in ", formats,
                                             ". Weights (a .bin) are given beside their model file"));
}

}  // namespace

const Frontend* find(const ByteSource& model) {
  const std::string start = start_of(model);
  for (const Frontend* frontend : all()) {
    if (frontend->recognises(start)) return frontend;
  }
  return nullptr;
}

Outline outline(const ByteSource& model) {
  const Frontend* frontend = find(model);
  return frontend == nullptr ? Outline() : frontend->outline(model);
}

std::unique_ptr<model::Model> read(std::shared_ptr<const ByteSource> model, const Companions& companions,
                                   const model::Registry& registry) {
  const Frontend* frontend = find(*model);
  if (frontend == nullptr) throw model::ReadError({unrecognised(*model)}, 1);
  return frontend->read(std::move(model), companions, registry);
}

Inspection inspect(std::shared_ptr<const ByteSource> model, const Companions& companions,
                   const model::Registry& registry) {
  const Frontend* frontend = find(*model);
  if (frontend == nullptr) {
    Inspection inspection;
    inspection.problems.push_back(unrecognised(*model));
    return inspection;
  }
  Inspection inspection = frontend->inspect(std::move(model), companions, registry);
  inspection.format = frontend->name();
  return inspection;
}

std::string write(const model::Model& model, const WeightsSink& weights, const WriteOptions& options) {
  for (const Frontend* frontend : all()) {
    if (std::optional<std::string> text = frontend->write(model, weights, options)) return *std::move(text);
  }
  fail(ErrorCode::kUnsupported, "this build cannot save models: it was built without OpenVINO IR");
}

}  // namespace wasmvino::frontends
