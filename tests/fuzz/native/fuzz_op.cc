// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: one operation of the registry. The data chooses attributes, element types, shapes and
// values. One thread computes the operation, then three threads share the work. The results must be equal. If
// the environment variable WASMVINO_FUZZ_RESULTS names a file, each execution with results adds a line to it:
// a hash of the data, the operation and a hash of the results. The build with scalar kernels must write the
// same lines.
#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <bit>
#include <cinttypes>
#include <cstdlib>
#include <cstring>

#include "model/infer.h"
#include "ops/registry.h"
#include "outcome.h"
#include "tests/ops/parallel_check.h"

namespace wasmvino::test {
namespace {

constexpr std::string_view kTexts[] = {
    "",          "max",     "min",      "valid",         "same_upper", "same_lower", "explicit", "nearest",
    "linear",    "cubic",   "constant", "reflect",       "symmetric",  "edge",       "numpy",    "none",
    "ab,bc->ac", "forward", "reverse",  "bidirectional", "sum",        "variable"};

// Draws attributes. Valid values are more frequent than arbitrary ones.
class Draw final : public model::AttributeVisitor {
 public:
  explicit Draw(FuzzedDataProvider& data) : data_(data) {}
  void visit(std::string_view, model::AttributePlace place) override {
    std::visit([&](auto* value) { draw(*value); }, place);
  }
  void on_choice(std::string_view, int& value, std::initializer_list<std::string_view> names) override {
    if (changes()) value = data_.ConsumeIntegralInRange<int>(0, static_cast<int>(names.size()) - 1);
  }
  void require(std::string_view) override {}

  int64_t number() {
    constexpr int64_t kWild[] = {INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, 65536, 65537, 1 << 24};
    return data_.ConsumeIntegralInRange(0, 19) == 0 ? data_.PickValueInArray(kWild)
                                                    : data_.ConsumeIntegralInRange<int64_t>(-3, 9);
  }

 private:
  void draw(int64_t& value) {
    if (changes()) value = number();
  }
  void draw(double& value) {
    if (changes())
      value = data_.ConsumeBool() ? static_cast<double>(number()) : data_.ConsumeFloatingPoint<double>();
  }
  void draw(bool& value) {
    if (changes()) value = data_.ConsumeBool();
  }
  void draw(std::string& value) {
    if (changes()) value = data_.PickValueInArray(kTexts);
  }
  void draw(std::vector<std::string>& value) {
    if (changes())
      value.assign(data_.ConsumeIntegralInRange<size_t>(0, 4), std::string(data_.PickValueInArray(kTexts)));
  }
  void draw(Ints& value) {
    if (!changes()) return;
    value.resize(data_.ConsumeIntegralInRange<size_t>(0, 5));
    for (int64_t& element : value) element = number();
  }
  void draw(model::Floats& value) {
    if (!changes()) return;
    value.resize(data_.ConsumeIntegralInRange<size_t>(0, 5));
    for (float& element : value) element = static_cast<float>(number());
  }
  void draw(ElementType& value) {
    if (changes() || value == ElementType::kDynamic) {
      value = static_cast<ElementType>(data_.ConsumeIntegralInRange<size_t>(1, kElementTypeCount - 1));
    }
  }
  void draw(PartialShape&) {}

  bool changes() { return data_.ConsumeIntegralInRange(0, 3) != 0; }

  FuzzedDataProvider& data_;
};

Shape draw_shape(FuzzedDataProvider& data, const Shape& like) {
  if (data.ConsumeIntegralInRange(0, 2) != 0) return like;
  Shape shape;
  for (size_t rank = data.ConsumeIntegralInRange<size_t>(0, 6); shape.size() < rank;) {
    const int kind = data.ConsumeIntegralInRange(0, 31);
    shape.push_back(kind == 0   ? 0
                    : kind == 1 ? data.ConsumeIntegralInRange<int64_t>(10, 70000)
                                : kind % 8 + 1);
  }
  return shape;
}

Tensor draw_tensor(FuzzedDataProvider& data, ElementType type, const Shape& shape) {
  Tensor tensor(type, shape);
  if (type == ElementType::kString) {
    for (size_t i = 0; i < std::min<size_t>(tensor.size(), 8); ++i) {
      tensor.mutable_data<std::string>()[i] = data.ConsumeRandomLengthString(8);
    }
    return tensor;
  }
  char* const memory = tensor.mutable_data<char>();
  std::fill_n(memory, tensor.byte_size(), char{0});
  const bool wild = data.ConsumeIntegralInRange(0, 9) == 0;
  const size_t width = std::max<size_t>(1, bit_width(type) / 8);
  for (size_t i = 0; i < std::min<size_t>(tensor.byte_size() / width, 64) && data.remaining_bytes() > 0;
       ++i) {
    char* const element = memory + i * width;
    const int64_t small = data.ConsumeIntegralInRange<int8_t>(-2, 12);
    if (wild) {
      for (size_t byte = 0; byte < width; ++byte)
        element[byte] = static_cast<char>(data.ConsumeIntegral<uint8_t>());
    } else if (type == ElementType::kF32) {
      const float value = static_cast<float>(small) / 4;
      std::memcpy(element, &value, sizeof(value));
    } else {
      std::memcpy(element, &small, std::min<size_t>(width, sizeof(small)));  // little-endian
    }
  }
  if (type == ElementType::kBoolean) {
    const size_t size = tensor.byte_size();
    for (size_t i = 0; i < size; ++i) memory[i] &= 1;
  }
  return tensor;
}

// FNV-1a.
class Hash {
 public:
  void add(const void* bytes, size_t count) {
    for (size_t i = 0; i < count; ++i)
      value_ = (value_ ^ static_cast<const uint8_t*>(bytes)[i]) * 0x100000001b3;
  }
  // Elements that compare equal, and all NaNs, are the same. Bits after the last element do not count.
  void add(const Tensor& tensor) {
    const std::string header = cat(tensor.type(), tensor.shape());
    add(header.data(), header.size());
    if (tensor.type() == ElementType::kString) {
      for (size_t i = 0; i < tensor.size(); ++i)
        add(tensor.data<std::string>()[i].c_str(), tensor.data<std::string>()[i].size() + 1);
    } else if (is_real(tensor.type()) || is_sub_byte(tensor.type())) {
      for (const double value : to_doubles(tensor.view())) {
        const uint64_t bits = value != value ? ~uint64_t{0} : std::bit_cast<uint64_t>(value + 0.0);
        add(&bits, sizeof(bits));
      }
    } else {
      add(tensor.data<char>(), tensor.byte_size());
    }
  }
  uint64_t value() const { return value_; }

