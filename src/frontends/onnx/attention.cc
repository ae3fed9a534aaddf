// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "frontends/onnx/families.h"
#include "frontends/onnx/operands.h"

namespace wasmvino::onnx {
namespace {

using namespace frontends::build;  // NOLINT: builder functions are written in terms of these throughout

class Attention {
 public:
  explicit Attention(Context& c) : c_(c), b_(c.b()) {}

  void build() {
    const bool joined = b_.rank(c_.input(0)) == 3;  // [B, S, heads * D]
    const Source query = joined ? heads(c_.input(0), c_.count("q_num_heads")) : c_.input(0);
    Source key = joined ? heads(c_.input(1), c_.count("kv_num_heads")) : c_.input(1);
    Source value = joined ? heads(c_.input(2), c_.count("kv_num_heads")) : c_.input(2);
    if (c_.has_input(4)) key = concat(b_, {c_.input(4), key}, 2);
    if (c_.has_input(5)) value = concat(b_, {c_.input(5), value}, 2);
    type_ = b_.type(query);
    const Source present_key = key, present_value = value;
    key = repeated(key, query);
    value = repeated(value, query);

    // The root of the scale is applied to both factors, so that f16 does not overflow.
    const Source scores = b_.add("MatMul", {scaled(query), scaled(key)}, {{"transpose_b", true}});
    const Source capped = softcapped(scores);
    const std::optional<Source> bias = find_bias(query, key);
    const Source biased = bias ? b_.add("Add", {capped, *bias}) : capped;
    Source weights = b_.add("Softmax", {convert(b_, biased, c_.element_type("softmax_precision", type_))},
                            {{"axis", int64_t{-1}}});
    weights = convert(b_, weights, type_);
    if (bias) {
      // A query that sees no key gets zeros.
      const Source most = b_.add("ReduceMax", {*bias, b_.list({-1})}, {{"keep_dims", true}});
      weights = b_.add("Select", {b_.add("Equal", {most, hidden()}), number(0), weights});
    }
    Source made = b_.add("MatMul", {weights, value});
    if (joined) {
      const Source rows = transpose(b_, made, {0, 2, 1, 3});
      made = reshape_keeping(b_, rows, {0, 0, -1});
    }
    const int64_t mode = c_.integer("qk_matmul_output_mode", 0);
    if (mode < 0 || mode > 3)
      fail(ErrorCode::kInvalidModel, "its attribute qk_matmul_output_mode is ", mode, ", expected 0 to 3");
    c_.give({made, present_key, present_value,
             std::vector{scores, capped, biased, weights}[static_cast<size_t>(mode)]});
  }

 private:
  Source number(double value) { return b_.scalar(value, type_); }
  Source hidden() { return number(-HUGE_VAL); }

  Source heads(const Source& x, int64_t count) {
    return transpose(b_, reshape_keeping(b_, x, {0, 0, count, -1}), {0, 2, 1, 3});
  }

  int64_t head_count(const Source& x) {
    const Dimension heads = b_.shape(x)[1];
    if (!heads.is_static()) fail(ErrorCode::kUnsupported, "has an unknown number of heads: ", b_.shape(x));
    return heads.size();
  }

  // Several heads of queries may share one of keys and values.
  Source repeated(const Source& x, const Source& query) {
    const int64_t own = head_count(x), wanted = head_count(query);
    if (own == wanted || own == 0) return x;
    if (wanted % own != 0)
      fail(ErrorCode::kInvalidModel, "has ", wanted, " heads of queries for ", own, " of keys");
    const Source wide = b_.add("Broadcast", {unsqueeze(b_, x, {2}), b_.list({1, 1, wanted / own, 1, 1})},
                               {{"mode", "bidirectional"}});
    const Source shape =
        concat_lists(b_, {size_of(b_, x, 0), b_.list({wanted}), size_of(b_, x, 2), size_of(b_, x, 3)});
    return reshape(b_, wide, shape);
  }

