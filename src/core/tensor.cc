// SPDX-License-Identifier: Apache-2.0
#include "core/tensor.h"

#ifdef __EMSCRIPTEN__
#include <malloc.h>
#endif

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <new>
#include <string>

#include "core/call.h"
#include "core/checked.h"
#include "core/copies.h"
#include "core/error.h"
#include "core/float_types.h"
#include "core/memory_use.h"
#include "core/packed_bits.h"
#include "core/saturate.h"
#include "core/tensor_bytes.h"
#include "core/work.h"

namespace wasmvino {
namespace {

constexpr size_t kAlignment = 64;

// One counter for all threads: object files that serve modules with and without threads cannot have
// thread_local variables (call.cc).
std::atomic<int64_t> allocated_bytes = 0;

// RAII: while it exists, its bytes count as memory of the owner of the call.
class CountedBytes {
 public:
  explicit CountedBytes(size_t bytes) : bytes_(bytes) {
    const MemoryLimit* const limit = current_memory_limit();
    if (limit == nullptr) return;
    if (!limit->use->add(bytes, limit->bytes)) {
      const size_t held = limit->use->bytes();
      throw Error(ErrorCode::kOutOfMemory,
                  cat("a tensor of ", bytes, " bytes, beside the ", held,
                      " bytes that are held, exceeds the limit of ", limit->bytes, " bytes of memory"))
          .expected(cat("at most ", limit->bytes, " bytes of memory"))
          .actual(cat(held, " + ", bytes));
    }
    use_ = limit->use;
  }
  CountedBytes(CountedBytes&& other) noexcept = default;
  ~CountedBytes() {
    if (use_ != nullptr) use_->remove(bytes_);
  }

