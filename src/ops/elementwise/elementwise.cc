// SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise/elementwise.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "core/dispatch.h"
#include "kernels/numbers.h"
#include "kernels/unary.h"
#include "ops/elements/convert.h"
#include "ops/elementwise/loops.h"

namespace wasmvino::ops {
namespace {

// Elements per block where operands are gathered or converted. Five operands, twice, and the result take 22
// KB of stack and stay in the L1 cache.
constexpr size_t kBlock = kConvertBlock;
// Shorter rows are gathered into blocks: a call of the inner loop costs about as much as 32 additions.
constexpr int64_t kShortRow = 32;
// Grain: elements of cost 1 in about 20 µs of work.
constexpr size_t kGrain = 65536;

// Cost of calling a scalar function through a pointer.
constexpr uint32_t kScalarCost = 32;

// Copies the elements base[i * stride + offsets[j]] for all i < count and all j.
template <typename Word>
void gather(const char* base, size_t stride, size_t count, const std::vector<uint32_t>& offsets, char* to) {
  const Word* from = reinterpret_cast<const Word*>(base);
  Word* out = reinterpret_cast<Word*>(to);
  for (size_t i = 0; i < count; ++i, from += stride) {
    for (const uint32_t offset : offsets) *out++ = from[offset];
  }
}

void gather_elements(size_t bytes, const char* base, size_t stride, size_t count,
                     const std::vector<uint32_t>& offsets, char* to) {
  switch (bytes) {
    case 1:
      return gather<uint8_t>(base, stride, count, offsets, to);
    case 2:
      return gather<uint16_t>(base, stride, count, offsets, to);
    case 4:
      return gather<uint32_t>(base, stride, count, offsets, to);
    default:
      return gather<uint64_t>(base, stride, count, offsets, to);
  }
}

class ElementwiseKernel final : public Kernel {
 public:
  ElementwiseKernel(const ElementwiseOp& op, const CompileContext& context)
      : function_(op.function(context.input_type(op.typed_input()))) {
    if (function_.loop == nullptr) refuse_type(context.input_type(op.typed_input()));
    const Shape result = context.output_shape(0);
    operands_.resize(context.input_count());
    std::vector<Shape> shapes;
    for (size_t i = 0; i < operands_.size(); ++i) {
      Operand& operand = operands_[i];
      operand.bytes = bit_width(context.input_type(i)) / 8;
      operand.conversion = Conversion(context.input_type(i), function_.operands[i]);
      converts_ |= !operand.conversion.is_identity();
      shapes.push_back(op.aligned_shape(context, i));
    }
    result_bytes_ = bit_width(context.output_type(0)) / 8;
    conversion_ = Conversion(function_.result, context.output_type(0));
    converts_ |= !conversion_.is_identity();
    const ElementType result_type = context.output_type(0);
    if (function_.saturates && is_real(function_.result) && is_integral(result_type)) {
      store_ = kernels::number_storer<float>(result_type);
    } else if (function_.saturates && function_.result == ElementType::kI32 && bit_width(result_type) == 8) {
      clamp_ = result_type == ElementType::kI8 ? std::pair(INT8_MIN, INT8_MAX) : std::pair(0, UINT8_MAX);
    }

    const size_t count = element_count(result);
    if (count == 0) return;  // nothing to compute
    nest_ = make_loop_nest(result, shapes);
    for (size_t i = 0; i < operands_.size(); ++i) operands_[i].strides = nest_.strides[i];
    plan_blocks();
    units_ = count / tile_;
    grain_ = std::max<size_t>(1, kGrain / (function_.cost + (converts_ ? 2 : 0)) / tile_);
  }

  void run(EvalContext& context) override {
    if (units_ == 0) return;
    parallel_for(context.parallel(), units_, grain_, [&](size_t begin, size_t end) {
      gathers_ ? run_blocks(context, begin, end) : run_rows(context, begin, end);
    });
  }

 private:
  struct Operand {
    Ints strides;
    size_t bytes = 0;  // per element
    Conversion conversion;
    // If the nest is gathered:
    bool is_contiguous = false;     // a block is one contiguous piece of the operand
    bool is_constant = false;       // all blocks have the same elements
    std::vector<uint32_t> offsets;  // of the elements in a tile
  };

