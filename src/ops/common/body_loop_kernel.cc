// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "ops/common/body_loop.h"
#include "ops/common/body_parts.h"

namespace wasmvino::ops {
namespace {

size_t bytes_per_element(ElementType type) {
  if (is_sub_byte(type)) fail(ErrorCode::kUnsupported, "elements of type ", type, " cannot be sliced or concatenated");
  return bit_width(type) / 8;
}

// Copies `blocks` blocks of `bytes` bytes between places that lie `from_step` and `to_step` bytes apart.
void copy_blocks(const char* from, size_t from_step, char* to, size_t to_step, size_t blocks, size_t bytes, bool strings) {
  if (strings) {
    const size_t count = bytes / sizeof(std::string);
    for (size_t i = 0; i < blocks; ++i) {
      std::copy_n(reinterpret_cast<const std::string*>(from + i * from_step), count,
                  reinterpret_cast<std::string*>(to + i * to_step));
    }
    return;
  }
  if (bytes == 0) return;
  for (size_t i = 0; i < blocks; ++i) std::memcpy(to + i * to_step, from + i * from_step, bytes);
}

// Memory that grows when it must and is used again.
class Buffer {
 public:
  void* fit(ElementType type, const Shape& shape) {
    if (type == ElementType::kString) {
      tensor_ = Tensor(type, shape);
    } else if (const size_t bytes = storage_bytes(type, element_count(shape));
               !tensor_ || tensor_.byte_size() < bytes) {
      tensor_ = Tensor();
      tensor_ = Tensor(ElementType::kU8, {static_cast<int64_t>(bytes)});
    }
    return tensor_.view().memory;
  }
  void* memory() const { return tensor_.view().memory; }

