// SPDX-License-Identifier: Apache-2.0
// TopK: the k largest or smallest elements along an axis, and where they were.
// https://docs.openvino.ai/2026/documentation/openvino-ir-format/operation-sets/operation-specs/sort/top-k-11.html
#include <algorithm>
#include <bit>
#include <type_traits>

#include "model/registry.h"
#include "ops/common/axes.h"
#include "ops/common/dispatch.h"

namespace wasmvino::ops::top_k {

enum class Mode { kMax, kMin };
enum class Sort { kValue, kIndex, kNone };

// Up to this k a sorted list of the best so far beats partitioning: most elements cost one comparison with
// its last.
constexpr size_t kListed = 32;
// Elements that are turned into candidates at a time.
constexpr size_t kChunk = 256;
// Elements below which a second thread costs more than it saves.
constexpr size_t kGrain = size_t{1} << 13;

// An element as one number that grows with what is wanted; of equals the lower index is wanted first, so that
// all results are stable.
struct Narrow {  // for types of up to 32 bits
  using Key = uint32_t;
  uint64_t bits;
  Narrow() = default;
  Narrow(Key key, uint32_t index) : bits(uint64_t{key} << 32 | static_cast<uint32_t>(~index)) {}
  uint32_t index() const { return ~static_cast<uint32_t>(bits); }
  friend bool operator>(Narrow a, Narrow b) { return a.bits > b.bits; }
};

struct Wide {  // for types of 64 bits
  using Key = uint64_t;
  uint64_t key;
  uint32_t place;
  Wide() = default;
  Wide(Key k, uint32_t index) : key(k), place(index) {}
  uint32_t index() const { return place; }
  friend bool operator>(Wide a, Wide b) { return a.key != b.key ? a.key > b.key : a.place < b.place; }
};

// Unsigned numbers in the order of the values; both zeros are one, NaN is above all (as for numpy.sort).
template <typename Key, typename T>
Key key_of(T value) {
  constexpr Key kTop = Key{1} << (sizeof(Key) * 8 - 1);
  if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>) {
    return key_of<Key>(static_cast<float>(value));
  } else if constexpr (std::is_floating_point_v<T>) {
    if (value != value) return ~Key{0};
    const Key bits = std::bit_cast<Key>(value == 0 ? T{0} : value);
    return bits & kTop ? ~bits : bits | kTop;
  } else {
    return std::is_signed_v<T> ? static_cast<Key>(value) ^ kTop : static_cast<Key>(value);
  }
}

// Candidates from the elements first, first + stride ... with indices index, index + 1 ...
template <typename T, typename Candidate>
void load(const void* memory, size_t first, size_t stride, uint32_t index, size_t count, bool smallest,
          Candidate* to) {
  using Key = typename Candidate::Key;
  const T* from = static_cast<const T*>(memory) + first;
  const Key flip = smallest ? ~Key{0} : Key{0};
  for (size_t i = 0; i < count; ++i) {
    to[i] = Candidate(key_of<Key>(from[i * stride]) ^ flip, index + static_cast<uint32_t>(i));
  }
}

template <typename Candidate>
using Load = void (*)(const void*, size_t, size_t, uint32_t, size_t, bool, Candidate*);

struct Problem {
  ElementType type, index_type;
  size_t outer, length, inner, k;
  Mode mode;
  Sort sort;
};

template <typename Candidate>
class TopKKernel final : public Kernel {
 public:
  TopKKernel(const Problem& problem, Load<Candidate> load) : p_(problem), load_(load) {}

  // Beyond kListed, each thread has all candidates of one slice.
  static size_t scratch_bytes(const Problem& problem, size_t threads) {
    return problem.k <= kListed ? 0 : threads * problem.length * sizeof(Candidate);
  }

  void run(EvalContext& context) override {
    const size_t slices = p_.outer * p_.inner;
    if (slices == 0 || p_.k == 0) return;
    const size_t wanted = std::max<size_t>(1, slices * p_.length / kGrain);
    const size_t workers = std::min({context.parallel().threads(), slices, wanted});
    parallel_for(context.parallel(), workers, 1, [&](size_t first_worker, size_t last_worker) {
      for (size_t worker = first_worker; worker < last_worker; ++worker) {
        Candidate list[kListed];
        Candidate* best =
            p_.k <= kListed ? list : static_cast<Candidate*>(context.scratch()) + worker * p_.length;
        for (size_t slice = slices * worker / workers; slice < slices * (worker + 1) / workers; ++slice) {
          find(context, slice, best);
        }
      }
    });
  }

 private:
  void find(EvalContext& context, size_t slice, Candidate* best) const {
    const TensorView& data = context.input(0);
    const size_t first = slice / p_.inner * p_.length * p_.inner + slice % p_.inner;
    if (p_.k <= kListed) {
      keep_best(data.memory, first, best);
    } else {
      load_(data.memory, first, p_.inner, 0, p_.length, p_.mode == Mode::kMin, best);
      if (p_.k < p_.length) std::nth_element(best, best + (p_.k - 1), best + p_.length, Better());
      if (p_.sort != Sort::kIndex) std::sort(best, best + p_.k, Better());
    }
    if (p_.sort == Sort::kIndex) {
      std::sort(best, best + p_.k, [](Candidate a, Candidate b) { return a.index() < b.index(); });
    }
    write(context, data.memory, first, slice / p_.inner * p_.k * p_.inner + slice % p_.inner, best);
  }

