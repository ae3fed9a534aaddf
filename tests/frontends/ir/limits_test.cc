// SPDX-License-Identifier: Apache-2.0
#include "core/call.h"
#include "ir_tester.h"

namespace wasmvino::test {
namespace {

// Reads within limits; gives the error, or nothing.
std::string read_within(const Limits& limits, const std::string& xml) {
  const Call call(limits);
  const CallScope scope(call);
  try {
    ir::read(xml, nullptr, any_registry());
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kLimitExceeded) << error.what();
    return error.what();
  }
  return "";
}

TEST(ReadLimits, BoundTheLayers) {
  const std::string xml =
      net(parameter(0) + unary(1, "relu") + result(2), edge(0, 0, 1, 0) + edge(1, 1, 2, 0));
  EXPECT_EQ(read_within({.layers = 3}, xml), "");
  EXPECT_NE(read_within({.layers = 2}, xml).find("3 layers exceed the limit of 2"), std::string::npos);
}

TEST(ReadLimits, BoundTheNesting) {
  const std::string inner = graph(parameter(10) + result(11), edge(10, 0, 11, 0));
  const std::string map =
      "<port_map><input external_port_id=\"0\" internal_layer_id=\"10\"/>"
      "<output external_port_id=\"1\" internal_layer_id=\"11\"/></port_map>";
  const std::string xml = net(
      parameter(0) +
          layer(1, "outer", "TensorIterator", inputs({0}) + output(1) + map + "<body>" + inner + "</body>") +
          result(2),
      edge(0, 0, 1, 0) + edge(1, 1, 2, 0));
  EXPECT_EQ(read_within({.layers = 5, .nesting = 1}, xml), "");
  EXPECT_NE(read_within({.layers = 4}, xml).find("5 layers"), std::string::npos);
}

TEST(ReadLimits, EndReadingByTheClock) {
  std::string layers = parameter(0), edges;
  for (int i = 1; i <= 2000; ++i) {
    layers += unary(i, cat("relu", i));
    edges += edge(i - 1, i == 1 ? 0 : 1, i, 0);
  }
  const std::string xml = net(layers + result(2001), edges + edge(2000, 1, 2001, 0));
  EXPECT_NE(read_within({.milliseconds = 0.001}, xml).find("0.001 ms"), std::string::npos);
}

}  // namespace
}  // namespace wasmvino::test
