// SPDX-License-Identifier: Apache-2.0
#include "cli/cases.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/arrays.h"
#include "core/error.h"

namespace wasmvino::cli {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

// Python's json writes Infinity and NaN, which are no JSON: outside strings they become null.
Json parse_json(std::string text) {
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') in_string = !in_string;
    if (in_string && text[i] == '\\') ++i;
    if (in_string) continue;
    for (const std::string_view word : {"-Infinity", "Infinity", "NaN"}) {
      if (text.compare(i, word.size(), word) == 0) text.replace(i, word.size(), "null");
    }
  }
  return Json::parse(text);
}

ElementType element_type(const Json& port) {
  const std::string text = port.at("type");
  const auto type = parse_element_type(text);
  if (!type) fail(ErrorCode::kInvalidArgument, "there is no element type ", text);
  return *type;
}

// Form 1: in_I.npy and out_I.npy, or in_STEP_I.npy and out_STEP_I.npy where there are several steps.
Case read_positional(const fs::path& folder, const fs::path& below, const Json& json) {
  Case result;
  result.name = below == "." ? json.value("name", ".") : below.generic_string();
  result.operation = json.at("op");
  if (json.value("suite", "") == "ops") result.operation += "-" + json.at("opset").get<std::string>();
  result.model = folder / "model.xml";
  if (json.contains("compare")) {
    const Json& compare = json["compare"];
    if (compare.at("mode") != "sort_axis") {
      fail(ErrorCode::kInvalidArgument, "there is no way of comparing called ",
           compare["mode"].get<std::string>());
    }
    result.sort_axis = compare.at("axis").get<int64_t>();
  }
  const size_t steps = json.value("steps", size_t{1});
  std::vector<CaseStep> sequence(steps);
  for (size_t s = 0; s < steps; ++s) {
    CaseStep& step = sequence[s];
    const std::string prefix = steps > 1 ? cat(s, "_") : "";
    if (steps > 1) step.name = cat("step ", s);
    for (size_t i = 0; i < json.at("inputs").size(); ++i) {
      step.inputs.push_back({i, json["inputs"][i].value("name", ""), folder / cat("in_", prefix, i)});
    }
    for (size_t i = 0; i < json.at("outputs").size(); ++i) {
      const Json& port = json["outputs"][i];
      CaseOutput output{i, port.value("name", ""), folder / cat("out_", prefix, i), element_type(port), {},
                        {}};
      output.rule.rtol = json.at("rtol");
      output.rule.atol = json.at("atol");
      output.rule.exact = !is_real(output.type);
      output.result = below / cat("out_", prefix, i);
      step.outputs.push_back(std::move(output));
    }
  }
  result.sequences.push_back(std::move(sequence));
  return result;
}

DetectionRule detection_rule(const Json& json) {
  if (json.at("mode") != "detections") {
    fail(ErrorCode::kInvalidArgument, "there is no way of comparing called ",
         json["mode"].get<std::string>());
  }
  DetectionRule rule;
  const std::vector<std::string> columns = json.at("columns");
  const auto column = [&](const char* name) {
    return static_cast<size_t>(std::find(columns.begin(), columns.end(), name) - columns.begin());
  };
  rule.image = column("image");
  rule.label = column("label");
  rule.score = column("score");
  rule.box = column("x0");
  if (std::max({rule.image, rule.label, rule.score, rule.box + 3}) >= columns.size()) {
    fail(ErrorCode::kInvalidArgument,
         "the columns of the detections lack one of image, label, score, x0 … y1");
  }
  rule.min_score = json.at("min_score");
  rule.iou = json.at("iou");
  rule.score_atol = json.at("score_atol");
  return rule;
}

