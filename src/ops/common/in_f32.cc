// SPDX-License-Identifier: Apache-2.0
#include "ops/common/in_f32.h"

namespace wasmvino::ops {
namespace {

constexpr size_t kAlignment = 64;
// Elements below which converting them on a second thread costs more than it saves.
constexpr size_t kGrain = size_t{1} << 15;

bool is_converted(ElementType type) {
  return type == ElementType::kF16 || type == ElementType::kBf16 || type == ElementType::kF64;
}

ElementType in_f32(ElementType type) { return is_converted(type) ? ElementType::kF32 : type; }

// A known value in f32, converted when somebody first asks for it: weights that are packed already never are.
class ConvertedBytes final : public ByteSource {
 public:
  explicit ConvertedBytes(std::shared_ptr<const ConstantData> from) : from_(std::move(from)) {}
  size_t size() const override { return element_count(from_->shape()) * sizeof(float); }
  void read(size_t offset, size_t count, void* to) const override {
    const size_t elements = count / sizeof(float);
    const Tensor from = from_->value();
    number_loader<float>(from_->type())(from.view().memory, offset / sizeof(float), 1, elements,
                                        static_cast<float*>(to));
  }

 private:
  std::shared_ptr<const ConstantData> from_;
};

ValueInfo in_f32(const ValueInfo& info) {
  ValueInfo result = info;
  result.type = in_f32(info.type);
  if (is_converted(info.type) && info.constant != nullptr) {
    const auto source = std::make_shared<ConvertedBytes>(info.constant);
    result.constant =
        std::make_shared<ConstantData>(ElementType::kF32, info.constant->shape(), source, 0, source->size());
  }
  return result;
}

std::vector<ValueInfo> inputs_in_f32(const CompileContext& context) {
  std::vector<ValueInfo> infos;
  for (size_t i = 0; i < context.input_count(); ++i) infos.push_back(in_f32(context.input(i)));
  return infos;
}

std::vector<ValueInfo> outputs_in_f32(const CompileContext& context) {
  std::vector<ValueInfo> infos;
  for (size_t i = 0; i < context.output_count(); ++i) {
    infos.push_back({in_f32(context.output_type(i)), context.output_shape(i), nullptr});
  }
  return infos;
}

std::vector<const ValueInfo*> pointers_to(const std::vector<ValueInfo>& infos) {
  std::vector<const ValueInfo*> pointers;
  for (const ValueInfo& info : infos) pointers.push_back(&info);
  return pointers;
}

class NoServices final : public EvalServices {
 public:
  void set_output_shape(size_t, const Shape&) override {
    fail(ErrorCode::kInternal, "an output that depends on data is not converted");
  }
};

// Where one tensor of the node stands while the kernel for f32 runs.
struct Place {
  TensorView view;
  LoadNumbers<float> load = nullptr;             // of a converted input
  StoreNumbers<float> store = nullptr;           // of a converted output
  Tensor constant;  // of an input converted when the node was compiled
  size_t count = 0;
  size_t offset = 0;  // in the scratch memory
};

class InF32 final : public Kernel {
 public:
  InF32(std::unique_ptr<Kernel> inner, std::vector<Place> inputs, std::vector<Place> outputs,
        size_t inner_offset)
      : inner_(std::move(inner)),
        inputs_(std::move(inputs)),
        outputs_(std::move(outputs)),
        inner_offset_(inner_offset) {
    for (Place& place : inputs_) input_views_.push_back(&place.view);
    for (Place& place : outputs_) output_views_.push_back(&place.view);
  }

  void run(EvalContext& context) override {
    char* scratch = static_cast<char*>(context.scratch());
    for (size_t i = 0; i < inputs_.size(); ++i) {
      Place& place = inputs_[i];
      if (place.constant) continue;
      const void* from = context.input(i).memory;
      if (place.load == nullptr) {
        place.view.memory = context.input(i).memory;
        continue;
      }
      float* to = reinterpret_cast<float*>(scratch + place.offset);
      place.view.memory = to;
      parallel_for(context.parallel(), place.count, kGrain,
                   [&](size_t begin, size_t end) { place.load(from, begin, 1, end - begin, to + begin); });
    }
    for (size_t i = 0; i < outputs_.size(); ++i) {
      Place& place = outputs_[i];
      place.view.memory = place.store == nullptr ? context.output(i).memory : scratch + place.offset;
    }
    NoServices services;
    EvalContext inner(context.node(), input_views_, output_views_, scratch + inner_offset_,
                      context.parallel(), services);
    inner_->run(inner);
    for (size_t i = 0; i < outputs_.size(); ++i) {
      Place& place = outputs_[i];
      if (place.store == nullptr) continue;
      const float* from = reinterpret_cast<const float*>(scratch + place.offset);
      parallel_for(context.parallel(), place.count, kGrain, [&](size_t begin, size_t end) {
        place.store(from + begin, end - begin, context.output(i).memory, begin, 1);
      });
    }
  }

 private:
  std::unique_ptr<Kernel> inner_;
  std::vector<Place> inputs_, outputs_;
  std::vector<TensorView*> input_views_, output_views_;
  size_t inner_offset_;
};

}  // namespace

bool is_f32_only(const CompileContext& context) {
  for (size_t i = 0; i < context.input_count(); ++i) {
    if (is_converted(context.input_type(i))) return false;
  }
  for (size_t i = 0; i < context.output_count(); ++i) {
    if (is_converted(context.output_type(i))) return false;
  }
  return true;
}

F32View::F32View(CompileContext& context)
    : outer_(context),
      inputs_(inputs_in_f32(context)),
      outputs_(outputs_in_f32(context)),
      input_pointers_(pointers_to(inputs_)),
      inner_(context.node(), input_pointers_, outputs_, context.services()) {
  for (size_t i = 0; i < context.output_count(); ++i) {
    if (!context.is_read(i)) inner_.set_unread(i);
  }
}

std::unique_ptr<Kernel> F32View::wrap(std::unique_ptr<Kernel> kernel) {
  CheckedSize bytes;
  const auto reserve = [&](Place& place) {
    place.offset = bytes.value();
    bytes += (CheckedSize(place.count) * sizeof(float)).rounded_up(kAlignment);
  };
  std::vector<Place> inputs(inputs_.size()), outputs(outputs_.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    Place& place = inputs[i];
    place.view = {inputs_[i].type, outer_.input_shape(i), nullptr};
    place.count = place.view.size();
    if (inner_.consumed(i)) {
      outer_.consume(i);
    } else if (is_converted(outer_.input_type(i)) && inputs_[i].constant != nullptr) {
      outer_.consume(i);
      place.constant = inputs_[i].constant->value();
      place.view = place.constant.view();
    } else if (is_converted(outer_.input_type(i))) {
      place.load = number_loader<float>(outer_.input_type(i));
      reserve(place);
    }
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    Place& place = outputs[i];
    place.view = {outputs_[i].type, outer_.output_shape(i), nullptr};
    place.count = place.view.size();
    if (!is_converted(outer_.output_type(i))) continue;
    place.store = number_storer<float>(outer_.output_type(i));
    reserve(place);
  }
  outer_.request_scratch(bytes + inner_.scratch_bytes());
  return std::make_unique<InF32>(std::move(kernel), std::move(inputs), std::move(outputs), bytes.value());
}

}  // namespace wasmvino::ops