 private:
  std::shared_ptr<MemoryUse> use_;
  size_t bytes_;
};

std::shared_ptr<const void> allocate(ElementType type, size_t count, void** memory) {
  const size_t needed = storage_bytes(type, count);
  const bool strings = type == ElementType::kString;
  const size_t bytes = strings ? (CheckedSize(count) * sizeof(std::string)).value()
                               : CheckedSize(needed).rounded_up(kAlignment).value();
  check_limit(current_call().limits().tensor_bytes, bytes, "bytes of one tensor");
  CountedBytes counted(bytes);
  if (strings) {
    try {
      // The count ends with the strings: it is the last member to be destroyed.
      struct Strings {
        CountedBytes counted;
        std::unique_ptr<std::string[]> strings;
      };
      auto made =
          std::make_shared<Strings>(Strings{std::move(counted), std::make_unique<std::string[]>(count)});
      *memory = made->strings.get();
      return made;
    } catch (const std::bad_alloc&) {
      fail(ErrorCode::kOutOfMemory, "no memory for a tensor of ", count, " strings");
    }
  }
  void* block = std::aligned_alloc(kAlignment, bytes > 0 ? bytes : kAlignment);
#ifdef __EMSCRIPTEN__
  // Emscripten's emmalloc adds the size to an address without a check. Near the end of the 32-bit address
  // space the sum wraps, and the returned block is too small.
  if (block != nullptr && malloc_usable_size(block) < bytes) {
    std::free(block);
    block = nullptr;
  }
#endif
  if (block == nullptr) fail(ErrorCode::kOutOfMemory, "no memory for a tensor of ", bytes, " bytes");
  *memory = block;
  allocated_bytes.fetch_add(static_cast<int64_t>(bytes), std::memory_order_relaxed);
  // If there is no memory for the owner, its constructor calls the deleter.
  return {block, [bytes, counted = std::move(counted)](const void* p) {
            allocated_bytes.fetch_sub(static_cast<int64_t>(bytes), std::memory_order_relaxed);
            std::free(const_cast<void*>(p));
          }};
}

// The limit for shapes, axes and indices. A longer tensor is no such list, and a packed tensor of 256 MB must
// not become a list of 16 GB.
constexpr size_t kMostIntegers = size_t{1} << 20;

double element_as_double(const TensorView& tensor, size_t i) {
  switch (tensor.type) {
    case ElementType::kBoolean:
    case ElementType::kU8:
      return tensor.data<uint8_t>()[i];
    case ElementType::kF32:
      return tensor.data<float>()[i];
    case ElementType::kF64:
      return tensor.data<double>()[i];
    case ElementType::kF16:
      return f16_to_f32(tensor.data<uint16_t>()[i]);
    case ElementType::kBf16:
      return bf16_to_f32(tensor.data<uint16_t>()[i]);
    case ElementType::kI8:
      return tensor.data<int8_t>()[i];
    case ElementType::kI16:
      return tensor.data<int16_t>()[i];
    case ElementType::kI32:
      return tensor.data<int32_t>()[i];
    case ElementType::kI64:
      return static_cast<double>(tensor.data<int64_t>()[i]);
    case ElementType::kU16:
      return tensor.data<uint16_t>()[i];
    case ElementType::kU32:
      return tensor.data<uint32_t>()[i];
    case ElementType::kU64:
      return static_cast<double>(tensor.data<uint64_t>()[i]);
    case ElementType::kDynamic:
    case ElementType::kString:
      fail(ErrorCode::kInvalidType, "a tensor of type ", tensor.type, " does not hold numbers");
    default:
      return decode_bits(tensor.type, load_bits(tensor.type, tensor.memory, i));
  }
}

}  // namespace

int64_t allocated_tensor_bytes() { return allocated_bytes.load(std::memory_order_relaxed); }

Tensor::Tensor(ElementType type, Shape shape) {
  view_.type = type;
  view_.shape = std::move(shape);
  owner_ = allocate(type, view_.size(), &view_.memory);
}

Tensor::Tensor(ElementType type, Shape shape, void* memory) : view_{type, std::move(shape), memory} {}

Tensor::Tensor(ElementType type, Shape shape, void* memory, std::shared_ptr<const void> owner)
    : view_{type, std::move(shape), memory}, owner_(std::move(owner)) {}

Tensor Tensor::reshape(const Shape& shape) const {
  if (element_count(shape) != size()) {
    fail(ErrorCode::kInvalidShape, "a tensor of shape ", this->shape(), " cannot be reshaped to ", shape);
  }
  return Tensor(type(), shape, view_.memory, owner_);
}

Tensor Tensor::reshape_column_major(const Shape& shape) const {
  if (element_count(shape) != size()) {
    fail(ErrorCode::kInvalidShape, "a tensor of shape ", this->shape(), " cannot be reshaped to ", shape);
  }
  if (is_sub_byte(type()))
    fail(ErrorCode::kInvalidType, "elements of type ", type(), " cannot be copied one by one");
  Tensor result(type(), shape);
  const size_t bytes = bit_width(type()) / 8;
  const Ints from_strides = row_major_strides(this->shape());
  const Ints to_strides = row_major_strides(shape);
  // Offset of the i-th element in column-major order.
  const auto offset = [](size_t i, const Shape& sizes, const Ints& strides) {
    size_t at = 0;
    for (size_t axis = 0; axis < sizes.size(); ++axis) {
      at += i % static_cast<size_t>(sizes[axis]) * static_cast<size_t>(strides[axis]);
      i /= static_cast<size_t>(sizes[axis]);
    }
    return at;
  };
  for (size_t i = 0, count = size(); i < count; ++i) {
    const size_t from = offset(i, this->shape(), from_strides);
    const size_t to = offset(i, shape, to_strides);
    if (type() == ElementType::kString) {
      result.mutable_data<std::string>()[to] = data<std::string>()[from];
    } else {
      std::memcpy(result.mutable_data<char>() + to * bytes, data<char>() + from * bytes, bytes);
    }
  }
  return result;
}

Tensor Tensor::slice(size_t axis, int64_t begin, int64_t end) const {
  if (axis >= shape().size() || begin < 0 || end < begin || end > shape()[axis]) {
    fail(ErrorCode::kInvalidShape, "slice ", begin, "..", end, " of axis ", axis, " is outside shape ",
         shape());
  }
  Shape result = shape();
  result[axis] = end - begin;
  if (begin == 0 && end == shape()[axis]) return *this;
  for (size_t i = 0; i < axis; ++i) {
    if (shape()[i] != 1) {
      fail(ErrorCode::kInvalidShape, "slice ", begin, "..", end, " of axis ", axis, " in shape ", shape(),
           " is not one block of memory");
    }
  }
  size_t inner = 1;
  for (size_t i = axis + 1; i < shape().size(); ++i) inner *= static_cast<size_t>(shape()[i]);
  const size_t first = static_cast<size_t>(begin) * inner;
  if (first * bit_width(type()) % 8 != 0) {
    fail(ErrorCode::kInvalidShape, "slice ", begin, "..", end, " of a ", type(),
         " tensor starts inside a byte");
  }
  void* memory = static_cast<char*>(view_.memory) + first * bit_width(type()) / 8;
  return Tensor(type(), std::move(result), memory, owner_);
}

Tensor Tensor::clone() const {
  Tensor copy(type(), shape());
  copy_elements(view_, copy.view_);
  return copy;
}

namespace {

void check_same_type(const TensorView& from, const TensorView& to) {
  if (from.type == to.type) return;
  throw Error(ErrorCode::kInvalidType, cat("elements of type ", from.type, " and shape ", from.shape,
                                           " cannot be copied to a tensor of type ", to.type))
      .expected(cat(to.type))
      .actual(cat(from.type));
}

void check_blocks(const TensorView& tensor, BlockPlaces places, size_t blocks, size_t count) {
  const CheckedSize end = CheckedSize(places.first) + CheckedSize(blocks - 1) * places.step + count;
  if (end.value() <= tensor.size()) return;
  throw Error(ErrorCode::kInvalidShape,
              cat("a copy of ", blocks, " blocks of ", count, " elements ends at element ", end.value(),
                  " of a tensor of shape ", tensor.shape))
      .expected(cat("at most ", tensor.size(), " elements"))
      .actual(cat(end.value()));
}

void check_copy(const TensorView& from, const TensorView& to) {
  check_same_type(from, to);
  if (from.size() == to.size()) return;
  throw Error(ErrorCode::kInvalidShape,
              cat("a tensor of shape ", from.shape, " cannot be copied to one of shape ", to.shape))
      .expected(cat(to.shape))
      .actual(cat(from.shape));
}

}  // namespace

void copy_blocks(const TensorView& from, BlockPlaces from_places, TensorView& to, BlockPlaces to_places,
                 size_t blocks, size_t count) {
  check_same_type(from, to);
  if (blocks == 0 || count == 0) return;
  check_blocks(from, from_places, blocks, count);
  check_blocks(to, to_places, blocks, count);
  const size_t width = bit_width(from.type) / 8;
  for (size_t block = 0; block < blocks; ++block) {
    const size_t source = from_places.first + block * from_places.step;
    const size_t target = to_places.first + block * to_places.step;
    if (from.type == ElementType::kString) {
      std::copy_n(from.data<std::string>() + source, count, to.mutable_data<std::string>() + target);
    } else if (is_sub_byte(from.type)) {
      for (size_t i = 0; i < count; ++i)
        store_bits(from.type, to.memory, target + i, load_bits(from.type, from.memory, source + i));
    } else {
      std::memcpy(to.mutable_data<char>() + target * width, from.data<char>() + source * width,
                  count * width);
    }
  }
}

// Bytes that are copied between two polls, and in one step of count_work().
constexpr size_t kBytesAtOnce = size_t{1} << 24, kBytesPerStep = 16;

void copy_elements(const TensorView& from, TensorView& to) {
  check_copy(from, to);
  if (from.type == ElementType::kString) {
    std::copy_n(from.data<std::string>(), from.size(), to.mutable_data<std::string>());
  } else if (const size_t bytes = from.byte_size(); bytes > 0) {
    const char* source = from.data<char>();
    char* target = to.mutable_data<char>();
    const bool overlap = std::less<>()(source, target + bytes) && std::less<>()(target, source + bytes);
    // In pieces, between which the call is polled.
    const size_t most = overlap ? bytes : kBytesAtOnce;
    for (size_t done = 0; done < bytes; done += most) {
      const size_t count = std::min(most, bytes - done);
      std::memmove(target + done, source + done, count);
      count_work(count / kBytesPerStep);
    }
  }
}

Ints to_ints(const TensorView& tensor) {
  const size_t count = tensor.size();
  if (count > kMostIntegers) {
    fail(ErrorCode::kInvalidShape, "expected a list of at most ", kMostIntegers,
         " integers, got a tensor of shape ", tensor.shape);
  }
  Ints values(count);
  for (size_t i = 0; i < count; ++i) {
    values[i] = tensor.type == ElementType::kI64   ? tensor.data<int64_t>()[i]
                : tensor.type == ElementType::kU64 ? static_cast<int64_t>(tensor.data<uint64_t>()[i])
                                                   : saturated_int64(element_as_double(tensor, i));
  }
  return values;
}

SmallVector<double, 6> to_doubles(const TensorView& tensor) {
  const size_t count = tensor.size();
  SmallVector<double, 6> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = element_as_double(tensor, i);
  return values;
}

}  // namespace wasmvino
