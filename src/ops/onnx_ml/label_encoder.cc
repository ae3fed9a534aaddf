// SPDX-License-Identifier: Apache-2.0
// LabelEncoder: replaces each element by the value that belongs to it as a key. Elements that are no key
// become the default. NaN equals NaN.
// https://onnx.ai/onnx/operators/onnx_aionnxml_LabelEncoder.html
#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "core/dispatch.h"
#include "core/nan.h"
#include "core/sort.h"
#include "model/registry.h"
#include "ops/elements/convert.h"
#include "ops/inputs/checks.h"

namespace wasmvino::ops::label_encoder {

constexpr size_t kKeys = 1, kValues = 2, kDefault = 3;

bool before(const std::string& a, const std::string& b) { return a < b; }
bool before(int64_t a, int64_t b) { return a < b; }
bool before(double a, double b) { return a < b || (!is_nan(a) && is_nan(b)); }

// Finds keys of type T: strings, or all integers as i64, or all reals as f64.
template <typename T>
class Finding final : public Kernel {
 public:
  explicit Finding(const TensorView& keys) : keys_(keys.size()), places_(keys.size()) {
    load(keys, 0, keys_.size(), keys_.data());
    std::iota(places_.begin(), places_.end(), 0u);
    // The first of equal keys comes first.
    sort_all(places_.data(), places_.data() + places_.size(), [&](uint32_t a, uint32_t b) {
      return before(keys_[a], keys_[b]) || (a < b && !before(keys_[b], keys_[a]));
    });
  }

  void run(EvalContext& context) override {
    with_storage(context.output(0).type, [&]<typename V>() {
      const V* values = context.input(kValues).data<V>();
      const V& other = *context.input(kDefault).data<V>();
      V* to = context.output(0).mutable_data<V>();
      parallel_for(context.parallel(), context.input(0).size(), 1024, [&](size_t begin, size_t end) {
        T block[kConvertBlock];
        for (; begin < end; begin += kConvertBlock) {
          const size_t count = std::min(end - begin, kConvertBlock);
          load(context.input(0), begin, count, block);
          for (size_t i = 0; i < count; ++i) {
            const size_t place = find(block[i]);
            to[begin + i] = place < places_.size() ? values[place] : other;
          }
        }
      });
    });
  }

 private:
  static void load(const TensorView& from, size_t first, size_t count, T* to) {
    if constexpr (std::is_same_v<T, std::string>) {
      std::copy_n(from.data<std::string>() + first, count, to);
    } else {
      const char* start = from.data<char>() + first * bit_width(from.type) / 8;
      Conversion(from.type, ElementTypeOf<T>::value).run(start, to, count);
    }
  }

  size_t find(const T& key) const {
    const auto found =
        std::lower_bound(places_.begin(), places_.end(), key,
                         [&](uint32_t place, const T& wanted) { return before(keys_[place], wanted); });
    return found != places_.end() && !before(key, keys_[*found]) ? *found : places_.size();
  }

  std::vector<T> keys_;
  std::vector<uint32_t> places_;  // of the keys, ascending
};

class LabelEncoder final : public Op {
 public:
  void infer(InferContext& context) const override {
    context.expect_inputs(4);
    expect_rank(context, kKeys, 1, 1, "keys");
    expect_rank(context, kValues, 1, 1, "values");
    expect_single(context, kDefault, "default");
    if (context.input_shape(kKeys).has_rank())
      expect_size(context, kValues, "values", 0, context.input_shape(kKeys)[0], "axis 0 of keys");
    context.set_output(0, context.common_type(kValues, kDefault), context.input_shape(0));
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    const TensorView* keys = context.constant(kKeys);
    if (keys == nullptr) {
      throw Error(ErrorCode::kUnsupported, "keys are computed by the graph, expected a constant")
          .port("keys");
    }
    if (keys->type == ElementType::kString) return std::make_unique<Finding<std::string>>(*keys);
    if (kFloats.contains(keys->type)) return std::make_unique<Finding<double>>(*keys);
    return std::make_unique<Finding<int64_t>>(*keys);
  }
};

}  // namespace wasmvino::ops::label_encoder

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(label_encoder) {
  registry.add<label_encoder::LabelEncoder>({"LabelEncoder",
                                             {1},
                                             "LabelEncoder",
                                             {{"data", kNumbers | kBoolean | kString},
                                              {"keys", kNumbers | kBoolean | kString, 0},
                                              {"values", kNumbers | kBoolean | kString},
                                              {"default", kNumbers | kBoolean | kString, 2}},
                                             kLastOpset,
                                             "ai.onnx.ml"});
}
}  // namespace wasmvino::ops
