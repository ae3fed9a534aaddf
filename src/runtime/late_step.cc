// SPDX-License-Identifier: Apache-2.0
#include "runtime/late_step.h"

#include <cstring>
#include <functional>

#include "runtime/services.h"
#include "runtime/thread_pool.h"

namespace wasmvino::runtime {
namespace {

bool same_values(const TensorView& a, const TensorView& b) {
  if (a.type != b.type || !(a.shape == b.shape)) return false;
  if (a.type == ElementType::kString) {
    return std::equal(a.data<std::string>(), a.data<std::string>() + a.size(), b.data<std::string>());
  }
  return std::memcmp(a.memory, b.memory, a.byte_size()) == 0;
}

}  // namespace

LateStep::LateStep(const model::Node& node, std::vector<const model::ValueInfo*> known,
                   std::span<TensorView* const> inputs, std::span<TensorView* const> outputs,
                   std::vector<std::string> path, RunState& state)
    : node_(node),
      known_(std::move(known)),
      inputs_(inputs),
      outputs_(outputs),
      path_(std::move(path)),
      state_(state),
      buffers_(outputs.size()) {}

LateStep::~LateStep() = default;

bool LateStep::prepared_for_inputs() const {
  if (!prepared_) return false;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (!(inputs_[i]->shape == input_shapes_[i])) return false;
    if (asked_values_[i] && !same_values(asked_values_[i].view(), *inputs_[i])) return false;
  }
  return true;
}

void LateStep::prepare() {
  const PlanningLock lock;
  prepared_ = false;
  std::vector<model::ValueInfo> infos;
  infos.reserve(inputs_.size());
  input_shapes_.clear();
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const TensorView& view = *inputs_[i];
    input_shapes_.push_back(view.shape);
    model::ValueInfo info{view.type, view.shape, known_[i]->constant, known_[i]->quantization};
    if (info.constant == nullptr) {
      info.constant = std::make_shared<model::ConstantData>(Tensor(view.type, view.shape, view.memory));
    }
    infos.push_back(std::move(info));
  }
  std::vector<const model::ValueInfo*> pointers;
  for (const model::ValueInfo& info : infos) pointers.push_back(&info);

  model::Variables variables;
  for (const auto& variable : state_.variables) variables.push_back(variable.get());
  std::vector<char> asked;
  output_infos_ = model::infer_node(node_, pointers, &variables, &asked);

  // Only values that shapes depend on are fixed for the kernel. They are kept to detect changes.
  asked_values_.assign(inputs_.size(), Tensor());
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (known_[i]->constant != nullptr) continue;
    infos[i].constant = nullptr;
    if (!asked[i]) continue;
    asked_values_[i] = Tensor(inputs_[i]->type, inputs_[i]->shape, inputs_[i]->memory).clone();
    infos[i].constant = std::make_shared<model::ConstantData>(asked_values_[i]);
  }
  Services services(state_, path_);
  model::CompileContext compile(node_, pointers, output_infos_, services);
  output_views_ = node_.op->views(compile);
  output_values_.assign(outputs_.size(), Tensor());
  bool computed = outputs_.empty();
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if (output_infos_[i].constant != nullptr) output_values_[i] = output_infos_[i].constant->value();
    computed |= output_infos_[i].constant == nullptr && !output_views_[i];
  }
  kernel_ = computed ? model::compile_kernel(compile) : nullptr;
  constants_ = compile.take_constants();
  if (compile.scratch_bytes() > 0 && (!scratch_ || scratch_.byte_size() < compile.scratch_bytes())) {
    scratch_ = Tensor(ElementType::kU8, {static_cast<int64_t>(compile.scratch_bytes())});
  }
  prepared_ = true;
}

void LateStep::set_output_shape(size_t i, const Shape& shape) {
  const ElementType type = output_infos_[i].type;
  const size_t count = element_count(shape);
  Tensor& buffer = buffers_[i];
  if (type == ElementType::kString) {
    buffer = Tensor(type, shape);
  } else if (const size_t bytes = storage_bytes(type, count);
             !buffer || buffer.is_shared() || buffer.byte_size() < bytes) {
    buffer = Tensor();  // free the smaller buffer first
    buffer = Tensor(ElementType::kU8, {static_cast<int64_t>(bytes)});
  }
  *outputs_[i] = {type, shape, buffer.view().memory};
}

const Tensor* LateStep::buffer_around(const void* memory) const {
  for (const Tensor& buffer : buffers_) {
    if (!buffer) continue;
    const char* const first = buffer.data<char>();
    if (!std::less<const void*>()(memory, first) &&
        std::less<const void*>()(memory, first + buffer.byte_size())) {
      return &buffer;
    }
  }
  return nullptr;
}

void LateStep::run() {
  if (!prepared_for_inputs()) prepare();
  bool computed = outputs_.empty();
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const model::ValueInfo& info = output_infos_[i];
    if (info.constant != nullptr) {
      *outputs_[i] = output_values_[i].view();
    } else if (const auto& view = output_views_[i]) {
      void* memory = static_cast<char*>(inputs_[view->input]->memory) + view->offset;
      *outputs_[i] = {info.type, info.shape.to_shape(), memory};
    } else {
      computed = true;
      outputs_[i]->type = info.type;
      if (info.shape.is_static()) set_output_shape(i, info.shape.to_shape());
    }
  }
  if (!computed) return;
  model::EvalContext context(node_, inputs_, outputs_, scratch_ ? scratch_.view().memory : nullptr,
                             *state_.parallel, *this);
  if (kernel_ != nullptr) {
    kernel_->run(context);
  } else {
    node_.op->evaluate(context);
  }
}

}  // namespace wasmvino::runtime