  // Gathers short rows, so that the inner loop runs over blocks. A tile consists of all axes inside `axis_`;
  // a block is several tiles along `axis_`.
  void plan_blocks() {
    const size_t rank = nest_.sizes.size();
    axis_ = rank - 1;
    if (rank == 1 || nest_.sizes.back() >= kShortRow) return;
    gathers_ = true;
    while (axis_ > 0 && tile_ * static_cast<size_t>(nest_.sizes[axis_]) <= kBlock) {
      tile_ *= static_cast<size_t>(nest_.sizes[axis_--]);
    }
    for (Operand& operand : operands_) {
      operand.offsets.assign(1, 0);
      for (size_t axis = axis_ + 1; axis < rank; ++axis) {
        std::vector<uint32_t> inner;
        for (const uint32_t offset : operand.offsets) {
          for (int64_t i = 0; i < nest_.sizes[axis]; ++i) {
            inner.push_back(offset + static_cast<uint32_t>(i * operand.strides[axis]));
          }
        }
        operand.offsets = std::move(inner);
      }
      operand.is_contiguous = operand.strides[axis_] == static_cast<int64_t>(tile_);
      for (size_t j = 0; j < tile_; ++j) operand.is_contiguous &= operand.offsets[j] == j;
      operand.is_constant = std::all_of(operand.strides.begin(), operand.strides.begin() + axis_ + 1,
                                        [](int64_t stride) { return stride == 0; });
    }
  }

  // Start of a range: indices of the axes outside the inner axis, and the operands' elements there.
  struct Position {
    Ints index;
    std::array<size_t, kMaxOperands> element{};
  };

  // `unit` counts rows, or rows of tiles, along the axes 0..axes-1.
  Position position(size_t unit, size_t axes) const {
    Position at;
    at.index.resize(axes);
    for (size_t axis = axes; axis-- > 0;) {
      const size_t size = static_cast<size_t>(nest_.sizes[axis]);
      at.index[axis] = static_cast<int64_t>(unit % size);
      unit /= size;
      for (size_t i = 0; i < operands_.size(); ++i) {
        at.element[i] += static_cast<size_t>(at.index[axis] * operands_[i].strides[axis]);
      }
    }
    return at;
  }

  void advance(Position& at) const {
    for (size_t axis = at.index.size(); axis-- > 0;) {
      const bool carries = ++at.index[axis] == nest_.sizes[axis];
      const int64_t steps = carries ? 1 - nest_.sizes[axis] : 1;
      for (size_t i = 0; i < operands_.size(); ++i) {
        at.element[i] += static_cast<size_t>(steps * operands_[i].strides[axis]);
      }
      if (!carries) return;
      at.index[axis] = 0;
    }
  }

  // Computes elements [begin, end) of the result, one row of the inner axis at a time.
  void run_rows(EvalContext& context, size_t begin, size_t end) const {
    const size_t inner = static_cast<size_t>(nest_.sizes.back());
    char* out = context.output(0).mutable_data<char>() + begin * result_bytes_;
    size_t offset = begin % inner;
    Position at = position(begin / inner, axis_);
    while (begin < end) {
      const size_t count = std::min(inner - offset, end - begin);
      LoopOperand in[kMaxOperands] = {};
      for (size_t i = 0; i < operands_.size(); ++i) {
        const size_t step = static_cast<size_t>(operands_[i].strides.back());
        in[i] = {context.input(i).data<char>() + (at.element[i] + offset * step) * operands_[i].bytes, step};
      }
      run_loop(in, out, count);
      begin += count;
      out += count * result_bytes_;
      offset = 0;
      if (begin < end) advance(at);
    }
  }

