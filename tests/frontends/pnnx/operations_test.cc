// SPDX-License-Identifier: Apache-2.0
// The operations that docs/operators.md names for PNNX's operators, against those that the cases' models
// have.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "frontends/pnnx/families.h"
#include "frontends/pnnx/param.h"
#include "pnnx_tester.h"

namespace wasmvino::test {
namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::set<std::string> words(std::string_view text) {
  std::set<std::string> found;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    found.emplace(word);
    text.remove_prefix(std::min(word.size() + 1, text.size()));
  }
  return found;
}

// Operations made for each operator type, of all cases.
std::map<std::string, std::set<std::string>> made_in_cases() {
  std::map<std::string, std::set<std::string>> made;
  for (const auto& folder : fs::directory_iterator(fs::path(WASMVINO_TEST_DATA) / "pnnx")) {
    const std::string text = contents(folder.path() / "net.pnnx.param");
    model::Problems problems;
    std::map<int, std::string> type_at;
    for (const pnnx::Operator& op : pnnx::parse_param(text, problems).operators) {
      type_at[op.line] = op.type;
      made[op.type];
    }
    const auto model = read_pnnx(text, contents(folder.path() / "net.pnnx.bin"));
    for (const auto& node : model->nodes) made[type_at[node->line]].insert(node->type);
  }
  return made;
}

TEST(PnnxOperations, AreSpelledAsTheRegistryHasThem) {
  for (const auto family : pnnx::all_families()) {
    for (const pnnx::Entry& entry : family) {
      for (const std::string& operation : words(entry.operations)) {
        const model::OpClass* found = ops::registry().find_newest(operation);
        ASSERT_NE(found, nullptr) << entry.type << ": " << operation;
        EXPECT_EQ(found->type, operation) << entry.type;
      }
    }
  }
}

TEST(PnnxOperations, AreThoseThatTheModelsHave) {
  // What brings sizes, types and layouts into shape is named only where it is the operator's work.
  const std::set<std::string> helpers = {"Broadcast", "Concat",    "Constant",    "Convert", "Gather",
                                         "Reshape",   "ShapeOf",   "Slice",       "Squeeze", "Transpose",
                                         "Unsqueeze", "Parameter", "StridedSlice"};
  const auto made = made_in_cases();
  size_t covered = 0;
  for (const auto family : pnnx::all_families()) {
    for (const pnnx::Entry& entry : family) {
      const auto found = made.find(std::string(entry.type));
      if (found == made.end()) continue;
      ++covered;
      const std::set<std::string> named = words(entry.operations);
      size_t seen = 0;
      for (const std::string& operation : found->second) {
        seen += named.contains(operation);
        EXPECT_TRUE(named.contains(operation) || helpers.contains(operation))
            << entry.type << " makes " << operation;
      }
      EXPECT_TRUE(seen > 0 || named.empty())
          << entry.type << " makes nothing of '" << entry.operations << "'";
    }
  }
  EXPECT_GE(covered, 455u);
}

TEST(PnnxOperations, AreListedByOperation) {
  const auto relu = pnnx::frontend().operators_for("Relu");
  ASSERT_TRUE(relu.has_value());
  EXPECT_TRUE(std::is_sorted(relu->begin(), relu->end()));
  EXPECT_TRUE(std::count(relu->begin(), relu->end(), "nn.ReLU") == 1);
  EXPECT_TRUE(pnnx::frontend().operators_for("GatherTree")->empty());
  // No name is found inside a longer one.
  EXPECT_TRUE(pnnx::frontend().operators_for("LSTM")->empty());
}

}  // namespace
}  // namespace wasmvino::test