// What a model says of the output called `name`, with the case's own tolerances where it says nothing.
Rule output_rule(const Json& json, const Json& model, const std::string& name) {
  Rule rule;
  rule.rtol = json.at("rtol");
  rule.atol = json.at("atol");
  if (json.contains("mean_atol")) rule.mean_atol = json["mean_atol"].get<double>();
  for (const Json& port : model.at("outputs")) {
    if (port.at("name") != name) continue;
    rule.atol = port.value("atol", rule.atol);
    if (port.contains("mean_atol")) rule.mean_atol = port["mean_atol"].get<double>();
    if (port.contains("min_cosine")) rule.min_cosine = port["min_cosine"].get<double>();
    if (port.contains("compare")) rule.detections = detection_rule(port["compare"]);
  }
  for (const Json& exact : json.value("exact", Json::array())) rule.exact |= exact == name;
  return rule;
}

CaseStep read_named_step(const fs::path& folder, const Json& json, const Json& model, const Json& record,
                         const fs::path& results, bool int8) {
  CaseStep step;
  for (const auto& [name, array] : record.at("inputs").items()) {
    step.inputs.push_back({std::nullopt, name, folder / array.at("file").get<std::string>()});
  }
  for (const auto& [name, array] : record.at("outputs").items()) {
    const size_t position = array.at("index");
    const char* const file = int8 && array.contains("file_int8_kernels") ? "file_int8_kernels" : "file";
    step.outputs.push_back({position, name, folder / array.at(file).get<std::string>(), ElementType::kDynamic,
                            output_rule(json, model, name), results / cat("out_", position)});
  }
  return step;
}

// Form 2: sets, each with a fresh state, or sequences of steps that keep it; one model or several.
void read_named(const fs::path& folder, const fs::path& below, const Json& json, bool int8,
                std::vector<Case>& cases) {
  const Json models = json.contains("models") ? json["models"] : Json{{"model", json}};
  for (const auto& [key, model] : models.items()) {
    Case result;
    result.name = json.contains("models") ? (below / key).generic_string() : below.generic_string();
    result.operation = result.name;
    result.model = folder / model.value("model", "model.xml");
    const fs::path results = below / key;
    if (model.contains("sequences")) {
      for (size_t q = 0; q < model["sequences"].size(); ++q) {
        std::vector<CaseStep> sequence;
        const Json& steps = model["sequences"][q].at("steps");
        for (size_t t = 0; t < steps.size(); ++t) {
          sequence.push_back(read_named_step(folder, json, model, steps[t],
                                             results / cat("seq_", q) / cat("step_", t), int8));
          sequence.back().name = cat("sequence ", q, ", step ", t);
        }
        result.sequences.push_back(std::move(sequence));
      }
    } else {
      for (size_t s = 0; s < model.at("sets").size(); ++s) {
        result.sequences.push_back(
            {read_named_step(folder, json, model, model["sets"][s], results / cat("set_", s), int8)});
        result.sequences.back().back().name = cat("set ", s);
      }
    }
    cases.push_back(std::move(result));
  }
}

}  // namespace

std::vector<Case> find_cases(const fs::path& folder, bool int8) {
  if (!fs::is_directory(folder)) fail(ErrorCode::kInvalidArgument, "there is no folder ", folder.string());
  std::vector<fs::path> files;
  const auto options = fs::directory_options::follow_directory_symlink;
  for (const auto& entry : fs::recursive_directory_iterator(folder, options)) {
    if (entry.path().filename() == "case.json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<Case> cases;
  for (const fs::path& file : files) {
    const fs::path below = file.parent_path().lexically_relative(folder);
    try {
      const Json json = parse_json(read_file(file));
      const bool named = json.contains("sets") || json.contains("sequences") || json.contains("models");
      if (named) {
        // A folder given itself still has a name of its own among results.
        const fs::path itself = fs::absolute(folder / "").lexically_normal().parent_path().filename();
        read_named(file.parent_path(), below == "." ? itself : below, json, int8, cases);
      } else if (json.contains("outputs")) {
        cases.push_back(read_positional(file.parent_path(), below, json));
      }
    } catch (const Json::exception& error) {
      fail(ErrorCode::kInvalidArgument, file.string(), ": ", error.what());
    } catch (Error& error) {
      error.within(file.string());
      throw;
    }
  }
  return cases;
}

}  // namespace wasmvino::cli
