// SPDX-License-Identifier: Apache-2.0
// RandomUniform: uniformly distributed random numbers from minval (included) to maxval (excluded). The
// sequences are those of TensorFlow (Philox) or PyTorch (Mersenne Twister).
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/generation/random-uniform-8.html
#include <bit>
#include <random>

#include "core/float_types.h"
#include "kernels/random.h"
#include "model/registry.h"
#include "ops/inputs/indices.h"
#include "ops/inputs/inputs.h"

namespace wasmvino::ops::random_uniform {

// Grain: elements in about 20 µs of work.
constexpr size_t kGrain = size_t{1} << 11;

enum class Alignment { kTensorflow, kPytorch };

struct Attributes {
  ElementType output_type = ElementType::kDynamic;
  uint64_t global_seed = 0, op_seed = 0;
  Alignment alignment = Alignment::kTensorflow;
};

// The 32-bit integers of TensorFlow's sequence.
class PhiloxBits {
 public:
  PhiloxBits(uint64_t key, uint64_t counter, uint64_t first) : key_(key), counter_(counter), n_(first) {}
  uint32_t operator()() {
    if (used_ == 4) {
      kernels::philox(key_, counter_, n_++, block_);
      used_ = 0;
    }
    return block_[used_++];
  }
  // Skips the next `count` integers. Call only before the first one is drawn.
  void skip(size_t count) {
    n_ += count / 4;
    for (count %= 4; count > 0; --count) (*this)();
  }

 private:
  uint64_t key_, counter_, n_;
  uint32_t block_[4];
  int used_ = 4;
};

// Each bound is one number.
void expect_ascending(const TensorView& low, const TensorView& high) {
  const bool ascending = is_integral(low.type) ? load_integer(low, 0) < load_integer(high, 0)
                                               : to_doubles(low)[0] < to_doubles(high)[0];
  if (ascending) return;
  fail(ErrorCode::kInvalidValue, "minval is ", to_doubles(low)[0], ", expected less than maxval, which is ",
       to_doubles(high)[0]);
}

// Number of random bits in a real number 0 <= x < 1. TensorFlow's bits become the stored mantissa of a number
// 1 <= y < 2. PyTorch's bits become an integer with as many bits as the type's mantissa has digits.
struct Mantissa {
  int tensorflow, pytorch;
};

class Filling final : public Kernel {
 public:
  explicit Filling(const Attributes& attributes) : attributes_(attributes) {
    if (attributes_.global_seed == 0 && attributes_.op_seed == 0)
      attributes_.global_seed = kernels::arbitrary_seed();
  }

  void run(EvalContext& context) override {
    TensorView& output = context.output(0);
    const size_t count = output.size();
    // Integers are remainders of a division by the range, which must not be 0.
    if (is_integral(output.type)) expect_ascending(context.input(1), context.input(2));
    if (attributes_.alignment == Alignment::kPytorch) {
      std::mt19937 bits(static_cast<uint32_t>(attributes_.global_seed));
      fill(context, output, {0, count}, [&] { return static_cast<uint32_t>(bits()); });
    } else {
      const size_t draws = output.type == ElementType::kF64 || output.type == ElementType::kI64 ? 2 : 1;
      parallel_for(context.parallel(), count, kGrain, [&](size_t begin, size_t end) {
        PhiloxBits bits(attributes_.global_seed, attributes_.op_seed, drawn_);
        bits.skip(begin * draws);
        fill(context, output, {begin, end}, bits);
      });
      // Each run continues the sequence, as in OpenVINO: 256 blocks are reserved per element.
      drawn_ += count * 256;
    }
  }

 private:
  struct Elements {
    size_t begin, end;
  };

  template <typename Bits>
  void fill(EvalContext& context, TensorView& output, Elements elements, Bits bits) const {
    switch (output.type) {
      case ElementType::kF32:
        return fill_real<float>(context, output, elements, bits, {23, 24}, [](float x) { return x; });
      case ElementType::kF16:
        return fill_real<Float16>(context, output, elements, bits, {10, 11},
                                  [](float x) { return f16_to_f32(f32_to_f16(x)); });
      case ElementType::kBf16:
        return fill_real<BFloat16>(context, output, elements, bits, {7, 8}, round_to_bf16);
      case ElementType::kF64:
        return fill_double(context, output, elements, bits);
      case ElementType::kI32:
        return fill_i32(context, output, elements, bits);
      default:
        return fill_i64(context, output, elements, bits);
    }
  }

  // OpenVINO rounds bf16 half to even only if the last digit is odd, and towards zero if it is even. With
  // correct rounding, one number in thirty would differ from its sequence.
  static float round_to_bf16(float x) {
    const uint32_t bits = std::bit_cast<uint32_t>(x);
    return std::bit_cast<float>((bits + ((bits & 0x10000u) >> 1)) & 0xFFFF0000u);
  }

  // Each step is rounded to the type, except PyTorch's multiplication.
  template <typename T, typename Bits, typename Round>
  void fill_real(EvalContext& context, TensorView& output, Elements elements, Bits& bits, Mantissa mantissa,
                 Round round) const {
    const float low = static_cast<float>(to_doubles(context.input(1))[0]);
    const float high = static_cast<float>(to_doubles(context.input(2))[0]);
    const float range = round(high - low);
    const bool is_pytorch = attributes_.alignment == Alignment::kPytorch;
    const int width = is_pytorch ? mantissa.pytorch : mantissa.tensorflow;
    const uint32_t mask = (uint32_t{1} << width) - 1;
    const float unit = 1.0f / static_cast<float>(uint32_t{1} << width);
    for (size_t i = elements.begin; i < elements.end; ++i) {
      const float x = static_cast<float>(bits() & mask) * unit;  // exact
      const float scaled = is_pytorch ? x * range : round(x * range);
      output.mutable_data<T>()[i] = T(round(scaled + low));
    }
  }

