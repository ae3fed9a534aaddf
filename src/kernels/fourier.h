// SPDX-License-Identifier: Apache-2.0
// The discrete Fourier transform of any length, in f64.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace wasmvino::kernels {

// A complex number without the checks for infinities that std::complex makes in each multiplication.
struct Complex {
  double real = 0, imaginary = 0;

  friend Complex operator+(Complex a, Complex b) { return {a.real + b.real, a.imaginary + b.imaginary}; }
  friend Complex operator-(Complex a, Complex b) { return {a.real - b.real, a.imaginary - b.imaginary}; }
  friend Complex operator*(Complex a, Complex b) {
    return {a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real};
  }
};

inline Complex conjugate(Complex a) { return {a.real, -a.imaginary}; }

// y[k] = sum over j < n of x[j] exp(-2 pi i j k / n), in O(n log n). Uses Stockham's algorithm over the prime
// factors of n. If a factor is large, uses Bluestein's algorithm: a convolution whose length is a power of 2.
class FourierTransform {
 public:
  explicit FourierTransform(size_t n);
  ~FourierTransform();

  size_t size() const { return n_; }
  // Scratch memory that run() needs, in complex numbers.
  size_t scratch_size() const;
  // Transforms in place. To compute the inverse times n, swap the real and imaginary parts of all numbers,
  // run, and swap them again.
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
