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

int compare(const OpClass& a, std::string_view domain, std::string_view type) {
  return a.domain != domain ? a.domain.compare(domain) : compare_ignoring_case(a.type, type);
}

}  // namespace

std::unique_ptr<Op> OpClass::make() const {
  std::unique_ptr<Op> op = construct(since);
  op->types_ = types.get();
  op->domain_ = domain;
  return op;
}

void Registry::add(const OpEntry& entry, std::unique_ptr<Op> (*construct)(int since)) {
  const auto types = std::make_shared<const TypeContract>(entry.types);
  for (size_t i = 0; i < entry.versions.size(); ++i) {
    const int since = entry.versions.begin()[i];
    const int until = i + 1 < entry.versions.size() ? entry.versions.begin()[i + 1] - 1 : entry.until;
    const OpClass made{entry.domain, entry.type, since, until, entry.specification, types, construct};
    const auto place =
        std::upper_bound(classes_.begin(), classes_.end(), made, [](const OpClass& a, const OpClass& b) {
          const int order = compare(a, b.domain, b.type);
          return order != 0 ? order < 0 : a.since < b.since;
        });
    classes_.insert(place, made);
  }
}

const OpClass* Registry::find(std::string_view type, int opset) const {
  for (const OpClass& c : versions_of(type, {})) {
    if (opset >= c.since && opset <= c.until) return &c;
  }
  return nullptr;
}

const OpClass* Registry::find_newest(std::string_view type, std::string_view domain) const {
  const std::span<const OpClass> versions = versions_of(type, domain);
  return versions.empty() ? nullptr : &versions.back();
}

std::span<const OpClass> Registry::versions_of(std::string_view type, std::string_view domain) const {
  const auto first =
      std::lower_bound(classes_.begin(), classes_.end(), type,
                       [&](const OpClass& c, std::string_view t) { return compare(c, domain, t) < 0; });
  const auto last = std::upper_bound(first, classes_.end(), type, [&](std::string_view t, const OpClass& c) {
    return compare(c, domain, t) > 0;
  });
  return {first, last};
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
