// SPDX-License-Identifier: Apache-2.0
#include "kernels/recurrent.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/kernels/activation_reference.h"
#include "tests/kernels/random.h"

namespace wasmvino::kernels {
namespace {

double clipped(double x, float clip) { return std::clamp<double>(x, -clip, clip); }

constexpr UnaryFunction kSigmoid = {Unary::kSigmoid}, kTanh = {Unary::kTanh}, kRelu = {Unary::kRelu},
                        kHardSigmoid = {Unary::kHardSigmoid, 0.3f, 0.4f};
constexpr size_t kSizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 16, 33};
constexpr float kClips[] = {kNoClip, 0.7f};

TEST(LstmCell, MatchesItsDefinition) {
  for (size_t n : kSizes) {
    for (float clip : kClips) {
      for (int form = 0; form < 3; ++form) {
        LstmCell cell;
        cell.hidden = n;
        cell.clip = clip;
        if (form == 1) cell.f = kHardSigmoid, cell.g = kRelu, cell.h = kSigmoid;
        if (form == 2) cell.input = 0, cell.output = 1, cell.forget = 2, cell.cell = 3;
        std::vector<float> gates = random_floats(4 * n, 1), state = random_floats(n, 2);
        for (float& x : gates) x *= 3;
        std::vector<float> c(n + 1, 99), h(n + 1, 99);
        lstm_cell(cell, gates.data(), state.data(), c.data(), h.data());
        for (size_t i = 0; i < n; ++i) {
          const auto sum = [&](size_t gate) { return clipped(gates[gate * n + i], clip); };
          const double expected_c = activated(cell.f, sum(cell.forget)) * state[i] +
                                    activated(cell.f, sum(cell.input)) * activated(cell.g, sum(cell.cell));
          EXPECT_NEAR(c[i], expected_c, 1e-6);
          EXPECT_NEAR(h[i], activated(cell.f, sum(cell.output)) * activated(cell.h, expected_c), 1e-6);
        }
        EXPECT_EQ(c[n], 99);
        EXPECT_EQ(h[n], 99);
        std::vector<float> in_place = state;
        lstm_cell(cell, gates.data(), in_place.data(), in_place.data(), h.data());
        for (size_t i = 0; i < n; ++i) EXPECT_EQ(in_place[i], c[i]);
      }
    }
  }
}

TEST(GruCell, ResetBeforeTheProduct) {
  for (size_t n : kSizes) {
    for (float clip : kClips) {
      for (bool usual : {true, false}) {
        GruCell cell;
        cell.hidden = n;
        cell.clip = clip;
        if (!usual) cell.f = kHardSigmoid, cell.g = kRelu;
        std::vector<float> gates = random_floats(2 * n, 1), state = random_floats(n, 2),
                           candidate = random_floats(n, 3);
        const std::vector<float> sums = gates;
        std::vector<float> reset(n + 1, 99), out(n + 1, 99);
        gru_gates(cell, gates.data(), state.data(), reset.data());
        gru_output(cell, gates.data(), candidate.data(), state.data(), out.data());
        for (size_t i = 0; i < n; ++i) {
          const double z = activated(cell.f, clipped(sums[i], clip)),
                       r = activated(cell.f, clipped(sums[n + i], clip));
          EXPECT_NEAR(reset[i], r * state[i], 1e-6);
          const double c = activated(cell.g, clipped(candidate[i], clip));
          EXPECT_NEAR(out[i], (1 - z) * c + z * state[i], 1e-6);
        }
        EXPECT_EQ(reset[n], 99);
        EXPECT_EQ(out[n], 99);
        gru_output(cell, gates.data(), candidate.data(), state.data(), state.data());
        for (size_t i = 0; i < n; ++i) EXPECT_EQ(state[i], out[i]);
      }
    }
  }
}

TEST(GruCell, LinearBeforeReset) {
  for (size_t n : kSizes) {
    for (float clip : kClips) {
      for (bool usual : {true, false}) {
        GruCell cell;
        cell.hidden = n;
        cell.clip = clip;
        if (!usual) cell.f = kHardSigmoid, cell.g = kRelu;
        const std::vector<float> gates = random_floats(2 * n, 1), candidate = random_floats(n, 3),
                                 recurrent = random_floats(n, 4), bias = random_floats(n, 5);
        std::vector<float> state = random_floats(n, 2), out(n + 1, 99);
        const float* const added = usual ? bias.data() : nullptr;
        gru_linear_before_reset(cell, gates.data(), candidate.data(), added, recurrent.data(), state.data(),
                                out.data());
        for (size_t i = 0; i < n; ++i) {
          const double z = activated(cell.f, clipped(gates[i], clip)),
                       r = activated(cell.f, clipped(gates[n + i], clip));
          const double x = candidate[i] + (usual ? bias[i] : 0.0f);
          const double c = activated(cell.g, clipped(x + r * recurrent[i], clip));
          EXPECT_NEAR(out[i], (1 - z) * c + z * state[i], 1e-6);
        }
        EXPECT_EQ(out[n], 99);
        gru_linear_before_reset(cell, gates.data(), candidate.data(), added, recurrent.data(), state.data(),
                                state.data());
        for (size_t i = 0; i < n; ++i) EXPECT_EQ(state[i], out[i]);
      }
    }
  }
}

TEST(RnnCell, ClipsAndActivates) {
  for (size_t n : kSizes) {
    for (float clip : kClips) {
      const std::vector<float> sums = random_floats(n, 1);
      std::vector<float> out(n + 1, 99);
      rnn_cell(kTanh, clip, sums.data(), out.data(), n);
      for (size_t i = 0; i < n; ++i) EXPECT_NEAR(out[i], std::tanh(clipped(sums[i], clip)), 1e-6);
      EXPECT_EQ(out[n], 99);
    }
  }
}

}  // namespace
}  // namespace wasmvino::kernels
