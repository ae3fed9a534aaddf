// SPDX-License-Identifier: Apache-2.0
#include "frontends/pnnx/expression.h"

#include <algorithm>
#include <tuple>

#include "core/error.h"
#include "core/number_text.h"
#include "frontends/pnnx/param.h"
#include "model/problems.h"

namespace wasmvino::pnnx {
namespace {

// The maximum nesting. Expressions are parsed and built by recursion.
constexpr int kDeepest = 200;

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Expression parse() {
    Expression result = term(0);
    if (at_ != text_.size()) refuse("expected its end");
    return result;
  }

 private:
  [[noreturn]] void refuse(std::string_view what) const {
    fail(ErrorCode::kInvalidModel, "the expression '", model::brief(text_), "' makes no sense at '",
         model::brief(text_.substr(at_)), "': ", what);
  }

  bool take(char letter) {
    if (at_ == text_.size() || text_[at_] != letter) return false;
    ++at_;
    return true;
  }

  // Parses comma-separated terms up to a closing letter.
  std::vector<Expression> terms(char close, int depth) {
    std::vector<Expression> result;
    if (take(close)) return result;
    do {
      result.push_back(term(depth + 1));
    } while (take(','));
    if (!take(close)) refuse(close == ')' ? "expected , or )" : "expected , or ]");
    return result;
  }

  Expression term(int depth) {
    if (depth > kDeepest) refuse("it is nested too deeply");
    Expression made;
    if (take('[')) {
      made.kind = Expression::Kind::kList;
      made.arguments = terms(']', depth);
      return made;
    }
    const size_t end = std::min(text_.find_first_of("(),[]", at_), text_.size());
    made.text = text_.substr(at_, end - at_);
    if (made.text.empty()) refuse("expected a number, an input such as @0, or a function");
    if (made.text[0] == '@') {
      const std::optional<int64_t> input = parse_integer(std::string_view(made.text).substr(1));
      if (!input || *input < 0) refuse("expected an input such as @0");
      made.kind = Expression::Kind::kInput;
      made.input = static_cast<size_t>(*input);
    } else if (const std::optional<double> number = parse_real(made.text)) {
      made.kind = Expression::Kind::kNumber;
      made.number = *number;
      made.integral = parse_integer(made.text).has_value();
    } else if (const auto parts = parse_complex(made.text)) {
      made.kind = Expression::Kind::kComplex;
      std::tie(made.number, made.imaginary) = *parts;
    }
    at_ = end;
    if (take('(')) {
      if (made.kind != Expression::Kind::kWord) refuse("only functions take arguments");
      made.kind = Expression::Kind::kCall;
      made.arguments = terms(')', depth);
    }
    return made;
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

Expression parse_expression(std::string_view text) { return Parser(text).parse(); }

}  // namespace wasmvino::pnnx
