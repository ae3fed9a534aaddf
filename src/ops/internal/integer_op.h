// SPDX-License-Identifier: Apache-2.0
// The base class of operations on quantised data whose result is f32 or quantised again.
#pragma once

#include <memory>
#include <utility>

#include "model/node.h"

namespace wasmvino::ops {

class IntegerOp : public Op {
 public:
  static constexpr char kFamily = 0;
  bool is_a(const void* family) const override { return family == &kFamily; }

  // The operation that stores the result of `node`, which is f32, as these levels. nullptr if there is none.
  virtual std::shared_ptr<Op> with_levels(const Node& node, const SharedQuantization& levels) const = 0;

 protected:
  // Sets output 0: u8 with these levels or, if they are null, f32.
  static void set_result(InferContext& context, PartialShape shape, const SharedQuantization& levels);
};

// The base class of an operation T that passes make from its parts. Their member `output` has the levels of
// the result, or is null: the result is f32. `T::can_store()` says whether `output` may be set.
template <typename T, typename PartsOfT>
class IntegerOpWithParts : public IntegerOp {
 public:
  static constexpr char kFamily = 0;
  bool is_a(const void* family) const override { return family == &kFamily || IntegerOp::is_a(family); }

  using Parts = PartsOfT;
  explicit IntegerOpWithParts(Parts parts) : parts_(std::move(parts)) {}

  std::shared_ptr<Op> with_levels(const Node& node, const SharedQuantization& levels) const override {
    if (!static_cast<const T*>(this)->can_store(node, *levels)) return nullptr;
    Parts parts = parts_;
    parts.output = levels;
    return std::make_shared<T>(std::move(parts));
  }

 protected:
  Parts parts_;
};

}  // namespace wasmvino::ops
