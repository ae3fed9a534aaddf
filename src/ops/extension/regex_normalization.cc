// SPDX-License-Identifier: Apache-2.0
// RegexNormalization: replaces the matches of a regular expression.
// https://github.com/openvinotoolkit/openvino_tokenizers/blob/master/src/regex_normalization.cpp
#include "model/registry.h"
#include "ops/extension/normalization.h"
#include "ops/extension/regex.h"

namespace wasmvino::ops::extension::regex_normalization {

// Patterns of older tokenizers, and what OpenVINO Tokenizers takes in their place.
constexpr std::string_view kReplacedPatterns[][2] = {
    {R"( ([\\.\\?\\!,])| ('[ms])| (') | ('[rv]e)| (n't))",
     R"((?| ([\\.\\?\\!,])| ('[ms])| (') | ('[rv]e)| (n't)))"},
    {R"((^)(.))", R"((^)([\s\S]))"},
    {R"((^)(.+))", R"((^)([\s\S]))"},
};

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }
bool is_word(char letter) {
  return is_digit(letter) || letter == '_' || (letter >= 'a' && letter <= 'z') ||
         (letter >= 'A' && letter <= 'Z');
}

// A part of a replacement: a text, or what a group matched.
struct Part {
  std::string text;
  std::optional<size_t> group;
};

// Reads a replacement: $1, ${1}, $name, ${name}, $<name> and $& stand for groups, $$ for a dollar. \1 is $1.
std::vector<Part> read_replacement(std::string_view text, const Regex& regex) {
  std::vector<Part> parts;
  std::string literal;
  const auto refuse = [&](size_t at) {
    fail(ErrorCode::kInvalidValue, "the replacement '", text, "' refers to no group at byte ", at,
         ", expected $1 to $", regex.groups(), ", or $$ for a dollar");
  };
  for (size_t i = 0; i < text.size();) {
    const bool backslash = text[i] == '\\' && i + 1 < text.size() && text[i + 1] >= '1' && text[i + 1] <= '9';
    if (text[i] != '$' && !backslash) {
      literal += text[i++];
      continue;
    }
    const size_t at = i++;
    if (i == text.size()) refuse(at);
    if (!backslash && text[i] == '$') {
      literal += text[i++];
      continue;
    }
    size_t group = 0;
    if (!backslash && text[i] == '&') {
      ++i;
    } else {
      const char close = backslash ? 0 : text[i] == '{' ? '}' : text[i] == '<' ? '>' : 0;
      if (close != 0) ++i;
      const size_t first = i;
      const bool number = i < text.size() && is_digit(text[i]);
      while (i < text.size() && (number ? is_digit(text[i]) : is_word(text[i]))) ++i;
      const std::string_view name = text.substr(first, i - first);
      if (name.empty()) refuse(at);
      if (number) {
        for (const char digit : name)
          group = std::min<size_t>(group * 10 + static_cast<size_t>(digit - '0'), 1 << 20);
      } else {
        group = regex.group(name);
        if (group == 0) refuse(at);
      }
      if (group > regex.groups()) refuse(at);
      if (close != 0) {
        if (i == text.size() || text[i] != close) refuse(at);
        ++i;
      }
    }
    if (!literal.empty()) parts.push_back({std::move(literal), {}});
    literal.clear();
    parts.push_back({{}, group});
  }
  if (!literal.empty()) parts.push_back({std::move(literal), {}});
  return parts;
}

class Replacing final : public Normalization {
 public:
  Replacing(std::shared_ptr<const Regex> regex, std::string_view replacement, bool all, bool has_skips)
      : Normalization(has_skips),
        matcher_(std::move(regex)),
        parts_(read_replacement(replacement, matcher_.regex())),
        all_(all) {}

 private:
  void rewrite(std::string_view text, std::string& to) override {
    const size_t before = to.size();
    size_t start = 0;
    bool found = matcher_.find(text, 0);
    while (found) {
      to.append(text.substr(start, matcher_.begin() - start));
      if (!replace(text, to)) {  // PCRE2 does not replace a group that took no part: the text stays as it is
        to.resize(before);
        to.append(text);
        return;
      }
      start = matcher_.end();
      if (!all_) break;
      found = next(text, start, to);
    }
    to.append(text.substr(start));
  }

  // Finds the match after the last one. After an empty match, one that is not empty may begin at the same
  // place; otherwise a character is kept, and `start` moves past it.
  bool next(std::string_view text, size_t& start, std::string& to) {
    if (matcher_.begin() == matcher_.end()) {
      if (start == text.size()) return false;
      if (matcher_.find_at(text, start)) return true;
      size_t length = 0;
      code_point(text.substr(start), length);
      to.append(text.substr(start, length));
      start += length;
    }
    return matcher_.find(text, start);
  }

  bool replace(std::string_view text, std::string& to) const {
    for (const Part& part : parts_) {
      if (!part.group) {
        to.append(part.text);
      } else if (!matcher_.has(*part.group)) {
        return false;
      } else {
        to.append(text.substr(matcher_.begin(*part.group),
                              matcher_.end(*part.group) - matcher_.begin(*part.group)));
      }
    }
    return true;
  }

  Matcher matcher_;
  std::vector<Part> parts_;
  bool all_;
};

class RegexNormalization final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override { visitor.on("global_replace", global_replace_); }
  size_t least_outputs() const override { return 3; }

  void infer(InferContext& context) const override {
    context.expect_inputs(5, 6);
    const size_t pattern = context.input_count() - 2;
    expect_vector(context, pattern, "pattern");
    expect_vector(context, pattern + 1, "replacement");
    infer_normalization(context, context.input_count() == 6);
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    const size_t input = context.input_count() - 2;
    auto regex = context.shared<Regex>(input, "regular expression for replacement", [&] {
      std::string_view pattern = constant_text(context, input, "the pattern");
      for (const auto& [old, now] : kReplacedPatterns) {
        if (pattern == old) pattern = now;
      }
      return std::make_shared<Regex>(pattern);
    });
    return std::make_unique<Replacing>(std::move(regex), constant_text(context, input + 1, "the replacement"),
                                       global_replace_, context.input_count() == 6);
  }

 private:
  bool global_replace_ = true;
};

}  // namespace wasmvino::ops::extension::regex_normalization

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(regex_normalization) {
  registry.add<extension::regex_normalization::RegexNormalization>(
      {.type = "RegexNormalization",
       .versions = {1},
       .specification = "",
       .types = {{"begins", ElementType::kI32},
                 {"ends", ElementType::kI32},
                 {"symbols", ElementType::kU8},
                 {"skips or pattern", {ElementType::kBoolean, ElementType::kU8}},
                 {"pattern or replacement", ElementType::kU8},
                 {"replacement", ElementType::kU8}},
       .domain = "extension"});
}
}  // namespace wasmvino::ops
