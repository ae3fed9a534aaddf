// SPDX-License-Identifier: Apache-2.0
// Operators on strings.
#include <algorithm>

#include "frontends/onnx/families.h"
#include "frontends/onnx/operands.h"

namespace wasmvino::onnx {
namespace {

void string_concat(Context& c) { c.give(c.b().add_of("ai.onnx", "StringConcat", {c.input(0), c.input(1)})); }

void string_split(Context& c) {
  const Source made =
      c.b().add_of("ai.onnx", "StringSplit", {c.input()},
                   {{"delimiter", c.word("delimiter", "")}, {"maxsplit", c.integer("maxsplit", -1)}}, 2);
  c.give({made, model::Builder::output(made, 1)});
}

void tf_idf_vectorizer(Context& c) {
  const std::vector<std::string> words = c.words("pool_strings");
  Source pool = c.b().list(c.ints("pool_int64s"));
  if (!words.empty()) {
    Tensor texts(ElementType::kString, {static_cast<int64_t>(words.size())});
    std::copy(words.begin(), words.end(), texts.mutable_data<std::string>());
    pool = c.b().constant(std::move(texts));
  }
  c.give(c.b().add_of("ai.onnx", "TfIdfVectorizer", {c.input(), pool},
                      {{"min_gram_length", c.integer("min_gram_length")},
                       {"max_gram_length", c.integer("max_gram_length")},
                       {"max_skip_count", c.integer("max_skip_count")},
                       {"mode", c.word("mode")},
                       {"ngram_counts", c.ints("ngram_counts")},
                       {"ngram_indexes", c.ints("ngram_indexes")},
                       {"weights", c.reals("weights")}}));
}

void string_normalizer(Context& c) {
  model::Attributes attributes = {{"case_change_action", c.word("case_change_action", "NONE")},
                                  {"is_case_sensitive", c.flag("is_case_sensitive")}};
  if (c.has("stopwords")) attributes.push_back({"stopwords", c.words("stopwords")});
  c.give(c.b().add_of("ai.onnx", "StringNormalizer", {c.input()}, attributes));
}

constexpr Entry kEntries[] = {
    {"StringConcat", kAllOpsets, string_concat, "StringConcat"},
    {"StringNormalizer", kAllOpsets, string_normalizer, "StringNormalizer"},
    {"StringSplit", kAllOpsets, string_split, "StringSplit"},
    {"TfIdfVectorizer", kAllOpsets, tf_idf_vectorizer, "TfIdfVectorizer"},
};

}  // namespace

std::span<const Entry> texts() { return kEntries; }

}  // namespace wasmvino::onnx
