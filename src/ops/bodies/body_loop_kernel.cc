// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "core/call.h"
#include "core/checked.h"
#include "core/copies.h"
#include "ops/bodies/body_loop.h"
#include "ops/bodies/body_parts.h"

namespace wasmvino::ops {
namespace {

// Memory that grows when necessary and is reused.
class Buffer {
 public:
  TensorView fit(ElementType type, const Shape& shape) {
    if (type == ElementType::kString) {
      tensor_ = Tensor(type, shape);
    } else if (const size_t bytes = storage_bytes(type, element_count(shape)); bytes > capacity()) {
      tensor_ = Tensor();
      tensor_ = Tensor(ElementType::kU8, {static_cast<int64_t>(bytes)});
    }
    return {type, shape, tensor_.view().memory};
  }
  // Appends bytes to the first `used` ones. If that fails, those are kept.
  void append(size_t used, const void* bytes, size_t count) {
    const CheckedSize needed = CheckedSize(used) + count;
    if (needed.value() > capacity()) {
      const size_t grown = std::max(needed.value(), (CheckedSize(capacity()) * 2).value());
      Tensor larger(ElementType::kU8, {static_cast<int64_t>(grown)});
      if (used > 0) std::memcpy(larger.mutable_data<char>(), tensor_.data<char>(), used);
      tensor_ = std::move(larger);
    }
    if (count > 0) std::memcpy(tensor_.mutable_data<char>() + used, bytes, count);
  }
  char* memory() { return tensor_.mutable_data<char>(); }

 private:
  size_t capacity() const { return tensor_ ? tensor_.byte_size() : 0; }

  Tensor tensor_;  // of bytes or of strings
};

class LoopKernel final : public Kernel {
 public:
  LoopKernel(CompileContext& context, std::optional<size_t> trip_count, std::optional<size_t> condition)
      : body_(context.node().bodies[0]), trip_count_(trip_count), condition_(condition) {
    const std::vector<ValueInfo> parameters = first_parameters(context);
    subgraph_ = context.subgraph(0, parameters);
    for (const BodyInput& map : body_.inputs) {
      if (map.purpose == BodyInput::Purpose::kCurrentIteration) {
        const ValueInfo& number = parameters[map.parameter];
        current_iterations_.push_back({map.parameter, number.type, number.shape.to_shape()});
      } else if (map.axis) {
        add_sliced(context, map);
      } else if (const BackEdge* edge = back_edge_to(body_, map.parameter)) {
        merged_.push_back({map.input, map.parameter, edge->result});
      } else {
        invariant_.push_back({map.input, map.parameter});
      }
    }
    if (!slices_ && !trip_count_) slices_ = unsliced_iterations(body_);
    results_.resize(body_.model->results.size());
    for (const Merged& merged : merged_) results_[merged.result].merged = true;
    for (const BodyOutput& map : body_.outputs) {
      if (map.purpose == BodyOutput::Purpose::kExecutionCondition) {
        condition_result_ = map.result;
        continue;
      }
      Output output{map.output, map.result, map.axis, false, false};
      if (map.axis) {
        output.reversed = map.stride < 0;
        output.part = part_length(map);
        output.planned = context.has_output_shape(map.output);
        // If several outputs take a result, the first one decides where the body writes it.
        Result& result = results_[map.result];
        if (!result.concatenated) result.concatenated = outputs_.size();
      }
      outputs_.push_back(output);
    }
  }

  void run(EvalContext& context) override {
    const bool starts = !condition_ || truth(context.input(*condition_));
    const int64_t limit = starts ? iteration_limit(context) : 0;
    for (const Invariant& map : invariant_)
      subgraph_->bind_parameter(map.parameter, context.input(map.input));
    for (const Merged& map : merged_) subgraph_->bind_parameter(map.parameter, context.input(map.input));
    for (Output& output : outputs_) {
      output.lengths.clear();
      output.bytes = 0;
    }
    int64_t done = 0;
    bool go = true;
    const uint64_t most = current_call().limits().iterations;
    while (go && (limit < 0 || done < limit)) {
      check_limit(most, static_cast<uint64_t>(done) + 1, "iterations");
      bind_inputs(context, done);
      subgraph_->prepare();
      bind_results(context, done, limit);
      subgraph_->run(done);
      take_outputs(context, done, limit);
      pass_states(done);
      ++done;
      go = !condition_result_ || truth(subgraph_->result(*condition_result_));
      pending_states();
    }
    finish(context, done, limit);
  }

