// SPDX-License-Identifier: Apache-2.0
// What operations share that rewrite each string of a list: inputs begins, ends, symbols and perhaps skips,
// which say what strings to keep as they are; outputs alike.
#pragma once

#include "model/op.h"
#include "ops/extension/rules.h"
#include "ops/extension/strings.h"

namespace wasmvino::ops::extension {

// Infers outputs 0 to 2 and, with skips in input 3, output 3.
void infer_normalization(InferContext& context, bool has_skips);

class Normalization : public Kernel {
 public:
  explicit Normalization(bool has_skips) : has_skips_(has_skips) {}
  void run(EvalContext& context) final;

 protected:
  // Appends what becomes of a text, which is valid UTF-8.
  virtual void rewrite(std::string_view text, std::string& to) = 0;

 private:
  bool has_skips_;
  ValidStrings texts_;
  StringList results_;
};

// Applies rules and SentencePiece's treatment of spaces.
class RuleNormalization final : public Normalization {
 public:
  // `rules` may be null.
  RuleNormalization(std::shared_ptr<const Rules> rules, const Spaces& spaces, bool has_skips)
      : Normalization(has_skips), rules_(std::move(rules)), spaces_(spaces) {}

 private:
  void rewrite(std::string_view text, std::string& to) override {
    normalize(text, rules_.get(), spaces_, memory_, to);
  }

  std::shared_ptr<const Rules> rules_;
  Spaces spaces_;
  std::string memory_;
};

}  // namespace wasmvino::ops::extension