  template <typename Bits>
  void fill_double(EvalContext& context, TensorView& output, Elements elements, Bits& bits) const {
    const double low = to_doubles(context.input(1))[0];
    const double range = to_doubles(context.input(2))[0] - low;
    const int width = attributes_.alignment == Alignment::kPytorch ? 53 : 52;
    const uint64_t mask = (uint64_t{1} << width) - 1;
    const double unit = 1.0 / static_cast<double>(uint64_t{1} << width);
    for (size_t i = elements.begin; i < elements.end; ++i) {
      const uint64_t high = bits();
      const uint64_t both = high << 32 | bits();
      output.mutable_data<double>()[i] = static_cast<double>(both & mask) * unit * range + low;
    }
  }

  template <typename Bits>
  void fill_i32(EvalContext& context, TensorView& output, Elements elements, Bits& bits) const {
    const uint32_t low = static_cast<uint32_t>(load_integer(context.input(1), 0));
    const uint32_t range = static_cast<uint32_t>(load_integer(context.input(2), 0)) - low;
    for (size_t i = elements.begin; i < elements.end; ++i) {
      output.mutable_data<int32_t>()[i] = static_cast<int32_t>(bits() % range + low);
    }
  }

  template <typename Bits>
  void fill_i64(EvalContext& context, TensorView& output, Elements elements, Bits& bits) const {
    const int64_t low = load_integer(context.input(1), 0);
    const int64_t high = load_integer(context.input(2), 0);
    const uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
    const bool pytorch = attributes_.alignment == Alignment::kPytorch;
    constexpr int64_t kMost = std::numeric_limits<uint32_t>::max();
    for (size_t i = elements.begin; i < elements.end; ++i) {
      const uint64_t first = bits();
      uint64_t value = first;
      if (!pytorch) {
        value |= uint64_t{bits()} << 32;
      } else if (low > kMost || high > kMost) {
        value = first << 32 | bits();
      }
      output.mutable_data<int64_t>()[i] = static_cast<int64_t>(value % range + static_cast<uint64_t>(low));
    }
  }

  Attributes attributes_;
  uint64_t drawn_ = 0;
};

class RandomUniform final : public Op {
 public:
  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.require("output_type");
    visitor.on("output_type", attributes_.output_type);
    int64_t global_seed = static_cast<int64_t>(attributes_.global_seed);
    int64_t op_seed = static_cast<int64_t>(attributes_.op_seed);
    visitor.on("global_seed", global_seed);
    visitor.on("op_seed", op_seed);
    attributes_.global_seed = static_cast<uint64_t>(global_seed);
    attributes_.op_seed = static_cast<uint64_t>(op_seed);
    visitor.on_enum("alignment", attributes_.alignment, {"tensorflow", "pytorch"});
  }

  void infer(InferContext& context) const override {
    context.expect_inputs(3);
    switch (attributes_.output_type) {
      case ElementType::kF16:
      case ElementType::kBf16:
      case ElementType::kF32:
      case ElementType::kF64:
      case ElementType::kI32:
      case ElementType::kI64:
        break;
      default:
        fail(ErrorCode::kInvalidModel, "attribute 'output_type' is ", attributes_.output_type,
             ", expected f16, bf16, f32, f64, i32 or i64");
    }
    expect_bound(context, 1, "minval");
    expect_bound(context, 2, "maxval");
    // Shapes do not depend on the bounds, so their values are not requested.
    const TensorView* low = context.known_value(1);
    const TensorView* high = context.known_value(2);
    if (low != nullptr && high != nullptr) expect_ascending(*low, *high);
    PartialShape output;
    if (const std::optional<Ints> shape = known_ints(context, 0, "shape")) {
      output = PartialShape::of_rank(0);
      for (const int64_t size : *shape) {
        if (size < 0) fail(ErrorCode::kInvalidValue, "shape ", to_string(*shape), " has a negative size");
        output.push_back(size);
      }
    } else if (const std::optional<size_t> rank = length_of(context, 0)) {
      output = PartialShape::of_rank(*rank);
    }
    context.set_output(0, attributes_.output_type, output);
  }

  std::unique_ptr<Kernel> compile(CompileContext&) const override {
    return std::make_unique<Filling>(attributes_);
  }

  bool is_pure() const override { return false; }

 private:
  void expect_bound(const InferContext& context, size_t i, const char* what) const {
    const ElementType type = context.input_type(i);
    if (type != attributes_.output_type && type != ElementType::kDynamic) {
      throw Error(ErrorCode::kInvalidType, cat(what, " has element type ", type,
                                               ", but attribute 'output_type' is ", attributes_.output_type))
          .expected(cat(attributes_.output_type))
          .actual(cat(type))
          .port(what);
    }
    if (const std::optional<size_t> length = length_of(context, i); length && *length != 1) {
      fail(ErrorCode::kInvalidShape, what, " has shape ", context.input_shape(i), ", expected a scalar");
    }
  }

  Attributes attributes_;
};

}  // namespace wasmvino::ops::random_uniform

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(random_uniform) {
  registry.add<random_uniform::RandomUniform>(
      {"RandomUniform",
       {8},
       "generation/random-uniform-8",
       {{"shape", kAnyIntegers}, {"minval", kNumbers}, {"maxval", kNumbers, 1}}});
}
}  // namespace wasmvino::ops
