// SPDX-License-Identifier: Apache-2.0
#include "frontends/ir/constant_reader.h"

#include <algorithm>
#include <limits>

#include "frontends/common/file_kind.h"

namespace wasmvino::ir {
namespace {

// The attributes of a Const as in the IR; offset and size are in bytes.
struct ConstantText {
  std::optional<ElementType> type;
  std::optional<Ints> shape;
  uint64_t offset = 0, size = 0;
};

ConstantText read_attributes(const model::AttributeTexts& texts) {
  ConstantText constant;
  model::AttributeReader reader(texts);
  const auto given = [&](std::string_view name) {
    return std::any_of(texts.begin(), texts.end(), [&](const auto& text) { return text.first == name; });
  };
  if (given("element_type")) reader.on("element_type", constant.type.emplace());
  if (given("shape")) reader.on("shape", constant.shape.emplace());
  for (const std::string_view name : {"offset", "size"}) {
    int64_t value = 0;
    reader.require(name);
    reader.on(name, value);
    if (value < 0)
      fail(ErrorCode::kInvalidModel, "attribute '", name, "' is ", value, ", expected 0 or more");
    (name == "offset" ? constant.offset : constant.size) = static_cast<uint64_t>(value);
  }
  return constant;
}

// The bytes that a tensor takes; nullopt if they do not fit 64 bits.
std::optional<uint64_t> bytes_of(ElementType type, const Shape& shape) {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  const uint64_t bits = bit_width(type), most = std::numeric_limits<uint64_t>::max() / bits - 1;
  uint64_t count = 1;
  for (const int64_t size : shape) {
    if (static_cast<uint64_t>(size) > most / count) return std::nullopt;
    count *= static_cast<uint64_t>(size);
  }
  // storage_bytes() also counts the padding that some types have.
  if (count <= std::numeric_limits<size_t>::max() / 64)
    return storage_bytes(type, static_cast<size_t>(count));
  return (count * bits + 7) / 8;
}

}  // namespace

ConstantReader::ConstantReader(std::shared_ptr<const ByteSource> weights) : weights_(std::move(weights)) {
  if (weights_ == nullptr) {
    obstacle_ = "no weights were given";
    return;
  }
  std::string start(std::min(weights_->size(), frontends::kRecognisedBytes), '\0');
  if (!start.empty()) weights_->read(0, start.size(), start.data());
  looks_like_ = frontends::recognise_file(start);
  // Weights may begin like a compressed file by chance, but not like a text.
  if (frontends::is_text_kind(start)) obstacle_ = cat("the weights are ", looks_like_);
  if (start.starts_with("<?xml")) obstacle_ = "the weights are an .xml";
}

std::optional<Error> ConstantReader::missing() const {
  if (missing_ == 0) return std::nullopt;
  if (!obstacle_.empty()) {
    return Error(ErrorCode::kInvalidModel,
                 cat("the model needs its weights (the .bin) of at least ", needed_, " bytes for ", missing_,
                     missing_ == 1 ? " constant" : " constants", ", but ", obstacle_));
  }
  if (missing_ == 1) return first_;
  return Error(ErrorCode::kInvalidModel,
               cat("the weights end at byte ", weights_->size(), ", but constant '", first_name_, "' and ",
                   missing_ - 1, missing_ == 2 ? " other need bytes up to " : " others need bytes up to ",
                   needed_, looks_like_.empty() ? "" : cat(". The weights look like ", looks_like_)))
      .expected(cat(needed_, " bytes"))
      .actual(cat(weights_->size(), " bytes"));
}

void ConstantReader::check_range(uint64_t offset, uint64_t size) const {
  const uint64_t total = weights_->size();
  if (offset <= total && size <= total - offset) return;
  throw Error(ErrorCode::kInvalidModel,
              cat("its ", size, " bytes at byte ", offset, " are beyond the end of the weights, which have ",
                  total, " bytes", looks_like_.empty() ? "" : cat(" and look like ", looks_like_)))
      .expected(cat(size, " bytes at byte ", offset))
      .actual(cat(total, " bytes"));
}

std::shared_ptr<const model::ConstantData> ConstantReader::read(const LayerText& layer) {
  const ConstantText text = read_attributes(layer.data);
  // The specification shows constants that have only offset and size. Type and shape are then those of the
  // port, which the parser has found.
  const ElementType type = text.type ? *text.type : layer.outputs[0].precision;
  if (type == ElementType::kDynamic) fail(ErrorCode::kInvalidModel, "its element type is not known");
  if (!text.shape && !layer.outputs[0].shape.is_static()) {
    fail(ErrorCode::kInvalidModel, "its shape ", layer.outputs[0].shape, " is not known");
  }
  const Shape shape = text.shape ? *text.shape : layer.outputs[0].shape.to_shape();
  for (const int64_t size : shape) {
    if (size < 0) fail(ErrorCode::kInvalidModel, "its shape ", shape, " has a negative size");
  }
  if (type != ElementType::kString) {
    const auto needed = bytes_of(type, shape);
    if (!needed)
      fail(ErrorCode::kInvalidModel, "its shape ", model::brief(to_string(shape)),
           " is too large for any memory");
    // More bytes than needed are accepted, as in OpenVINO.
    if (text.size < *needed) {
      throw Error(ErrorCode::kInvalidModel,
                  cat("it has ", text.size, " bytes, but its shape ", model::brief(to_string(shape)), " of ",
                      type, " needs ", *needed))
          .expected(cat(*needed, " bytes"))
          .actual(cat(text.size, " bytes"));
    }
  }
  const auto count_missing = [&] {
    ++missing_;
    const uint64_t end = text.offset > std::numeric_limits<uint64_t>::max() - text.size
                             ? text.offset
                             : text.offset + text.size;
    needed_ = std::max(needed_, end);
    return nullptr;
  };
  if (!obstacle_.empty() && text.size > 0) return count_missing();
  if (weights_ != nullptr) {
    try {
      check_range(text.offset, text.size);
    } catch (Error& error) {
      if (missing_ == 0) {
        const model::Location place = layer.location();
        first_ = std::move(error.at_layer(model::brief(place.layer), model::brief(place.type), place.id,
                                          place.version, place.line));
        first_name_ = model::brief(layer.name);
      }
      return count_missing();
    }
  }

  auto& known = known_[{text.offset, text.size, type, std::vector<int64_t>(shape.begin(), shape.end())}];
  if (known == nullptr) {
    auto data = std::make_shared<model::ConstantData>(type, shape, weights_, static_cast<size_t>(text.offset),
                                                      static_cast<size_t>(text.size));
    // Decoding checks strings, so decode them now.
    if (type == ElementType::kString) data->value();
    known = std::move(data);
  }
  return known;
}

}  // namespace wasmvino::ir