  void keep_best(const void* memory, size_t first, Candidate* best) const {
    size_t kept = 0;
    Candidate chunk[kChunk];
    for (size_t begin = 0; begin < p_.length; begin += kChunk) {
      const size_t count = std::min(kChunk, p_.length - begin);
      load_(memory, first + begin * p_.inner, p_.inner, static_cast<uint32_t>(begin), count,
            p_.mode == Mode::kMin, chunk);
      for (size_t i = 0; i < count; ++i) {
        if (kept == p_.k && !(chunk[i] > best[kept - 1])) continue;
        size_t place = kept < p_.k ? kept++ : kept - 1;
        for (; place > 0 && chunk[i] > best[place - 1]; --place) best[place] = best[place - 1];
        best[place] = chunk[i];
      }
    }
  }

  void write(EvalContext& context, const void* data, size_t first, size_t place,
             const Candidate* best) const {
    with_storage(p_.type, [&]<typename T>() {
      if constexpr (!std::is_same_v<T, std::string>) {
        const T* from = static_cast<const T*>(data) + first;
        T* to = context.output(0).mutable_data<T>() + place;
        for (size_t i = 0; i < p_.k; ++i) to[i * p_.inner] = from[best[i].index() * p_.inner];
      }
    });
    with_index(p_.index_type, [&]<typename T>() {
      T* to = context.output(1).mutable_data<T>() + place;
      for (size_t i = 0; i < p_.k; ++i) to[i * p_.inner] = static_cast<T>(best[i].index());
    });
  }

  struct Better {
    bool operator()(Candidate a, Candidate b) const { return a > b; }
  };

  Problem p_;
  Load<Candidate> load_;
};

class TopK final : public Op {
 public:
  explicit TopK(int version) : version_(version) {}

  void visit_attributes(AttributeVisitor& visitor) override {
    visitor.on("axis", axis_);
    visitor.on_enum("mode", mode_, {"max", "min"});
    visitor.on_enum("sort", sort_, {"value", "index", "none"});
    visitor.on("index_element_type", index_type_);
    if (version_ >= 11) visitor.on("stable", stable_);
    if (stable_ && sort_ == Sort::kNone) {
      fail(ErrorCode::kInvalidModel,
           "attribute 'stable' is true and 'sort' is none, expected value or index");
    }
  }

  size_t least_outputs() const override { return 2; }
  void infer(InferContext& context) const override {
    context.expect_inputs(2);
    if (index_type_ != ElementType::kI32 && index_type_ != ElementType::kI64) {
      fail(ErrorCode::kInvalidModel, "attribute 'index_element_type' is ", index_type_,
           ", expected i32 or i64");
    }
    const ElementType type = context.input_type(0);
    if (type == ElementType::kString || is_sub_byte(type)) {
      throw Error(ErrorCode::kInvalidType, cat("data has element type ", type, ", expected a numeric type"))
          .port("input 0")
          .actual(cat(type));
    }
    const ElementType k_type = context.input_type(1);
    if (k_type != ElementType::kDynamic && !is_integral(k_type)) {
      throw Error(ErrorCode::kInvalidType, cat("K has element type ", k_type, ", expected an integer type"))
          .port("input 1")
          .actual(cat(k_type));
    }
    const PartialShape& k_shape = context.input_shape(1);
    if (k_shape.has_rank() && k_shape.rank() != 0) {
      throw Error(ErrorCode::kInvalidShape, cat("K has shape ", k_shape, ", expected a scalar"))
          .port("input 1")
          .actual(to_string(k_shape));
    }
    const auto k = context.input_ints(1);
    PartialShape shape = context.input_shape(0);
    if (shape.has_rank()) {
      Dimension& size = shape[normalize_axis(axis_, shape.rank())];
      if (k && ((*k)[0] < 0 || (*k)[0] > size.max)) {
        const std::string range = size.max == Dimension::kUnbounded ? "0 or more" : cat("0..", size.max);
        throw Error(ErrorCode::kInvalidValue,
                    cat("K is ", (*k)[0], ", expected ", range, " (axis ", axis_, " of shape ", shape, ")"))
            .port("input 1")
            .expected(range)
            .actual(cat((*k)[0]));
      }
      size = k ? Dimension((*k)[0]) : Dimension(0, size.max);
    }
    context.set_output(0, type, shape);
    context.set_output(1, index_type_, shape);
  }

  std::unique_ptr<Kernel> compile(CompileContext& context) const override {
    const Shape shape = context.input_shape(0);
    const size_t axis = normalize_axis(axis_, shape.size());
    const Problem problem = {context.input_type(0),
                             index_type_,
                             product(shape, 0, axis),
                             static_cast<size_t>(shape[axis]),
                             product(shape, axis + 1, shape.size()),
                             static_cast<size_t>((*context.constant_ints(1))[0]),
                             mode_,
                             sort_};
    context.consume(1);
    return with_numeric(problem.type, [&]<typename T>() -> std::unique_ptr<Kernel> {
      using Candidate = std::conditional_t<sizeof(T) == 8, Wide, Narrow>;
      context.request_scratch(TopKKernel<Candidate>::scratch_bytes(problem, context.parallel().threads()));
      return std::make_unique<TopKKernel<Candidate>>(problem, &load<T, Candidate>);
    });
  }

 private:
  int version_;
  int64_t axis_ = 0;
  Mode mode_ = Mode::kMax;
  Sort sort_ = Sort::kNone;
  ElementType index_type_ = ElementType::kI32;
  bool stable_ = false;  // every result is
};

}  // namespace wasmvino::ops::top_k

namespace wasmvino::ops {
WASMVINO_REGISTER_OPS(top_k) { registry.add<top_k::TopK>({"TopK", {1, 3, 11}, "sort/top-k-11"}); }
}  // namespace wasmvino::ops
