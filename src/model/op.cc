// SPDX-License-Identifier: Apache-2.0
#include "model/op.h"

#include "core/error.h"
#include "model/node.h"

namespace wasmvino::model {

std::vector<std::optional<ViewOf>> Op::views(const CompileContext& context) const {
  std::vector<std::optional<ViewOf>> views;
  for (size_t i = 0; i < context.output_count(); ++i) views.push_back(view_of(context, i));
  return views;
}

void Op::evaluate(EvalContext&) const {
  fail(ErrorCode::kInternal, "the operation has neither a kernel nor an evaluation");
}

std::optional<Source> Op::simplify(const Node&, Model&) const { return std::nullopt; }

std::optional<ChannelsLastForm> Op::channels_last_form(const Node&) const { return std::nullopt; }

std::shared_ptr<Op> Op::with_edge_layouts(EdgeLayouts) const {
  fail(ErrorCode::kInternal, "the operation has no layouts to choose");
}

}  // namespace wasmvino::model
