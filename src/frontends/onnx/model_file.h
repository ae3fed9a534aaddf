// SPDX-License-Identifier: Apache-2.0
// An ONNX file as an index: the graphs with their names and attributes, and the places of the tensors' data.
// https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/shape.h"
#include "frontends/onnx/wire.h"
#include "model/attributes.h"

namespace wasmvino::onnx {

using model::Floats;

// A tensor. Its elements stay in the file.
struct TensorText {
  std::string name;
  int64_t type = 0;  // TensorProto.DataType
  Shape shape;
  Range message;         // all of it, from which the typed fields are decoded
  bool has_raw = false;  // its elements are the bytes `raw`
  Range raw;
  uint32_t typed_field = 0;  // the field with its elements, of float_data and the like; 0 if there is none
  size_t typed_parts = 0;    // how often that field occurs
  Range typed;               // its last occurrence, if that is packed
  bool is_external = false;
  std::vector<std::pair<std::string, std::string>> external;  // location, offset, length ...

  // The path of the file with the elements, relative to the model's folder; nullptr if none is named.
  const std::string* location() const;
};

struct SparseText {
  TensorText values, indices;
  Shape shape;
};

struct Graph;

struct DimensionText {
  int64_t size = -1;   // -1 if it is not known
  std::string symbol;  // "batch", or empty
};

// The type of a value.
struct TypeText {
  enum class Kind : uint8_t { kUnknown, kTensor, kSparse, kSequence, kOptional, kMap };
  Kind kind = Kind::kUnknown;
  int64_t element = 0;  // of a tensor
  bool has_shape = false;
  std::vector<DimensionText> shape;
  std::unique_ptr<TypeText> inner;  // of a sequence, an optional value or the values of a map
};

struct AttributeText {
  // AttributeProto.AttributeType
  enum Type : int64_t {
    kNone = 0,
    kFloat = 1,
    kInt = 2,
    kString = 3,
    kTensor = 4,
    kGraph = 5,
    kFloats = 6,
    kInts = 7,
    kStrings = 8,
    kTensors = 9,
    kGraphs = 10,
    kSparse = 11,
    kSparses = 12,
    kType = 13,
    kTypes = 14,
  };
  std::string name;
  int64_t type = kNone;
  std::string reference;  // inside of a function: the name of the attribute of the call that is meant
  float real = 0;
  int64_t integer = 0;
  std::string text;
  Floats reals;
  Ints integers;
  std::vector<std::string> texts;
  std::vector<TensorText> tensors;  // one for kTensor
  std::vector<SparseText> sparse;   // one for kSparse
  std::unique_ptr<Graph> graph;
  std::unique_ptr<TypeText> type_text;
};

struct NodeText {
  std::string name, type, domain, overload;
  std::vector<std::string> inputs, outputs;
  std::vector<AttributeText> attributes;

  // What errors call it: its name or, if it has none, the name of its first output.
  const std::string& label() const;
};

struct ValueText {
  std::string name;
  TypeText type;
};

struct Graph {
  std::string name;
  std::vector<NodeText> nodes;
  std::vector<TensorText> initializers;
  std::vector<SparseText> sparse_initializers;  // their names are those of the values
  std::vector<ValueText> inputs, outputs;
};

// The newest version of an operator set that may be used, by domain.
using OpsetImports = std::vector<std::pair<std::string, int64_t>>;

// A function of the model.
struct FunctionText {
  std::string name, domain, overload;
  std::vector<std::string> inputs, outputs;
  std::vector<std::string> attributes;  // those without defaults
  std::vector<AttributeText> defaults;
  std::vector<NodeText> nodes;
  OpsetImports opsets;
};

struct ModelFile {
  int64_t ir_version = 0;
  std::string producer, producer_version, domain;
  OpsetImports opsets;
  Graph graph;
  std::vector<FunctionText> functions;
};

// Domains are compared in this form: "ai.onnx" is "".
std::string_view plain_domain(std::string_view domain);

// The version of a domain; 0 if it is not imported.
int64_t opset_of(const OpsetImports& opsets, std::string_view domain);

// Throws Error(kInvalidModel), which names the byte of the file, and Error(kLimitExceeded).
ModelFile parse_model(const ByteSource& source);

}  // namespace wasmvino::onnx
