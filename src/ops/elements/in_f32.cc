// SPDX-License-Identifier: Apache-2.0
#include "ops/elements/in_f32.h"

#include <algorithm>

namespace wasmvino::ops {
namespace {

constexpr size_t kAlignment = 64;
// Grain: with fewer elements, converting on a second thread costs more than it saves.
constexpr size_t kGrain = size_t{1} << 15;

// The type that the kernel sees. Every floating point type becomes f32, because the kernel would read any
// other as f32. number_loader() rejects types without conversion.
ElementType seen_type(ElementType type) { return is_real(type) ? ElementType::kF32 : type; }

ElementType seen_input(const CompileContext& context, size_t i, IntegerInputs integers) {
  const ElementType type = context.input_type(i);
  const uint32_t bit = i < 32 ? uint32_t{1} << i : 0;
  if (!is_integral(type)) return seen_type(type);
  if (integers.as_f32 & bit) return ElementType::kF32;
  return integers.as_i64 & bit && type != ElementType::kI32 ? ElementType::kI64 : type;
}

ElementType seen_output(const CompileContext& context, size_t i, IntegerInputs integers) {
  const ElementType type = context.output_type(i);
  const bool number = integers.as_f32 & 1 && is_integral(type) && type == context.input_type(0);
  return number ? ElementType::kF32 : seen_type(type);
}

// Converts elements to `to`: f32 or i64.
void convert(ElementType from, ElementType to, const void* memory, size_t first, size_t count, void* out) {
  if (to == ElementType::kF32) {
    kernels::number_loader<float>(from)(memory, first, 1, count, static_cast<float*>(out));
  } else if (from == ElementType::kU64) {
    std::copy_n(static_cast<const uint64_t*>(memory) + first, count, static_cast<uint64_t*>(out));
  } else {
    kernels::number_loader<int64_t>(from)(memory, first, 1, count, static_cast<int64_t*>(out));
  }
}

// A known value in another type, converted at its first use. Weights that are packed already are never
// converted.
class ConvertedBytes final : public ByteSource {
 public:
  ConvertedBytes(std::shared_ptr<const ConstantData> from, ElementType to)
      : from_(std::move(from)), to_(to) {}
  size_t size() const override { return storage_bytes(to_, element_count(from_->shape())); }
  void read(size_t offset, size_t count, void* to) const override {
    const size_t width = bit_width(to_) / 8;
    const Tensor from = from_->value();
    convert(from_->type(), to_, from.view().memory, offset / width, count / width, to);
  }

 private:
  std::shared_ptr<const ConstantData> from_;
  ElementType to_;
};

std::vector<ValueInfo> seen_inputs(const CompileContext& context, IntegerInputs integers) {
  std::vector<ValueInfo> infos;
  for (size_t i = 0; i < context.input_count(); ++i) {
    ValueInfo info = context.input(i);
    const ElementType seen = seen_input(context, i, integers);
    if (seen != info.type && info.constant != nullptr) {
      const auto source = std::make_shared<ConvertedBytes>(info.constant, seen);
      info.constant = std::make_shared<ConstantData>(seen, info.constant->shape(), source, 0, source->size());
    }
    info.type = seen;
    infos.push_back(std::move(info));
  }
  return infos;
}

std::vector<ValueInfo> seen_outputs(const CompileContext& context, IntegerInputs integers) {
  std::vector<ValueInfo> infos;
  for (size_t i = 0; i < context.output_count(); ++i) {
    infos.push_back({seen_output(context, i, integers), context.output_shape(i), nullptr});
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
    fail(ErrorCode::kInternal, "a data-dependent output cannot be converted");
  }
};

// Location of one tensor of the node while the f32 kernel runs.
struct Place {
  TensorView view;
  ElementType stored = ElementType::kDynamic;    // of a converted input
  kernels::StoreNumbers<float> store = nullptr;  // of a converted output
  Tensor constant;                               // of an input converted when the node was compiled
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
      if (place.stored == ElementType::kDynamic) {
        place.view.memory = context.input(i).memory;
        continue;
      }
      char* to = scratch + place.offset;
      place.view.memory = to;
      const size_t width = bit_width(place.view.type) / 8;
      parallel_for(context.parallel(), place.count, kGrain, [&](size_t begin, size_t end) {
        convert(place.stored, place.view.type, from, begin, end - begin, to + begin * width);
      });
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

  std::string method() const override {
    const std::string inner = inner_->method();
    return inner.empty() ? "converted to f32" : "converted to f32: " + inner;
  }

 private:
  std::unique_ptr<Kernel> inner_;
  std::vector<Place> inputs_, outputs_;
  std::vector<TensorView*> input_views_, output_views_;
  size_t inner_offset_;
};

}  // namespace

bool is_f32_only(const CompileContext& context, IntegerInputs integers) {
  for (size_t i = 0; i < context.input_count(); ++i) {
    if (seen_input(context, i, integers) != context.input_type(i)) return false;
  }
  for (size_t i = 0; i < context.output_count(); ++i) {
    if (seen_output(context, i, integers) != context.output_type(i)) return false;
  }
  return true;
}

F32View::F32View(CompileContext& context, IntegerInputs integers)
    : outer_(context),
      inputs_(seen_inputs(context, integers)),
      outputs_(seen_outputs(context, integers)),
      input_pointers_(pointers_to(inputs_)),
      inner_(context.node(), input_pointers_, outputs_, context.services()) {
  inner_.set_unread(context.unread());
}

std::unique_ptr<Kernel> F32View::wrap(std::unique_ptr<Kernel> kernel) {
  CheckedSize bytes;
  const auto reserve = [&](Place& place) {
    place.offset = bytes.value();
    bytes += CheckedSize(storage_bytes(place.view.type, place.count)).rounded_up(kAlignment);
  };
  std::vector<Place> inputs(inputs_.size()), outputs(outputs_.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    Place& place = inputs[i];
    place.view = {inputs_[i].type, outer_.input_shape(i), nullptr};
    place.count = place.view.size();
    if (inner_.consumed(i)) {
      outer_.consume(i);
    } else if (inputs_[i].type != outer_.input_type(i) && inputs_[i].constant != nullptr) {
      outer_.consume(i);
      place.constant = inputs_[i].constant->value();
      place.view = place.constant.view();
    } else if (inputs_[i].type != outer_.input_type(i)) {
      place.stored = outer_.input_type(i);
      reserve(place);
    }
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    Place& place = outputs[i];
    place.view = {outputs_[i].type, outer_.output_shape(i), nullptr};
    place.count = place.view.size();
    if (outputs_[i].type == outer_.output_type(i)) continue;
    place.store = kernels::number_storer<float>(outer_.output_type(i));
    reserve(place);
  }
  outer_.request_scratch(bytes + inner_.scratch_bytes());
  return std::make_unique<InF32>(std::move(kernel), std::move(inputs), std::move(outputs), bytes.value());
}

}  // namespace wasmvino::ops
