// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: a model in IR is read, compiled and run. The mutator knows XML: it changes elements,
// attributes and sizes, and leaves the text well-formed.
#include <cstring>
#include <pugixml.hpp>
#include <random>
#include <sstream>
#include <string>

#include "model_file.h"

namespace wasmvino::test {
namespace {

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
  ModelFile file = split(data, size);
  Mutator mutator(seed);
  pugi::xml_document document;
  if (!document.load_buffer(file.text.data(), file.text.size(), pugi::parse_full))
    return LLVMFuzzerMutate(data, size, most);
  if (!file.bin.empty() && mutator.below(8) == 0) mutate_bin(file);
  for (size_t count = 1 + mutator.below(4); count > 0; --count) mutator.mutate(document);
  struct Text : pugi::xml_writer {
    std::string text;
    void write(const void* data, size_t size) override { text.append(static_cast<const char*>(data), size); }
  } writer;
  document.save(writer, "", pugi::format_raw);
  file.text = std::move(writer.text);
  const size_t changed = join(std::move(file), data, most);
  return changed > 0 ? changed : LLVMFuzzerMutate(data, size, most);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace wasmvino::test;
  run_within_limits([&] { run_model(split(data, size)); });
  return 0;
}
