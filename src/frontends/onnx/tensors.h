// SPDX-License-Identifier: Apache-2.0
// The values of tensors in an ONNX file and in the files beside it.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "frontends/common/companions.h"
#include "frontends/onnx/model_file.h"
#include "model/constant.h"

namespace wasmvino::onnx {

class TensorReader {
 public:
  TensorReader(std::shared_ptr<const ByteSource> file, const frontends::Companions& companions)
      : file_(std::move(file)), companions_(companions) {}

  // The value, which stays in its file until it is needed. Throws Error if it does not fit its shape or its
  // file was not given.
  std::shared_ptr<const model::ConstantData> read(const TensorText& text);
  std::shared_ptr<const model::ConstantData> read(const SparseText& text);

 private:
  std::shared_ptr<const model::ConstantData> external(const TensorText& text, ElementType type);
  Tensor strings(const TensorText& text) const;

  std::shared_ptr<const ByteSource> file_;
  const frontends::Companions& companions_;
  std::map<std::string, std::shared_ptr<const ByteSource>> found_;  // files of external data
};

}  // namespace wasmvino::onnx
