// SPDX-License-Identifier: Apache-2.0
#include "kernels/recurrent.h"

#include <algorithm>

#include "kernels/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace wasmvino::kernels {
namespace {

// Any function, selected again for each vector. For cells with unusual activations.
struct AnyFunction {
  const UnaryFunction& function;
  VF operator()(VF x) const {
    alignas(16) float lanes[kLanes];
    hn::Store(x, F32x4(), lanes);
    apply_unary(function, lanes, lanes, kLanes);
    return hn::Load(F32x4(), lanes);
  }
};

struct SigmoidFunction {
  HWY_INLINE VF operator()(VF x) const { return sigmoid(x); }
};

struct TanhFunction {
  HWY_INLINE VF operator()(VF x) const { return tanh(x); }
};

// Calls body(i, n) for vectors of n lanes that cover `hidden`.
template <typename Body>
HWY_INLINE void for_vectors(size_t hidden, const Body& body) {
  for (size_t i = 0; i < hidden; i += kLanes) body(i, std::min(kLanes, hidden - i));
}

template <typename F, typename G, typename H>
void lstm(const LstmCell& cell, F f, G g, H h, const float* gates, const float* cell_in, float* cell_out,
          float* hidden_out) {
  const float* forget = gates + cell.forget * cell.hidden;
  const float* input = gates + cell.input * cell.hidden;
  const float* candidate = gates + cell.cell * cell.hidden;
  const float* output = gates + cell.output * cell.hidden;
  const VF high = set(cell.clip), low = set(-cell.clip);
  for_vectors(cell.hidden, [&](size_t i, size_t n) HWY_ATTR {
    const VF ft = f(clamp(load_lanes(forget + i, n), low, high));
    const VF it = f(clamp(load_lanes(input + i, n), low, high));
    const VF ct = g(clamp(load_lanes(candidate + i, n), low, high));
    const VF ot = f(clamp(load_lanes(output + i, n), low, high));
    const VF state = mul_add(ft, load_lanes(cell_in + i, n), hn::Mul(it, ct));
    store_lanes(state, cell_out + i, n);
    store_lanes(hn::Mul(ot, h(state)), hidden_out + i, n);
  });
}

// (1 - z) candidate + z state = candidate + z (state - candidate)
HWY_INLINE VF mix(VF z, VF candidate, VF state) { return mul_add(z, hn::Sub(state, candidate), candidate); }

template <typename F>
void gates_of(const GruCell& cell, F f, float* gates, const float* state, float* reset) {
  const VF high = set(cell.clip), low = set(-cell.clip);
  for_vectors(cell.hidden, [&](size_t i, size_t n) HWY_ATTR {
    store_lanes(f(clamp(load_lanes(gates + i, n), low, high)), gates + i, n);
    const VF r = f(clamp(load_lanes(gates + cell.hidden + i, n), low, high));
    store_lanes(hn::Mul(r, load_lanes(state + i, n)), reset + i, n);
  });
}

template <typename G>
void output_of(const GruCell& cell, G g, const float* z, const float* candidate, const float* state,
               float* out) {
  const VF high = set(cell.clip), low = set(-cell.clip);
  for_vectors(cell.hidden, [&](size_t i, size_t n) HWY_ATTR {
    const VF c = g(clamp(load_lanes(candidate + i, n), low, high));
    store_lanes(mix(load_lanes(z + i, n), c, load_lanes(state + i, n)), out + i, n);
  });
}

template <typename F, typename G>
void linear_before_reset(const GruCell& cell, F f, G g, const float* gates, const float* candidate,
                         const float* bias, const float* state_candidate, const float* state, float* out) {
  const VF high = set(cell.clip), low = set(-cell.clip);
  for_vectors(cell.hidden, [&](size_t i, size_t n) HWY_ATTR {
    const VF z = f(clamp(load_lanes(gates + i, n), low, high));
    const VF r = f(clamp(load_lanes(gates + cell.hidden + i, n), low, high));
    VF sum = mul_add(r, load_lanes(state_candidate + i, n), load_lanes(candidate + i, n));
    if (bias != nullptr) sum = hn::Add(sum, load_lanes(bias + i, n));
    store_lanes(mix(z, g(clamp(sum, low, high)), load_lanes(state + i, n)), out + i, n);
  });
}

bool is(const UnaryFunction& function, Unary kind) { return function.kind == kind; }

}  // namespace

void lstm_cell(const LstmCell& cell, const float* gates, const float* cell_in, float* cell_out,
               float* hidden_out) {
  if (is(cell.f, Unary::kSigmoid) && is(cell.g, Unary::kTanh) && is(cell.h, Unary::kTanh)) {
    lstm(cell, SigmoidFunction(), TanhFunction(), TanhFunction(), gates, cell_in, cell_out, hidden_out);
  } else {
    lstm(cell, AnyFunction{cell.f}, AnyFunction{cell.g}, AnyFunction{cell.h}, gates, cell_in, cell_out,
         hidden_out);
  }
}

void gru_gates(const GruCell& cell, float* gates, const float* state, float* reset) {
  if (is(cell.f, Unary::kSigmoid)) return gates_of(cell, SigmoidFunction(), gates, state, reset);
  gates_of(cell, AnyFunction{cell.f}, gates, state, reset);
}

void gru_output(const GruCell& cell, const float* z, const float* candidate, const float* state, float* out) {
  if (is(cell.g, Unary::kTanh)) return output_of(cell, TanhFunction(), z, candidate, state, out);
  output_of(cell, AnyFunction{cell.g}, z, candidate, state, out);
}

void gru_linear_before_reset(const GruCell& cell, const float* gates, const float* candidate,
                             const float* bias, const float* state_candidate, const float* state,
                             float* out) {
  if (is(cell.f, Unary::kSigmoid) && is(cell.g, Unary::kTanh)) {
    linear_before_reset(cell, SigmoidFunction(), TanhFunction(), gates, candidate, bias, state_candidate,
                        state, out);
  } else {
    linear_before_reset(cell, AnyFunction{cell.f}, AnyFunction{cell.g}, gates, candidate, bias,
                        state_candidate, state, out);
  }
}

void rnn_cell(const UnaryFunction& function, float clip, const float* sums, float* out, size_t hidden) {
  if (clip == kNoClip) return apply_unary(function, sums, out, hidden);
  apply_unary({Unary::kClamp, -clip, clip}, sums, out, hidden);
  apply_unary(function, out, out, hidden);
}

}  // namespace wasmvino::kernels
HWY_AFTER_NAMESPACE();
