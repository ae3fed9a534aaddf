// SPDX-License-Identifier: Apache-2.0
// Names of axes.
// https://docs.openvino.ai/2026/openvino-workflow/running-inference/optimize-inference/optimize-preprocessing/layout-api-overview.html
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/shape.h"

namespace wasmvino::preprocess {

// What the axes of an array are called: "NCHW", "N...C", "?C??", "[N,CHANNELS,H,W]". Names are the same in
// any letter case. "?" is an axis without a name, "..." are any number of them.
class Layout {
 public:
  Layout() = default;  // "...": no axis has a name
  // Throws Error(kInvalidArgument).
  explicit Layout(std::string_view text);

  bool empty() const { return open_ && first_.empty() && last_.empty(); }
  // The names of an array's axes; "?" for those without. Throws Error(kInvalidArgument) where there are other
  // axes.
  std::vector<std::string> names(size_t rank) const;
  // The axis of this name; nothing where none has it.
  std::optional<size_t> find(std::string_view name, size_t rank) const;
  // Of the array whose axis i is axis order[i] of this one.
  Layout transposed(const Ints& order) const;
  // The number of axes; nothing if that is dynamic.
  std::optional<size_t> rank() const { return open_ ? std::nullopt : std::optional(first_.size()); }

  friend bool operator==(const Layout&, const Layout&) = default;
  friend std::string to_string(const Layout& layout);

 private:
  void add(std::string name);

  std::vector<std::string> first_, last_;  // around "...", or all of them
  bool open_ = true;
};

// The order of axes that makes an array of the second layout from one of the first. Axes of the second that
// the first has no name for are those that are left, in their order. Empty where nothing moves.
Ints order_between(const Layout& from, const Layout& to, size_t rank);

}  // namespace wasmvino::preprocess
