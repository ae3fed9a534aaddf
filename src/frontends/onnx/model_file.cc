// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/model_file.h"

#include "core/call.h"
#include "core/error.h"

namespace wasmvino::onnx {
namespace {

// Graphs inside of graphs, and types inside of types.
constexpr size_t kMostNested = 64;

// The fields of TensorProto that hold elements.
constexpr uint32_t kFloatData = 4, kInt32Data = 5, kStringData = 6, kInt64Data = 7, kRawData = 9,
                   kDoubleData = 10, kUint64Data = 11;

class Parser {
 public:
  explicit Parser(Window& window) : window_(window) {}

  ModelFile model(Range message) {
    ModelFile made;
    bool has_graph = false;
    for (Fields f(window_, message); f.next();) {
      switch (f.number()) {
        case 1:
          made.ir_version = f.integer();
          break;
        case 2:
          made.producer = f.text();
          break;
        case 3:
          made.producer_version = f.text();
          break;
        case 4:
          made.domain = f.text();
          break;
        case 7:
          graph(f.bytes(), made.graph);
          has_graph = true;
          break;
        case 8:
          made.opsets.push_back(opset(f.bytes()));
          break;
        case 25:
          made.functions.push_back(function(f.bytes()));
          break;
      }
    }
    if (!has_graph) fail(ErrorCode::kInvalidModel, "the ONNX file has no graph");
    return made;
  }

 private:
  // RAII: counts how deep messages are inside of one another.
  class Nested {
   public:
    explicit Nested(size_t& depth) : depth_(depth) {
      if (++depth_ > kMostNested) {
        --depth_;
        fail(ErrorCode::kInvalidModel, "the file has more than ", kMostNested,
             " graphs inside of one another");
      }
    }
    ~Nested() { --depth_; }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;

   private:
    size_t& depth_;
  };

  std::pair<std::string, int64_t> opset(Range message) {
    std::pair<std::string, int64_t> made;
    for (Fields f(window_, message); f.next();) {
      if (f.number() == 1) made.first = f.text();
      if (f.number() == 2) made.second = f.integer();
    }
    made.first = plain_domain(made.first);
    return made;
  }

  void graph(Range message, Graph& made) {
    const Nested nested(depth_);
    for (Fields f(window_, message); f.next();) {
      switch (f.number()) {
        case 1:
          made.nodes.push_back(node(f.bytes()));
          break;
        case 2:
          made.name = f.text();
          break;
        case 5:
          made.initializers.push_back(tensor(f.bytes()));
          break;
        case 11:
          made.inputs.push_back(value(f.bytes()));
          break;
        case 12:
          made.outputs.push_back(value(f.bytes()));
          break;
        case 15:
          made.sparse_initializers.push_back(sparse(f.bytes()));
          break;
      }
    }
  }

  NodeText node(Range message) {
    check_limit(current_call().limits().layers, ++nodes_, "layers");
    if (nodes_ % 1024 == 0) current_call().poll();
    NodeText made;
    for (Fields f(window_, message); f.next();) {
      switch (f.number()) {
        case 1:
          made.inputs.push_back(f.text());
          break;
        case 2:
          made.outputs.push_back(f.text());
          break;
        case 3:
          made.name = f.text();
          break;
        case 4:
          made.type = f.text();
          break;
        case 5:
          made.attributes.push_back(attribute(f.bytes()));
          break;
        case 7:
          made.domain = plain_domain(f.text());
          break;
        case 8:
          made.overload = f.text();
          break;
      }
    }
    return made;
  }

  AttributeText attribute(Range message) {
    AttributeText made;
    // Files of IR versions 1 and 2 may lack the type. It is then that of the field that is set.
    int64_t used = AttributeText::kNone;
    for (Fields f(window_, message); f.next();) {
      switch (f.number()) {
        case 1:
          made.name = f.text();
          continue;
        case 2:
          made.real = f.real();
          used = AttributeText::kFloat;
          continue;
        case 3:
          made.integer = f.integer();
          used = AttributeText::kInt;
          continue;
        case 4:
          made.text = f.text();
          used = AttributeText::kString;
          continue;
        case 5:
          made.tensors.push_back(tensor(f.bytes()));
          used = AttributeText::kTensor;
          continue;
        case 6:
          made.graph = std::make_unique<Graph>();
          graph(f.bytes(), *made.graph);
          used = AttributeText::kGraph;
          continue;
        case 7:
          f.append_reals(made.reals);
          used = AttributeText::kFloats;
          continue;
        case 8:
          f.append_integers(made.integers);
          used = AttributeText::kInts;
          continue;
        case 9:
          made.texts.push_back(f.text());
          used = AttributeText::kStrings;
          continue;
        case 10:
          made.tensors.push_back(tensor(f.bytes()));
          used = AttributeText::kTensors;
          continue;
        case 14:
          made.type_text = std::make_unique<TypeText>(type(f.bytes()));
          used = AttributeText::kType;
          continue;
        case 20:
          made.type = f.integer();
          continue;
        case 21:
          made.reference = f.text();
          continue;
        case 22:
          made.sparse.push_back(sparse(f.bytes()));
          used = AttributeText::kSparse;
          continue;
      }
    }
    if (made.type == AttributeText::kNone) made.type = used;
    return made;
  }