  // Computes tiles [begin, end) of the result, one block at a time.
  void run_blocks(EvalContext& context, size_t begin, size_t end) const {
    alignas(16) char gathered[kMaxOperands][kBlock * 8];
    size_t filled[kMaxOperands] = {};  // for constant operands: number of tiles gathered already
    const size_t tiles = kBlock / tile_;
    const size_t size = static_cast<size_t>(nest_.sizes[axis_]);
    char* out = context.output(0).mutable_data<char>() + begin * tile_ * result_bytes_;
    size_t along = begin % size;
    Position at = position(begin / size, axis_);
    while (begin < end) {
      const size_t count = std::min({tiles, size - along, end - begin});
      LoopOperand in[kMaxOperands] = {};
      for (size_t i = 0; i < operands_.size(); ++i) {
        const Operand& operand = operands_[i];
        const size_t stride = static_cast<size_t>(operand.strides[axis_]);
        const char* base = context.input(i).data<char>() + (at.element[i] + along * stride) * operand.bytes;
        if (operand.is_contiguous) {
          in[i] = {base, 1};
          continue;
        }
        if (!operand.is_constant || filled[i] < count) {
          gather_elements(operand.bytes, base, stride, count, operand.offsets, gathered[i]);
          filled[i] = count;
        }
        in[i] = {gathered[i], 1};
      }
      run_loop(in, out, count * tile_);
      begin += count;
      out += count * tile_ * result_bytes_;
      along += count;
      if (along == size && begin < end) {
        along = 0;
        advance(at);
      }
    }
  }

  // Runs the inner loop, with conversions before and after if tensors have other types than the loop.
  void run_loop(const LoopOperand* in, char* out, size_t count) const {
    if (!converts_) {
      function_.loop(in, out, count, function_.parameters);
      return;
    }
    run_converted(in, out, count);
  }

  void run_converted(const LoopOperand* in, char* out, size_t count) const {
    alignas(16) char converted[kMaxOperands][kBlock * 8];
    alignas(16) char result[kBlock * 8];
    for (size_t done = 0; done < count; done += kBlock) {
      const size_t block = std::min(kBlock, count - done);
      LoopOperand operands[kMaxOperands] = {};
      for (size_t i = 0; i < operands_.size(); ++i) {
        const char* data = static_cast<const char*>(in[i].data) + done * in[i].step * operands_[i].bytes;
        operands[i] = {data, in[i].step};
        if (operands_[i].conversion.is_identity()) continue;
        operands[i].data = converted[i];
        if (in[i].step == 1 || done == 0) {
          operands_[i].conversion.run(data, converted[i], in[i].step == 1 ? block : 1);
        }
      }
      char* to = out + done * result_bytes_;
      const bool direct = conversion_.is_identity();
      function_.loop(operands, direct ? to : result, block, function_.parameters);
      if (store_ != nullptr) {
        store_(reinterpret_cast<const float*>(result), block, to, 0, 1);
        continue;
      }
      if (clamp_) {
        int32_t* wide = reinterpret_cast<int32_t*>(result);
        for (size_t i = 0; i < block; ++i)
          wide[i] = std::clamp<int32_t>(wide[i], clamp_->first, clamp_->second);
      }
      if (!direct) conversion_.run(result, to, block);
    }
  }

