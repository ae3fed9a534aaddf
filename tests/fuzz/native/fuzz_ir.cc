// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: a model is read, compiled and run. The data is the text of the .xml, a zero byte and the
// .bin. The mutator knows XML: it changes elements, attributes and sizes, and leaves the text well-formed.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <pugixml.hpp>
#include <random>
#include <sstream>
#include <string>

#include "frontends/ir/reader.h"
#include "ops/registry.h"
#include "outcome.h"
#include "runtime/compiled_model.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t most);

namespace wasmvino::test {
namespace {

struct File {
  std::string xml;
  std::vector<char> bin;
};

File split(const uint8_t* data, size_t size) {
  const uint8_t* const end = std::find(data, data + size, uint8_t{0});
  File file{std::string(reinterpret_cast<const char*>(data), static_cast<size_t>(end - data)), {}};
  if (end != data + size) file.bin.assign(end + 1, data + size);
  return file;
}

void run(File file) {
  const auto weights = std::make_shared<MemoryBytes>(std::move(file.bin));
  const auto model = ir::read(file.xml, weights, ops::registry());
  const auto compiled = runtime::CompiledModel::compile(*model, ops::registry());
  const auto request = compiled->create_infer_request();
  for (size_t i = 0; i < compiled->inputs().size(); ++i) {
    const runtime::Port& port = compiled->inputs()[i];
    Shape shape;
    for (size_t axis = 0; port.shape.has_rank() && axis < port.shape.rank(); ++axis) {
      shape.push_back(std::clamp<int64_t>(2, port.shape[axis].min, port.shape[axis].max));
    }
    const ElementType type = port.type == ElementType::kDynamic ? ElementType::kF32 : port.type;
    Tensor tensor(type, shape);
    if (type != ElementType::kString) {
      uint8_t next = static_cast<uint8_t>(7 * i);
      for (size_t k = 0; k < tensor.byte_size(); ++k) {
        tensor.mutable_data<uint8_t>()[k] = type == ElementType::kBoolean ? next % 2 : next;
        next = static_cast<uint8_t>(next * 5 + 1);
      }
    }
    request->set_input(i, std::move(tensor));
  }
  for (int times = 0; times < 2; ++times) request->infer(kFuzzLimits);
}

class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  void mutate(pugi::xml_document& document) {
    std::vector<pugi::xml_node> nodes;
    struct Walker : pugi::xml_tree_walker {
      std::vector<pugi::xml_node>* nodes;
      bool for_each(pugi::xml_node& node) override {
        if (node.type() == pugi::node_element) nodes->push_back(node);
        return nodes->size() < 4000;
      }
    } walker;
    walker.nodes = &nodes;
    document.traverse(walker);
    if (nodes.empty()) return;
    pugi::xml_node node = nodes[below(nodes.size())];
    pugi::xml_node other = nodes[below(nodes.size())];
    switch (below(12)) {
      case 0:
        if (node.parent()) node.parent().remove_child(node);
        return;
      case 1:
        if (node.parent()) node.parent().insert_copy_after(node, node);
        return;
      case 2:
        if (other.parent() && node.parent()) node.parent().insert_copy_before(other, node);
        return;
      default:
        break;
    }
    if (std::strcmp(node.name(), "dim") == 0) {
      node.text().set(value(node.text().get()).c_str());
      return;
    }
    std::vector<pugi::xml_attribute> attributes(node.attributes_begin(), node.attributes_end());
    if (attributes.empty()) return;
    pugi::xml_attribute attribute = attributes[below(attributes.size())];
    if (below(16) == 0) {
      node.remove_attribute(attribute);
    } else if (below(3) == 0) {
      // The value of the same attribute in another element of the file: types, versions, layers, ports.
      for (size_t i = 0, start = below(nodes.size()); i < nodes.size(); ++i) {
        const pugi::xml_attribute found = nodes[(start + i) % nodes.size()].attribute(attribute.name());
        if (found && std::strcmp(found.value(), attribute.value()) != 0) {
          attribute.set_value(found.value());
          return;
        }
      }
    } else {
      attribute.set_value(value(attribute.value()).c_str());
    }
  }

  size_t below(size_t bound) { return random_() % bound; }

 private:
  std::string value(std::string text) {
    static constexpr const char* kValues[] = {
        "0",    "1",      "2",        "3",          "7",          "-1",         "-2",
        "16",   "65536",  "65537",    "2147483647", "2147483648", "4294967296", "9223372036854775807",
        "1e30", "nan",    "",         "true",       "false",      "f32",        "f16",
        "bf16", "f64",    "i8",       "u8",         "i32",        "i64",        "u4",
        "nf4",  "f8e4m3", "string",   "boolean",    "u1",         "1,1",        "0,0",
        "-1,2", "1,2,3",  "2,2,2,2,2"};
    switch (below(4)) {
      case 0: {
        text.resize(std::min<size_t>(text.size(), 64) + 16);
        text.resize(LLVMFuzzerMutate(reinterpret_cast<uint8_t*>(text.data()), text.size() - 16, text.size()));
        std::replace(text.begin(), text.end(), '\0', '0');
        return text;
      }
      case 1: {  // one number of a list
        std::istringstream parts(text);
        std::string changed;
        for (std::string part; std::getline(parts, part, ',');) {
          changed += (changed.empty() ? "" : ",") + (below(2) == 0 ? std::string(kValues[below(13)]) : part);
        }
        return changed;
      }
      default:
        return kValues[below(std::size(kValues))];
    }
  }

  std::minstd_rand random_;
};

}  // namespace
}  // namespace wasmvino::test

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
  using namespace wasmvino::test;
  File file = split(data, size);
  Mutator mutator(seed);
  pugi::xml_document document;
  if (!document.load_buffer(file.xml.data(), file.xml.size(), pugi::parse_full))
    return LLVMFuzzerMutate(data, size, most);
  if (!file.bin.empty() && mutator.below(8) == 0) {
    const size_t room = file.bin.size() + 64;
    const size_t used = file.bin.size();
    file.bin.resize(room);
    file.bin.resize(LLVMFuzzerMutate(reinterpret_cast<uint8_t*>(file.bin.data()), used, room));
  }
  for (size_t count = 1 + mutator.below(4); count > 0; --count) mutator.mutate(document);
  struct Text : pugi::xml_writer {
    std::string text;
    void write(const void* data, size_t size) override { text.append(static_cast<const char*>(data), size); }
  } writer;
  document.save(writer, "", pugi::format_raw);
  std::string all = std::move(writer.text);
  all.erase(std::remove(all.begin(), all.end(), '\0'), all.end());
  all += '\0';
  all.append(file.bin.begin(), file.bin.end());
  if (all.size() > most) return LLVMFuzzerMutate(data, size, most);
  std::copy(all.begin(), all.end(), reinterpret_cast<char*>(data));
  return all.size();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace wasmvino::test;
  run_within_limits([&] { run(split(data, size)); });
  return 0;
}
