// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "core/float_types.h"
#include "tests/ops/open_inputs.h"

namespace wasmvino::test::einsum_test {
namespace {

Tensor numbers(const Shape& shape, int seed) {
  Tensor tensor(ElementType::kF32, shape);
  for (size_t i = 0; i < tensor.size(); ++i) {
    tensor.mutable_data<float>()[i] =
        0.5f * static_cast<float>(static_cast<int>(i * 37 + static_cast<size_t>(seed) * 11) % 23 - 11);
  }
  return tensor;
}

Tensor einsum(const std::string& equation, const std::vector<Tensor>& inputs) {
  return run_op("Einsum", 7, {{"equation", equation}}, inputs)[0];
}

// The definition: a sum over all labels, for subscripts without ellipses.
void expect_einsum(const std::string& equation, const std::vector<Shape>& shapes) {
  SCOPED_TRACE(equation);
  std::vector<std::string> subscripts = {""};
  std::string output;
  const size_t arrow = equation.find("->");
  for (const char c : equation.substr(0, arrow)) {
    if (c == ',') {
      subscripts.emplace_back();
    } else {
      subscripts.back().push_back(c);
    }
  }
  output = equation.substr(arrow + 2);
  std::map<char, int64_t> sizes;
  for (size_t i = 0; i < shapes.size(); ++i) {
    for (size_t axis = 0; axis < shapes[i].size(); ++axis) {
      int64_t& size = sizes.try_emplace(subscripts[i][axis], 1).first->second;
      size = std::max(size, shapes[i][axis]);
    }
  }
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < shapes.size(); ++i) inputs.push_back(numbers(shapes[i], static_cast<int>(i)));
  Shape shape;
  for (const char c : output) shape.push_back(sizes[c]);
  std::vector<double> sums(element_count(shape));
  std::map<char, int64_t> at;
  for (const auto& [label, size] : sizes) at[label] = 0;
  while (true) {
    double product = 1;
    for (size_t i = 0; i < inputs.size(); ++i) {
      int64_t offset = 0;
      for (size_t axis = 0; axis < shapes[i].size(); ++axis) {
        offset = offset * shapes[i][axis] + (shapes[i][axis] == 1 ? 0 : at[subscripts[i][axis]]);
      }
      product *= static_cast<double>(inputs[i].data<float>()[offset]);
    }
    int64_t place = 0;
    for (const char c : output) place = place * sizes[c] + at[c];
    sums[static_cast<size_t>(place)] += product;
    auto label = at.begin();
    for (; label != at.end(); ++label) {
      if (++label->second < sizes[label->first]) break;
      label->second = 0;
    }
    if (label == at.end()) break;
  }
  const std::vector<float> expected(sums.begin(), sums.end());
  expect_near(einsum(equation, inputs), shape, expected, 1e-5f);
  for (const size_t threads : {1, 3}) {
    expect_near(run_op_open("Einsum", 7, {{"equation", equation}}, inputs, 1, {}, threads)[0], shape,
                expected, 1e-5f);
  }
}

TEST(Einsum, OneOperand) {
  expect_einsum("ij->ji", {{2, 3}});
  expect_einsum("ijk->kij", {{2, 3, 4}});
  expect_einsum("ij->i", {{2, 3}});
  expect_einsum("ij->", {{2, 3}});
  expect_einsum("ijk->ij", {{2, 3, 1}});
  expect_einsum("kii->k", {{2, 3, 3}});
  expect_einsum("kii->ki", {{2, 3, 3}});
  expect_einsum("ijkj->ij", {{2, 4, 5, 4}});
  expect_einsum("ij->ij", {{2, 3}});
}

TEST(Einsum, Products) {
  expect_einsum("i,i->", {{3}, {3}});
  expect_einsum("i,j->ij", {{3}, {4}});
  expect_einsum("ij,j->i", {{2, 3}, {3}});
  expect_einsum("ij,jk->ik", {{2, 3}, {3, 4}});
  expect_einsum("ij,kj->ik", {{2, 3}, {4, 3}});
  expect_einsum("ji,jk->ki", {{3, 2}, {3, 4}});
  expect_einsum("bij,bjk->bik", {{5, 2, 3}, {5, 3, 4}});
  expect_einsum("bij,bjk->ikb", {{5, 2, 3}, {5, 3, 4}});
  expect_einsum("bhqd,bhkd->bhqk", {{2, 3, 4, 5}, {2, 3, 6, 5}});
  expect_einsum("bqhd,bkhd->bhqk", {{2, 4, 3, 5}, {2, 6, 3, 5}});
  expect_einsum("bhqk,bkhd->bqhd", {{2, 3, 4, 6}, {2, 6, 3, 5}});
  expect_einsum("abcd,abed->abce", {{2, 3, 4, 5}, {2, 3, 6, 5}});
  expect_einsum("bhwc,hkc->bhwk", {{2, 3, 4, 5}, {3, 6, 5}});
  expect_einsum("ij,ij->ij", {{2, 3}, {2, 3}});
  expect_einsum("ij,ij->i", {{2, 3}, {2, 3}});
  expect_einsum("ijk,k->", {{2, 3, 4}, {4}});
  expect_einsum("iij,jk->ik", {{3, 3, 2}, {2, 4}});
  expect_einsum("ij,->ji", {{2, 3}, {}});
  expect_einsum("abc,abc->b", {{40, 50, 30}, {40, 50, 30}});
  expect_einsum("bij,bjk->bik", {{2, 70, 80}, {2, 80, 90}});  // shared among threads
}

TEST(Einsum, SizesOfOneAreBroadcast) {
  expect_einsum("ij,jk->ik", {{2, 1}, {3, 4}});
  expect_einsum("bij,bjk->bik", {{1, 2, 3}, {5, 3, 4}});
  expect_einsum("ab,ab,ab->ab", {{1, 3}, {2, 1}, {2, 3}});
  expect_einsum("ab,cb,ab->c", {{1, 3}, {2, 1}, {4, 3}});
}

TEST(Einsum, ManyOperands) {
  expect_einsum("abc,cd,de->abe", {{2, 3, 4}, {4, 5}, {5, 6}});
  expect_einsum("ab,bcd,bc->ca", {{2, 5}, {5, 3, 6}, {5, 3}});
  expect_einsum("a,b,c,d->dbca", {{2}, {3}, {4}, {5}});
  expect_einsum("aac,abd,dde->", {{2, 2, 3}, {2, 4, 5}, {5, 5, 2}});
}

TEST(Einsum, ImplicitOutput) {
  expect_near(einsum("AbC", {Tensor::of<float>({1, 2, 3}, {1, 2, 3, 4, 5, 6})}), {1, 3, 2},
              {1, 4, 2, 5, 3, 6});
  expect_near(einsum("ba", {Tensor::of<float>({1, 2}, {1, 2})}), {2, 1}, {1, 2});
  expect_near(einsum("ij,jk", {Tensor::of<float>({1, 2}, {1, 2}), Tensor::of<float>({2, 1}, {3, 4})}), {1, 1},
              {11});
  expect_near(einsum("ii", {Tensor::of<float>({2, 2}, {1, 2, 3, 4})}), {}, {5});
}

TEST(Einsum, Ellipses) {
  const Tensor a = Tensor::of<float>({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  expect_near(einsum("a...->...", {a}), {3}, {12, 15, 18});
  expect_near(einsum("a...,...->a...", {a, Tensor::of<float>({1}, {0.5f})}), {3, 3},
              {0.5f, 1, 1.5f, 2, 2.5f, 3, 3.5f, 4, 4.5f});
  expect_near(einsum("i...j->j...i", {Tensor::of<float>({2, 2}, {1, 2, 3, 4})}), {2, 2}, {1, 3, 2, 4});
  const Tensor got =
      einsum(" a ... b , b ... -> a ...", {numbers({9, 1, 4, 3}, 1), numbers({3, 11, 7, 1}, 2)});
  EXPECT_EQ(to_string(got.shape()), "[9,11,7,4]");
  // An ellipsis is matrices to pair up: the same as MatMul.
  const Tensor x = numbers({2, 3, 4, 5}, 1), y = numbers({3, 5, 6}, 2);
  const Tensor product = run_op("MatMul", 1, {}, {x, y})[0];
  expect_near(einsum("...ij,...jk->...ik", {x, y}), product.shape(),
              {product.data<float>(), product.data<float>() + product.size()});
}

TEST(Einsum, OtherTypes) {
  const int64_t big = (int64_t{1} << 53) + 1;
  expect_tensor<int64_t>(
      einsum("i,i->", {Tensor::of<int64_t>({2}, {big, 1}), Tensor::of<int64_t>({2}, {1, 2})}), {}, {big + 2});
  expect_tensor<uint64_t>(einsum("i->", {Tensor::of<uint64_t>({2}, {~uint64_t{0} - 1, 1})}), {},
                          {~uint64_t{0}});
  expect_tensor<int32_t>(einsum("ij->ji", {Tensor::of<int32_t>({2, 2}, {1, 2, 3, 4})}), {2, 2}, {1, 3, 2, 4});
  expect_tensor<int8_t>(einsum("i,j->", {Tensor::of<int8_t>({2}, {100, 1}), Tensor::of<int8_t>({1}, {2})}),
                        {}, {127});
  const Tensor half =
      einsum("i,i->", {Tensor::of<Float16>({1}, {Float16(1.5f)}), Tensor::of<Float16>({1}, {Float16(2.0f)})});
  EXPECT_EQ(f16_to_f32(half.data<uint16_t>()[0]), 3.0f);
}

TEST(Einsum, Empty) {
  expect_near(einsum("ij,jk->ik", {Tensor(ElementType::kF32, {2, 0}), Tensor(ElementType::kF32, {0, 1})}),
              {2, 1}, {0, 0});
  expect_near(einsum("ij->j", {Tensor(ElementType::kF32, {0, 2})}), {2}, {0, 0});
}

TEST(Einsum, Shapes) {
  using model::ValueInfo;
  const auto shape = [](const char* equation, const PartialShape& a, const PartialShape& b) {
    const ValueInfo left{ElementType::kF32, a, nullptr}, right{ElementType::kF32, b, nullptr};
    return to_string(infer_op("Einsum", 7, {{"equation", equation}}, {left, right})[0].shape);
  };
  EXPECT_EQ(shape("bij,bjk->bik", {Dimension(), 2, 3}, {5, Dimension(), 4}), "[5,2,4]");
  EXPECT_EQ(shape("ij,jk->ik", PartialShape(), {3, 4}), "[?,4]");
  EXPECT_EQ(shape("...ij,jk->...ik", PartialShape(), {3, 4}), "[...]");
}

TEST(Einsum, Refuses) {
  const Tensor a = numbers({2, 3}, 1);
  expect_error(ErrorCode::kInvalidModel, "no input has the label 'z'", [&] { einsum("ij->z", {a}); });
  expect_error(ErrorCode::kInvalidModel, "the output contains 'i' twice", [&] { einsum("ij->ii", {a}); });
  expect_error(ErrorCode::kInvalidModel, "'1' is neither", [&] { einsum("i1->i", {a}); });
  expect_error(ErrorCode::kInvalidModel, "two ellipses", [&] { einsum("...i...->i", {a}); });
  expect_error(ErrorCode::kInvalidModel, "the layer has 1 inputs, expected 2",
               [&] { einsum("ij,jk->ik", {a}); });
  expect_error(ErrorCode::kInvalidShape, "has 3 axes", [&] { einsum("ijk->i", {a}); });
  expect_error(ErrorCode::kInvalidShape,
               "label 'i' of the equation 'ii->i' is 3 in input 0 [2,3], but 2 earlier",
               [&] { einsum("ii->i", {a}); });
  expect_error(ErrorCode::kInvalidShape,
               "label 'j' of the equation 'ij,jk->ik' is 4 in input 1 [4,5], but 3 earlier",
               [&] { einsum("ij,jk->ik", {a, numbers({4, 5}, 1)}); });
}

}  // namespace
}  // namespace wasmvino::test::einsum_test
