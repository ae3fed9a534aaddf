// SPDX-License-Identifier: Apache-2.0
#include "frontends/pnnx/expression.h"

#include <algorithm>
#include <tuple>

#include "core/error.h"
#include "core/number_text.h"
#include "frontends/pnnx/arithmetic.h"
#include "frontends/pnnx/param.h"
#include "model/problems.h"

namespace wasmvino::pnnx {
namespace {

// The maximum nesting. Expressions are parsed and built by recursion.
constexpr int kDeepest = 200;

// Release 20261020 of pnnx writes these functions like operands, without brackets, and closes those of other
// functions too early: mul(expm1,@0),0.5 for mul(expm1(@0),0.5).
bool is_bare_function(std::string_view word) { return word == "expm1" || word == "log1p"; }

// The number of arguments of a function; 0 for other words.
size_t arity_of(std::string_view word) {
  if (word == "int" || word == "torch.float" || is_bare_function(word) || find_unary(word) != nullptr)
    return 1;
  return word == "size" || find_binary(word) != nullptr ? 2 : 0;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Expression parse() {
    const bool bare = has_bare_function();
    Expression result = bare ? prefix_term(0) : term(0);
    if (bare) skip_separators();
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
    const size_t end = word_end();
    made = word(end);
    at_ = end;
    if (take('(')) {
      if (made.kind != Expression::Kind::kWord) refuse("only functions take arguments");
      made.kind = Expression::Kind::kCall;
      made.arguments = terms(')', depth);
    }
    return made;
  }

  bool has_bare_function() {
    if (text_.find_first_of("[]") != std::string_view::npos) return false;
    bool found = false;
    for (size_t at = 0; at < text_.size();) {
      const size_t end = std::min(text_.find_first_of("(),", at), text_.size());
      found |= is_bare_function(text_.substr(at, end - at)) && text_.substr(end, 1) != "(";
      at = end + 1;
    }
    return found;
  }

  // Functions stand before their arguments, so their words alone tell which arguments belong to which.
  Expression prefix_term(int depth) {
    if (depth > kDeepest) refuse("it is nested too deeply");
    skip_separators();
    const size_t end = word_end();
    Expression made = word(end);
    at_ = end;
    const size_t arity = made.kind == Expression::Kind::kWord ? arity_of(made.text) : 0;
    for (size_t i = 0; i < arity; ++i) made.arguments.push_back(prefix_term(depth + 1));
    if (arity > 0) made.kind = Expression::Kind::kCall;
    return made;
  }

  void skip_separators() { at_ = std::min(text_.find_first_not_of("(),", at_), text_.size()); }

  size_t word_end() const { return std::min(text_.find_first_of("(),[]", at_), text_.size()); }

  // The word that ends at `end`: an input, a number or a name.
  Expression word(size_t end) const {
    Expression made;
    made.text = text_.substr(at_, end - at_);
    if (made.text.empty()) refuse("expected a number, an input such as @0, or a function");
    if (made.text[0] == '@') {
      const std::optional<int64_t> input = parse_integer(std::string_view(made.text).substr(1));
      if (!input || *input < 0) refuse("expected an input such as @0");
      made.kind = Expression::Kind::kInput;
      made.input = static_cast<size_t>(*input);
    } else if (const std::optional<double> special = parse_special_number(made.text)) {
      made.kind = Expression::Kind::kNumber;
      made.number = *special;
    } else if (const std::optional<double> number = parse_real(made.text)) {
      made.kind = Expression::Kind::kNumber;
      made.number = *number;
      made.integral = parse_integer(made.text).has_value();
    } else if (const auto parts = parse_complex(made.text)) {
      made.kind = Expression::Kind::kComplex;
      std::tie(made.number, made.imaginary) = *parts;
    }
    return made;
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

Expression parse_expression(std::string_view text) { return Parser(text).parse(); }

}  // namespace wasmvino::pnnx
