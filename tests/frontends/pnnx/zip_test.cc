// SPDX-License-Identifier: Apache-2.0
#include "frontends/pnnx/zip.h"

#include "core/error.h"
#include "pnnx_tester.h"

namespace wasmvino::test {
namespace {

std::string refusal(const std::string& archive) {
  try {
    const pnnx::StoredZip zip(*bytes(archive));
  } catch (const Error& error) {
    return error.what();
  }
  return "it was read";
}

TEST(StoredZip, FindsEntries) {
  const std::string archive = zip({{"a", "one"}, {"folder/b", ""}, {"c", "three"}});
  const pnnx::StoredZip read(*bytes(archive));
  EXPECT_EQ(read.size(), 3u);
  ASSERT_NE(read.find("c"), nullptr);
  EXPECT_EQ(archive.substr(read.find("c")->offset, read.find("c")->size), "three");
  EXPECT_EQ(read.find("folder/b")->size, 0u);
  EXPECT_EQ(read.find("b"), nullptr);
}

TEST(StoredZip, RefusesWhatIsNoArchive) {
  EXPECT_NE(refusal("").find("its directory is missing"), std::string::npos);
  EXPECT_NE(refusal(std::string(1000, 'x')).find("its directory is missing"), std::string::npos);
}

TEST(StoredZip, RefusesCompressedEntries) {
  EXPECT_NE(refusal(zip({{"a", "one"}}, 8)).find("the entry 'a' of the .bin is compressed"),
            std::string::npos);
}

TEST(StoredZip, RefusesTwoEntriesOfOneName) {
  EXPECT_NE(refusal(zip({{"a", "one"}, {"a", "two"}})).find("two entries of one name"), std::string::npos);
}

// Every prefix and every changed byte is read, or refused; offsets and sizes among them.
TEST(StoredZip, SurvivesBrokenArchives) {
  const std::string archive = zip({{"a", "one"}, {"b", "two"}});
  for (size_t i = 0; i < archive.size(); ++i) {
    EXPECT_NE(refusal(archive.substr(0, i)), "it was read");
    for (const int byte : {0, 1, 127, 255}) {
      std::string changed = archive;
      changed[i] = static_cast<char>(byte);
      EXPECT_FALSE(refusal(changed).empty());
    }
  }
}

}  // namespace
}  // namespace wasmvino::test
