// SPDX-License-Identifier: Apache-2.0
// Expected values come from OpenVINO Tokenizers 2026.4.1 and the layout of SentencePiece's maps.
#include "extension_tester.h"

namespace wasmvino::test::charsmap_normalization_test {
namespace {

std::string normalized(const std::string& text, const model::AttributeTexts& attributes) {
  return texts_in(run_extension("CharsMapNormalization", attributes, strings_of({text}), 3))[0];
}

model::AttributeTexts form(const std::string& name, const std::string& fold = "false") {
  return {{"normalization_form", name}, {"case_fold", fold}, {"remove_extra_whitespaces", "false"}};
}

TEST(CharsMapNormalization, HasFourForms) {
  EXPECT_EQ(normalized("e\xCC\x81\xC3\xA9", form("nfc")), "\xC3\xA9\xC3\xA9");
  EXPECT_EQ(normalized("\xC3\xA9", form("NFD")), "e\xCC\x81");
  EXPECT_EQ(normalized("\xEF\xAC\x81\xC2\xB2", form("nfkc")), "fi2");
  EXPECT_EQ(normalized("\xE2\x84\xAB", form("nfkd")), "A\xCC\x8A");
  EXPECT_EQ(normalized("\xEA\xB0\x81", form("nfd")), "\xE1\x84\x80\xE1\x85\xA1\xE1\x86\xA8");
  EXPECT_EQ(normalized("\xE1\x84\x80\xE1\x85\xA1\xE1\x86\xA8", form("nfc")), "\xEA\xB0\x81");
  EXPECT_EQ(normalized("\xC3\x89\xC4\xB0", form("nfd", "true")), "e\xCC\x81i\xCC\x87");
  expect_error(ErrorCode::kInvalidModel, "'normalization_form' is 'nfx'",
               [] { normalized("a", form("nfx")); });
}

// Each result is that of the longest rule at a place, and differs from Unicode normalisation.
TEST(CharsMapNormalization, KeepsTheOrderOfMarks) {
  EXPECT_EQ(normalized("a\xCC\x81\xCC\xA3", form("nfc")), "\xC3\xA1\xCC\xA3");
  EXPECT_EQ(normalized("\xEA\xB0\x80\xE1\x86\xA8", form("nfc")), "\xEA\xB0\x80\xE1\x86\xA8");
}

TEST(CharsMapNormalization, TreatsSpacesAsSentencePiece) {
  model::AttributeTexts attributes = {{"normalization_form", "identity"}, {"case_fold", "true"}};
  EXPECT_EQ(normalized("  A  b ", attributes), "a b") << "extra spaces are removed by default";
  attributes.insert(attributes.end(), {{"add_dummy_prefix", "true"}, {"escape_whitespaces", "true"}});
  EXPECT_EQ(normalized("  A  b ", attributes),
            "\xE2\x96\x81"
            "a\xE2\x96\x81"
            "b");
  EXPECT_EQ(normalized("   ", attributes), "");
}

// A trie with one key, "a", whose replacement is "xy".
TEST(CharsMapNormalization, ReadsTheMapOfAModel) {
  std::vector<uint32_t> units(256);
  units[0] = 1 << 10;                        // children at 1 ^ byte
  units[1 ^ 'a'] = 'a' | 0x100 | (4 << 10);  // the value at (1 ^ 'a') ^ 4
  units[1 ^ 'a' ^ 4] = 0x80000000;           // 0, the place of "xy"
  std::string blob;
  const auto append = [&](uint32_t word) { blob.append(reinterpret_cast<const char*>(&word), sizeof word); };
  append(static_cast<uint32_t>(units.size() * 4));
  for (const uint32_t unit : units) append(unit);
  blob.append("xy");
  const auto run = [](const std::string& map) {
    return texts_in(
        run_extension("CharsMapNormalization", {}, joined(strings_of({"bab"}), {bytes_of(map)}), 3))[0];
  };
  EXPECT_EQ(run(blob), "bxyb");
  expect_error(ErrorCode::kInvalidValue, "expected a multiple of 4 that fits",
               [&] { run(blob.substr(0, 500)); });
}

}  // namespace
}  // namespace wasmvino::test::charsmap_normalization_test
