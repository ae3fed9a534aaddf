// SPDX-License-Identifier: Apache-2.0
#include "kernels/fourier.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace wasmvino::kernels {
namespace {

// A stage costs n times its factor. With a larger factor, that exceeds the cost of a convolution.
constexpr size_t kLargestFactor = 61;

// exp(-2 pi i k / n)
Complex root(size_t k, size_t n) {
  const double angle = -2.0 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n);
  return {std::cos(angle), std::sin(angle)};
}

Complex exchanged(Complex a) { return {a.imaginary, a.real}; }

// The factors of n: 4 as often as possible, then primes.
std::vector<size_t> factors_of(size_t n) {
  std::vector<size_t> factors;
  for (; n % 4 == 0; n /= 4) factors.push_back(4);
  for (size_t factor = 2; n > 1;) {
    if (factor * factor > n) factor = n;
    if (n % factor == 0) {
      factors.push_back(factor);
      n /= factor;
    } else {
      ++factor;
    }
  }
  return factors;
}

// One stage of Stockham's algorithm: `stride` interleaved transforms of `n` numbers become `radix` times as
// many transforms of n / radix numbers.
struct Stage {
  size_t n, stride, radix;
  const Complex* roots;  // of the whole transform
  size_t total;

  void run(const Complex* x, Complex* y) const {
    if (radix == 2) return run_2(x, y);
    if (radix == 4) return run_4(x, y);
    const size_t part = n / radix;
    Complex in[kLargestFactor];
    for (size_t p = 0; p < part; ++p) {
      for (size_t q = 0; q < stride; ++q) {
        for (size_t i = 0; i < radix; ++i) in[i] = x[q + stride * (p + i * part)];
        for (size_t k = 0; k < radix; ++k) {
          Complex sum = in[0];
          for (size_t i = 1; i < radix; ++i) sum = sum + in[i] * roots[i * k % radix * (total / radix)];
          y[q + stride * (radix * p + k)] = sum * roots[p * k * stride];
        }
      }
    }
  }

  void run_2(const Complex* x, Complex* y) const {
    const size_t half = n / 2;
    for (size_t p = 0; p < half; ++p) {
      const Complex w = roots[p * stride];
      for (size_t q = 0; q < stride; ++q) {
        const Complex a = x[q + stride * p], b = x[q + stride * (p + half)];
        y[q + stride * 2 * p] = a + b;
        y[q + stride * (2 * p + 1)] = (a - b) * w;
      }
    }
  }

  void run_4(const Complex* x, Complex* y) const {
    const size_t quarter = n / 4;
    for (size_t p = 0; p < quarter; ++p) {
      const Complex w1 = roots[p * stride], w2 = roots[2 * p * stride], w3 = roots[3 * p * stride];
      for (size_t q = 0; q < stride; ++q) {
        const Complex* from = x + q + stride * p;
        const size_t step = stride * quarter;
        const Complex a = from[0] + from[2 * step], b = from[0] - from[2 * step];
        const Complex c = from[step] + from[3 * step], turned = from[step] - from[3 * step];
        const Complex d = {turned.imaginary, -turned.real};
        Complex* to = y + q + stride * 4 * p;
        to[0] = a + c;
        to[stride] = (b + d) * w1;
        to[2 * stride] = (a - c) * w2;
        to[3 * stride] = (b - d) * w3;
      }
    }
  }
};

}  // namespace

FourierTransform::FourierTransform(size_t n) : n_(n), factors_(factors_of(n)) {
  if (factors_.empty() || factors_.back() <= kLargestFactor) {
    roots_.resize(n);
    for (size_t k = 0; k < n; ++k) roots_[k] = root(k, n);
    return;
  }
  const size_t length = std::bit_ceil(2 * n - 1);
  convolution_ = std::make_unique<FourierTransform>(length);
  chirp_.resize(n);
  spectrum_.resize(length);
  for (size_t k = 0; k < n; ++k) {
    // exp(-pi i k^2 / n). Taking k^2 modulo 2 n keeps the angle small, and therefore accurate.
    chirp_[k] = root(static_cast<size_t>(uint64_t{k} * k % (2 * n)), 2 * n);
    spectrum_[k] = conjugate(chirp_[k]);
    if (k > 0) spectrum_[length - k] = spectrum_[k];
  }
  std::vector<Complex> scratch(convolution_->scratch_size());
  convolution_->run(spectrum_.data(), scratch.data());
  const double scale = 1.0 / static_cast<double>(length);
  for (Complex& value : spectrum_) value = {value.real * scale, value.imaginary * scale};
}

FourierTransform::~FourierTransform() = default;

size_t FourierTransform::scratch_size() const {
  return convolution_ == nullptr ? n_ : spectrum_.size() + convolution_->scratch_size();
}

void FourierTransform::run(Complex* x, Complex* scratch) const {
  if (convolution_ == nullptr) {
    run_factors(x, scratch);
  } else {
    run_convolution(x, scratch);
  }
}

void FourierTransform::run_factors(Complex* x, Complex* scratch) const {
  Complex *from = x, *to = scratch;
  size_t n = n_, stride = 1;
  for (const size_t radix : factors_) {
    Stage{n, stride, radix, roots_.data(), n_}.run(from, to);
    std::swap(from, to);
    n /= radix;
    stride *= radix;
  }
  if (from != x) std::copy_n(from, n_, x);
}

void FourierTransform::run_convolution(Complex* x, Complex* scratch) const {
  const size_t length = spectrum_.size();
  Complex* const work = scratch;
  for (size_t k = 0; k < n_; ++k) work[k] = x[k] * chirp_[k];
  std::fill(work + n_, work + length, Complex());
  convolution_->run(work, scratch + length);
  for (size_t k = 0; k < length; ++k) work[k] = exchanged(work[k] * spectrum_[k]);
  convolution_->run(work, scratch + length);
  for (size_t k = 0; k < n_; ++k) x[k] = exchanged(work[k]) * chirp_[k];
}

}  // namespace wasmvino::kernels
