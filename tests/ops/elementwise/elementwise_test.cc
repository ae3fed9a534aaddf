// SPDX-License-Identifier: Apache-2.0
// The loops that all elementwise operations share: against indices computed one element at a time.
#include "ops/elementwise/elementwise.h"

#include "../op_tester.h"

namespace wasmvino::test::elementwise_test {
namespace {

using model::ValueInfo;

// As many threads as asked for, one after the other.
class Split final : public Parallel {
 public:
  explicit Split(size_t threads) : threads_(threads) {}
  size_t threads() const override { return threads_; }

 private:
  size_t threads_;
};

class NoServices final : public model::CompileServices, public model::EvalServices {
 public:
  std::unique_ptr<model::Subgraph> subgraph(const model::Node&, size_t, std::span<const ValueInfo>) override {
    fail(ErrorCode::kInternal, "no bodies here");
  }
  std::shared_ptr<const void>& cache(const model::Node&, std::string_view) override { return cache_; }
  model::Variable& variable(std::string_view) override { fail(ErrorCode::kInternal, "no variables here"); }
  const Parallel& parallel() const override { return parallel_; }
  void set_output_shape(size_t, const Shape&) override { fail(ErrorCode::kInternal, "all shapes are known"); }

 private:
  std::shared_ptr<const void> cache_;
  Parallel parallel_;
};

// Compiles the node and runs it on `threads` threads; with `in_place`, into the memory of that input.
Tensor run(const model::Node& node, std::vector<Tensor> inputs, size_t threads,
           std::optional<size_t> in_place = {}) {
  std::vector<ValueInfo> infos;
  for (const Tensor& input : inputs) infos.push_back({input.type(), input.shape(), nullptr});
  std::vector<const ValueInfo*> pointers;
  for (const ValueInfo& info : infos) pointers.push_back(&info);
  std::vector<ValueInfo> results(1);
  model::InferContext infer(node, pointers, results);
  node.op->infer(infer);
  NoServices services;
  model::CompileContext compile(node, pointers, results, services);
  const auto kernel = node.op->compile(compile);
  Tensor result(results[0].type, results[0].shape.to_shape());
  if (in_place) {
    EXPECT_TRUE(node.op->can_overwrite(compile, *in_place, 0));
    result = inputs[*in_place];
  }
  std::vector<TensorView> views;
  for (const Tensor& input : inputs) views.push_back(input.view());
  views.push_back(result.view());
  views.back().type = results[0].type;
  std::vector<TensorView*> in, out;
  for (TensorView& view : views) in.push_back(&view);
  out.push_back(in.back());
  in.pop_back();
  const Split split(threads);
  model::EvalContext context(node, in, out, nullptr, split, services);
  kernel->run(context);
  return result;
}

// The element of `shape`, broadcast to `result`, that element `index` of the result reads.
size_t source(size_t index, const Shape& result, const Shape& shape) {
  const Ints strides = row_major_strides(shape);
  size_t element = 0;
  for (size_t axis = result.size(); axis-- > 0;) {
    const size_t place = index % static_cast<size_t>(result[axis]);
    index /= static_cast<size_t>(result[axis]);
    const size_t missing = result.size() - shape.size();
    if (axis >= missing && shape[axis - missing] != 1) {
      element += place * static_cast<size_t>(strides[axis - missing]);
    }
  }
  return element;
}

Tensor numbers(ElementType type, const Shape& shape, int factor, int modulus) {
  Tensor values(ElementType::kF64, shape);
  for (size_t i = 0; i < values.size(); ++i) {
    values.mutable_data<double>()[i] = static_cast<double>(static_cast<int>(i) * factor % modulus);
  }
  return run_op("Convert", 1, {{"destination_type", std::string(name(type))}}, {values})[0];
}

struct Shapes {
  Shape a, b, result;
};

const Shapes kShapes[] = {
    {{}, {}, {}},
    {{1000}, {1000}, {1000}},
    {{1000}, {}, {1000}},
    {{}, {7, 11}, {7, 11}},
    // Rows long enough to be walked one by one.
    {{3, 70}, {70}, {3, 70}},
    {{3, 70}, {3, 1}, {3, 70}},
    {{3, 1}, {70}, {3, 70}},
    {{2, 3, 50}, {2, 1, 50}, {2, 3, 50}},
    {{2, 3, 4, 40}, {3, 1, 40}, {2, 3, 4, 40}},
    {{5, 300}, {1, 300}, {5, 300}},
    // Short rows, gathered into blocks: a bias of channels-last, a scale per pixel, odd ranks.
    {{500, 3}, {3}, {500, 3}},
    {{500, 3}, {500, 1}, {500, 3}},
    {{3}, {500, 1}, {500, 3}},
    {{8, 40, 10}, {8, 1, 10}, {8, 40, 10}},
    {{8, 40, 10}, {40, 1}, {8, 40, 10}},
    {{2, 1, 3, 1, 5}, {3, 1, 4, 1}, {2, 3, 3, 4, 5}},
    {{2, 1, 2, 1, 2, 1, 2}, {1, 3, 1, 3, 1, 3, 1}, {2, 3, 2, 3, 2, 3, 2}},
    {{31}, {40, 1}, {40, 31}},
    {{20, 20, 1}, {20, 1, 2}, {20, 20, 2}},
    // Nothing at all.
    {{3, 0}, {3, 1}, {3, 0}},
    {{5, 1, 1}, {3, 0}, {5, 3, 0}},
};

TEST(Elementwise, WalksAllBroadcastsInAllTypes) {
  const auto node = make_node("Subtract", 1, {}, 1);
  for (const ElementType type :
       {ElementType::kF32, ElementType::kF64, ElementType::kF16, ElementType::kBf16, ElementType::kI8,
        ElementType::kU8, ElementType::kI16, ElementType::kU16, ElementType::kI32, ElementType::kU32,
        ElementType::kI64, ElementType::kU64}) {
    for (const Shapes& shapes : kShapes) {
      const Tensor a = numbers(type, shapes.a, 7, 61);  // exact in each of the types
      const Tensor b = numbers(type, shapes.b, 5, 59);
      const auto as = to_doubles(a.view());
      const auto bs = to_doubles(b.view());
      for (const size_t threads : {1, 3}) {
        // Exchanged, so that each operand is the repeated one.
        for (const bool exchanged : {false, true}) {
          const Tensor got = exchanged ? run(*node, {b, a}, threads) : run(*node, {a, b}, threads);
          ASSERT_EQ(to_string(got.shape()), to_string(shapes.result));
          Tensor expected(ElementType::kI64, shapes.result);
          for (size_t i = 0; i < expected.size(); ++i) {
            const double difference =
                as[source(i, shapes.result, shapes.a)] - bs[source(i, shapes.result, shapes.b)];
            const auto whole = static_cast<int64_t>(exchanged ? -difference : difference);
            // Those of u8 saturate.
            expected.mutable_data<int64_t>()[i] =
                type == ElementType::kU8 ? std::max<int64_t>(0, whole) : whole;
          }
          // Other unsigned differences wrap: so do those of the conversion.
          const Tensor wanted =
              run_op("Convert", 1, {{"destination_type", std::string(name(type))}}, {expected})[0];
          const auto values = to_doubles(got.view());
          const auto wants = to_doubles(wanted.view());
          for (size_t i = 0; i < values.size(); ++i) {
            ASSERT_EQ(values[i], wants[i])
                << name(type) << " " << to_string(shapes.a) << " " << to_string(shapes.b) << " element " << i
                << ", " << threads << " threads";
          }
        }
      }
    }
  }
}

TEST(Elementwise, SharesLargeTensorsAmongThreads) {
  const auto node = make_node("Subtract", 1, {}, 1);
  for (const Shapes& shapes : {Shapes{{300000}, {300000}, {300000}}, Shapes{{100000, 3}, {3}, {100000, 3}},
                               Shapes{{301, 999}, {301, 1}, {301, 999}}}) {
    const Tensor a = numbers(ElementType::kF32, shapes.a, 7, 61);
    const Tensor b = numbers(ElementType::kF32, shapes.b, 5, 59);
    const Tensor alone = run(*node, {a, b}, 1);
    const Tensor shared = run(*node, {a, b}, 3);
    EXPECT_EQ(0, std::memcmp(alone.data<float>(), shared.data<float>(), alone.byte_size()));
    for (size_t i = 0; i < alone.size(); i += 997) {
      ASSERT_EQ(alone.data<float>()[i], a.data<float>()[source(i, shapes.result, shapes.a)] -
                                            b.data<float>()[source(i, shapes.result, shapes.b)]);
    }
  }
}

TEST(Elementwise, WorksInTheMemoryOfAnInput) {
  const auto node = make_node("Subtract", 1, {}, 1);
  for (const ElementType type : {ElementType::kF32, ElementType::kF16, ElementType::kI8, ElementType::kI64}) {
    for (const Shapes& shapes : {Shapes{{4, 70}, {4, 70}, {4, 70}}, Shapes{{400, 3}, {3}, {400, 3}}}) {
      const Tensor a = numbers(type, shapes.a, 7, 61);
      const Tensor b = numbers(type, shapes.b, 5, 59);
      const Tensor expected = run(*node, {a, b}, 1);
      const Tensor got = run(*node, {a.clone(), b}, 1, 0);
      EXPECT_EQ(0, std::memcmp(expected.view().memory, got.view().memory, expected.byte_size()))
          << name(type);
      const Tensor swapped = run(*node, {b, a}, 1);
      const Tensor second = run(*node, {b, a.clone()}, 1, 1);
      EXPECT_EQ(0, std::memcmp(swapped.view().memory, second.view().memory, swapped.byte_size()))
          << name(type);
    }
  }
}

TEST(Elementwise, OverwritesOnlyInputsOfTheSameSize) {
  const ValueInfo row{ElementType::kF32, Shape{3}, nullptr};
  const ValueInfo matrix{ElementType::kF32, Shape{2, 3}, nullptr};
  const ValueInfo flags{ElementType::kBoolean, Shape{2, 3}, nullptr};
  const ValueInfo* inputs[] = {&row, &matrix};
  NoServices services;
  const auto add = make_node("Add", 1, {}, 1);
  model::CompileContext sum(*add, inputs, {&matrix, 1}, services);
  EXPECT_FALSE(add->op->can_overwrite(sum, 0, 0));
  EXPECT_TRUE(add->op->can_overwrite(sum, 1, 0));
  const auto less = make_node("Less", 1, {}, 1);
  model::CompileContext test(*less, inputs, {&flags, 1}, services);
  EXPECT_FALSE(less->op->can_overwrite(test, 1, 0));
}

TEST(Elementwise, ThreeOperandsOfDifferentTypes) {
  const auto node = make_node("Select", 1, {}, 1);
  const Shape result = {4, 30, 5};
  const Shape shapes[] = {{30, 1}, {4, 1, 5}, {5}};
  const Tensor condition = numbers(ElementType::kBoolean, shapes[0], 1, 2);
  for (const ElementType type : {ElementType::kF32, ElementType::kF16, ElementType::kI64, ElementType::kU8}) {
    const Tensor yes = numbers(type, shapes[1], 3, 17);
    const Tensor no = numbers(type, shapes[2], 5, 19);
    const auto got = to_doubles(run(*node, {condition, yes, no}, 2).view());
    const auto yeses = to_doubles(yes.view());
    const auto noes = to_doubles(no.view());
    for (size_t i = 0; i < got.size(); ++i) {
      const bool chosen = condition.data<bool>()[source(i, result, shapes[0])];
      ASSERT_EQ(got[i], chosen ? yeses[source(i, result, shapes[1])] : noes[source(i, result, shapes[2])]);
    }
  }
}

}  // namespace
}  // namespace wasmvino::test::elementwise_test
