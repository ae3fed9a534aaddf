// SPDX-License-Identifier: Apache-2.0
#include "ops/internal/residual.h"

#include <array>

#include "ops/elementwise/broadcast.h"
#include "ops/internal/elementwise_chain.h"

namespace wasmvino::ops {
namespace {

constexpr size_t kAlignment = 64;

size_t aligned(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

// All inputs except the last.
template <typename Context>
std::vector<const ValueInfo*> product_inputs(const Context& context) {
  std::vector<const ValueInfo*> inputs;
  for (size_t i = 0; i + 1 < context.input_count(); ++i) inputs.push_back(&context.input(i));
  return inputs;
}

ElementwiseChain sum_of(const kernels::UnaryFunction& activation) {
  std::vector<ChainStep> steps(1);
  steps[0].is_binary = true;
  steps[0].operand = 1;
  if (activation.kind != kernels::Unary::kIdentity) {
    steps.emplace_back();
    steps[1].unary = activation;
  }
  return ElementwiseChain(std::move(steps));
}

class BroadcastResidual final : public Kernel {
 public:
  BroadcastResidual(const CompileContext& context, ValueInfo product,
                    const kernels::UnaryFunction& activation)
      : info_(std::move(product)), sum_(sum_of(activation)) {
    for (size_t i = 0; i < context.input_count(); ++i)
      views_.push_back({context.input_type(i), context.input_shape(i), nullptr});
    for (size_t i = 0; i + 1 < views_.size(); ++i) product_inputs_.push_back(&views_[i]);
    product_ = {info_.type, info_.shape.to_shape(), nullptr};
  }

  void compile(CompileContext& context, const Op& product) {
    const std::vector<const ValueInfo*> inputs = product_inputs(context);
    CompileContext of_product(context.node(), inputs, {&info_, 1}, context.services());
    product_kernel_ = product.compile(of_product);
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (of_product.consumed(i)) context.consume(i);
    }
    const std::array<const ValueInfo*, 2> operands = {&info_, &context.input(inputs.size())};
    const ValueInfo output = {context.output_type(0), context.output_shape(0), nullptr};
    CompileContext of_sum(context.node(), operands, {&output, 1}, context.services());
    sum_kernel_ = sum_.compile(of_sum);
    context.request_scratch(CheckedSize(aligned(product_.byte_size())) +
                            std::max(of_product.scratch_bytes(), of_sum.scratch_bytes()));
  }

  void run(EvalContext& context) override {
    for (size_t i = 0; i < views_.size(); ++i) views_[i].memory = context.input(i).memory;
    char* scratch = static_cast<char*>(context.scratch());
    product_.memory = scratch;
    scratch += aligned(product_.byte_size());
    TensorView* const made[] = {&product_};
    EvalContext of_product(context.node(), product_inputs_, made, scratch, context.parallel());
    product_kernel_->run(of_product);
    TensorView* const operands[] = {&product_, &views_.back()};
    TensorView* const outputs[] = {&context.output(0)};
    EvalContext of_sum(context.node(), operands, outputs, scratch, context.parallel());
    sum_kernel_->run(of_sum);
  }

 private:
  ValueInfo info_;  // type and shape of the result without the residual
  ElementwiseChain sum_;
  TensorView product_;
  std::vector<TensorView> views_;  // of the inputs
  std::vector<TensorView*> product_inputs_;
  std::unique_ptr<Kernel> product_kernel_, sum_kernel_;
};

}  // namespace

void infer_residual(InferContext& context, const Op& product) {
  const std::vector<const ValueInfo*> inputs = product_inputs(context);
  ValueInfo made;
  InferContext inner(context.node(), inputs, {&made, 1});
  product.infer(inner);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inner.asked(i)) context.mark_asked(i);
  }
  const PartialShape& residual = context.input_shape(inputs.size());
  context.set_output(0, made.type, broadcast_shapes(AutoBroadcast::kNumpy, made.shape, residual));
}

std::unique_ptr<Kernel> compile_broadcast_residual(CompileContext& context, const Op& product,
                                                   const kernels::UnaryFunction& activation) {
  const std::vector<const ValueInfo*> inputs = product_inputs(context);
  ValueInfo made;
  InferContext inner(context.node(), inputs, {&made, 1});
  product.infer(inner);
  const Shape output = context.output_shape(0);
  if (made.shape.to_shape() == output && context.input_shape(inputs.size()) == output) return nullptr;
  auto kernel = std::make_unique<BroadcastResidual>(context, std::move(made), activation);
  kernel->compile(context, product);
  return kernel;
}

}  // namespace wasmvino::ops
