// SPDX-License-Identifier: Apache-2.0
// Encoders and scalers of ai.onnx.ml.
#include <cmath>
#include <numeric>

#include "frontends/build/functions.h"
#include "frontends/onnx/classes.h"
#include "frontends/onnx/families.h"

namespace wasmvino::onnx {
namespace {

using namespace frontends::build;  // NOLINT: builder functions are written in terms of these throughout
using model::Builder;
using model::Floats;

Source words_of(Builder& b, const std::vector<std::string>& words) {
  Tensor texts(ElementType::kString, {static_cast<int64_t>(words.size())});
  std::copy(words.begin(), words.end(), texts.mutable_data<std::string>());
  return b.constant(std::move(texts));
}

Source word_of(Builder& b, const std::string& word) {
  Tensor text(ElementType::kString, Shape());
  text.mutable_data<std::string>()[0] = word;
  return b.constant(std::move(text));
}

Source encode(Context& c, const Source& x, const Source& keys, const Source& values,
              const Source& otherwise) {
  return c.b().add_of("ai.onnx.ml", "LabelEncoder", {x, keys, values, otherwise});
}

// The list `prefix`_strings, _int64s, _floats or _tensor.
Source list_of(Context& c, const std::string& prefix) {
  const auto name = [&](const char* kind) { return prefix + kind; };
  if (c.has(name("_strings").c_str())) return words_of(c.b(), c.words(name("_strings").c_str()));
  if (c.has(name("_int64s").c_str())) return c.b().list(c.ints(name("_int64s").c_str()));
  if (c.has(name("_floats").c_str())) {
    const Floats values = c.reals(name("_floats").c_str());
    return c.b().constant(Tensor::of<float>({static_cast<int64_t>(values.size())}, values.data()));
  }
  if (c.has(name("_tensor").c_str())) return c.tensor(name("_tensor").c_str());
  fail(ErrorCode::kInvalidModel, "lacks its attribute '", prefix,
       "_strings', or _int64s, _floats or _tensor");
}

void label_encoder(Context& c) {
  Builder& b = c.b();
  const Source x = c.input(), values = list_of(c, "values");
  const Source keys = convert(b, list_of(c, "keys"), b.type(x));
  Source otherwise;
  if (c.has("default_tensor")) {
    otherwise = reshape(b, c.tensor("default_tensor"), Ints());
  } else if (b.type(values) == ElementType::kString) {
    otherwise = word_of(b, c.word("default_string", "_Unused"));
  } else if (b.type(values) == ElementType::kF32) {
    otherwise = b.scalar(c.real("default_float", 0), ElementType::kF32);
  } else {
    otherwise = b.scalar(static_cast<double>(c.integer("default_int64", -1)), b.type(values));
  }
  c.give(encode(c, x, keys, values, convert(b, otherwise, b.type(values))));
}

// Between words and the numbers that belong to them. The type of the input says which way.
void map_words(Context& c, const Source& words, const Source& numbers) {
  Builder& b = c.b();
  const Source x = c.input();
  if (b.type(x) == ElementType::kString) {
    c.give(encode(c, x, words, numbers, b.scalar(c.integer("default_int64", -1))));
  } else {
    c.give(encode(c, x, numbers, words, word_of(b, c.word("default_string", "_Unused"))));
  }
}

Source counted(Builder& b, size_t count) {
  Ints numbers(count, 0);
  std::iota(numbers.begin(), numbers.end(), 0);
  return b.list(numbers);
}

void label_encoder_1(Context& c) {
  const std::vector<std::string> words = c.words("classes_strings");
  map_words(c, words_of(c.b(), words), counted(c.b(), words.size()));
}

void category_mapper(Context& c) {
  map_words(c, words_of(c.b(), c.words("cats_strings")), c.b().list(c.ints("cats_int64s")));
}

void one_hot_encoder(Context& c) {
  Builder& b = c.b();
  Source x = c.input();
  const bool texts = b.type(x) == ElementType::kString;
  if (!texts) x = convert(b, x, ElementType::kI64);
  const Source keys = texts ? words_of(b, c.words("cats_strings")) : b.list(c.ints("cats_int64s"));
  const auto count = texts ? c.words("cats_strings").size() : c.ints("cats_int64s").size();
  const Source places = encode(c, x, keys, counted(b, count), b.scalar(int64_t{-1}));
  // No element is at place -1.
  const Source wanted = b.add("Equal", {unsqueeze(b, places, {-1}), counted(b, count)});
  c.give(convert(b, wanted, ElementType::kF32));
}

void scaler(Context& c) {
  Builder& b = c.b();
  Source x = convert(b, c.input(), ElementType::kF32);
  const Floats offset = c.reals("offset"), scale = c.reals("scale");
  const auto list = [&](const Floats& values) {
    return constant_reals(c, values, {static_cast<int64_t>(values.size())}, x);
  };
  if (!offset.empty()) x = b.add("Subtract", {x, list(offset)});
  if (!scale.empty()) x = b.add("Multiply", {x, list(scale)});
  c.give(x);
}

void normalizer(Context& c) {
  Builder& b = c.b();
  const Source x = convert(b, c.input(), ElementType::kF32);
  const std::string norm = c.word("norm", "MAX");
  Source size;
  if (norm == "MAX") {
    size = reduce(b, "ReduceMax", x, {-1}, true);
  } else if (norm == "L1") {
    size = reduce(b, "ReduceL1", x, {-1}, true);
  } else if (norm == "L2") {
    size = reduce(b, "ReduceL2", x, {-1}, true);
  } else {
    fail(ErrorCode::kInvalidModel, "its attribute 'norm' is '", norm, "', expected MAX, L1 or L2");
  }
  const Source nothing = b.add("Equal", {size, number_like(b, 0, size)});
  c.give(b.add("Divide", {x, b.add("Select", {nothing, number_like(b, 1, size), size})}));
}

void binarizer(Context& c) {
  Builder& b = c.b();
  const Source x = c.input();
  const double threshold = c.real("threshold", 0);
  const bool whole = std::trunc(threshold) == threshold;
  const Source compared = is_real(b.type(x)) || whole ? x : convert(b, x, ElementType::kF32);
  c.give(convert(b, b.add("Greater", {compared, number_like(b, threshold, compared)}), b.type(x)));
}

void imputer(Context& c) {
  Builder& b = c.b();
  const Source x = c.input();
  const bool reals = c.has("imputed_value_floats");
  Source values, missing;
  if (reals) {
    const Floats list = c.reals("imputed_value_floats");
    const double replaced = c.real("replaced_value_float", 0);
    values = constant_reals(c, list, {static_cast<int64_t>(list.size())}, x);
    missing = std::isnan(replaced) ? b.add("IsNaN", {x}) : b.add("Equal", {x, number_like(b, replaced, x)});
  } else {
    values = convert(b, b.list(c.ints("imputed_value_int64s")), b.type(x));
    const Source replaced = convert(b, b.scalar(c.integer("replaced_value_int64", 0)), b.type(x));
    missing = b.add("Equal", {x, replaced});
  }
  c.give(b.add("Select", {missing, values, x}));
}

void array_feature_extractor(Context& c) {
  Builder& b = c.b();
  const Source x = c.input(0), places = reshape(b, c.input(1), Ints{-1});
  const Source found = b.add("Gather", {x, places, b.scalar(int64_t{-1})});
  const PartialShape shape = b.shape(x);
  c.give(shape.has_rank() && shape.rank() == 1 ? unsqueeze(b, found, {0}) : found);
}

void feature_vectorizer(Context& c) {
  Builder& b = c.b();
  const Ints sizes = c.ints("inputdimensions");
  if (sizes.size() != c.input_count())
    fail(ErrorCode::kInvalidModel, "has ", sizes.size(), " of 'inputdimensions' for ", c.input_count(),
         " inputs");
  std::vector<Source> parts;
  for (size_t i = 0; i < sizes.size(); ++i) {
    Source x = convert(b, c.input(i), ElementType::kF32);
    if (b.rank(x) == 1) x = unsqueeze(b, x, {1});
    // Zeros at the end, and a slice of what is wanted.
    const Source zeros = b.constant([&] {
      Tensor tensor(ElementType::kF32, {1, sizes[i]});
      std::fill_n(tensor.mutable_data<float>(), tensor.size(), 0.0f);
      return tensor;
    }());
    const Source rows = concat_lists(b, {size_of(b, x, 0), b.list({sizes[i]})});
    const Source padding = b.add("Broadcast", {zeros, rows});
    parts.push_back(slice(b, concat(b, {x, padding}, 1), 1, 0, sizes[i]));
  }
  c.give(concat(b, parts, 1));
}

// The values of the maps, one row for each. The keys are the labels of the model.
void zip_map(Context& c) { c.give(convert(c.b(), c.input(), ElementType::kF32)); }

constexpr Entry kEntries[] = {
    {"ArrayFeatureExtractor", kAllOpsets, array_feature_extractor, "Gather", "ai.onnx.ml"},
    {"Binarizer", kAllOpsets, binarizer, "Greater", "ai.onnx.ml"},
    {"CategoryMapper", kAllOpsets, category_mapper, "LabelEncoder", "ai.onnx.ml"},
    {"FeatureVectorizer", kAllOpsets, feature_vectorizer, "Concat", "ai.onnx.ml"},
    {"Imputer", kAllOpsets, imputer, "Select", "ai.onnx.ml"},
    {"LabelEncoder", until(1), label_encoder_1, "LabelEncoder", "ai.onnx.ml"},
    {"LabelEncoder", since(2), label_encoder, "LabelEncoder", "ai.onnx.ml"},
    {"Normalizer", kAllOpsets, normalizer, "Divide", "ai.onnx.ml"},
    {"OneHotEncoder", kAllOpsets, one_hot_encoder, "LabelEncoder Equal", "ai.onnx.ml"},
    {"Scaler", kAllOpsets, scaler, "Subtract Multiply", "ai.onnx.ml"},
    {"ZipMap", kAllOpsets, zip_map, "", "ai.onnx.ml"},
};

}  // namespace

std::span<const Entry> encoders() { return kEntries; }

}  // namespace wasmvino::onnx