  Source scaled(const Source& x) {
    if (c_.has("scale")) return b_.add("Multiply", {x, number(std::sqrt(c_.real("scale")))});
    const Dimension size = b_.shape(x)[3];
    if (size.is_static())
      return b_.add("Multiply", {x, number(std::pow(static_cast<double>(size.size()), -0.25))});
    const Source count = convert(b_, squeeze(b_, size_of(b_, x, 3), {0}), type_);
    return b_.add("Multiply", {x, b_.add("Power", {count, number(-0.25)})});
  }

  Source softcapped(const Source& scores) {
    const double cap = c_.real("softcap", 0);
    if (cap == 0) return scores;
    return b_.add("Multiply", {b_.add("Tanh", {b_.add("Divide", {scores, number(cap)})}), number(cap)});
  }

  // What is added to the scores: the mask, and -infinity for keys that a query does not see.
  std::optional<Source> find_bias(const Source& query, const Source& key) {
    std::optional<Source> bias, visible;
    const auto also = [&](const Source& more) {
      visible = visible ? b_.add("LogicalAnd", {*visible, more}) : more;
    };
    if (c_.has_input(3)) {
      const Source mask = padded_mask(key);
      if (b_.type(mask) == ElementType::kBoolean) {
        also(mask);
      } else {
        bias = mask;
      }
    }
    const Source length = size_of(b_, query, 2);
    const Source rows = unsqueeze(b_, range_to(b_, squeeze(b_, length, {0})), {1});
    const Source columns = range_to(b_, squeeze(b_, size_of(b_, key, 2), {0}));
    std::optional<Source> lengths;
    if (c_.has_input(6)) lengths = unsqueeze(b_, convert(b_, c_.input(6), ElementType::kI64), {1, 2, 3});
    Source offset = b_.scalar(int64_t{0});
    if (c_.has_input(4)) {
      offset = size_of(b_, c_.input(4), 2);
    } else if (lengths) {
      offset = b_.add("Subtract", {*lengths, length});
    }
    const Source last = b_.add("Add", {rows, offset});
    if (c_.flag("is_causal")) also(b_.add("LessEqual", {columns, last}));
    const int64_t left = c_.integer("left_window_size", -1), right = c_.integer("right_window_size", -1);
    if (left >= 0) also(b_.add("GreaterEqual", {columns, b_.add("Subtract", {last, b_.scalar(left)})}));
    if (right >= 0) also(b_.add("LessEqual", {columns, b_.add("Add", {last, b_.scalar(right)})}));
    if (lengths) also(b_.add("Less", {columns, *lengths}));
    if (!visible) return bias;
    const Source limits = b_.add("Select", {*visible, number(0), hidden()});
    return bias ? b_.add("Add", {*bias, limits}) : limits;
  }

  // A mask may be shorter than the keys.
  Source padded_mask(const Source& key) {
    const Source mask = c_.input(3);
    const size_t rank = b_.rank(mask);
    const Dimension own = rank == 0 ? Dimension(1) : b_.shape(mask)[rank - 1], wanted = b_.shape(key)[2];
    if (!own.is_static() || !wanted.is_static() || own.size() >= wanted.size()) return mask;
    const Ints before(rank, 0);
    Ints after(rank, 0);
    after.back() = wanted.size() - own.size();
    const bool is_boolean = b_.type(mask) == ElementType::kBoolean;
    const Source filling = is_boolean ? b_.scalar(0, ElementType::kBoolean) : hidden();
    return b_.add("Pad", {mask, b_.list(before), b_.list(after), filling}, {{"pad_mode", "constant"}});
  }

  Context& c_;
  model::Builder& b_;
  ElementType type_ = ElementType::kDynamic;
};

void attention(Context& c) { Attention(c).build(); }

constexpr Entry kEntries[] = {
    {"Attention", kAllOpsets, attention, "MatMul Softmax"},
};

}  // namespace

std::span<const Entry> attention() { return kEntries; }

}  // namespace wasmvino::onnx
