// SPDX-License-Identifier: Apache-2.0
// Convolutions and transposed convolutions of any number of groups: inference, and kernels for all element
// types.
#pragma once

#include <memory>
#include <optional>

#include "model/op.h"
#include "ops/common/channels_last.h"
#include "ops/common/windows.h"

namespace wasmvino::ops {

// How filters lie: [O, I, ...] or, grouped, [G, O, I, ...]; transposed convolutions have I and O exchanged.
struct FilterForm {
  bool grouped = false;
  bool transposed = false;
  size_t first_spatial() const { return grouped ? 3 : 2; }
};

// A convolution of known sizes.
struct ConvolutionProblem {
  kernels::Conv conv;
  // Of an element of the filters; `data` is set while running.
  kernels::ConvWeights weights = {};
  bool transposed = false;
  Layout layout = Layout::kPlanar;
  kernels::UnaryFunction activation;
  // Inputs beside data (0) and filters (1): one value a channel, and a tensor as the output. Channels last
  // only.
  std::optional<size_t> bias, residual;
};

// The output's shape, spatial axes of a transposed convolution apart. Checks element types and shapes of data
// (input 0) and filters (input 1), and the attributes against them; sets `axes` to the number of spatial
// axes.
struct ConvolutionShape {
  ElementType type;
  PartialShape output;           // of the layout; unknown rank where neither input has one
  SmallVector<Dimension, 3> in;  // spatial axes of data
  SmallVector<Dimension, 3> kernel;
  size_t axes = 0;           // 0 while unknown
  size_t first_spatial = 2;  // of `output`
};
ConvolutionShape infer_convolution(const InferContext& context, const WindowAttributes& attributes,
                                   FilterForm form, Layout layout);

// Sizes of a convolution, for `output` as infer gave it.
ConvolutionProblem make_convolution(const Shape& data, const Shape& filters, const Shape& output,
                                    const WindowAttributes& attributes, FilterForm form, Layout layout);

// The kernel for a node whose inputs are data, filters and what the problem names.
std::unique_ptr<Kernel> compile_convolution(CompileContext& context, const ConvolutionProblem& problem);

// Convolution and GroupConvolution.
class ConvolutionOp : public Op {
 public:
  explicit ConvolutionOp(bool grouped) : form_{grouped, false} {}
  void visit_attributes(AttributeVisitor& visitor) override { attributes_.visit(visitor, true); }
  void infer(InferContext& context) const override;
  std::unique_ptr<Kernel> compile(CompileContext& context) const override;

 private:
  FilterForm form_;
  WindowAttributes attributes_;
};

// ConvolutionBackpropData and GroupConvolutionBackpropData.
class TransposedConvolutionOp : public Op {
 public:
  explicit TransposedConvolutionOp(bool grouped) : form_{grouped, true} {}
  void visit_attributes(AttributeVisitor& visitor) override;
  void infer(InferContext& context) const override;
  std::unique_ptr<Kernel> compile(CompileContext& context) const override;

 private:
  FilterForm form_;
  WindowAttributes attributes_;
  Ints output_padding_;
};

}  // namespace wasmvino::ops
