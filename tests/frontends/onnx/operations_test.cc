// SPDX-License-Identifier: Apache-2.0
// The table of operators.
#include <set>

#include "frontends/onnx/families.h"
#include "frontends/onnx/reader.h"
#include "onnx_tester.h"

namespace wasmvino::test {
namespace {

std::vector<onnx::Entry> all_entries() {
  std::vector<onnx::Entry> entries;
  for (const auto family : onnx::all_families()) entries.insert(entries.end(), family.begin(), family.end());
  return entries;
}

TEST(OnnxOperations, AnOpsetHasOneFormOfAnOperator) {
  const std::vector<onnx::Entry> entries = all_entries();
  for (size_t i = 0; i < entries.size(); ++i) {
    const onnx::Entry& a = entries[i];
    EXPECT_LE(a.opsets.since, a.opsets.until) << a.type;
    for (size_t k = i + 1; k < entries.size(); ++k) {
      const onnx::Entry& b = entries[k];
      if (a.type != b.type || a.domain != b.domain) continue;
      EXPECT_TRUE(a.opsets.until < b.opsets.since || b.opsets.until < a.opsets.since) << a.type;
    }
  }
}

TEST(OnnxOperations, TheTableNamesOperationsOfTheBuild) {
  std::set<std::string_view> known;
  for (const model::OpClass& op : ops::registry().all()) known.insert(op.type);
  for (const onnx::Entry& entry : all_entries()) {
    for (std::string_view rest = entry.operations; !rest.empty();) {
      const std::string_view name = rest.substr(0, rest.find(' '));
      EXPECT_EQ(known.count(name), 1u) << entry.type << ": " << name;
      rest.remove_prefix(std::min(name.size() + 1, rest.size()));
    }
  }
}

TEST(OnnxOperations, TellsWhichOperatorsAnOperationServes) {
  const auto softmax = onnx::frontend().operators_for("LogSoftmax");
  ASSERT_TRUE(softmax.has_value());
  EXPECT_EQ(*softmax, (std::vector<std::string_view>{"LogSoftmax", "SoftmaxCrossEntropyLoss"}));
  EXPECT_TRUE(onnx::frontend().operators_for("GatherTree")->empty());
}

}  // namespace
}  // namespace wasmvino::test
