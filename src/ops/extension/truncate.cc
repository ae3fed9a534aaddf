// SPDX-License-Identifier: Apache-2.0
// Truncate: shortens the rows of one ragged tensor, or of two together, to a number of elements.
// https://github.com/openvinotoolkit/openvino_tokenizers/blob/master/src/truncate.cpp
#include <algorithm>

#include "model/registry.h"
#include "ops/extension/strings.h"
#include "ops/inputs/inputs.h"

namespace wasmvino::ops::extension::truncate {

struct Lengths {
  int64_t first, second;
};

// The lengths to which two rows are shortened that are longer than `most` together. OpenVINO Tokenizers gives
// each half of it, and the odd element to the longer one; a row that needs less than its half leaves the rest
// to the other.
Lengths shortened(Lengths rows, int64_t most, std::string_view mode) {
  if (mode == "only_first") return {std::min(rows.first, most), rows.second};
  if (mode == "only_second") return {rows.first, std::min(rows.second, most)};
  const int64_t half = most / 2, odd = most % 2;
  if (rows.first >= half + odd && rows.second <= half) return {most - rows.second, rows.second};
  if (rows.first < half + odd && rows.second > half) return {rows.first, most - rows.first};
  const bool first_is_longer = rows.first >= rows.second;
  return {half + (first_is_longer ? odd : 0), half + (first_is_longer ? 0 : odd)};
}

std::string_view text_of(const TensorView& text) { return {text.data<char>(), text.size()}; }

class Truncate final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override {
    // Written by OpenVINO Tokenizers. The number of inputs says the same.
    visitor.on("m_num_inputs", num_inputs_);
  }
  size_t least_outputs() const override { return 3; }

  void infer(InferContext& context) const override {
    const size_t count = context.input_count();
    if (count != 6 && count != 9) {
      fail(ErrorCode::kInvalidModel, "Truncate has ", count, " inputs, expected 6, or 9 for pairs");
    }
    expect_single(context, count - 3, "max_length");
    for (const size_t i : {count - 3, count - 2, count - 1}) {
      const ElementType expected = i == count - 3 ? ElementType::kI32 : ElementType::kU8;
      if (context.input_type(i) == expected || context.input_type(i) == ElementType::kDynamic) continue;
      fail(ErrorCode::kInvalidType, "input ", i, " is ", context.input_type(i), ", expected ", expected);
    }
    for (size_t i = 0; i + 3 < count; i += 3) {
      for (const size_t input : {i, i + 1}) {
        if (context.input_type(input) == ElementType::kI32 ||
            context.input_type(input) == ElementType::kDynamic)
          continue;
        fail(ErrorCode::kInvalidType, "input ", input, " is ", context.input_type(input), ", expected i32");
      }
      context.set_output(i, ElementType::kI32, context.input_shape(i));
      context.set_output(i + 1, ElementType::kI32, context.input_shape(i));
      context.set_output(i + 2, context.input_type(i + 2), context.input_shape(i + 2));
    }
  }

  std::optional<ViewOf> view_of(const CompileContext&, size_t output) const override {
    return output % 3 == 2 ? std::optional(ViewOf{output}) : std::nullopt;
  }

  void evaluate(EvalContext& context) const override {
    const size_t count = context.input_count();
    const bool pairs = count == 9;
    const int64_t most = *context.input(count - 3).data<int32_t>();
    const std::string_view side = text_of(context.input(count - 2)), mode = text_of(context.input(count - 1));
    if (most < 0) fail(ErrorCode::kInvalidValue, "max_length is ", most, ", expected 0 or more");
    if (side != "left" && side != "right") {
      fail(ErrorCode::kInvalidValue, "the side of truncation is '", side, "', expected left or right");
    }
    if (mode != "only_first" && mode != "only_second" && mode != "longest_first") {
      fail(ErrorCode::kInvalidValue, "the mode of truncation is '", mode,
           "', expected only_first, only_second or longest_first");
    }
    const Ranges first = rows_of(context, 0), second = rows_of(context, pairs ? 3 : 0);
    if (first.size() != second.size()) {
      fail(ErrorCode::kInvalidShape, "there are ", first.size(), " first rows, but ", second.size(),
           " second ones");
    }
    for (size_t i = 0; i < first.size(); ++i) {
      const auto own = static_cast<int64_t>(first[i].size()), other = static_cast<int64_t>(second[i].size());
      if (!pairs) {
        write(context, 0, i, first[i], std::min(own, most), side);
        continue;
      }
      Lengths lengths = {own, other};
      if (own + other > most) lengths = shortened(lengths, most, mode);
      write(context, 0, i, first[i], lengths.first, side);
      write(context, 3, i, second[i], lengths.second, side);
    }
  }

 private:
  static void write(EvalContext& context, size_t output, size_t row, Range range, int64_t length,
                    std::string_view side) {
    const auto kept = static_cast<size_t>(std::clamp<int64_t>(length, 0, static_cast<int64_t>(range.size())));
    if (side == "right") {
      range.end = range.begin + kept;
    } else {
      range.begin = range.end - kept;
    }
    context.output(output).mutable_data<int32_t>()[row] = static_cast<int32_t>(range.begin);
    context.output(output + 1).mutable_data<int32_t>()[row] = static_cast<int32_t>(range.end);
  }

  int64_t num_inputs_ = 1;
};

}  // namespace wasmvino::ops::extension::truncate

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(truncate) {
  registry.add<extension::truncate::Truncate>(
      {.type = "Truncate",
       .versions = {1},
       .specification = "",
       .types = {{"begins", ElementType::kI32},
                 {"ends", ElementType::kI32},
                 {"elements", kWholeBytes},
                 {"further inputs", kWholeBytes, InputTypes::kAny, true}},
       .domain = "extension"});
}
}  // namespace wasmvino::ops
