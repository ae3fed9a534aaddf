// SPDX-License-Identifier: Apache-2.0
// Writes small IRs as text, and provides a registry whose operations accept anything. The reader is tested
// without the real operations.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "frontends/ir/reader.h"
#include "model/problems.h"
#include "opsets.h"

namespace wasmvino::test {

// Its outputs have the types and shapes that the IR declares. Bodies are inferred.
class AnyOp : public model::Op {
 public:
  void infer(model::InferContext& context) const override {
    const model::Node& node = context.node();
    for (size_t i = 0; i < context.output_count(); ++i) {
      context.set_output(i, node.outputs[i].type, node.outputs[i].shape);
    }
    for (size_t b = 0; b < node.bodies.size(); ++b) {
      std::vector<model::ValueInfo> parameters;
      for (const model::Node* parameter : node.bodies[b].model->parameters) {
        parameters.push_back({parameter->outputs[0].type, parameter->outputs[0].shape, nullptr});
      }
      std::vector<char> asked;
      context.infer_body(b, parameters, asked);
    }
  }
  bool is_pure() const override { return false; }
};

// Rejects inputs of other types than f32, and an `alpha` that is not a number.
class PickyOp final : public model::Op {
 public:
  void visit_attributes(model::AttributeVisitor& visitor) override { visitor.on("alpha", alpha_); }
  void infer(model::InferContext& context) const override {
    if (context.input_type(0) != ElementType::kF32) {
      fail(ErrorCode::kInvalidType, "its input is ", context.input_type(0), ", expected f32");
    }
    context.set_output(0, ElementType::kF32, context.input_shape(0));
  }
  bool is_pure() const override { return false; }

 private:
  float alpha_ = 0;
};

// Has its input's shape and the type of the attribute.
class ConvertOp final : public model::Op {
 public:
  void visit_attributes(model::AttributeVisitor& visitor) override { visitor.on("destination_type", type_); }
  void infer(model::InferContext& context) const override {
    context.set_output(0, type_, context.input_shape(0));
  }
  bool is_pure() const override { return false; }

