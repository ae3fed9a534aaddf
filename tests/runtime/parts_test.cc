// SPDX-License-Identifier: Apache-2.0
#include "runtime/parts.h"

#include <cstring>
#include <functional>

#include "runtime/compiled_model.h"
#include "tests/passes/pass_tester.h"

namespace wasmvino::runtime {
namespace {

using model::AttributeTexts;
using model::Model;
using model::Source;
using passes::add;
using passes::parameter;
using passes::result;
using passes::weights;

// 4 MB of f32: 16 parts of 64 rows.
const PartialShape kRows = {1024, 1024};

std::unique_ptr<Model> make(const std::function<void(Model&)>& build) {
  auto model = std::make_unique<Model>();
  build(*model);
  model->index();
  model->infer();
  return model;
}

std::optional<Parts> parts_of(const std::function<void(Model&)>& build) { return find_parts(*make(build)); }

Tensor slice(const Tensor& tensor, const Parts& parts, int64_t begin, int64_t count) {
  Shape shape = tensor.shape();
  if (shape.size() <= parts.trailing || shape[shape.size() - 1 - parts.trailing] != parts.size)
    return tensor.clone();
  shape[shape.size() - 1 - parts.trailing] = count;
  const size_t stride = tensor.byte_size() / static_cast<size_t>(parts.size);
  Tensor part(tensor.type(), shape);
  std::memcpy(part.mutable_data<char>(), tensor.data<char>() + static_cast<size_t>(begin) * stride,
              part.byte_size());
  return part;
}

// Runs the model whole and in parts, and compares the bits.
void expect_same_in_parts(const std::function<void(Model&)>& build) {
  const std::unique_ptr<Model> model = make(build);
  const auto whole = CompiledModel::compile(*model, ops::registry())->create_infer_request();
  const auto compiled = CompiledModel::compile(*model, ops::registry(), {.overwrites_inputs = true});
  ASSERT_TRUE(compiled->parts().has_value());
  const Parts parts = *compiled->parts();
  const auto request = compiled->create_infer_request();
  std::vector<Tensor> inputs;
  for (const Port& port : compiled->inputs()) {
    const Shape shape = port.shape.to_shape();
    const std::vector<float> values =
        kernels::random_floats(element_count(shape), static_cast<uint32_t>(inputs.size() + 1));
    inputs.push_back(Tensor::of<float>(shape, values.data()));
    whole->set_input(inputs.size() - 1, inputs.back());
  }
  whole->infer();
  size_t runs = 0;
  for (int64_t begin = 0; begin < parts.size; begin += parts.step, ++runs) {
    const int64_t count = std::min(parts.step, parts.size - begin);
    for (size_t i = 0; i < inputs.size(); ++i) request->set_input(i, slice(inputs[i], parts, begin, count));
    request->infer();
    for (size_t i = 0; i < compiled->outputs().size(); ++i) {
      const Tensor expected = slice(whole->output(i), parts, begin, count);
      const Tensor& got = request->output(i);
      ASSERT_EQ(got.shape(), expected.shape());
      ASSERT_EQ(std::memcmp(got.data<char>(), expected.data<char>(), got.byte_size()), 0) << "from " << begin;
    }
  }
  EXPECT_GE(runs, 4u);
}

TEST(Parts, AreOfTheFirstAxisThatHasSeveralElements) {
  const auto parts = parts_of([](Model& m) {
    result(m, add(m, "Add", "y", {parameter(m, "a", {1, 1000, 1024}), parameter(m, "b", {1000, 1024})}));
  });
  ASSERT_TRUE(parts.has_value());
  EXPECT_EQ(parts->trailing, 1u);
  EXPECT_EQ(parts->size, 1000);
  EXPECT_EQ(parts->step, 67) << "15 parts of 256 KB and somewhat more";
  EXPECT_TRUE(is_part(*parts, {1000, 1024}, {67, 1024}));
  EXPECT_TRUE(is_part(*parts, {1, 1000, 1024}, {1, 62, 1024}));
  EXPECT_FALSE(is_part(*parts, {1000, 1024}, {68, 1024}));
  EXPECT_FALSE(is_part(*parts, {1000, 1024}, {67, 1023}));
  EXPECT_FALSE(is_part(*parts, {1024}, {67}));
  EXPECT_EQ(first_part(*parts, {1000, 1024}), (Shape{67, 1024}));
  EXPECT_EQ(first_part(*parts, {1, 1024}), (Shape{1, 1024}));
}

TEST(Parts, GiveWhatTheWholeGives) {
  expect_same_in_parts([](Model& m) {
    const Source x = parameter(m, "x", {1000, 1024});
    const Source scaled = add(m, "Multiply", "scaled", {x, weights(m, "factors", {1024})});
    result(m, add(m, "Gelu", "y", {add(m, "Add", "sum", {scaled, parameter(m, "row", {1, 1024})})}));
    result(m, add(m, "Convert", "halves", {x}, {{"destination_type", "f16"}}));
  });
  expect_same_in_parts([](Model& m) {
    result(m, add(m, "Softmax", "y", {parameter(m, "x", {1, 4, 300, 1000})}, {{"axis", "-1"}}));
  });
  expect_same_in_parts([](Model& m) { result(m, add(m, "Relu", "y", {parameter(m, "x", {1000003})})); });
  expect_same_in_parts([](Model& m) {
    result(m, add(m, "PRelu", "y", {parameter(m, "x", {16, 3, 256, 256}), weights(m, "slope", {3})}));
  });
}

TEST(Parts, AreNotWhereAPartNeedsMoreThanThatPart) {
  const auto softmax = [](const char* axis) {
    return parts_of([axis](Model& m) {
      result(m, add(m, "Softmax", "y", {parameter(m, "x", kRows)}, {{"axis", axis}}));
    });
  };
  EXPECT_TRUE(softmax("1").has_value());
  EXPECT_FALSE(softmax("0").has_value());
  EXPECT_FALSE(softmax("-2").has_value());
  EXPECT_FALSE(parts_of([](Model& m) {
                 const Source order = passes::integers(m, "order", {1, 0});
                 result(m, add(m, "Transpose", "y", {parameter(m, "x", kRows), order}));
               }).has_value());
  EXPECT_FALSE(parts_of([](Model& m) {
                 const Source sum =
                     add(m, "ReduceSum", "sum", {parameter(m, "x", kRows), passes::integers(m, "axes", {0})},
                         {{"keep_dims", "true"}});
                 result(m, sum);
               }).has_value())
      << "the result has no such axis";
  EXPECT_FALSE(parts_of([](Model& m) {
                 result(m, add(m, "Add", "y", {parameter(m, "x", kRows), weights(m, "column", {1024, 1})}));
               }).has_value())
      << "a constant would have to be cut";
  EXPECT_FALSE(
      parts_of([](Model& m) {
        result(m, add(m, "PRelu", "y", {parameter(m, "x", {1, 1024, 32, 32}), weights(m, "slope", {1024})}));
      }).has_value())
      << "slopes lie along the axis";
  EXPECT_FALSE(parts_of([](Model& m) {
                 result(m, add(m, "Add", "y", {parameter(m, "x", {1024, 32, 32}), weights(m, "w", {1024})},
                               {{"auto_broadcast", "pdpd"}}));
               }).has_value())
      << "aligned at the first axis";
  EXPECT_FALSE(parts_of([](Model& m) {
                 const Source x = parameter(m, "x", kRows);
                 result(m, add(m, "Relu", "y", {x}));
                 result(m, add(m, "Relu", "whole", {parameter(m, "other", {7})}));
               }).has_value())
      << "one result is not cut";
}

TEST(Parts, AreNotWhereThereIsLittleToCopyOrShapesAreOpen) {
  const auto relu = [](const PartialShape& shape) {
    return parts_of([&shape](Model& m) { result(m, add(m, "Relu", "y", {parameter(m, "x", shape)})); });
  };
  EXPECT_TRUE(relu({256, 1024}).has_value());
  EXPECT_FALSE(relu({255, 1024}).has_value());
  EXPECT_FALSE(relu({Dimension(), 1024}).has_value());
  EXPECT_FALSE(relu({3, 1024, 1024}).has_value()) << "three parts of 4 MB";
  EXPECT_FALSE(
      parts_of([](Model& m) {
        result(m, add(m, "Add", "y", {parameter(m, "x", {16, 16384}), parameter(m, "large", {16384})}));
      }).has_value())
      << "64 KB would be copied for every part";
}

TEST(Parts, AreNotOfModelsThatAreWatched) {
  const auto model = make([](Model& m) { result(m, add(m, "Relu", "y", {parameter(m, "x", kRows)})); });
  const auto has = [&](const CompileOptions& options) {
    return CompiledModel::compile(*model, ops::registry(), options)->parts().has_value();
  };
  EXPECT_TRUE(has({.overwrites_inputs = true}));
  EXPECT_FALSE(has({}));
  EXPECT_FALSE(has({.passes = false, .overwrites_inputs = true}));
  EXPECT_FALSE(has({.profiling = true, .overwrites_inputs = true}));
}

}  // namespace
}  // namespace wasmvino::runtime
