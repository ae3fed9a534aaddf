// SPDX-License-Identifier: Apache-2.0
#include "model/registry.h"

#include <algorithm>

namespace wasmvino::model {
namespace {

int compare_ignoring_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  const size_t common = std::min(a.size(), b.size());
  for (size_t i = 0; i < common; ++i) {
    if (lower(a[i]) != lower(b[i])) return lower(a[i]) < lower(b[i]) ? -1 : 1;
  }
  return a.size() == b.size() ? 0 : a.size() < b.size() ? -1 : 1;
}

}  // namespace

std::unique_ptr<Op> OpClass::make() const {
  std::unique_ptr<Op> op = construct(since);
  op->types_ = types.get();
  return op;
}

void Registry::add(const OpEntry& entry, std::unique_ptr<Op> (*construct)(int since)) {
  const auto types = std::make_shared<const TypeContract>(entry.types);
  for (size_t i = 0; i < entry.versions.size(); ++i) {
    const int since = entry.versions.begin()[i];
    const int until = i + 1 < entry.versions.size() ? entry.versions.begin()[i + 1] - 1 : entry.until;
    const OpClass made{entry.type, since, until, entry.specification, types, construct};
    const auto place =
        std::upper_bound(classes_.begin(), classes_.end(), made, [](const OpClass& a, const OpClass& b) {
          const int order = compare_ignoring_case(a.type, b.type);
          return order != 0 ? order < 0 : a.since < b.since;
        });
    classes_.insert(place, made);
  }
}

const OpClass* Registry::find(std::string_view type, int opset) const {
  auto it = std::lower_bound(
      classes_.begin(), classes_.end(), type,
      [](const OpClass& c, std::string_view t) { return compare_ignoring_case(c.type, t) < 0; });
  for (; it != classes_.end() && compare_ignoring_case(it->type, type) == 0; ++it) {
    if (opset >= it->since && opset <= it->until) return &*it;
  }
  return nullptr;
}

const OpClass* Registry::find_newest(std::string_view type) const {
  const OpClass* newest = nullptr;
  for (const OpClass& c : classes_) {
    if (compare_ignoring_case(c.type, type) == 0) newest = &c;
  }
  return newest;
}

std::unique_ptr<Node> Registry::make_node(std::string_view type, std::string name, std::vector<Source> inputs,
                                          const AttributeTexts& attributes, size_t outputs) const {
  auto node = make_bare_node(type, std::move(name), std::move(inputs), outputs);
  AttributeReader reader(attributes);
  node->op->visit_attributes(reader);
  return node;
}

std::unique_ptr<Node> Registry::make_bare_node(std::string_view type, std::string name,
                                               std::vector<Source> inputs, size_t outputs) const {
  const OpClass* found = find_newest(type);
  if (found == nullptr) fail(ErrorCode::kUnsupported, "this build has no operation ", type);
  auto node = std::make_unique<Node>(std::move(name), std::string(found->type), found->since, found->make());
  node->inputs = inputs;
  node->outputs.resize(outputs);
  return node;
}

}  // namespace wasmvino::model
