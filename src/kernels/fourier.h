// SPDX-License-Identifier: Apache-2.0
// The discrete Fourier transform of any length, in f64.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace wasmvino::kernels {

// Without the checks for infinities that std::complex makes in each product.
struct Complex {
  double real = 0, imaginary = 0;

  friend Complex operator+(Complex a, Complex b) { return {a.real + b.real, a.imaginary + b.imaginary}; }
  friend Complex operator-(Complex a, Complex b) { return {a.real - b.real, a.imaginary - b.imaginary}; }
  friend Complex operator*(Complex a, Complex b) {
    return {a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real};
  }
};

inline Complex conjugate(Complex a) { return {a.real, -a.imaginary}; }

// y[k] = sum over j < n of x[j] exp(-2 pi i j k / n), in O(n log n): by Stockham's algorithm over the prime
// factors of n; where one is large, by Bluestein's, as a convolution whose length is a power of 2.
class FourierTransform {
 public:
  explicit FourierTransform(size_t n);
  ~FourierTransform();

  size_t size() const { return n_; }
  // Complex numbers of scratch that run() needs.
  size_t scratch_size() const;
  // In place. The inverse, times n, is: exchange the two parts of all numbers, run, exchange them again.
  void run(Complex* x, Complex* scratch) const;

 private:
  void run_factors(Complex* x, Complex* scratch) const;
  void run_convolution(Complex* x, Complex* scratch) const;

  size_t n_;
  std::vector<size_t> factors_;
  std::vector<Complex> roots_;  // exp(-2 pi i k / n)
  // For Bluestein's algorithm.
  std::unique_ptr<const FourierTransform> convolution_;
  std::vector<Complex> chirp_, spectrum_;
};

}  // namespace wasmvino::kernels
