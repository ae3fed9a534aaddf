// SPDX-License-Identifier: Apache-2.0
// Layouts give names to the axes of an array.
// https://docs.openvino.ai/2026/openvino-workflow/running-inference/optimize-inference/optimize-preprocessing/layout-api-overview.html
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/shape.h"

namespace wasmvino::preprocess {

// The names of the axes of an array: "NCHW", "N...C", "?C??", "[N,CHANNELS,H,W]". Letter case does not
// matter. "?" is an axis without a name, and "..." is any number of them.
class Layout {
 public:
  Layout() = default;  // "...": no axis has a name
  // Throws Error(kInvalidArgument).
  explicit Layout(std::string_view text);

  bool empty() const { return open_ && first_.empty() && last_.empty(); }
  // The names of an array's axes; "?" for those without a name. Throws Error(kInvalidArgument) if the layout
  // does not fit `rank`.
  std::vector<std::string> names(size_t rank) const;
  // The axis of this name; nullopt if there is none.
  std::optional<size_t> find(std::string_view name, size_t rank) const;
  // The layout of the array whose axis i is axis order[i] of this one.
  Layout transposed(const Ints& order) const;
  // The number of axes; nullopt if it is dynamic.
  std::optional<size_t> rank() const { return open_ ? std::nullopt : std::optional(first_.size()); }

  friend bool operator==(const Layout&, const Layout&) = default;
  friend std::string to_string(const Layout& layout);

 private:
  void add(std::string name);

  std::vector<std::string> first_, last_;  // the names around "...", or all of them
  bool open_ = true;
};

// The order of axes that transposes an array from the first layout to the second. Axes of the second layout
// whose names the first one lacks are the remaining axes, in their order. Empty if no axis moves.
Ints order_between(const Layout& from, const Layout& to, size_t rank);

}  // namespace wasmvino::preprocess
