// SPDX-License-Identifier: Apache-2.0
// Rules of ONNX's specification that differ from those of OpenVINO's operations, and attributes that are
// refused.
#include <cmath>

#include "onnx_tester.h"

namespace wasmvino::test {
namespace {

constexpr int kUint8 = 2, kInt8 = 3, kFloat8 = 17, kFloat8E8m0 = 24;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string text_attribute(const char* name, const char* text) {
  return field(5, field(1, name) + field(20, uint64_t{3}) + field(4, text));
}

// The bytes of the output of a model with one input.
std::vector<int> run_bytes(const std::string& graph, const Tensor& input) {
  const auto model = read_onnx(model_of(graph));
  const auto compiled = runtime::CompiledModel::compile(*model, ops::registry(), {});
  const auto request = compiled->create_infer_request();
  request->set_input(0, input);
  request->infer();
  const Tensor& made = request->output(0);
  std::vector<int> bytes;
  for (size_t i = 0; i < made.byte_size(); ++i) bytes.push_back(made.data<uint8_t>()[i]);
  return bytes;
}

std::vector<int> shift(int type, const char* direction, std::string bits, const Tensor& data) {
  const int64_t size = static_cast<int64_t>(data.size());
  return run_bytes(node("BitShift", {"x", "b"}, {"y"}, text_attribute("direction", direction)) +
                       initializer(tensor("b", type, {static_cast<uint64_t>(size)}, field(9, bits))) +
                       input(value("x", type, {size})) + output(value("y", type, {size})),
                   data);
}

TEST(OnnxSpecification, ShiftsByTheWidthOrMoreMoveAllBitsOut) {
  EXPECT_EQ(shift(kUint8, "LEFT", {3, 8, 32, 7}, Tensor::of<uint8_t>({4}, {3, 255, 255, 3})),
            (std::vector<int>{24, 0, 0, 128}));
  EXPECT_EQ(shift(kUint8, "RIGHT", {1, 8, 33}, Tensor::of<uint8_t>({3}, {6, 255, 255})),
            (std::vector<int>{3, 0, 0}));
  // -1, 0 and the sign.
  EXPECT_EQ(shift(kInt8, "RIGHT", {2, 8, -1, -1}, Tensor::of<int8_t>({4}, {-8, -8, 8, -8})),
            (std::vector<int>{254, 255, 0, 255}));
  EXPECT_EQ(shift(kInt8, "LEFT", {2, -1}, Tensor::of<int8_t>({2}, {-3, 5})), (std::vector<int>{244, 0}));
}

std::vector<int> cast(int to, const std::string& more, const Tensor& data) {
  return run_bytes(node("Cast", {"x"}, {"y"}, integer_attribute("to", static_cast<uint64_t>(to)) + more) +
                       input(value("x", kFloat, {static_cast<int64_t>(data.size())})) +
                       output(value("y", to, {})),
                   data);
}

// Expected bits: ONNX's tables of float8e4m3fn and float8e8m0.
TEST(OnnxSpecification, ConversionsToEightBitsSaturateOrNot) {
  const Tensor data = Tensor::of<float>({5}, {1e6f, -HUGE_VALF, 464, 0.5f, NAN});
  EXPECT_EQ(cast(kFloat8, "", data), (std::vector<int>{0x7e, 0xfe, 0x7e, 0x30, 0x7f}));
  EXPECT_EQ(cast(kFloat8, integer_attribute("saturate", 0), data),
            (std::vector<int>{0x7f, 0xff, 0x7e, 0x30, 0x7f}));
}

TEST(OnnxSpecification, PowersOfTwoAreRounded) {
  const Tensor data = Tensor::of<float>({5}, {1, 1.1f, 3, 0, 3e38f});
  EXPECT_EQ(cast(kFloat8E8m0, "", data), (std::vector<int>{127, 128, 129, 0, 254}));
  EXPECT_EQ(cast(kFloat8E8m0, text_attribute("round_mode", "down"), data),
            (std::vector<int>{127, 127, 128, 0, 254}));
  EXPECT_EQ(cast(kFloat8E8m0, text_attribute("round_mode", "nearest"), data),
            (std::vector<int>{127, 127, 129, 0, 254}));
}

TEST(OnnxSpecification, BlocksMoveIntoTheDepthInEitherOrder) {
  const Tensor data = Tensor::of<uint8_t>({1, 2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7});
  const auto moved = [&](const std::string& mode) {
    return run_bytes(node("SpaceToDepth", {"x"}, {"y"}, integer_attribute("blocksize", 2) + mode) +
                         input(value("x", kUint8, {1, 2, 2, 2})) + output(value("y", kUint8, {})),
                     data);
  };
  EXPECT_EQ(moved(""), (std::vector<int>{0, 4, 1, 5, 2, 6, 3, 7}));
  EXPECT_EQ(moved(text_attribute("mode", "CRD")), (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(OnnxSpecification, ExtremesOfBooleansAreBooleans) {
  constexpr int kBool = 9;
  const auto extreme = [&](const char* type, std::initializer_list<bool> values) {
    return run_bytes(node(type, {"x"}, {"y"}, integer_attribute("keepdims", 0)) +
                         input(value("x", kBool, {2})) + output(value("y", kBool, {})),
                     Tensor::of<bool>({2}, values));
  };
  EXPECT_EQ(extreme("ReduceMax", {false, true}), std::vector<int>{1});
  EXPECT_EQ(extreme("ReduceMax", {false, false}), std::vector<int>{0});
  EXPECT_EQ(extreme("ReduceMin", {false, true}), std::vector<int>{0});
  EXPECT_EQ(extreme("ReduceMin", {true, true}), std::vector<int>{1});
}

TEST(OnnxSpecification, CountsAreChecked) {
  const std::string ends = input(value("x", kFloat, {1, 4, 4})) + output(value("y", kFloat, {}));
  const std::string filters = initializer(tensor("w", kFloat, {1, 4, 1}, field(9, raw<float>({1, 1, 1, 1}))));
  for (const uint64_t groups : {uint64_t{0}, ~uint64_t{0}, uint64_t{1} << 40}) {
    EXPECT_PRED2(contains,
                 problem_of(model_of(node("Conv", {"x", "w"}, {"y"}, integer_attribute("group", groups)) +
                                     ends + filters)),
                 "its attribute group is");
  }
  EXPECT_PRED2(contains,
               problem_of(model_of(node("Neg", {"x"}, {"y"}) + output(value("y", kFloat, {})) +
                                   input(value("x", kFloat, {int64_t{1} << 40})))),
               "has a size of 1099511627776 along axis 0, expected at most 2^31");
}

}  // namespace
}  // namespace wasmvino::test
