// SPDX-License-Identifier: Apache-2.0
#include "frontends/pnnx/equation.h"

#include <algorithm>
#include <map>
#include <optional>

namespace wasmvino::pnnx {
namespace {

// An ellipsis is a single dot.
constexpr char kDots = '.';

struct Equation {
  std::vector<std::string> inputs;
  std::optional<std::string> output;

  std::string text() const {
    std::string text;
    const auto append = [&](const std::string& subscript) {
      for (const char letter : subscript)
        text += letter == kDots ? std::string("...") : std::string(1, letter);
    };
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (i > 0) text += ',';
      append(inputs[i]);
    }
    if (output) {
      text += "->";
      append(*output);
    }
    return text;
  }
};

Equation parse(const std::string& text) {
  Equation parsed;
  const size_t arrow = text.find("->");
  std::string_view left = std::string_view(text).substr(0, arrow);
  while (true) {
    const size_t comma = left.find(',');
    parsed.inputs.emplace_back(left.substr(0, comma));
    if (comma == std::string_view::npos) break;
    left.remove_prefix(comma + 1);
  }
  if (arrow != std::string::npos) parsed.output = text.substr(arrow + 2);
  return parsed;
}

// The output's subscript if the equation has none: the ellipsis, then all letters that occur once.
std::string implicit_output(const Equation& equation) {
  std::string all, output;
  for (const std::string& subscript : equation.inputs) all += subscript;
  if (all.find(kDots) != std::string::npos) output += kDots;
  for (char letter = 'A'; letter <= 'z'; ++letter) {
    if (std::count(all.begin(), all.end(), letter) == 1) output += letter;
  }
  return output;
}

// A size of 1 gives way to the other.
Dimension joined(Dimension a, Dimension b) { return a.is_static() && a.size() == 1 ? b : a; }

// The shape of the result; nullopt if the subscripts do not fit the inputs.
std::optional<PartialShape> result_of(const Equation& equation, const std::vector<PartialShape>& inputs) {
  std::map<char, Dimension> sizes;
  std::vector<Dimension> covered;  // by the ellipsis, from the last axis to the first
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::string& subscript = equation.inputs[i];
    const bool dots = subscript.find(kDots) != std::string::npos;
    const size_t letters = subscript.size() - (dots ? 1 : 0), rank = inputs[i].rank();
    if (letters > rank || (!dots && letters != rank)) return std::nullopt;
    size_t axis = 0;
    for (const char letter : subscript) {
      if (letter != kDots) {
        const Dimension size = inputs[i][axis++];
        const auto [found, is_new] = sizes.emplace(letter, size);
        if (!is_new) found->second = joined(found->second, size);
        continue;
      }
      for (size_t k = rank - letters; k-- > 0; ++axis) {
        if (covered.size() <= k) covered.resize(k + 1, Dimension(1));
        covered[k] = joined(covered[k], inputs[i][axis]);
      }
    }
  }
  PartialShape result = PartialShape::of_rank(0);
  for (const char letter : equation.output ? *equation.output : implicit_output(equation)) {
    if (letter != kDots) {
      const auto found = sizes.find(letter);
      if (found == sizes.end()) return std::nullopt;
      result.push_back(found->second);
    } else {
      for (size_t k = covered.size(); k-- > 0;) result.push_back(covered[k]);
    }
  }
  return result;
}

// The forms that may have become this equation.
std::vector<Equation> forms_of(const Equation& equation, const std::vector<PartialShape>& inputs) {
  std::vector<Equation> forms;
  for (const bool in_front : {true, false}) {
    for (const bool output_in_front : {true, false}) {
      Equation form = equation;
      for (size_t i = 0; i < inputs.size(); ++i) {
        std::string& subscript = form.inputs[i];
        if (subscript.size() < inputs[i].rank()) subscript.insert(in_front ? 0 : subscript.size(), 1, kDots);
      }
      if (form.output) form.output->insert(output_in_front ? 0 : form.output->size(), 1, kDots);
      forms.push_back(form);
    }
  }
  std::string letters;
  for (const std::string& subscript : equation.inputs) {
    for (const char letter : subscript) {
      if (letters.find(letter) == std::string::npos) letters += letter;
    }
  }
  for (const char letter : letters) {
    Equation form = equation;
    for (std::string& subscript : form.inputs)
      std::replace(subscript.begin(), subscript.end(), letter, kDots);
    if (form.output) std::replace(form.output->begin(), form.output->end(), letter, kDots);
    forms.push_back(form);
  }
  return forms;
}

}  // namespace

std::string with_ellipses(const std::string& equation, const std::vector<PartialShape>& inputs,
                          const PartialShape& declared) {
  const auto is_letter = [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
  };
  const Equation parsed = parse(equation);
  bool lacks = false;
  if (parsed.inputs.size() != inputs.size()) return equation;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].has_rank() || !std::all_of(parsed.inputs[i].begin(), parsed.inputs[i].end(), is_letter)) {
      return equation;
    }
    lacks |= parsed.inputs[i].size() < inputs[i].rank();
  }
  if (!lacks || (parsed.output && !std::all_of(parsed.output->begin(), parsed.output->end(), is_letter))) {
    return equation;
  }
  for (const Equation& form : forms_of(parsed, inputs)) {
    const std::optional<PartialShape> result = result_of(form, inputs);
    if (result && result->compatible(declared)) return form.text();
  }
  return equation;
}

}  // namespace wasmvino::pnnx
