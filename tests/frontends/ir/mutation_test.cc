// SPDX-License-Identifier: Apache-2.0
// Damaged files: whatever is done to a model, it is read or refused with an Error. Worth most with
// sanitizers.
#include <cstring>
#include <iterator>
#include <random>

#include "ir_tester.h"

namespace wasmvino::test {
namespace {

// A model with everything that the reader knows.
std::string rich_model() {
  const std::string inner =
      graph(parameter(10, "slice") + parameter(11, "state") +
                layer(15, "weights", "Const", "<data offset=\"0\" size=\"24\"/>" + output(1)) +
                layer(12, "sum", "Add", inputs({0, 1}) + output(2)) + result(13) + result(14),
            edge(10, 0, 12, 0) + edge(15, 1, 12, 1) + edge(12, 2, 13, 0) + edge(11, 0, 14, 0));
  const std::string map =
      "<port_map><input axis=\"1\" external_port_id=\"0\" internal_layer_id=\"10\" start=\"-1\" end=\"0\" "
      "stride=\"-1\" part_size=\"1\"/><input external_port_id=\"1\" internal_layer_id=\"11\"/>"
      "<output axis=\"0\" external_port_id=\"2\" internal_layer_id=\"13\"/></port_map>"
      "<back_edges><edge from-layer=\"14\" to-layer=\"11\"/></back_edges>";
  const std::string words = "<data element_type=\"string\" shape=\"1\" offset=\"24\" size=\"14\"/>";
  const std::string narrow = "<data element_type=\"u3\" shape=\"3,3\" offset=\"1\" size=\"6\"/>";
  return net(
      parameter(0, "x", "f16", "FP16", " names=\"a,b\\,c\"") + parameter(1, "y") +
          layer(2, "loop", "TensorIterator",
                inputs({0, 1}) + output(2) + map + "<body>" + inner + "</body>") +
          unary(3, "convert", "Convert", "opset1", "<data destination_type=\"f32\"/>") +
          result(4, "r", " output_names=\"o\"") + result(5) +
          layer(6, "words", "Const", words + output(0, dims({1}), "STRING")) +
          layer(7, "narrow", "Const", narrow + output(0, dims({3, 3}), "U3")) + result(8) + result(9),
      edge(0, 0, 2, 0) + edge(1, 0, 2, 1) + edge(2, 2, 3, 0) + edge(3, 1, 4, 0) + edge(2, 2, 5, 0) +
          edge(6, 0, 8, 0) + edge(7, 0, 9, 0),
      10,
      "<pre-process reference-layer-name=\"y\"><channel id=\"0\"><mean value=\"1\"/></channel>"
      "<channel><mean value=\"2\"/></channel><channel><mean value=\"3\"/></channel></pre-process><rt_info/>");
}

std::shared_ptr<const ByteSource> rich_weights() {
  std::vector<char> bytes(38);
  const int32_t header[] = {1, 0, 2};
  std::memcpy(bytes.data() + 24, header, sizeof(header));
  std::memcpy(bytes.data() + 36, "ok", 2);
  return std::make_shared<MemoryBytes>(std::move(bytes));
}

// Reads, and asks for all values where that succeeds. True if it was read.
bool survives(const std::string& xml, const std::shared_ptr<const ByteSource>& weights) {
  try {
    const auto model = read(xml, weights);
    for (const auto& node : model->nodes) {
      if (node->kind == model::NodeKind::kConstant) node->constant->value();
    }
    model->clone();
    return true;
  } catch (const Error& error) {
    EXPECT_NE(*error.what(), '\0');
    return false;
  }
}

TEST(Mutation, TheModelItselfIsRight) {
  const auto model = read(rich_model(), rich_weights());
  EXPECT_EQ(node_of(*model, "words").constant->value().data<std::string>()[0], "ok");
  EXPECT_EQ(model->parameters.size(), 2u);
}

TEST(Mutation, NoTruncatedFileIsRead) {
  const std::string xml = rich_model();
  const size_t end = xml.find("</net>") + 6;
  for (size_t length = 0; length < end; ++length)
    ASSERT_FALSE(survives(xml.substr(0, length), rich_weights()));
  for (size_t length = 0; length < 38; ++length) {
    ASSERT_FALSE(survives(xml, std::make_shared<MemoryBytes>(std::vector<char>(length, '\1'))));
  }
}

TEST(Mutation, DamagedTextIsSurvived) {
  std::mt19937 random(20260401);
  const auto below = [&](size_t limit) { return static_cast<size_t>(random() % limit); };
  const std::string xml = rich_model();
  // clang-format off
  const char* const values[] = {
      "-1", "0", "1", "99999999999999999999", "-9223372036854775808", "2147483648", "4294967296,4294967296", "..", "?",
      "", "nan", "<", "\"", "&#0;", "Result", "Const", "Parameter", "TensorIterator", "If", "opset99", "string", "u1"};
  // clang-format on
  size_t read_anyway = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string damaged = xml;
    for (size_t changes = 1 + below(3); changes > 0; --changes) {
      const size_t at = below(damaged.size());
      switch (below(8)) {
        case 0:
          damaged[at] = static_cast<char>(below(256));
          break;
        case 1:  // a piece comes again elsewhere
          damaged.insert(below(damaged.size()), damaged.substr(at, below(200)));
          break;
        case 2:
          damaged.erase(at, below(40));
          break;
        default: {  // another value
          const size_t open = damaged.find("=\"", at);
          const size_t close = open == std::string::npos ? open : damaged.find('"', open + 2);
          if (close == std::string::npos) break;
          damaged.replace(open + 2, close - open - 2, values[below(std::size(values))]);
          break;
        }
      }
    }
    read_anyway += survives(damaged, rich_weights());
  }
  EXPECT_GT(read_anyway, 100u);  // the damage is not always to the same few places
  EXPECT_LT(read_anyway, 3000u);
}

}  // namespace
}  // namespace wasmvino::test
