// SPDX-License-Identifier: Apache-2.0
#include "preprocess/layout.h"

#include <algorithm>
#include <cctype>

#include "core/error.h"
#include "core/text.h"

namespace wasmvino::preprocess {
namespace {

constexpr std::string_view kAny = "...";

std::string upper(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return result;
}

}  // namespace

Layout::Layout(std::string_view text) {
  const std::string_view whole = text = trim(text);
  if (whole.empty()) return;
  open_ = false;
  const bool listed = text.size() > 1 && text.front() == '[' && text.back() == ']';
  try {
    if (listed) {
      text = text.substr(1, text.size() - 2);
      for (bool more = true; more;) {
        const size_t comma = std::min(text.find(','), text.size());
        add(upper(trim(text.substr(0, comma))));
        more = comma < text.size();
        text.remove_prefix(more ? comma + 1 : comma);
      }
    } else {
      while (!text.empty()) {
        const size_t length = text.starts_with(kAny) ? kAny.size() : 1;
        add(upper(text.substr(0, length)));
        text.remove_prefix(length);
      }
    }
  } catch (const Error& error) {
    fail(ErrorCode::kInvalidArgument, "the layout '", whole, "' ", error.reason());
  }
}

void Layout::add(std::string name) {
  if (name == kAny) {
    if (open_) fail(ErrorCode::kInvalidArgument, "has '...' twice");
    open_ = true;
    return;
  }
  const auto is_letter = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  if (name != "?" && (name.empty() || !std::all_of(name.begin(), name.end(), is_letter))) {
    fail(ErrorCode::kInvalidArgument, "has an axis '", name,
         "': a name is one letter or digit, or several in a list in brackets; '?' is an axis without a "
         "name, '...' any number of axes");
  }
  const auto has = [&](const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (name != "?" && (has(first_) || has(last_))) {
    fail(ErrorCode::kInvalidArgument, "has the axis ", name, " twice");
  }
  (open_ ? last_ : first_).push_back(std::move(name));
}

std::vector<std::string> Layout::names(size_t rank) const {
  const size_t named = first_.size() + last_.size();
  if (named > rank || (!open_ && named != rank)) {
    throw Error(ErrorCode::kInvalidArgument,
                cat("the layout ", to_string(*this), " does not fit an array of rank ", rank))
        .expected(cat("rank ", open_ ? "at least " : "", named))
        .actual(cat("rank ", rank));
  }
  std::vector<std::string> names = first_;
  names.resize(rank - last_.size(), "?");
  names.insert(names.end(), last_.begin(), last_.end());
  return names;
}

std::optional<size_t> Layout::find(std::string_view name, size_t rank) const {
  const std::vector<std::string> all = names(rank);
  const auto found = std::find(all.begin(), all.end(), name);
  return found == all.end() ? std::nullopt : std::optional(static_cast<size_t>(found - all.begin()));
}

Layout Layout::transposed(const Ints& order) const {
  if (empty()) return {};
  const std::vector<std::string> all = names(order.size());
  Layout result;
  result.open_ = false;
  for (const int64_t axis : order) result.first_.push_back(all[static_cast<size_t>(axis)]);
  return result;
}

std::string to_string(const Layout& layout) {
  std::string text;
  const auto append = [&](std::string_view name) { text += cat(text.empty() ? "" : ",", name); };
  for (const std::string& name : layout.first_) append(name);
  if (layout.open_) append(kAny);
  for (const std::string& name : layout.last_) append(name);
  return cat("[", text, "]");
}

Ints order_between(const Layout& from, const Layout& to, size_t rank) {
  if (from.empty() || to.empty() || from == to) return {};
  const std::vector<std::string> sources = from.names(rank);
  const std::vector<std::string> targets = to.names(rank);
  std::vector<char> taken(rank);
  Ints order(rank, -1);
  for (size_t i = 0; i < rank; ++i) {
    const auto found = std::find(sources.begin(), sources.end(), targets[i]);
    if (targets[i] == "?" || found == sources.end()) continue;
    order[i] = found - sources.begin();
    taken[static_cast<size_t>(order[i])] = 1;
  }
  size_t next = 0;
  for (int64_t& axis : order) {
    if (axis >= 0) continue;
    while (taken[next] != 0) ++next;
    axis = static_cast<int64_t>(next++);
  }
  return std::is_sorted(order.begin(), order.end()) ? Ints() : order;
}

}  // namespace wasmvino::preprocess
