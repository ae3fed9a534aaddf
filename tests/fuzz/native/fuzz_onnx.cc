// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: an ONNX model is read, compiled and run. The mutator knows the wire format of protocol
// buffers: it changes numbers and texts, removes, repeats and moves fields, and keeps lengths right.
#include <iterator>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "model_file.h"

namespace wasmvino::test {
namespace {

// One field of a message.
struct Field {
  uint64_t tag = 0;  // number * 8 + wire type
  uint64_t number = 0;
  std::string bytes;  // of a text, a message or a number of fixed width
};
using Message = std::vector<Field>;

constexpr uint64_t kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5;

std::optional<uint64_t> take_varint(std::string_view& text) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !text.empty(); shift += 7) {
    const auto byte = static_cast<uint8_t>(text.front());
    text.remove_prefix(1);
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

void put_varint(uint64_t value, std::string& to) {
  for (; value >= 0x80; value >>= 7) to += static_cast<char>(value | 0x80);
  to += static_cast<char>(value);
}

// nullopt if the text is no message.
std::optional<Message> parse(std::string_view text) {
  Message message;
  while (!text.empty()) {
    Field field;
    const auto tag = take_varint(text);
    if (!tag || *tag < 8) return std::nullopt;
    field.tag = *tag;
    if (*tag % 8 == kVarint) {
      const auto value = take_varint(text);
      if (!value) return std::nullopt;
      field.number = *value;
    } else {
      const auto length = *tag % 8 == kFixed64   ? std::optional<uint64_t>(8)
                          : *tag % 8 == kFixed32 ? std::optional<uint64_t>(4)
                          : *tag % 8 == kBytes   ? take_varint(text)
                                                 : std::nullopt;
      if (!length || *length > text.size()) return std::nullopt;
      field.bytes = text.substr(0, static_cast<size_t>(*length));
      text.remove_prefix(static_cast<size_t>(*length));
    }
    message.push_back(std::move(field));
  }
  return message;
}

std::string text_of(const Message& message) {
  std::string text;
  for (const Field& field : message) {
    put_varint(field.tag, text);
    if (field.tag % 8 == kVarint) put_varint(field.number, text);
    if (field.tag % 8 == kBytes) put_varint(field.bytes.size(), text);
    text += field.bytes;
  }
  return text;
}

class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  size_t below(size_t bound) { return random_() % bound; }

  // Changes one field of a message or of one inside of it. `others` are the fields seen on the way.
  void mutate(Message& message, Message others = {}) {
    if (message.empty()) return;
    others.insert(others.end(), message.begin(), message.end());
    const auto at = message.begin() + static_cast<ptrdiff_t>(below(message.size()));
    if (at->tag % 8 == kBytes && below(8) != 0) {
      if (auto inner = parse(at->bytes); inner && !inner->empty()) {
        mutate(*inner, std::move(others));
        at->bytes = text_of(*inner);
        return;
      }
    }
    switch (below(10)) {
      case 0:
        message.erase(at);
        return;
      case 1: {
        const Field copy = *at;
        message.insert(message.begin() + static_cast<ptrdiff_t>(below(message.size())), copy);
        return;
      }
      case 2:
        std::swap(*at, message[below(message.size())]);
        return;
      case 3:
        at->tag = (1 + below(30)) * 8 + at->tag % 8;
        return;
      default:
        change(*at, others[below(others.size())]);
    }
  }

 private:
  void change(Field& field, const Field& other) {
    static constexpr uint64_t kNumbers[] = {
        0, 1, 2, 3, 5, 7, 16, 21, ~0ull, ~1ull, 64, 255, 2147483648, 4294967296, 9223372036854775807};
    static constexpr const char* kTexts[] = {"",        "x",    "ai.onnx", "linear", "cubic",        "add",
                                             "Sigmoid", "Relu", "reverse", "max",    "com.microsoft"};
    const uint64_t number = kNumbers[below(std::size(kNumbers))];
    if (field.tag % 8 == kVarint) {
      field.number = below(3) == 0 ? other.number : number;
    } else if (field.tag % 8 == kBytes && below(3) != 0) {
      field.bytes = below(2) == 0 ? other.bytes : kTexts[below(std::size(kTexts))];
    } else if (!field.bytes.empty()) {
      field.bytes[below(field.bytes.size())] = static_cast<char>(number);
    }
  }

  std::minstd_rand random_;
};

}  // namespace
}  // namespace wasmvino::test

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
  using namespace wasmvino::test;
  Mutator mutator(seed);
  auto message = parse({reinterpret_cast<const char*>(data), size});
  if (!message || message->empty() || mutator.below(16) == 0) return LLVMFuzzerMutate(data, size, most);
  for (size_t count = 1 + mutator.below(3); count > 0; --count) mutator.mutate(*message);
  const std::string text = text_of(*message);
  if (text.size() > most) return LLVMFuzzerMutate(data, size, most);
  std::copy(text.begin(), text.end(), data);
  return text.size();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace wasmvino::test;
  run_within_limits([&] { run_model({std::string(reinterpret_cast<const char*>(data), size), {}}); });
  return 0;
}