  ElementwiseFunction function_;
  LoopNest nest_;
  std::vector<Operand> operands_;
  size_t result_bytes_ = 0;
  Conversion conversion_;
  kernels::StoreNumbers<float> store_ = nullptr;  // for results that are rounded and saturate
  std::optional<std::pair<int, int>> clamp_;      // range of 8 bits, for results that saturate
  bool converts_ = false;
  bool gathers_ = false;
  size_t axis_ = 0;  // the inner axis, or the axis along which blocks take tiles
  size_t tile_ = 1;
  size_t units_ = 0;  // elements, or tiles if blocks are gathered
  size_t grain_ = 1;
};

template <bool kRounds>
void scalar_loop(const LoopOperand* in, void* out, size_t count, const LoopParameters& parameters) {
  const double* x = in[0].as<double>();
  const double alpha = in[1].data != nullptr ? *in[1].as<double>() : parameters.alpha;
  const double beta = in[2].data != nullptr ? *in[2].as<double>() : parameters.beta;
  double* y = static_cast<double*>(out);
  for (size_t i = 0; i < count; ++i) {
    const double value = parameters.scalar(x[i], alpha, beta);
    y[i] = kRounds ? std::nearbyint(value) : value;
  }
}

// A function of f64, also for types that are converted to f64.
ElementwiseFunction scalar_function(ElementType type, const LoopParameters& parameters, uint32_t cost) {
  ElementwiseFunction function =
      elementwise_function(is_real(type) ? scalar_loop<false> : scalar_loop<true>, ElementType::kF64, cost);
  function.parameters = parameters;
  return function;
}

void parametric_kernel_loop(const LoopOperand* in, void* out, size_t count,
                            const LoopParameters& parameters) {
  kernels::UnaryFunction unary = parameters.unary;
  if (in[1].data != nullptr) unary.alpha = *in[1].as<float>();
  if (in[2].data != nullptr) unary.beta = *in[2].as<float>();
  kernels::apply_unary(unary, in[0].as<float>(), static_cast<float*>(out), count);
}

}  // namespace

void unary_kernel_loop(const LoopOperand* in, void* out, size_t count, const LoopParameters& parameters) {
  kernels::apply_unary(parameters.unary, in[0].as<float>(), static_cast<float*>(out), count);
}

bool is_binary_kernel(const ElementwiseFunction& function) {
  return function.loop == binary_kernel_loop<float>;
}

ElementwiseFunction elementwise_function(ElementwiseLoop loop, ElementType type, uint32_t cost) {
  ElementwiseFunction function;
  function.loop = loop;
  function.operands.fill(type);
  function.result = type;
  function.cost = cost;
  return function;
}

ElementType compute_type(ElementType type) {
  switch (type) {
    case ElementType::kF16:
    case ElementType::kBf16:
      return ElementType::kF32;
    case ElementType::kBoolean:
    case ElementType::kI8:
    case ElementType::kI16:
    case ElementType::kU8:
    case ElementType::kU16:
      return ElementType::kI32;
    default:
      return type;
  }
}

ElementwiseFunction choose_loop(const LoopTable& table, ElementType type, uint32_t cost) {
  const ElementType computed = compute_type(type);
  switch (computed) {
    case ElementType::kF32:
      return elementwise_function(table.f32, computed, cost);
    case ElementType::kF64:
      return elementwise_function(table.f64, computed, cost);
    case ElementType::kI32:
      return elementwise_function(table.i32, computed, cost);
    case ElementType::kI64:
      return elementwise_function(table.i64, computed, cost);
    case ElementType::kU32:
      return elementwise_function(table.u32, computed, cost);
    case ElementType::kU64:
      return elementwise_function(table.u64, computed, cost);
    default:
      return {};
  }
}

Shape ElementwiseOp::aligned_shape(const CompileContext& context, size_t i) const {
  return align_shape(AutoBroadcast::kNumpy, context.input_shape(i), context.output_shape(0).size());
}

std::optional<ChannelsLastForm> ElementwiseOp::channels_last_form(const Node& node) const {
  const PartialShape& output = node.outputs[0].shape;
  if (!output.has_rank() || auto_broadcast().value_or(AutoBroadcast::kNumpy) != AutoBroadcast::kNumpy) {
    return std::nullopt;
  }
  ChannelsLastForm form(node.inputs.size());
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const Source input = node.inputs[i];
    const PartialShape& shape = shape_of(input);
    if (!shape.has_rank() || shape.rank() > output.rank()) return std::nullopt;
    // Only constants can be brought to the output's rank.
    if (shape.rank() != output.rank() && !is_constant(input)) return std::nullopt;
    form.take(i);
  }
  return form;
}

std::unique_ptr<Kernel> ElementwiseOp::compile(CompileContext& context) const {
  return std::make_unique<ElementwiseKernel>(*this, context);
}

bool ElementwiseOp::can_overwrite(const CompileContext& context, size_t input, size_t) const {
  return bit_width(context.input_type(input)) == bit_width(context.output_type(0)) &&
         context.input_shape(input) == context.output_shape(0);
}

TypeContract unary_types(TypeSet types) { return {{"the input", types}}; }
TypeContract binary_types(TypeSet types) { return {{"input 0", types}, {"input 1", types, 0}}; }

