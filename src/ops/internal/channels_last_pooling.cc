// SPDX-License-Identifier: Apache-2.0
#include "ops/internal/channels_last_pooling.h"

#include "ops/pooling/pooling_problem.h"

namespace wasmvino::ops {

std::unique_ptr<Kernel> ChannelsLastPooling::compile(CompileContext& context) const {
  return compile_pooling(context, make_pooling(kind_, context.input_shape(0), context.output_shape(0),
                                               attributes_, layouts_.in, layouts_.out));
}

}  // namespace wasmvino::ops