 private:
  uint64_t value_ = 0xcbf29ce484222325;
};

void record(const Hash& input, const model::Node& node, const std::vector<Tensor>& results) {
  static std::FILE* const file = [] {
    const char* const name = std::getenv("WASMVINO_FUZZ_RESULTS");
    return name == nullptr ? nullptr : std::fopen(name, "a");
  }();
  if (file == nullptr) return;
  Hash hash;
  for (const Tensor& result : results) hash.add(result);
  std::fprintf(file, "%016" PRIx64 " %s-%d %016" PRIx64 "\n", input.value(), node.type.c_str(), node.version,
               hash.value());
}

void run(FuzzedDataProvider& data, const Hash& input) {
  const auto& all = ops::registry().all();
  const model::OpClass& entry = all[data.ConsumeIntegralInRange<size_t>(0, all.size() - 1)];
  // Plans handle these nodes; the operations do not compute them.
  for (const std::string_view type : {"Parameter", "Constant", "ReadValue", "Assign"}) {
    if (entry.type == type) return;
  }
  auto op = entry.make();
  Draw draw(data);
  op->visit_attributes(draw);
  model::Node node("fuzzed", std::string(entry.type), entry.since, std::move(op));
  node.outputs.resize(node.op->least_outputs());

  const size_t declared = entry.types->inputs().size();
  const size_t count =
      data.ConsumeIntegralInRange(0, 15) == 0 ? data.ConsumeIntegralInRange<size_t>(0, 7) : declared;
  std::vector<Tensor> inputs;
  Shape shape{1, 2, 3, 4};
  for (size_t i = 0; i < count; ++i) {
    const model::InputTypes* wanted = entry.types->input(i);
    ElementType type =
        static_cast<ElementType>(data.ConsumeIntegralInRange<size_t>(1, kElementTypeCount - 1));
    if (wanted != nullptr && data.ConsumeIntegralInRange(0, 15) != 0) {
      if (wanted->like >= 0 && static_cast<size_t>(wanted->like) < i) {
        type = inputs[static_cast<size_t>(wanted->like)].type();
      } else if (data.ConsumeBool() && wanted->types.contains(ElementType::kF32)) {
        type = ElementType::kF32;
      } else {
        for (size_t k = 0; k < kElementTypeCount && !wanted->types.contains(type); ++k) {
          type = static_cast<ElementType>(1 + static_cast<size_t>(type) % (kElementTypeCount - 1));
        }
      }
    }
    shape = draw_shape(data, shape);
    inputs.push_back(draw_tensor(data, type, shape));
  }
  const std::vector<Tensor> results = model::evaluate_node(node, inputs);
  if (!node.op->is_pure()) return;
  record(input, node, results);
  static const CutUp backwards(3, false);
  const std::vector<Tensor> others = model::evaluate_node(node, inputs, backwards);
  for (size_t i = 0; i < results.size(); ++i) {
    if (same_elements(results[i], others[i])) continue;
    std::fprintf(stderr, "%s-%d: output %zu depends on the number of threads\n", node.type.c_str(),
                 node.version, i);
    std::abort();
  }
}

}  // namespace
}  // namespace wasmvino::test

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  FuzzedDataProvider data(bytes, size);
  wasmvino::test::Hash input;
  input.add(bytes, size);
  wasmvino::test::run_within_limits([&] { wasmvino::test::run(data, input); });
  return 0;
}
