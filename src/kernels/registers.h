// SPDX-License-Identifier: Apache-2.0
// Whether machine code uses registers of 256 bits.
//
// WebAssembly has vectors of 128 bits. With --wasm-revectorize, V8 joins the operations on two adjacent
// vectors to one of 256 bits. It starts from two stores at the same base, 16 bytes apart, and follows their
// values upwards. It gives up where the two differ: in their block, in the base of a load, or by a load or
// store of other memory between them. All kernels that compute pairs of vectors therefore compute both, then
// store both.
//
// Tiles with twice the columns need 24 sums, which fit into 16 registers only if they are joined. A page
// cannot see V8's flags, so a probe measures whether a loop over pairs takes as long as one over single
// vectors.
#pragma once

#include <atomic>

namespace wasmvino::kernels {

// Relaxed SIMD only: elsewhere tiles have fewer rows, and a module should not carry what never runs.
// Natively, only tests set it.
#if defined(__wasm__) && !defined(__wasm_relaxed_simd__)
inline constexpr bool kMayBeWide = false;
#else
inline constexpr bool kMayBeWide = true;
#endif

inline std::atomic<bool> wide_registers_found{false};

inline bool wide_registers() { return kMayBeWide && wide_registers_found.load(std::memory_order_relaxed); }
inline void set_wide_registers(bool wide) { wide_registers_found.store(wide, std::memory_order_relaxed); }

// Probes, until the answer is known: at most six times. V8 optimises a loop in the background after its first
// runs, so the first answer is no. A probe takes 0.4 ms, the first one 0.9.
void probe_registers();

}  // namespace wasmvino::kernels