 private:
  struct Sliced {
    size_t input, parameter, axis;
    Parts parts;
    size_t outer, inner;  // number of blocks before the axis; elements per index of the axis
    TensorView part;      // as the parameter sees it
    Buffer copy;          // of parts that are not one block of memory
    bool whole = false;   // whether a part is one block of the input
  };
  struct Merged {
    size_t input, parameter, result;
  };
  struct Invariant {
    size_t input, parameter;
  };
  struct CurrentIteration {
    size_t parameter;
    ElementType type;
    Shape shape;
    int64_t value = 0;
    int32_t narrow = 0;
  };
  struct Output {
    size_t output, result;
    std::optional<int64_t> axis;
    bool reversed = false;
    bool planned = false;  // its shape was known at compile time
    int64_t part = 1;
    // Along the axis, per iteration, if not planned.
    std::vector<int64_t> lengths{};
    size_t bytes = 0;  // collected so far
    Shape part_shape{};
    ElementType type = ElementType::kDynamic;
    Buffer collected{};
  };
  struct Result {
    bool merged = false;
    std::optional<size_t> concatenated;  // index in outputs_
    Buffer states[2];                    // one is read while the other is written
    TensorView state{};                  // this iteration's value
  };

  void add_sliced(CompileContext& context, const BodyInput& map) {
    Sliced sliced{map.input, map.parameter, 0, {}, 0, 0, {}, {}};
    Shape shape = context.input_shape(map.input);
    sliced.axis = axis_of(map, shape.size());
    sliced.parts = resolve_parts(map, shape[sliced.axis]);
    sliced.outer = product(shape, 0, sliced.axis);
    const ElementType type = context.input_type(map.input);
    sliced.inner = product(shape, sliced.axis + 1, shape.size());
    sliced.whole = sliced.outer == 1 && !is_sub_byte(type);
    shape[sliced.axis] = sliced.parts.length;
    sliced.part = {type, shape, nullptr};
    slices_ = slices_ ? std::min(*slices_, sliced.parts.count) : sliced.parts.count;
    sliced_.push_back(std::move(sliced));
  }

  static bool truth(const TensorView& value) {
    if (value.size() != 1)
      fail(ErrorCode::kInvalidShape, "the execution condition has shape ", value.shape,
           ", expected one value");
    return *value.data<uint8_t>() != 0;
  }

  // The maximum number of iterations; -1: until the condition is false.
  int64_t iteration_limit(EvalContext& context) const {
    if (!trip_count_) return *slices_;
    const Ints count = to_ints(context.input(*trip_count_));
    if (count.size() != 1)
      fail(ErrorCode::kInvalidShape, "the trip count has ", count.size(), " values, expected one");
    if (count[0] < 0) return slices_ ? *slices_ : -1;
    if (slices_ && count[0] > *slices_) {
      fail(ErrorCode::kInvalidShape, "the trip count is ", count[0], ", but the sliced inputs have ",
           *slices_, " parts");
    }
    return count[0];
  }

  void bind_inputs(EvalContext& context, int64_t iteration) {
    for (Sliced& map : sliced_) {
      const TensorView& input = context.input(map.input);
      const size_t first = static_cast<size_t>(map.parts.begin(iteration)) * map.inner;
      if (map.whole) {
        map.part.memory = static_cast<char*>(input.memory) + first * (bit_width(input.type) / 8);
      } else {
        const size_t count = static_cast<size_t>(map.parts.length) * map.inner;
        map.part = map.copy.fit(map.part.type, map.part.shape);
        const size_t row = static_cast<size_t>(input.shape[map.axis]) * map.inner;
        copy_blocks(input, {first, row}, map.part, {0, count}, map.outer, count);
      }
      subgraph_->bind_parameter(map.parameter, map.part);
    }
    for (CurrentIteration& map : current_iterations_) {
      map.value = iteration;
      map.narrow = static_cast<int32_t>(iteration);
      const bool wide = map.type == ElementType::kI64;
      subgraph_->bind_parameter(map.parameter,
                                {map.type, map.shape, wide ? static_cast<void*>(&map.value) : &map.narrow});
    }
  }

