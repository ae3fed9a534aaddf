// SPDX-License-Identifier: Apache-2.0
// Scores and labels, as the classifiers and regressors of ai.onnx.ml give them.
#pragma once

#include <string>

#include "frontends/onnx/context.h"

namespace wasmvino::onnx {

// The attribute post_transform, applied to rows of scores. onnxruntime leaves single scores as they are,
// unless the function is PROBIT.
Source transform_scores(Context& c, const Source& scores, const std::string& function);

// The two scores of a binary classifier from one, [n, 1]. Signed ones are opposite, others add up to 1.
Source both_scores(Context& c, const Source& score, const std::string& function, bool is_signed);

// The labels of a classifier: the attribute classlabels_strings, or the one with integers, which is named
// `integers`. A constant list.
Source class_labels(Context& c, const char* integers);
size_t label_count(Context& c, const char* integers);

// The place of each row's greatest score, the first one of equals: i64 [n].
Source greatest_of_rows(Context& c, const Source& scores);
// The places, or 0 and 1 for false and true, as labels.
Source labels_at(Context& c, const Source& places, const Source& labels);

// Rows of numbers in f32, or in f64 if they are.
Source rows_of(Context& c, const Source& x);
// A list of reals as a constant in the type of `like`.
Source constant_reals(Context& c, const model::Floats& values, const Shape& shape, const Source& like);

}  // namespace wasmvino::onnx
