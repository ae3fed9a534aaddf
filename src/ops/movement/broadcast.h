// SPDX-License-Identifier: Apache-2.0
// Broadcast: repeats axes of size 1 up to a given shape.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/movement/broadcast-3.html
#pragma once

#include "ops/movement/strided_copy.h"

namespace wasmvino::ops::broadcasting {

struct BroadcastAttributes {
  // Opset 1 writes explicit as none. pdpd has no axis in the IR: data's first axis is the output's first.
  enum class Mode { kNumpy, kExplicit, kNone, kPdpd, kBidirectional };
  Mode mode = Mode::kNumpy;
};

class Broadcast final : public OpWithAttributes<Broadcast, BroadcastAttributes, CopyOp> {
 public:
  using Mode = BroadcastAttributes::Mode;

  explicit Broadcast(int version) : version_(version) {}

  void visit_attributes(AttributeVisitor& visitor) override;

  void infer(InferContext& context) const override;

 protected:
  StridedCopy plan(const CompileContext& context) const override;

 private:
  bool is_explicit() const { return attributes_.mode == Mode::kExplicit || attributes_.mode == Mode::kNone; }

  // The axis of the output that corresponds to an axis of data.
  size_t place(size_t axis, size_t rank, size_t output_rank, const std::optional<Ints>& mapping) const;

  void check(const PartialShape& data, const PartialShape& output, const std::optional<Ints>& mapping) const;

  int version_;
};

}  // namespace wasmvino::ops::broadcasting
