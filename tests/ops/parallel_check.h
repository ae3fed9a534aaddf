// SPDX-License-Identifier: Apache-2.0
// Checks that an operation gives the same elements however its work is split.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>

#include "core/parallel.h"
#include "core/tensor.h"
#include "runtime/thread_pool.h"

namespace wasmvino::test {

// Splits work into as many ranges as parallel_for() may make of it, for `threads` threads. If `pool` is true
// and the build has threads, the ranges run on the pool. Otherwise they run one after the other, the last one
// first.
class CutUp final : public Parallel {
 public:
  explicit CutUp(size_t threads, bool pool = true)
      : threads_(threads), pool_(runtime::make_parallel(pool ? threads : 1)) {}
  size_t threads() const override { return threads_; }
  size_t ranges(size_t count, size_t grain) const override {
    return grain == kWhole ? 1 : std::clamp<size_t>(count, 1, threads_ * kRangesPerThread);
  }
  void run(size_t tasks, Task task, void* context) const override {
    if (pool_->threads() > 1) return pool_->run(tasks, task, context);
    const size_t threads = std::min(threads_, tasks);
    for (size_t i = tasks; i-- > 0;) task(context, i, threads - 1 - i % threads);
  }

 private:
  size_t threads_;
  std::unique_ptr<Parallel> pool_;
};

// Numbers that differ only in the bits of a NaN are equal.
inline bool same_elements(const Tensor& a, const Tensor& b) {
  if (a.type() != b.type() || !(a.shape() == b.shape())) return false;
  if (a.type() == ElementType::kString) {
    return std::equal(a.data<std::string>(), a.data<std::string>() + a.size(), b.data<std::string>());
  }
  if (a.byte_size() == 0 || std::memcmp(a.data<char>(), b.data<char>(), a.byte_size()) == 0) return true;
  if (!is_real(a.type()) && !is_sub_byte(a.type())) return false;
  const auto x = to_doubles(a.view()), y = to_doubles(b.view());
  return std::equal(x.begin(), x.end(), y.begin(),
                    [](double p, double q) { return p == q || (p != p && q != q); });
}

}  // namespace wasmvino::test
