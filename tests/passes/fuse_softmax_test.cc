// SPDX-License-Identifier: Apache-2.0
#include "tests/passes/pass_tester.h"

namespace wasmvino::passes {
namespace {

Source softmax(Model& model, Source x, int64_t axis, int64_t summed, const std::string& keeps) {
  const model::AttributeTexts keep = {{"keep_dims", keeps}};
  const Source largest =
      add(model, "ReduceMax", "largest", {x, integers(model, "axis", {axis})}, {{"keep_dims", "true"}});
  const Source exp = add(model, "Exp", "exp", {add(model, "Subtract", "less", {x, largest})});
  return add(model, "Divide", "share",
             {exp, add(model, "ReduceSum", "sum", {exp, integers(model, "axes", {summed})}, keep)});
}

const std::string kBefore =
    "Parameter x; ReduceMax largest(x); Subtract less(x, largest); Exp exp(less); ReduceSum sum(exp); "
    "Divide share(exp, sum)";

TEST(FuseSoftmax, AlongOneAxis) {
  for (const int64_t axis : {-1, 0, 1}) {
    Model model;
    const Source x = parameter(model, "x", {3, Dimension(), 4});
    result(model, softmax(model, x, axis, axis < 0 ? axis + 3 : axis, "true"));
    check_pass(fuse_softmax, model, kBefore, "Parameter x; Softmax share(x)");
  }
}

TEST(FuseSoftmax, OtherSumsStay) {
  {
    Model model;
    result(model, softmax(model, parameter(model, "x", {3, 3}), 0, 1, "true"));
    check_pass(fuse_softmax, model, kBefore, kBefore);
  }
  {
    Model model;
    result(model, softmax(model, parameter(model, "x", {3, 3}), 1, 1, "false"));
    check_pass(fuse_softmax, model, kBefore, kBefore);
  }
}

}  // namespace
}  // namespace wasmvino::passes