  // The index of the part of an output that an iteration computes.
  static size_t position(const Output& output, int64_t iteration, int64_t limit) {
    return static_cast<size_t>(output.reversed ? limit - 1 - iteration : iteration);
  }

  // The address inside the output where a part can be computed directly; nullptr if the part is not one block
  // of whole bytes there. Requires fits().
  static char* slot(const TensorView& whole, const TensorView& part, size_t axis, size_t position) {
    if (product(part.shape, 0, axis) != 1 || is_sub_byte(part.type)) return nullptr;
    return static_cast<char*>(whole.memory) + position * part.byte_size();
  }

  // Whether a part has the planned type and size: the body may produce another shape than inference
  // predicted.
  static bool fits(const Output& output, const TensorView& whole, const TensorView& part, size_t axis,
                   int64_t limit) {
    const auto parts = static_cast<uint64_t>(limit);
    return part.type == whole.type && part.shape[axis] == output.part && whole.size() % parts == 0 &&
           part.size() == whole.size() / parts;
  }

  void bind_results(EvalContext& context, int64_t iteration, int64_t limit) {
    for (size_t i = 0; i < results_.size(); ++i) {
      Result& result = results_[i];
      const TensorView* planned = subgraph_->planned_result(i);
      if (planned == nullptr) continue;
      if (result.concatenated) {
        const Output& output = outputs_[*result.concatenated];
        const TensorView& whole = context.output(output.output);
        const size_t axis = axis_of_output(output, planned->shape);
        char* const memory = output.planned && fits(output, whole, *planned, axis, limit)
                                 ? slot(whole, *planned, axis, position(output, iteration, limit))
                                 : nullptr;
        if (memory != nullptr) {
          subgraph_->bind_result(i, memory);
          continue;
        }
      }
      if (result.merged) {
        subgraph_->bind_result(i, result.states[iteration % 2].fit(planned->type, planned->shape).memory);
      } else if (result.concatenated) {
        subgraph_->bind_result(i, nullptr);
      }
    }
  }

  static size_t axis_of_output(const Output& output, const Shape& shape) {
    return normalize_axis(*output.axis, shape.size(), "the axis of a concatenated output");
  }

  void take_outputs(EvalContext& context, int64_t iteration, int64_t limit) {
    for (Output& output : outputs_) {
      if (!output.axis) continue;
      const TensorView& part = subgraph_->result(output.result);
      const size_t axis = axis_of_output(output, part.shape);
      if (!output.planned) {
        collect(output, part, axis);
        continue;
      }
      TensorView& whole = context.output(output.output);
      if (!fits(output, whole, part, axis, limit)) {
        fail(ErrorCode::kInvalidShape, "a part of output ", output.output, " has type ", part.type,
             " and shape ", part.shape, ", but the output of type ", whole.type, " and shape ", whole.shape,
             " consists of ", limit, " parts of ", output.part);
      }
      const size_t place = position(output, iteration, limit);
      if (slot(whole, part, axis, place) == part.memory) continue;
      const size_t outer = product(part.shape, 0, axis);
      const size_t count = part.size() / std::max<size_t>(outer, 1);
      const size_t row = count * static_cast<size_t>(limit);
      copy_blocks(part, {0, count}, whole, {place * count, row}, outer, count);
    }
  }

  // Keeps a part until the number of iterations is known.
  static void collect(Output& output, const TensorView& part, size_t axis) {
    const size_t bytes = part.byte_size();
    if (part.type == ElementType::kString) {
      fail(ErrorCode::kUnsupported, "strings cannot be concatenated if the number of iterations is dynamic");
    }
    if (output.lengths.empty()) {
      output.part_shape = part.shape;
      output.type = part.type;
    }
    Shape expected = output.part_shape;
    if (expected.size() == part.shape.size()) expected[axis] = part.shape[axis];
    if (part.type != output.type || !(expected == part.shape)) {
      fail(ErrorCode::kInvalidShape, "a part of output ", output.output, " has type ", part.type,
           " and shape ", part.shape, ", but the first one had type ", output.type, " and shape ",
           output.part_shape);
    }
    output.lengths.push_back(part.shape[axis]);
    output.collected.append(output.bytes, part.memory, bytes);
    output.bytes += bytes;
  }