void UnaryElementwise::infer(InferContext& context) const {
  context.expect_inputs(1);
  context.set_output(0, result_type(context.input_type(0)), context.input_shape(0));
}

std::optional<ViewOf> UnaryElementwise::view_of(const CompileContext& context, size_t) const {
  if (!is_identity(context.input_type(0))) return std::nullopt;
  return ViewOf{0, 0};
}

FunctionElementwise::FunctionElementwise(kernels::Unary kind, ScalarFunction scalar, Integers integers,
                                         uint32_t cost)
    : kind_(kind), scalar_(scalar), integers_(integers), cost_(cost) {}

const LoopTable& FunctionElementwise::integer_loops() const {
  static constexpr LoopTable kNone;
  return kNone;
}

ElementwiseFunction FunctionElementwise::function(ElementType type) const {
  const LoopParameters parameters = {.unary = {kind_, static_cast<float>(alpha_), static_cast<float>(beta_)},
                                     .scalar = scalar_,
                                     .alpha = alpha_,
                                     .beta = beta_};
  ElementwiseFunction function;
  if (!is_real(type) && integers_ == Integers::kOwn) {
    function = choose_loop(integer_loops(), type);
    function.saturates = is_signed(type);
  } else if (compute_type(type) == ElementType::kF32 && kind_ != kernels::Unary::kIdentity) {
    function = elementwise_function(unary_kernel_loop, ElementType::kF32, cost_);
  } else {
    return scalar_function(type, parameters, kScalarCost);
  }
  function.parameters = parameters;
  return function;
}

ParametricElementwise::ParametricElementwise(kernels::Unary kind, ScalarFunction scalar, uint32_t cost)
    : kind_(kind), scalar_(scalar), cost_(cost) {}

void ParametricElementwise::infer(InferContext& context) const {
  ElementType type = context.input_type(0);
  for (size_t i = 1; i < context.input_count(); ++i) {
    if (type == ElementType::kDynamic) type = context.input_type(i);
    const PartialShape& shape = context.input_shape(i);
    if (shape.is_static() && element_count(shape.to_shape()) != 1) {
      throw Error(ErrorCode::kInvalidShape, cat("input ", i, " has shape ", shape, ", expected one element"))
          .expected("[]")
          .actual(cat(shape))
          .port(cat("input ", i));
    }
  }
  context.set_output(0, type, context.input_shape(0));
}

ElementwiseFunction ParametricElementwise::function(ElementType type) const {
  const LoopParameters parameters = {.unary = {kind_, 1.0f, 0.0f}, .scalar = scalar_, .alpha = 1.0};
  if (compute_type(type) != ElementType::kF32) return scalar_function(type, parameters, kScalarCost);
  ElementwiseFunction function = elementwise_function(parametric_kernel_loop, ElementType::kF32, cost_);
  function.parameters = parameters;
  return function;
}

Shape ParametricElementwise::aligned_shape(const CompileContext& context, size_t i) const {
  const Shape data = context.input_shape(0);
  return i == 0 ? data : Shape(data.size(), 1);
}

void BinaryElementwise::infer(InferContext& context) const {
  context.expect_inputs(2);
  const ElementType type = context.common_type(0, 1);
  context.set_output(0, result_type(type),
                     broadcast_shapes(broadcast_, context.input_shape(0), context.input_shape(1)));
}

Shape BinaryElementwise::aligned_shape(const CompileContext& context, size_t i) const {
  return align_shape(broadcast_, context.input_shape(i), context.output_shape(0).size());
}

ElementwiseFunction ArithmeticElementwise::function(ElementType type) const {
  ElementwiseFunction function = choose_loop(loops_, type, cost_);
  function.saturates = true;
  function.parameters.binary = op_;
  return function;
}

ElementwiseFunction ComparisonElementwise::function(ElementType type) const {
  ElementwiseFunction function = choose_loop(loops_, type);
  function.result = ElementType::kBoolean;
  function.parameters.comparison = op_;
  return function;
}

}  // namespace wasmvino::ops
