// SPDX-License-Identifier: Apache-2.0
#include "core/text.h"

#include <algorithm>
#include <cmath>

#include "core/number_text.h"

namespace wasmvino {

std::string to_string(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  return write_real(value);
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [&](char x, char y) { return lower(x) == lower(y); });
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    lines.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

void TextPart::append_to(std::string& out) const {
  switch (kind_) {
    case Kind::kText:
      out.append(static_cast<const char*>(pointer_), static_cast<size_t>(number_));
      break;
    case Kind::kLetter:
      out += static_cast<char>(number_);
      break;
    case Kind::kInteger:
      out += std::to_string(number_);
      break;
    case Kind::kUnsigned:
      out += std::to_string(static_cast<uint64_t>(number_));
      break;
    case Kind::kReal:
      out += to_string(*static_cast<const double*>(pointer_));
      break;
    case Kind::kFloat:
      out += to_string(static_cast<double>(*static_cast<const float*>(pointer_)));
      break;
    case Kind::kElementType:
      out += name(static_cast<ElementType>(number_));
      break;
    case Kind::kShape:
      out += to_string(*static_cast<const Shape*>(pointer_));
      break;
    case Kind::kPartialShape:
      out += to_string(*static_cast<const PartialShape*>(pointer_));
      break;
    case Kind::kDimension:
      out += to_string(*static_cast<const Dimension*>(pointer_));
      break;
  }
}

std::string join(std::initializer_list<TextPart> parts) {
  std::string out;
  for (const TextPart& part : parts) part.append_to(out);
  return out;
}

}  // namespace wasmvino