 private:
  ElementType type_ = ElementType::kDynamic;
};

// Has two outputs like its input.
class TwinOp final : public model::Op {
 public:
  size_t least_outputs() const override { return 2; }
  void infer(model::InferContext& context) const override {
    for (size_t i = 0; i < 2; ++i) context.set_output(i, context.input_type(0), context.input_shape(0));
  }
  bool is_pure() const override { return false; }
};

// All operations of all opsets as AnyOp, except Convert; plus Picky and Twin.
inline const model::Registry& any_registry() {
  static const model::Registry* const registry = [] {
    auto* made = new model::Registry;
    const model::TypeContract any = {{"input", kAllTypes, model::InputTypes::kAny, true}};
    for (const OpsetEntry& named : kOpsets) {
      const model::OpEntry entry = {named.type, named.versions, named.specification, any, named.until};
      if (entry.type == "Convert") {
        made->add<ConvertOp>(entry);
      } else {
        made->add<AnyOp>(entry);
      }
    }
    made->add<PickyOp>({"Picky", {1}, "", any});
    made->add<TwinOp>({"Twin", {1}, "", any});
    return made;
  }();
  return *registry;
}

// Weights whose byte i is i.
inline std::shared_ptr<const ByteSource> counting_bytes(size_t count) {
  std::vector<char> bytes(count);
  for (size_t i = 0; i < count; ++i) bytes[i] = static_cast<char>(i);
  return std::make_shared<MemoryBytes>(std::move(bytes));
}

inline std::string layer(int id, const std::string& name, const std::string& type, const std::string& inside,
                         const std::string& opset = "opset1", const std::string& attributes = "") {
  return cat("<layer id=\"", id, "\" name=\"", name, "\" type=\"", type, "\" version=\"", opset, "\"",
             attributes, ">", inside, "</layer>\n");
}
inline std::string dims(std::initializer_list<int> sizes) {
  std::string text;
  for (const int size : sizes) text += cat("<dim>", size, "</dim>");
  return text;
}
inline std::string output(int port, const std::string& inside = dims({2, 3}),
                          const std::string& precision = "FP32", const std::string& attributes = "") {
  return cat("<output><port id=\"", port, "\" precision=\"", precision, "\"", attributes, ">", inside,
             "</port></output>");
}
inline std::string inputs(std::initializer_list<int> ports) {
  std::string text = "<input>";
  for (const int port : ports) text += cat("<port id=\"", port, "\"/>");
  return text + "</input>";
}
inline std::string parameter(int id, const std::string& name = "x", const std::string& type = "f32",
                             const std::string& precision = "FP32", const std::string& port_attributes = "") {
  return layer(id, name, "Parameter",
               cat("<data shape=\"2,3\" element_type=\"", type, "\"/>",
                   output(0, dims({2, 3}), precision, port_attributes)));
}
// Input port 0, output port 1.
inline std::string unary(int id, const std::string& name, const std::string& type = "ReLU",
                         const std::string& opset = "opset1", const std::string& data = "") {
  return layer(id, name, type, data + inputs({0}) + output(1), opset);
}
inline std::string result(int id, const std::string& name = "result", const std::string& attributes = "") {
  return layer(id, name, "Result", inputs({0}), "opset1", attributes);
}
inline std::string constant(int id, const std::string& data) {
  return layer(id, "constant", "Const", cat("<data ", data, "/>", output(0)));
}
inline std::string edge(int from_layer, int from_port, int to_layer, int to_port) {
  return cat("<edge from-layer=\"", from_layer, "\" from-port=\"", from_port, "\" to-layer=\"", to_layer,
             "\" to-port=\"", to_port, "\"/>\n");
}
inline std::string graph(const std::string& layers, const std::string& edges) {
  return cat("<layers>\n", layers, "</layers><edges>\n", edges, "</edges>");
}
inline std::string net(const std::string& layers, const std::string& edges, int version = 11,
                       const std::string& more = "") {
  return cat("<?xml version=\"1.0\"?>\n<net name=\"m\" version=\"", version, "\">", graph(layers, edges),
             more, "</net>\n");
}
// Parameter 0 → `type` 1 → Result 2.
inline std::string chain(const std::string& type, const std::string& opset = "opset1",
                         const std::string& data = "") {
  return net(parameter(0) + unary(1, "op", type, opset, data) + result(2),
             edge(0, 0, 1, 0) + edge(1, 1, 2, 0));
}

inline std::unique_ptr<model::Model> read(const std::string& xml,
                                          std::shared_ptr<const ByteSource> weights = nullptr) {
  return ir::read(xml, std::move(weights), any_registry());
}

// The errors of reading; empty if it succeeds.
inline std::vector<Error> problems_of(const std::string& xml,
                                      std::shared_ptr<const ByteSource> weights = nullptr) {
  try {
    read(xml, std::move(weights));
  } catch (const model::ReadError& error) {
    return error.problems();
  }
  return {};
}

// Expects one problem, with this text in its message.
inline void expect_problem(const std::string& text, const std::string& xml,
                           std::shared_ptr<const ByteSource> weights = nullptr) {
  const std::vector<Error> problems = problems_of(xml, std::move(weights));
  ASSERT_EQ(problems.size(), 1u) << "expected: " << text << "\n"
                                 << (problems.empty() ? "" : problems[0].what());
  EXPECT_NE(std::string(problems[0].what()).find(text), std::string::npos)
      << "expected: " << text << "\nbut got: " << problems[0].what();
}

inline const model::Node& node_of(const model::Model& model, const std::string& name) {
  for (const auto& node : model.nodes) {
    if (node->name == name) return *node;
  }
  ADD_FAILURE() << "no node " << name;
  static const model::Node none("", "", 0, nullptr);
  return none;
}

}  // namespace wasmvino::test