  // Concatenates the collected parts along the axis.
  void assemble(EvalContext& context, Output& output) {
    Shape shape = output.part_shape;
    const size_t axis = axis_of_output(output, shape);
    int64_t total = 0;
    for (const int64_t length : output.lengths) total += length;
    shape[axis] = total;
    context.set_output_shape(output.output, shape);
    const size_t outer = product(shape, 0, axis);
    const size_t inner = product(shape, axis + 1, shape.size());
    TensorView& whole = context.output(output.output);
    char* from = output.collected.memory();
    int64_t at = output.reversed ? total : 0;
    for (const int64_t length : output.lengths) {
      if (output.reversed) at -= length;
      const size_t count = static_cast<size_t>(length) * inner;
      shape[axis] = length;
      const TensorView part{output.type, shape, from};
      copy_blocks(part, {0, count}, whole,
                  {static_cast<size_t>(at) * inner, static_cast<size_t>(total) * inner}, outer, count);
      if (!output.reversed) at += length;
      from += storage_bytes(output.type, count * outer);
    }
  }

  // Finds the location of each merged state. Copies states from the body's own memory, because its next run
  // overwrites them.
  void pass_states(int64_t iteration) {
    for (size_t i = 0; i < results_.size(); ++i) {
      Result& result = results_[i];
      if (!result.merged) continue;
      const TensorView& value = subgraph_->result(i);
      result.state = value;
      if (subgraph_->planned_result(i) != nullptr) continue;
      result.state = result.states[iteration % 2].fit(value.type, value.shape);
      copy_elements(value, result.state);
    }
  }

  void pending_states() {
    for (const Merged& map : merged_) subgraph_->bind_parameter(map.parameter, results_[map.result].state);
  }

  // The body input that provides a result if no iteration runs.
  const BodyInput* initial_value(size_t result) const {
    for (const BackEdge& edge : body_.back_edges) {
      if (edge.result != result) continue;
      for (const BodyInput& map : body_.inputs) {
        if (map.parameter == edge.parameter) return &map;
      }
    }
    return nullptr;
  }

  void finish(EvalContext& context, int64_t done, int64_t limit) {
    if (done == 0) subgraph_->prepare();
    for (Output& output : outputs_) {
      if (output.axis) {
        if (output.planned) {
          if (done != limit)
            fail(ErrorCode::kInternal, "the loop was planned for ", limit, " iterations and ran ", done);
          continue;
        }
        if (done == 0) {
          const TensorView* planned = subgraph_->planned_result(output.result);
          if (planned == nullptr) {
            fail(ErrorCode::kInvalidShape, "output ", output.output, " has no shape: the body never ran");
          }
          output.part_shape = planned->shape;
          output.part_shape[axis_of_output(output, planned->shape)] = 0;
          output.type = planned->type;
        }
        assemble(context, output);
        continue;
      }
      TensorView last;
      if (done > 0) {
        last = subgraph_->result(output.result);
      } else if (const BodyInput* map = initial_value(output.result)) {
        last = context.input(map->input);
      } else {
        fail(ErrorCode::kInvalidValue, "output ", output.output,
             " is the value of the last iteration, but the body never ran");
      }
      if (!output_is(context.output(output.output), last.shape))
        context.set_output_shape(output.output, last.shape);
      TensorView& to = context.output(output.output);
      copy_elements(last, to);
    }
  }

  static bool output_is(const TensorView& output, const Shape& shape) {
    return output.memory != nullptr && output.shape == shape;
  }

  const Body& body_;
  std::optional<size_t> trip_count_, condition_;
  std::unique_ptr<Subgraph> subgraph_;
  std::vector<Sliced> sliced_;
  std::vector<Merged> merged_;
  std::vector<Invariant> invariant_;
  std::vector<CurrentIteration> current_iterations_;
  std::vector<Output> outputs_;
  std::vector<Result> results_;
  std::optional<size_t> condition_result_;
  std::optional<int64_t> slices_;
};

}  // namespace

std::unique_ptr<Kernel> compile_loop(CompileContext& context, std::optional<size_t> trip_count,
                                     std::optional<size_t> condition) {
  return std::make_unique<LoopKernel>(context, trip_count, condition);
}

}  // namespace wasmvino::ops
