// SPDX-License-Identifier: Apache-2.0
#include "core/error.h"

#include "core/checked.h"

namespace wasmvino {

bool is_about_the_call(const Error& error) {
  return error.code() == ErrorCode::kCancelled || error.code() == ErrorCode::kLimitExceeded ||
         error.code() == ErrorCode::kOutOfMemory || error.code() == ErrorCode::kUnreadable;
}

std::string_view name(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidModel:
      return "INVALID_MODEL";
    case ErrorCode::kUnsupported:
      return "UNSUPPORTED";
    case ErrorCode::kInvalidShape:
      return "INVALID_SHAPE";
    case ErrorCode::kInvalidType:
      return "INVALID_TYPE";
    case ErrorCode::kInvalidValue:
      return "INVALID_VALUE";
    case ErrorCode::kInvalidArgument:
      return "INVALID_ARGUMENT";
    case ErrorCode::kInvalidState:
    case ErrorCode::kUnreadable:
      return "INVALID_STATE";
    case ErrorCode::kOutOfMemory:
      return "OUT_OF_MEMORY";
    case ErrorCode::kCancelled:
      return "CANCELLED";
    case ErrorCode::kLimitExceeded:
      return "LIMIT_EXCEEDED";
    case ErrorCode::kInternal:
      return "INTERNAL";
  }
  return "INTERNAL";
}

Error& Error::at_layer(std::string_view layer, std::string_view type, int64_t id, int version, int line) {
  if (has_layer()) return *this;
  layer_ = layer;
  plain_type_ = type;
  layer_type_ = version > 0 ? cat(type, "-", version) : std::string(type);
  layer_id_ = id;
  line_ = line;
  compose();
  return *this;
}

Error& Error::within(std::string_view where) {
  within_ = within_.empty() ? std::string(where) : cat(where, ", ", within_);
  compose();
  return *this;
}

void fail_with(ErrorCode code, std::initializer_list<TextPart> parts) { throw Error(code, join(parts)); }

void Error::compose() {
  message_.clear();
  if (has_layer()) {
    message_ = cat(plain_type_, " '", layer_, "' (");
    if (layer_id_ >= 0) message_ += cat("layer ", layer_id_, ", ");
    message_ += layer_type_;
    if (line_ > 0) message_ += cat(", line ", line_);
    if (!within_.empty()) message_ += cat("; in ", within_);
    message_ += "): ";
  } else if (!within_.empty()) {
    message_ = cat("in ", within_, ": ");
  }
  message_ += reason_;
}

void fail_too_large() {
  fail(ErrorCode::kOutOfMemory, "no memory for a block of more than ", PTRDIFF_MAX,
       " bytes, half the address space");
}

}  // namespace wasmvino
