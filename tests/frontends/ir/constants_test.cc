// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "ir_tester.h"

namespace wasmvino::test {
namespace {

std::string with_data(const std::string& data) {
  return net(constant(0, data) + result(1), edge(0, 0, 1, 0));
}

const model::ConstantData& value_of(const model::Model& model) {
  return *node_of(model, "constant").constant;
}

TEST(Constants, AreReadWhereverTheyLie) {
  // Offset 1 is no multiple of the element's size.
  const auto model =
      read(with_data("element_type=\"i32\" shape=\"2, 2\" offset=\"1\" size=\"16\""), counting_bytes(17));
  const Tensor& value = value_of(*model).value();
  EXPECT_EQ(to_string(value.shape()), "[2,2]");
  EXPECT_EQ(value.data<int32_t>()[0], 0x04030201);
  EXPECT_EQ(value.data<int32_t>()[3], 0x100f0e0d);
  EXPECT_EQ(name(node_of(*model, "constant").outputs[0].type), "i32");
}

TEST(Constants, MayHaveOnlyOffsetAndSize) {
  const auto model = read(
      net(layer(0, "constant", "Const", "<data offset=\"8\" size=\"16\"/>" + output(1, dims({2}), "I64")) +
              result(1),
          edge(0, 1, 1, 0)),
      counting_bytes(24));
  EXPECT_EQ(value_of(*model).value().data<int64_t>()[0], 0x0f0e0d0c0b0a0908);
  EXPECT_EQ(to_string(value_of(*model).shape()), "[2]");
}

TEST(Constants, AreSharedWhereTheyAreTheSame) {
  const std::string data = "<data element_type=\"f32\" shape=\"2,3\" offset=\"0\" size=\"24\"/>" + output(0);
  const std::string other = "<data element_type=\"f32\" shape=\"3,2\" offset=\"0\" size=\"24\"/>" + output(0);
  const auto model = read(net(layer(0, "a", "Const", data) + layer(1, "b", "Const", data) +
                                  layer(2, "c", "Const", other) + result(3) + result(4) + result(5),
                              edge(0, 0, 3, 0) + edge(1, 0, 4, 0) + edge(2, 0, 5, 0)),
                          counting_bytes(24));
  EXPECT_EQ(node_of(*model, "a").constant, node_of(*model, "b").constant);
  EXPECT_NE(node_of(*model, "a").constant, node_of(*model, "c").constant);
}

TEST(Constants, NarrowTypesArePacked) {
  struct Case {
    const char* type;
    int count;
    int bytes;
  };
  for (const Case c :
       {Case{"u1", 9, 2}, Case{"u2", 5, 2}, Case{"u3", 9, 6}, Case{"u4", 3, 2}, Case{"i4", 4, 2},
        Case{"u6", 5, 6}, Case{"nf4", 1, 1}, Case{"f4e2m1", 2, 1}, Case{"f8e8m0", 3, 3}}) {
    const auto data = [&](int bytes) {
      return with_data(
          cat("element_type=\"", c.type, "\" shape=\"", c.count, "\" offset=\"0\" size=\"", bytes, "\""));
    };
    EXPECT_EQ(value_of(*read(data(c.bytes), counting_bytes(16))).value().byte_size(),
              static_cast<size_t>(c.bytes));
    expect_problem(
        cat("it has ", c.bytes - 1, " bytes, but its shape [", c.count, "] of ", c.type, " needs ", c.bytes),
        data(c.bytes - 1), counting_bytes(16));
  }
}

TEST(Constants, EmptyOnesNeedNoWeights) {
  const auto model = read(with_data("element_type=\"f32\" shape=\"0,4096,4096\" offset=\"0\" size=\"0\""));
  EXPECT_EQ(value_of(*model).value().size(), 0u);
}

TEST(Constants, MayHaveMoreBytesThanTheyNeed) {
  EXPECT_EQ(
      problems_of(with_data("element_type=\"f32\" shape=\"2\" offset=\"0\" size=\"12\""), counting_bytes(12))
          .size(),
      0u);
}

TEST(Constants, OfStringsAreCheckedAtOnce) {
  std::vector<char> blob(4 * 4 + 5);
  const int32_t header[] = {2, 0, 2, 5};
  std::memcpy(blob.data(), header, sizeof(header));
  std::memcpy(blob.data() + 16, "abcde", 5);
  const std::string data = "element_type=\"string\" shape=\"2\" offset=\"0\" size=\"21\"";
  const auto model = read(with_data(data), std::make_shared<MemoryBytes>(blob));
  EXPECT_EQ(value_of(*model).value().data<std::string>()[0], "ab");
  EXPECT_EQ(value_of(*model).value().data<std::string>()[1], "cde");
  blob[12] = 6;
  expect_problem("string 1 has bytes 2..6, outside the 5 bytes of text", with_data(data),
                 std::make_shared<MemoryBytes>(blob));
  blob[0] = 3;
  expect_problem("string data has 3 strings", with_data(data), std::make_shared<MemoryBytes>(blob));
  expect_problem("string data has", with_data("element_type=\"string\" shape=\"2\" offset=\"0\" size=\"2\""),
                 std::make_shared<MemoryBytes>(blob));
  expect_problem(
      "has more elements than the address space can hold",
      with_data("element_type=\"string\" shape=\"4294967296,4294967296\" offset=\"0\" size=\"21\""),
      std::make_shared<MemoryBytes>(blob));
}

// Unreadable weights end the read at once, although the model also has an unknown operation.
TEST(Constants, ThatCannotBeReadAreNoProblemsOfTheModel) {
  class UnreadableBytes final : public ByteSource {
   public:
    size_t size() const override { return 22; }
    void read(size_t offset, size_t bytes, void* to) const override {
      if (offset > 0) fail(ErrorCode::kUnreadable, "released");
      std::memset(to, 0, bytes);
    }
  };
  const std::string data = "element_type=\"string\" shape=\"2\" offset=\"1\" size=\"21\"";
  const std::string xml =
      net(layer(2, "unknown", "Frobnicate", output(0)) + result(3, "other") + constant(0, data) + result(1),
          edge(0, 0, 1, 0) + edge(2, 0, 3, 0));
  try {
    read(xml, std::make_shared<UnreadableBytes>());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUnreadable) << error.what();
    EXPECT_EQ(error.layer(), "constant");
  }
}

TEST(Constants, RefusesWhatDoesNotFit) {
  const auto refused = [](const std::string& text, const std::string& data) {
    expect_problem(cat("Constant 'constant' (layer 0, Constant-1, line 3): ", text), with_data(data),
                   counting_bytes(16));
  };
  refused("its 16 bytes at byte 1 are beyond the end of the weights, which have 16 bytes",
          "element_type=\"f32\" shape=\"4\" offset=\"1\" size=\"16\"");
  refused("its 4 bytes at byte 9223372036854775807 are beyond",
          "element_type=\"f32\" shape=\"1\" offset=\"9223372036854775807\" size=\"4\"");
  refused("attribute 'offset' is '18446744073709551612'",
          "element_type=\"f32\" shape=\"4\" offset=\"18446744073709551612\" size=\"16\"");
  refused("attribute 'offset' is -4", "element_type=\"f32\" shape=\"1\" offset=\"-4\" size=\"4\"");
  refused("attribute 'size' is -4", "element_type=\"f32\" shape=\"1\" offset=\"0\" size=\"-4\"");
  refused("attribute 'size' is missing", "element_type=\"f32\" shape=\"1\" offset=\"0\"");
  refused("it has 12 bytes, but its shape [4] of f32 needs 16",
          "element_type=\"f32\" shape=\"4\" offset=\"0\" size=\"12\"");
  refused("its shape [4294967296,4294967296] is too large for any memory",
          "element_type=\"f32\" shape=\"4294967296, 4294967296\" offset=\"0\" size=\"16\"");
  refused("its shape [-4] has a negative size", "element_type=\"f32\" shape=\"-4\" offset=\"0\" size=\"16\"");
  refused("attribute 'element_type' is 'F32'", "element_type=\"F32\" shape=\"4\" offset=\"0\" size=\"16\"");
  refused("its element type is not known", "element_type=\"dynamic\" shape=\"4\" offset=\"0\" size=\"16\"");
}

TEST(Constants, RefusesOpenShapes) {
  expect_problem(
      "its shape [?] is not known",
      net(layer(0, "c", "Const", "<data offset=\"0\" size=\"4\"/>" + output(0, dims({-1}))) + result(1),
          edge(0, 0, 1, 0)),
      counting_bytes(4));
}

}  // namespace
}  // namespace wasmvino::test