  TensorText tensor(Range message) {
    TensorText made;
    made.message = message;
    for (Fields f(window_, message); f.next();) {
      switch (f.number()) {
        case 1:
          f.append_integers(made.shape);
          break;
        case 2:
          made.type = f.integer();
          break;
        case 8:
          made.name = f.text();
          break;
        case kRawData:
          made.has_raw = true;
          made.raw = f.bytes();
          break;
        case kFloatData:
        case kInt32Data:
        case kStringData:
        case kInt64Data:
        case kDoubleData:
        case kUint64Data:
          if (made.typed_field != f.number()) made.typed_parts = 0;
          made.typed_field = f.number();
          ++made.typed_parts;
          made.typed = f.is_bytes() ? f.bytes() : Range();
          break;
        case 13:
          made.external.push_back(pair(f.bytes()));
          break;
        case 14:
          made.is_external = f.integer() == 1;
          break;
      }
    }
    return made;
  }

  SparseText sparse(Range message) {
    SparseText made;
    for (Fields f(window_, message); f.next();) {
      if (f.number() == 1) made.values = tensor(f.bytes());
      if (f.number() == 2) made.indices = tensor(f.bytes());
      if (f.number() == 3) f.append_integers(made.shape);
    }
    return made;
  }

  std::pair<std::string, std::string> pair(Range message) {
    std::pair<std::string, std::string> made;
    for (Fields f(window_, message); f.next();) {
      if (f.number() == 1) made.first = f.text();
      if (f.number() == 2) made.second = f.text();
    }
    return made;
  }

  ValueText value(Range message) {
    ValueText made;
    for (Fields f(window_, message); f.next();) {
      if (f.number() == 1) made.name = f.text();
      if (f.number() == 2) made.type = type(f.bytes());
    }
    return made;
  }

  TypeText type(Range message) {
    const Nested nested(depth_);
    TypeText made;
    for (Fields f(window_, message); f.next();) {
      switch (f.number()) {
        case 1:
        case 8:
          made.kind = f.number() == 1 ? TypeText::Kind::kTensor : TypeText::Kind::kSparse;
          tensor_type(f.bytes(), made);
          break;
        case 4:
          made.kind = TypeText::Kind::kSequence;
          inner_type(f.bytes(), 1, made);
          break;
        case 5:
          made.kind = TypeText::Kind::kMap;
          inner_type(f.bytes(), 2, made);
          break;
        case 9:
          made.kind = TypeText::Kind::kOptional;
          inner_type(f.bytes(), 1, made);
          break;
      }
    }
    return made;
  }

  void tensor_type(Range message, TypeText& made) {
    for (Fields f(window_, message); f.next();) {
      if (f.number() == 1) made.element = f.integer();
      if (f.number() == 2) {
        made.has_shape = true;
        made.shape.clear();
        for (Fields dimensions(window_, f.bytes()); dimensions.next();) {
          if (dimensions.number() == 1) made.shape.push_back(dimension(dimensions.bytes()));
        }
      }
    }
  }

  void inner_type(Range message, uint32_t number, TypeText& made) {
    for (Fields f(window_, message); f.next();) {
      if (f.number() == number) made.inner = std::make_unique<TypeText>(type(f.bytes()));
    }
  }

  DimensionText dimension(Range message) {
    DimensionText made;
    for (Fields f(window_, message); f.next();) {
      if (f.number() == 1) made.size = f.integer();
      if (f.number() == 2) made.symbol = f.text();
    }
    return made;
  }

  FunctionText function(Range message) {
    FunctionText made;
    for (Fields f(window_, message); f.next();) {
      switch (f.number()) {
        case 1:
          made.name = f.text();
          break;
        case 4:
          made.inputs.push_back(f.text());
          break;
        case 5:
          made.outputs.push_back(f.text());
          break;
        case 6:
          made.attributes.push_back(f.text());
          break;
        case 7:
          made.nodes.push_back(node(f.bytes()));
          break;
        case 9:
          made.opsets.push_back(opset(f.bytes()));
          break;
        case 10:
          made.domain = plain_domain(f.text());
          break;
        case 11:
          made.defaults.push_back(attribute(f.bytes()));
          break;
        case 13:
          made.overload = f.text();
          break;
      }
    }
    return made;
  }

  Window& window_;
  size_t depth_ = 0;
  size_t nodes_ = 0;
};

}  // namespace

const std::string* TensorText::location() const {
  const auto found = std::find_if(external.begin(), external.end(),
                                  [](const auto& entry) { return entry.first == "location"; });
  return found == external.end() ? nullptr : &found->second;
}

const std::string& NodeText::label() const {
  if (!name.empty()) return name;
  for (const std::string& output : outputs) {
    if (!output.empty()) return output;
  }
  return name;
}

std::string_view plain_domain(std::string_view domain) { return domain == "ai.onnx" ? "" : domain; }

int64_t opset_of(const OpsetImports& opsets, std::string_view domain) {
  for (const auto& [name, version] : opsets) {
    if (name == domain) return version;
  }
  return 0;
}

ModelFile parse_model(const ByteSource& source) {
  Window window(source);
  return Parser(window).model({0, source.size()});
}

}  // namespace wasmvino::onnx
