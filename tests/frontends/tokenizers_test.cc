// SPDX-License-Identifier: Apache-2.0
// Tokenizers and detokenizers that OpenVINO Tokenizers wrote, on strings of many kinds. Goldens are hashes of
// what it computes. The test data holds some of both; `scripts/test` puts all into build/tokenizers, where
// they are at hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "frontends/frontends.h"
#include "ops/registry.h"
#include "runtime/compiled_model.h"

namespace wasmvino::test {
namespace {

namespace fs = std::filesystem;

// Marks strings that are not UTF-8, for which OpenVINO Tokenizers has no defined result.
constexpr uint32_t kNoGolden = 0xFFFFFFFC;
constexpr size_t kBatch = 50;

std::vector<char> contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

uint32_t number_at(const std::vector<char>& bytes, size_t i) {
  uint32_t number = 0;
  std::memcpy(&number, bytes.data() + i, sizeof number);
  return number;
}

uint32_t fnv(const void* bytes, size_t count) {
  uint32_t hash = 0x811C9DC5;
  for (size_t i = 0; i < count; ++i) hash = (hash ^ static_cast<const uint8_t*>(bytes)[i]) * 0x01000193;
  return hash;
}

// u32 count; per string u8 class, u32 length, bytes.
std::vector<std::string> read_strings(const fs::path& path) {
  const std::vector<char> bytes = contents(path);
  std::vector<std::string> strings(bytes.empty() ? 0 : number_at(bytes, 0));
  size_t at = 4;
  for (std::string& text : strings) {
    const size_t length = number_at(bytes, at + 1);
    text.assign(bytes.data() + at + 5, length);
    at += 5 + length;
  }
  return strings;
}

class Runner {
 public:
  explicit Runner(const fs::path& xml) {
    fs::path bin = xml;
    bin.replace_extension(".bin");
    const auto model = frontends::read(std::make_shared<MemoryBytes>(contents(xml)),
                                       {std::make_shared<MemoryBytes>(contents(bin))}, ops::registry());
    compiled_ = runtime::CompiledModel::compile(*model, ops::registry(), {});
    request_ = compiled_->create_infer_request();
  }

  // The token numbers of each text.
  std::vector<std::vector<int32_t>> encode(const std::vector<std::string>& texts) {
    Tensor input(ElementType::kString, {static_cast<int64_t>(texts.size())});
    std::copy(texts.begin(), texts.end(), input.mutable_data<std::string>());
    request_->set_input(0, input);
    request_->infer();
    const Tensor ids = output("input_ids"), mask = output("attention_mask");
    const size_t length = ids.size() / texts.size();
    std::vector<std::vector<int32_t>> rows(texts.size());
    for (size_t i = 0; i < ids.size(); ++i) {
      if (mask.data<int64_t>()[i] != 0)
        rows[i / length].push_back(static_cast<int32_t>(ids.data<int64_t>()[i]));
    }
    return rows;
  }

  // The texts of rows of the same length.
  std::vector<std::string> decode(const std::vector<std::vector<int32_t>>& rows) {
    Tensor input(ElementType::kI64,
                 {static_cast<int64_t>(rows.size()), static_cast<int64_t>(rows[0].size())});
    int64_t* to = input.mutable_data<int64_t>();
    for (const auto& row : rows) to = std::copy(row.begin(), row.end(), to);
    request_->set_input(0, input);
    request_->infer();
    const Tensor texts = request_->output(0);
    return {texts.data<std::string>(), texts.data<std::string>() + texts.size()};
  }

 private:
  Tensor output(std::string_view name) {
    return request_->output(runtime::find_port(compiled_->outputs(), std::string(name), "output"));
  }

  std::shared_ptr<runtime::CompiledModel> compiled_;
  std::shared_ptr<runtime::InferRequest> request_;
};

void check_family(const fs::path& folder, const std::string& family,
                  const std::vector<std::string>& strings) {
  const std::vector<char> goldens = contents(folder / (family + ".u32"));
  ASSERT_EQ(goldens.size(), strings.size() * 8);
  Runner encoder(folder / family / "openvino_tokenizer.xml"),
      decoder(folder / family / "openvino_detokenizer.xml");
  size_t wrong = 0;
  const auto expect = [&](size_t i, bool right, const char* what) {
    if (!right && ++wrong <= 5)
      ADD_FAILURE() << family << ": " << what << " of string " << i << " '" << strings[i] << "'";
  };
  std::map<size_t, std::vector<size_t>> by_length;  // strings by the number of their tokens
  std::vector<std::vector<int32_t>> tokens;
  for (size_t first = 0; first < strings.size(); first += kBatch) {
    const std::vector<std::string> batch(
        strings.begin() + static_cast<ptrdiff_t>(first),
        strings.begin() + static_cast<ptrdiff_t>(std::min(first + kBatch, strings.size())));
    for (auto& row : encoder.encode(batch)) tokens.push_back(std::move(row));
  }
  ASSERT_EQ(tokens.size(), strings.size());
  for (size_t i = 0; i < strings.size(); ++i) {
    if (number_at(goldens, 8 * i) == kNoGolden) continue;
    expect(i, fnv(tokens[i].data(), tokens[i].size() * 4) == number_at(goldens, 8 * i), "the tokens");
    by_length[tokens[i].size()].push_back(i);
  }
  for (const auto& [length, all] : by_length) {
    std::vector<std::vector<int32_t>> rows;
    for (const size_t i : all) rows.push_back(tokens[i]);
    const std::vector<std::string> texts = decoder.decode(rows);
    ASSERT_EQ(texts.size(), all.size());
    for (size_t i = 0; i < all.size(); ++i) {
      // OpenVINO Tokenizers gives bytes of another text if all tokens are skipped.
      if (texts[i].empty()) {
        for (const int32_t token : rows[i]) {
          expect(all[i], decoder.decode({{token}})[0].empty(), "the decoded text");
        }
        continue;
      }
      expect(all[i], fnv(texts[i].data(), texts[i].size()) == number_at(goldens, 8 * all[i] + 4),
             "the decoded text");
    }
  }
  EXPECT_EQ(wrong, 0u) << family;
}

size_t check_folder(const fs::path& folder) {
  const std::vector<std::string> strings = read_strings(folder / "strings.bin");
  size_t families = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (!entry.is_directory()) continue;
    ++families;
    SCOPED_TRACE(entry.path().string());
    try {
      check_family(folder, entry.path().filename().string(), strings);
    } catch (const Error& error) {
      ADD_FAILURE() << error.what();
    }
  }
  return families;
}

TEST(Tokenizers, GiveTheTokensAndTextsOfOpenVINO) {
  EXPECT_EQ(check_folder(fs::path(WASMVINO_TEST_DATA) / "tokenizers"), 5u);
}

}  // namespace
}  // namespace wasmvino::test
