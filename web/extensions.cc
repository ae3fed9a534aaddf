// SPDX-License-Identifier: Apache-2.0
#include "extensions.h"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "core/shape.h"
#include "json.h"

// Implemented in web/library.js. Both take JSON and return a text that the caller frees: lines, or "!" and a
// message on failure.
extern "C" {
char* wasmvino_infer_extension(int number, const char* json);
char* wasmvino_evaluate_extension(int number, const char* json);
// Copies output `i` of the last wasmvino_evaluate_extension() if it has `count` bytes. Returns how many it
// has.
double wasmvino_take_extension(int i, uint8_t* to, size_t count);
}

namespace wasmvino::web {
namespace {

using model::ValueInfo;

// Throws unless an output has as many bytes as its memory. JavaScript may give an array that lies about
// itself, or one whose buffer other code transfers meanwhile.
void check_bytes(size_t i, const TensorView& output, double bytes) {
  if (bytes == static_cast<double>(output.byte_size())) return;
  throw Error(ErrorCode::kInvalidShape,
              cat("evaluate() of the extension returned output ", i, " with ", static_cast<int64_t>(bytes),
                  " bytes, but ", output.type, " ", output.shape, " has ", output.byte_size()))
      .expected(cat(output.byte_size(), " bytes"))
      .actual(cat(static_cast<int64_t>(bytes), " bytes"));
}

// The lines of an answer of JavaScript. Frees the answer.
std::vector<std::string> lines_of_answer(char* text) {
  const std::unique_ptr<char, void (*)(void*)> owner(text, std::free);
  if (*text == '!') fail(ErrorCode::kInvalidValue, text + 1);
  return lines_of(text);
}

PartialShape shape_of(const std::string& sizes) {
  const auto shape = parse_partial_shape(sizes);
  if (!shape) fail(ErrorCode::kInvalidValue, "the extension returned the invalid shape '", sizes, "'");
  return *shape;
}

// An operation that the JavaScript functions with this number compute.
class Extension final : public model::Op {
 public:
  Extension(int number, std::string version, model::AttributeTexts attributes)
      : number_(number), version_(std::move(version)), attributes_(std::move(attributes)) {}

  void visit_attributes(model::AttributeVisitor& visitor) override {
    for (auto& [key, value] : attributes_) visitor.on(key, value);
  }

  std::string_view version_of_layer() const override { return version_; }

  void infer(model::InferContext& context) const override {
    json::Json inputs('[');
    for (size_t i = 0; i < context.input_count(); ++i) {
      inputs.add(json::Json('{')
                     .put_text("type", name(context.input_type(i)))
                     .put_text("shape", to_string(context.input_shape(i)))
                     .done());
    }
    const std::string request = with_attributes(inputs.done());
    const std::vector<std::string> outputs =
        lines_of_answer(wasmvino_infer_extension(number_, request.c_str()));
    if (outputs.size() != context.output_count()) {
      fail(ErrorCode::kInvalidValue, "infer() of the extension returned ", outputs.size(),
           " outputs, but the layer has ", context.output_count());
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
      const size_t space = outputs[i].find(' ');
      context.set_output(i, require_element_type(outputs[i].substr(0, space)),
                         shape_of(outputs[i].substr(space + 1)));
    }
  }

  void evaluate(model::EvalContext& context) const override {
    json::Json inputs('[');
    for (size_t i = 0; i < context.input_count(); ++i) inputs.add(json::describe(context.input(i)));
    const std::string request = with_attributes(inputs.done());
    const std::vector<std::string> outputs =
        lines_of_answer(wasmvino_evaluate_extension(number_, request.c_str()));
    if (outputs.size() != context.output_count()) {
      fail(ErrorCode::kInvalidValue, "evaluate() of the extension returned ", outputs.size(),
           " tensors, but the layer has ", context.output_count(), " outputs");
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
      const size_t space = outputs[i].find(' ');
      const size_t next = outputs[i].find(' ', space + 1);
      const ElementType type = require_element_type(outputs[i].substr(0, space));
      const double bytes = std::strtod(outputs[i].c_str() + space + 1, nullptr);
      const Shape shape = shape_of(outputs[i].substr(next + 1)).to_shape();
      TensorView& output = context.output(i);
      if (type != output.type) {
        throw Error(ErrorCode::kInvalidType,
                    cat("evaluate() of the extension returned output ", i, " of type ", type,
                        ", but infer() had declared ", output.type))
            .expected(cat(output.type))
            .actual(cat(type));
      }
      try {
        context.set_output_shape(i, shape);
      } catch (const Error& error) {
        if (error.code() == ErrorCode::kLimitExceeded || error.code() == ErrorCode::kOutOfMemory) throw;
        throw Error(ErrorCode::kInvalidShape,
                    cat("evaluate() of the extension returned output ", i, " of shape ", shape,
                        ", but infer() had declared ", output.shape))
            .expected(cat(output.shape))
            .actual(cat(shape));
      }
      const TensorView& made = context.output(i);
      check_bytes(i, made, bytes);
      check_bytes(
          i, made,
          wasmvino_take_extension(static_cast<int>(i), static_cast<uint8_t*>(made.memory), made.byte_size()));
    }
  }

 private:
  std::string with_attributes(const std::string& inputs) const {
    json::Json attributes('{');
    for (const auto& [key, value] : attributes_) attributes.put_text(key, value);
    return json::Json('{').put("inputs", inputs).put("attributes", attributes.done()).done();
  }

  int number_;
  std::string version_;
  model::AttributeTexts attributes_;
};

}  // namespace

std::shared_ptr<model::Op> make_extension(int number, const std::string& version,
                                          const model::AttributeTexts& attributes) {
  return std::make_shared<Extension>(number, version, attributes);
}

}  // namespace wasmvino::web
