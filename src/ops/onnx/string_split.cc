// SPDX-License-Identifier: Apache-2.0
// StringSplit: splits strings at a delimiter, or at runs of white space if it is empty. The parts are a new
// last axis, padded with empty strings. Output 1 counts the parts of each string.
// https://onnx.ai/onnx/operators/onnx__StringSplit.html
#include <algorithm>
#include <limits>
#include <string>
#include <string_view>

#include "core/call.h"
#include "model/registry.h"

namespace wasmvino::ops::string_split {

bool is_space(char letter) { return letter == ' ' || (letter >= '\t' && letter <= '\r'); }

// Calls part(text) for each part.
template <typename Part>
void split(std::string_view text, std::string_view delimiter, size_t most, const Part& part) {
  size_t begin = 0;
  if (!delimiter.empty()) {
    for (size_t cuts = 0; cuts < most; ++cuts) {
      const size_t end = text.find(delimiter, begin);
      if (end == std::string_view::npos) break;
      part(text.substr(begin, end - begin));
      begin = end + delimiter.size();
    }
    return part(text.substr(begin));
  }
  for (size_t cuts = 0;; ++cuts) {
    while (begin < text.size() && is_space(text[begin])) ++begin;
    if (begin == text.size()) return;
    if (cuts == most) return part(text.substr(begin));
    size_t end = begin;
    while (end < text.size() && !is_space(text[end])) ++end;
    part(text.substr(begin, end - begin));
    begin = end;
  }
}

class Splitting final : public Kernel {
 public:
  Splitting(std::string delimiter, size_t most) : delimiter_(std::move(delimiter)), most_(most) {}

  void run(EvalContext& context) override {
    const TensorView& data = context.input(0);
    const auto* texts = data.data<std::string>();
    auto* const counts = context.output(1).mutable_data<int64_t>();
    int64_t widest = 0;
    WorkMeter meter;
    for (size_t i = 0; i < data.size(); ++i) {
      counts[i] = 0;
      split(texts[i], delimiter_, most_, [&](std::string_view) { ++counts[i]; });
      widest = std::max(widest, counts[i]);
      meter.add(texts[i].size() + 16);
    }
    Shape shape = data.shape;
    shape.push_back(widest);
    context.set_output_shape(0, shape);
    auto* to = context.output(0).mutable_data<std::string>();
    for (size_t i = 0; i < data.size(); ++i, to += widest) {
      size_t place = 0;
      split(texts[i], delimiter_, most_, [&](std::string_view part) { to[place++].assign(part); });
      for (; place < static_cast<size_t>(widest); ++place) to[place].clear();
      meter.add(texts[i].size() + 16 * static_cast<size_t>(widest));
    }
  }

 private:
  std::string delimiter_;
  size_t most_;
};

class StringSplit final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.on("delimiter", delimiter_);
    visitor.on("maxsplit", most_);
  }
  size_t least_outputs() const override { return 2; }

  void infer(InferContext& context) const override {
    context.expect_inputs(1);
    PartialShape shape = context.input_shape(0);
    context.set_output(1, ElementType::kI64, shape);
    if (shape.has_rank()) shape.push_back(Dimension());
    context.set_output(0, ElementType::kString, shape);
  }

  std::unique_ptr<Kernel> compile(CompileContext&) const override {
    // -1: no limit.
    const bool limited = most_ >= 0 && static_cast<uint64_t>(most_) < std::numeric_limits<size_t>::max();
    return std::make_unique<Splitting>(
        delimiter_, limited ? static_cast<size_t>(most_) : std::numeric_limits<size_t>::max());
  }

 private:
  std::string delimiter_;
  int64_t most_ = -1;
};

}  // namespace wasmvino::ops::string_split

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(string_split) {
  registry.add<string_split::StringSplit>(
      {"StringSplit", {1}, "StringSplit", {{"data", kString}}, kLastOpset, "ai.onnx"});
}
}  // namespace wasmvino::ops