 private:
  Tensor tensor_;
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
        // The first output that takes a result decides where the body writes it.
        Result& result = results_[map.result];
        if (!result.concatenated) result.concatenated = outputs_.size();
      }
      outputs_.push_back(output);
    }
  }

  void run(EvalContext& context) override {
    const bool starts = !condition_ || truth(context.input(*condition_));
    const int64_t limit = starts ? iteration_limit(context) : 0;
    for (const Invariant& map : invariant_) subgraph_->bind_parameter(map.parameter, context.input(map.input));
    for (const Merged& map : merged_) subgraph_->bind_parameter(map.parameter, context.input(map.input));
    for (Output& output : outputs_) {
      output.lengths.clear();
      output.bytes = 0;
    }
    int64_t done = 0;
    bool go = true;
    while (go && (limit < 0 || done < limit)) {
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
    size_t outer, inner_bytes;  // blocks before the axis; bytes of one index of the axis
    TensorView part;            // what the parameter sees
    Buffer copy;                // of parts that are not one block of memory
    bool whole = false;         // a part is a block of the input
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
    bool planned = false;           // its shape was known when it was compiled
    int64_t part = 1;
    std::vector<int64_t> lengths{};  // along the axis, by iteration, where it is not planned
    size_t bytes = 0;                // collected so far
    Shape part_shape{};
    ElementType type = ElementType::kDynamic;
    Buffer collected{};
    size_t capacity = 0;
  };
  struct Result {
    bool merged = false;
    std::optional<size_t> concatenated;  // position in outputs_
    Buffer states[2];                    // one is read while the other is written
    TensorView state;                    // where this iteration's value stands
  };

  void add_sliced(CompileContext& context, const BodyInput& map) {
    Sliced sliced{map.input, map.parameter, 0, {}, 0, 0, {}, {}};
    Shape shape = context.input_shape(map.input);
    sliced.axis = axis_of(map, shape.size());
    sliced.parts = resolve_parts(map, shape[sliced.axis]);
    sliced.outer = product(shape, 0, sliced.axis);
    const ElementType type = context.input_type(map.input);
    sliced.inner_bytes = product(shape, sliced.axis + 1, shape.size()) * bytes_per_element(type);
    sliced.whole = sliced.outer == 1;
    shape[sliced.axis] = sliced.parts.length;
    sliced.part = {type, shape, nullptr};
    slices_ = slices_ ? std::min(*slices_, sliced.parts.count) : sliced.parts.count;
    sliced_.push_back(std::move(sliced));
  }

  static bool truth(const TensorView& value) {
    if (value.size() != 1) fail(ErrorCode::kInvalidShape, "the execution condition has shape ", value.shape, ", expected one value");
    return *value.data<uint8_t>() != 0;
  }

  // How often the body runs at most; -1: until its condition is false.
  int64_t iteration_limit(EvalContext& context) const {
    if (!trip_count_) return *slices_;
    const Ints count = to_ints(context.input(*trip_count_));
    if (count.size() != 1) fail(ErrorCode::kInvalidShape, "the trip count has ", count.size(), " values, expected one");
    if (count[0] < 0) return slices_ ? *slices_ : -1;
    if (slices_ && count[0] > *slices_) {
      fail(ErrorCode::kInvalidShape, "the trip count is ", count[0], ", the sliced inputs have ", *slices_, " parts");
    }
    return count[0];
  }

  void bind_inputs(EvalContext& context, int64_t iteration) {
    for (Sliced& map : sliced_) {
      const TensorView& input = context.input(map.input);
      const size_t offset = static_cast<size_t>(map.parts.begin(iteration)) * map.inner_bytes;
      const size_t bytes = static_cast<size_t>(map.parts.length) * map.inner_bytes;
      char* from = static_cast<char*>(input.memory) + offset;
      if (map.whole) {
        map.part.memory = from;
      } else {
        map.part.memory = map.copy.fit(map.part.type, map.part.shape);
        const size_t row = static_cast<size_t>(input.shape[map.axis]) * map.inner_bytes;
        copy_blocks(from, row, static_cast<char*>(map.part.memory), bytes, map.outer, bytes,
                    input.type == ElementType::kString);
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

  // Where part `iteration` of a planned output stands.
  char* slot(EvalContext& context, const Output& output, int64_t iteration, int64_t limit, size_t part_bytes) const {
    const int64_t position = output.reversed ? limit - 1 - iteration : iteration;
    return static_cast<char*>(context.output(output.output).memory) + static_cast<size_t>(position) * part_bytes;
  }

  static bool leads(const Shape& shape, size_t axis) { return product(shape, 0, axis) == 1; }

  void bind_results(EvalContext& context, int64_t iteration, int64_t limit) {
    for (size_t i = 0; i < results_.size(); ++i) {
      Result& result = results_[i];
      const TensorView* planned = subgraph_->planned_result(i);
      if (planned == nullptr) continue;
      if (result.concatenated) {
        const Output& output = outputs_[*result.concatenated];
        const size_t axis = axis_of_output(output, planned->shape);
        if (output.planned && leads(planned->shape, axis)) {
          subgraph_->bind_result(i, slot(context, output, iteration, limit, planned->byte_size()));
          continue;
        }
      }
      if (result.merged) {
        subgraph_->bind_result(i, result.states[iteration % 2].fit(planned->type, planned->shape));
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
      const size_t outer = product(part.shape, 0, axis);
      const size_t bytes = part.byte_size() / std::max<size_t>(outer, 1);
      char* to = slot(context, output, iteration, limit, bytes);
      if (to == part.memory) continue;
      copy_blocks(part.data<char>(), bytes, to, bytes * static_cast<size_t>(limit), outer, bytes,
                  part.type == ElementType::kString);
    }
  }

  // Keeps a part until the number of iterations is known.
  static void collect(Output& output, const TensorView& part, size_t axis) {
    const size_t bytes = part.byte_size();
    if (part.type == ElementType::kString) {
      fail(ErrorCode::kUnsupported, "strings are not concatenated where the number of iterations is open");
    }
    if (output.lengths.empty()) {
      output.part_shape = part.shape;
      output.type = part.type;
    }
    Shape expected = output.part_shape;
    expected[axis] = part.shape[axis];
    if (!(expected == part.shape)) {
      fail(ErrorCode::kInvalidShape, "a part of output ", output.output, " has shape ", part.shape, ", the first had ",
           output.part_shape);
    }
    if (output.bytes + bytes > output.capacity) {
      Buffer larger;
      output.capacity = std::max(output.bytes + bytes, output.capacity * 2);
      void* to = larger.fit(ElementType::kU8, {static_cast<int64_t>(output.capacity)});
      if (output.bytes > 0) std::memcpy(to, output.collected.memory(), output.bytes);
      output.collected = std::move(larger);
    }
    if (bytes > 0) std::memcpy(static_cast<char*>(output.collected.memory()) + output.bytes, part.memory, bytes);
    output.bytes += bytes;
    output.lengths.push_back(part.shape[axis]);
  }

  // Lays the parts that were kept side by side along the axis.
  void assemble(EvalContext& context, Output& output) {
    Shape shape = output.part_shape;
    const size_t axis = axis_of_output(output, shape);
    int64_t total = 0;
    for (const int64_t length : output.lengths) total += length;
    shape[axis] = total;
    context.set_output_shape(output.output, shape);
    const size_t outer = product(shape, 0, axis);
    const size_t inner = product(shape, axis + 1, shape.size()) * bytes_per_element(output.type);
    char* to = static_cast<char*>(context.output(output.output).memory);
    const char* from = static_cast<const char*>(output.collected.memory());
    int64_t position = output.reversed ? total : 0;
    for (const int64_t length : output.lengths) {
      if (output.reversed) position -= length;
      const size_t bytes = static_cast<size_t>(length) * inner;
      copy_blocks(from, bytes, to + static_cast<size_t>(position) * inner, static_cast<size_t>(total) * inner, outer,
                  bytes, false);
      if (!output.reversed) position += length;
      from += bytes * outer;
    }
  }

  // Finds where each merged state stands; what the body wrote to memory of its own is copied, since its next run
  // writes there again.
  void pass_states(int64_t iteration) {
    for (size_t i = 0; i < results_.size(); ++i) {
      Result& result = results_[i];
      if (!result.merged) continue;
      const TensorView& value = subgraph_->result(i);
      result.state = value;
      if (subgraph_->planned_result(i) != nullptr) continue;
      result.state.memory = result.states[iteration % 2].fit(value.type, value.shape);
      copy_elements(value, result.state);
    }
  }

  void pending_states() {
    for (const Merged& map : merged_) subgraph_->bind_parameter(map.parameter, results_[map.result].state);
  }

  // The body's view of a result that it never computed: no iteration ran.
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
          if (done != limit) fail(ErrorCode::kInternal, "the loop was planned for ", limit, " iterations and ran ", done);
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
        fail(ErrorCode::kInvalidValue, "output ", output.output, " is the value of the last iteration, and none ran");
      }
      if (!output_is(context.output(output.output), last.shape)) context.set_output_shape(output.output, last.shape);
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
