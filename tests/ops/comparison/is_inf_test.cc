// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "../arrays.h"
#include "core/float_types.h"

namespace wasmvino::test::is_inf_test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

template <typename T>
Tensor numbers() {
  Tensor tensor(ElementTypeOf<T>::value, {5});
  const double values[] = {1, kInf, -kInf, kNan, 60000};
  for (size_t i = 0; i < 5; ++i) tensor.mutable_data<T>()[i] = T(static_cast<float>(values[i]));
  return tensor;
}

std::vector<Tensor> of_all_types() {
  return {numbers<float>(), numbers<double>(), numbers<Float16>(), numbers<BFloat16>()};
}

TEST(IsInf, FindsInfinitiesOfBothSigns) {
  for (const Tensor& x : of_all_types()) {
    EXPECT_EQ(text_of(run_op("IsInf", 10, {}, {x})[0]), "[5] 0 1 1 0 0") << name(x.type());
  }
}

TEST(IsInf, FindsTheSignsAskedFor) {
  for (const Tensor& x : of_all_types()) {
    EXPECT_EQ(text_of(run_op("IsInf", 10, {{"detect_negative", "false"}}, {x})[0]), "[5] 0 1 0 0 0");
    EXPECT_EQ(text_of(run_op("IsInf", 10, {{"detect_positive", "false"}}, {x})[0]), "[5] 0 0 1 0 0");
    EXPECT_EQ(
        text_of(run_op("IsInf", 10, {{"detect_negative", "false"}, {"detect_positive", "false"}}, {x})[0]),
        "[5] 0 0 0 0 0");
  }
}

TEST(IsFinite, FindsWhatIsNeitherInfiniteNorNan) {
  for (const Tensor& x : of_all_types()) {
    EXPECT_EQ(text_of(run_op("IsFinite", 10, {}, {x})[0]), "[5] 1 0 0 0 1") << name(x.type());
  }
}

TEST(IsFinite, ManyElements) {
  constexpr size_t kCount = 700;  // computed in blocks
  Tensor x(ElementType::kF32, {kCount});
  for (size_t i = 0; i < kCount; ++i) x.mutable_data<float>()[i] = static_cast<float>(i);
  x.mutable_data<float>()[300] = static_cast<float>(kInf);
  x.mutable_data<float>()[699] = static_cast<float>(kNan);
  const Tensor y = run_op("IsFinite", 10, {}, {x})[0];
  for (size_t i = 0; i < kCount; ++i) EXPECT_EQ(y.data<bool>()[i], i != 300 && i != 699) << i;
}

TEST(IsNaN, FindsNan) {
  for (const Tensor& x : of_all_types()) {
    EXPECT_EQ(text_of(run_op("IsNaN", 10, {}, {x})[0]), "[5] 0 0 0 1 0") << name(x.type());
  }
}

TEST(IsNaN, GivesBooleansOfTheInputsShape) {
  for (const char* type : {"IsNaN", "IsInf", "IsFinite"}) {
    const auto result = infer_op(type, 10, {}, {open(ElementType::kF16, {Dimension(), 3})})[0];
    EXPECT_EQ(name(result.type), "boolean");
    EXPECT_EQ(to_string(result.shape), "[?,3]");
    EXPECT_EQ(text_of(run_op(type, 10, {}, {Tensor(ElementType::kF32, {0, 2})})[0]), "[0,2]");
    expect_error(ErrorCode::kInvalidType, "has element type i32, expected a floating point type",
                 [type] { run_op(type, 10, {}, {Tensor::scalar<int32_t>(1)}); });
  }
}

}  // namespace
}  // namespace wasmvino::test::is_inf_test
