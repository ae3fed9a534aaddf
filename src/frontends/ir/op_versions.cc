// SPDX-License-Identifier: Apache-2.0
#include "frontends/ir/op_versions.h"

#include <charconv>

#include "core/text.h"
#include "model/problems.h"

namespace wasmvino::ir {
namespace {

// Types that early IRs wrote with the opset "experimental" or "extension" before an opset had them.
constexpr std::string_view kOnceExperimental[] = {
    "ExperimentalDetectronDetectionOutput",
    "ExperimentalDetectronGenerateProposalsSingleImage",
    "ExperimentalDetectronPriorGridGenerator",
    "ExperimentalDetectronROIFeatureExtractor",
    "ExperimentalDetectronTopKROIs",
    "GRUCell",
    "RNNCell",
    "Proposal",
};
// Types that IRs write as opset1 although opset2 introduced them.
constexpr std::string_view kEarlyInOpset1[] = {"MVN", "ROIPooling", "ReorgYolo"};

template <size_t N>
bool among(const std::string_view (&types)[N], std::string_view type) {
  for (const std::string_view one : types) {
    if (equal_ignoring_case(one, type)) return true;
  }
  return false;
}

// Operations of openvino_tokenizers.
constexpr std::string_view kOfTokenizers[] = {
    "BPETokenizer",
    "ByteFallback",
    "BytesToChars",
    "CaseFold",
    "CharsMapNormalization",
    "CharsToBytes",
    "CombineSegments",
    "EqualStr",
    "FuzeRagged",
    "NormalizeUnicode",
    "RaggedTensorPack",
    "RaggedToDense",
    "RaggedToRagged",
    "RaggedToSparse",
    "RegexNormalization",
    "RegexSplit",
    "SentencepieceDetokenizer",
    "SentencepieceStreamDetokenizer",
    "SentencepieceTokenizer",
    "SpecialTokensSplit",
    "StringTensorPack",
    "StringTensorUnpack",
    "StringToHashBucket",
    "TrieTokenizer",
    "Truncate",
    "UnigramTokenizer",
    "UTF8Validate",
    "VocabDecoder",
    "VocabEncoder",
    "WordpieceTokenizer",
};

// Const is the only type whose letter case matters.
bool is_misspelt_constant(std::string_view type) {
  return type != "Const" && type != "Constant" &&
         (equal_ignoring_case(type, "Const") || equal_ignoring_case(type, "Constant"));
}

}  // namespace

int opset_number(std::string_view version) {
  constexpr std::string_view kPrefix = "opset";
  if (version.substr(0, kPrefix.size()) != kPrefix) return 0;
  version.remove_prefix(kPrefix.size());
  if (version.empty() || version.front() < '1' || version.front() > '9') return 0;
  int number = 0;
  const auto [end, code] = std::from_chars(version.data(), version.data() + version.size(), number);
  const bool whole = code == std::errc() && end == version.data() + version.size();
  return whole && number <= kNewestOpset ? number : 0;
}

const model::OpClass* find_op_class(const model::Registry& registry, std::string_view type,
                                    std::string_view version) {
  if (is_misspelt_constant(type)) return nullptr;
  int opset = opset_number(version);
  if ((version == "experimental" || version == "extension") && among(kOnceExperimental, type)) opset = 6;
  if (opset == 1 && among(kEarlyInOpset1, type)) opset = 2;
  if (opset != 0) return registry.find(type, opset);
  return version.empty() ? nullptr : registry.find_newest(type, version);
}

std::string explain_missing(const model::Registry& registry, std::string_view type,
                            std::string_view version) {
  if (opset_number(version) == 0 && among(kOfTokenizers, type)) {
    return cat(
        "it is an operation of openvino_tokenizers, and this engine runs no tokenizers. Run the tokenizer in "
        "JavaScript, for example with transformers.js, and pass its token ids to the model");
  }
  if (opset_number(version) == 0) {
    return cat("its version '", model::brief(version), "' is not supported (supported: opset1 to opset",
               kNewestOpset, ")");
  }
  if (is_misspelt_constant(type)) {
    return cat("the type ", type, " of ", version, " is unknown: constants are spelt Const");
  }
  int first = 0, last = 0;
  for (const model::OpClass& known : registry.all()) {
    if (!known.domain.empty() || !equal_ignoring_case(known.type, type)) continue;
    if (first == 0) first = known.since;
    last = known.until;
  }
  if (first != 0) {
    return cat(version, " has no operation ", model::brief(type), ": it is in opset", first, " to opset",
               last);
  }
  return cat("the operation ", model::brief(type), " of ", version, " is unknown to this build");
}

}  // namespace wasmvino::ir
