// SPDX-License-Identifier: Apache-2.0
// The only exception class of the engine: a code, the expected and actual values, and the layer where it
// happened.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

#include "core/text.h"

namespace wasmvino {

enum class ErrorCode : uint8_t {
  kInvalidModel,     // the IR is malformed or contradicts itself
  kUnsupported,      // the IR needs an operation, type or form that this build lacks
  kInvalidShape,     // shapes that do not fit
  kInvalidType,      // element types that do not fit
  kInvalidValue,     // values that the operation does not allow
  kInvalidArgument,  // a call with wrong arguments: unknown name, index, device
  kInvalidState,     // a call at the wrong time: disposed, busy, not loaded
  kOutOfMemory,
  kCancelled,
  kLimitExceeded,  // more than the caller allows: Limits, core/call.h
  kUnreadable,     // the bytes of weights cannot be read; INVALID_STATE for callers
  kInternal,
};

// "INVALID_SHAPE" ... as callers see it.
std::string_view name(ErrorCode code);

class Error;

// Whether an error says nothing about the model: the call was cancelled or limited, or weights cannot be read
// now.
bool is_about_the_call(const Error& error);

class Error : public std::exception {
 public:
  Error(ErrorCode code, std::string reason) : code_(code), reason_(std::move(reason)) { compose(); }

  // The expected and the actual value, as short texts. The reason contains both too.
  Error& expected(std::string text) { return expected_ = std::move(text), *this; }
  Error& actual(std::string text) { return actual_ = std::move(text), *this; }
  // The input or output concerned: "input 2", "parent_ids".
  Error& port(std::string text) { return port_ = std::move(text), *this; }
  // Where it happened. The first layer named is kept: that of the innermost body. `line` is the line of the
  // layer in the .xml, 0 if unknown. `version` is the opset of the operation's class.
  Error& at_layer(std::string_view layer, std::string_view type, int64_t id, int version, int line);
  // Adds an outer layer in front of the message: "in Loop 'decode', iteration 3: ...".
  Error& within(std::string_view where);

  ErrorCode code() const { return code_; }
  bool has_layer() const { return !layer_type_.empty(); }
  const std::string& reason() const { return reason_; }
  const std::string& expected() const { return expected_; }
  const std::string& actual() const { return actual_; }
  const std::string& port() const { return port_; }
  const std::string& layer() const { return layer_; }
  // "GatherTree-1".
  const std::string& layer_type() const { return layer_type_; }
  int64_t layer_id() const { return layer_id_; }
  int line() const { return line_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  void compose();

  ErrorCode code_;
  std::string reason_, expected_, actual_, port_, layer_, plain_type_, layer_type_, within_, message_;
  int64_t layer_id_ = -1;
  int line_ = 0;
};

// Throws an Error whose reason is the concatenation of the parts.
[[noreturn]] void fail_with(ErrorCode code, std::initializer_list<TextPart> parts);
template <typename... Parts>
[[noreturn]] void fail(ErrorCode code, const Parts&... parts) {
  fail_with(code, {TextPart(parts)...});
}

}  // namespace wasmvino
