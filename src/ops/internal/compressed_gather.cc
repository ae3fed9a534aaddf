// SPDX-License-Identifier: Apache-2.0
#include "ops/internal/compressed_gather.h"

#include <cstring>
#include <optional>

#include "model/node.h"
#include "ops/inputs/indices.h"

namespace wasmvino::ops {
namespace {

// Grain: elements in about 10 µs of work. With fewer, a second thread costs more than it saves.
constexpr size_t kGrain = size_t{1} << 13;

constexpr size_t kPanel = kernels::kPanelColumns;

class CompressedRows final : public Kernel {
 public:
  CompressedRows(const CompressedForm& form, ElementType type, bool from_end,
                 std::optional<CompressedWeights> packed)
      : form_(form), type_(type), from_end_(from_end), packed_(std::move(packed)) {}

  // Scratch memory for `count` rows: one panel per thread, because the 8 rows of a panel are dequantised
  // together.
  CheckedSize scratch_bytes(const Parallel& parallel, size_t count) const {
    const size_t threads = std::min(parallel.threads(), parallel.ranges(count, grain()));
    return CheckedSize(packed_ ? threads : 0) * panel_floats() * sizeof(float);
  }

  void run(EvalContext& context) override {
    const TensorView& indices = context.input(0);
    float* output = context.output(0).mutable_data<float>();
    const int64_t rows = static_cast<int64_t>(form_.n);
    parallel_for(context.parallel(), indices.size(), grain(), [&](size_t first, size_t last, size_t thread) {
      float* scratch = packed_ ? static_cast<float*>(context.scratch()) + thread * panel_floats() : nullptr;
      for_indices(indices, first, last, [&](size_t i, int64_t index) {
        if (index < 0 && from_end_) index += rows;
        float* to = output + i * form_.k;
        if (index < 0 || index >= rows) {
          std::memset(to, 0, form_.k * sizeof(float));
        } else if (packed_) {
          copy_packed(context, static_cast<size_t>(index), scratch, to);
        } else {
          copy_stored(context, static_cast<size_t>(index), to);
        }
      });
    });
  }

 private:
  // A packed row is dequantised together with the seven other rows of its panel.
  size_t grain() const { return kGrain / (form_.k * (packed_ ? kPanel : 1)); }
  size_t panel_floats() const { return (form_.k + 3) / 4 * 4 * kPanel; }

  void copy_packed(const EvalContext& context, size_t row, float* scratch, float* to) const {
    const size_t panel = row / kPanel * kPanel;
    kernels::expand(packed_->matrix(context), {0, form_.k}, {panel, panel + 1}, scratch);
    for (size_t p = 0; p < form_.k; ++p) to[p] = scratch[p * kPanel + row % kPanel];
  }

  void copy_stored(const EvalContext& context, size_t row, float* to) const {
    load_stored(context.input(1), row * form_.k, form_.k, to);
    if (!form_.has_scales) return;
    const float shift = static_cast<float>(shift_of(type_));
    for (size_t group = 0; group < form_.groups(); ++group) {
      const size_t parameter = (row / kPanel * form_.groups() + group) * kPanel + row % kPanel;
      const float scale = context.input(2).data<float>()[parameter];
      const float zero =
          (form_.has_zero_points ? context.input(3).data<uint8_t>()[parameter] : form_.zero_point) - shift;
      float* part = to + group * form_.group;
      for (size_t p = 0; p < form_.group; ++p) part[p] = (part[p] - zero) * scale;
    }
  }

  CompressedForm form_;
  ElementType type_;
  bool from_end_;
  std::optional<CompressedWeights> packed_;
};

}  // namespace

void CompressedGather::infer(InferContext& context) const {
  PartialShape output = context.input_shape(0);
  if (output.has_rank()) output.push_back(static_cast<int64_t>(form_.k));
  context.set_output(0, ElementType::kF32, output);
}

std::unique_ptr<Kernel> CompressedGather::compile(CompileContext& context) const {
  std::optional<CompressedWeights> packed;
  if (packed_) packed.emplace(context, 1, form_);
  // From opset 8 on, negative indices count from the end.
  auto kernel =
      std::make_unique<CompressedRows>(form_, context.input_type(1), version_ >= 8, std::move(packed));
  context.request_scratch(kernel->scratch_bytes(context.parallel(), element_count(context.input_shape(0))));
  return kernel;
}

}  // namespace wasmvino::ops
