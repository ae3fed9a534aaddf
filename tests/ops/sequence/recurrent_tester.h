// SPDX-License-Identifier: Apache-2.0
// The specifications' formulas of RNN, GRU and LSTM in f64, one step of one row at a time.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "tests/ops/open_inputs.h"

namespace wasmvino::test {

using Function = std::function<double(double)>;

inline double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

inline Function function_named(const std::string& name, double alpha = 0.2, double beta = 0.5) {
  if (name == "sigmoid") return sigmoid;
  if (name == "tanh") return [](double x) { return std::tanh(x); };
  if (name == "relu") return [](double x) { return std::max(x, 0.0); };
  return [=](double x) { return std::clamp(alpha * x + beta, 0.0, 1.0); };
}

struct Weights {
  size_t gates, input, hidden;
  bool linear_before_reset = false;
  const float *w, *r, *b;  // b may be null
};

struct Formula {
  std::vector<Function> functions;
  double clip = 0;
};

inline Tensor random_tensor(const Shape& shape, unsigned seed, float scale = 1.0f) {
  Tensor tensor(ElementType::kF32, shape);
  uint32_t state = seed * 2654435761u + 12345u;
  for (size_t i = 0; i < tensor.size(); ++i) {
    state = state * 1664525u + 1013904223u;
    tensor.mutable_data<float>()[i] = scale * (static_cast<float>(state >> 8) / 8388608.0f - 1.0f);
  }
  return tensor;
}

// W[gate] x (or R[gate] h) for element j.
inline double dot(const float* matrix, size_t gate, size_t j, size_t hidden, size_t columns,
                  const double* vector) {
  double sum = 0;
  for (size_t k = 0; k < columns; ++k)
    sum += static_cast<double>(matrix[(gate * hidden + j) * columns + k]) * vector[k];
  return sum;
}

// Updates h and c to the states after a step.
inline void step(const Weights& m, const Formula& formula, const std::vector<double>& x,
                 std::vector<double>& h, std::vector<double>& c) {
  const size_t n = m.hidden;
  const auto w = [&](size_t gate, size_t j) { return dot(m.w, gate, j, n, m.input, x.data()); };
  const auto r = [&](size_t gate, size_t j, const std::vector<double>& v) {
    return dot(m.r, gate, j, n, n, v.data());
  };
  const auto b = [&](size_t gate, size_t j) {
    return m.b == nullptr ? 0.0 : static_cast<double>(m.b[gate * n + j]);
  };
  const auto clip = [&](double v) {
    return formula.clip > 0 ? std::clamp(v, -formula.clip, formula.clip) : v;
  };
  const Function& f = formula.functions[0];
  std::vector<double> next(n);
  if (m.gates == 1) {
    for (size_t j = 0; j < n; ++j) next[j] = f(clip(w(0, j) + r(0, j, h) + b(0, j)));
  } else if (m.gates == 4) {
    const Function& g = formula.functions[1];
    for (size_t j = 0; j < n; ++j) {
      double gate[4];
      for (size_t i = 0; i < 4; ++i) gate[i] = clip(w(i, j) + r(i, j, h) + b(i, j));
      c[j] = f(gate[0]) * c[j] + f(gate[1]) * g(gate[2]);
      next[j] = f(gate[3]) * formula.functions[2](c[j]);
    }
  } else {
    const Function& g = formula.functions[1];
    std::vector<double> reset(n), gated(n);
    for (size_t j = 0; j < n; ++j) {
      reset[j] = f(clip(w(1, j) + r(1, j, h) + b(1, j)));
      gated[j] = reset[j] * h[j];
    }
    for (size_t j = 0; j < n; ++j) {
      const double z = f(clip(w(0, j) + r(0, j, h) + b(0, j)));
      const double sum = m.linear_before_reset ? w(2, j) + b(2, j) + reset[j] * (r(2, j, h) + b(3, j))
                                               : w(2, j) + r(2, j, gated) + b(2, j);
      next[j] = (1 - z) * g(clip(sum)) + z * h[j];
    }
  }
  h = next;
}

inline std::vector<double> row(const float* values, size_t count) { return {values, values + count}; }

// A cell with `gates` gates and random data, compared with the formulas.
struct CellCase {
  std::string type;
  int opset;
  size_t gates;
  int64_t batch, input, hidden;
  model::AttributeTexts attributes = {};
  bool linear_before_reset = false;
  bool bias = true;
  Formula formula;
};

inline void expect_cell(const CellCase& t) {
  SCOPED_TRACE(testing::Message() << t.type << " batch " << t.batch << " input " << t.input << " hidden "
                                  << t.hidden);
  const auto gates = static_cast<int64_t>(t.gates);
  const bool lstm = t.gates == 4;
  const Tensor x = random_tensor({t.batch, t.input}, 1, 2), h = random_tensor({t.batch, t.hidden}, 2);
  const Tensor c = random_tensor({t.batch, t.hidden}, 3), w = random_tensor({gates * t.hidden, t.input}, 4);
  const Tensor r = random_tensor({gates * t.hidden, t.hidden}, 5);
  const Tensor b = random_tensor({(gates + (t.linear_before_reset ? 1 : 0)) * t.hidden}, 6);
  const auto n = static_cast<size_t>(t.hidden), d = static_cast<size_t>(t.input);
  const Weights weights = {t.gates,
                           d,
                           n,
                           t.linear_before_reset,
                           w.data<float>(),
                           r.data<float>(),
                           t.bias ? b.data<float>() : nullptr};
  std::vector<float> h_expected, c_expected;
  for (size_t i = 0; i < static_cast<size_t>(t.batch); ++i) {
    std::vector<double> h_row = row(h.data<float>() + i * n, n), c_row = row(c.data<float>() + i * n, n);
    step(weights, t.formula, row(x.data<float>() + i * d, d), h_row, c_row);
    h_expected.insert(h_expected.end(), h_row.begin(), h_row.end());
    c_expected.insert(c_expected.end(), c_row.begin(), c_row.end());
  }
  std::vector<Tensor> inputs = {x, h};
  if (lstm) inputs.push_back(c);
  const size_t first = inputs.size();
  inputs.insert(inputs.end(), {w, r});
  if (t.bias) inputs.push_back(b);
  model::AttributeTexts attributes = t.attributes;
  attributes.emplace_back("hidden_size", std::to_string(t.hidden));
  attributes.emplace_back("linear_before_reset", t.linear_before_reset ? "true" : "false");
  const std::vector<std::vector<size_t>> known = {{}, {first, first + 1}, {first}};
  for (const auto& constants : known) {
    for (const size_t threads : {1, 2}) {
      const auto outputs = run_op_open(t.type, t.opset, attributes, inputs, lstm ? 2 : 1, constants, threads);
      expect_near(outputs[0], h.shape(), h_expected, 1e-5f);
      if (lstm) expect_near(outputs[1], c.shape(), c_expected, 1e-5f);
    }
  }
}

// The same for sequences, in all directions, with full, shorter and zero lengths.
inline void expect_sequences(const std::string& type, size_t gates, const Formula& formula,
                             const model::AttributeTexts& attributes = {}, bool linear_before_reset = false) {
  const int64_t batch = 3, input = 4, hidden = 5;
  const bool lstm = gates == 4;
  for (const int64_t length : {1, 6}) {
    for (const std::string direction : {"forward", "reverse", "bidirectional"}) {
      for (const bool full : {true, false}) {
        SCOPED_TRACE(testing::Message()
                     << type << ' ' << direction << (full ? " full " : " short ") << length);
        const int64_t directions = direction == "bidirectional" ? 2 : 1;
        const auto rows = static_cast<int64_t>(gates) * hidden;
        const int64_t bias_rows = rows + (linear_before_reset ? hidden : 0);
        const Tensor x = random_tensor({batch, length, input}, 1, 2),
                     h = random_tensor({batch, directions, hidden}, 2);
        const Tensor c = random_tensor({batch, directions, hidden}, 3),
                     w = random_tensor({directions, rows, input}, 4);
        const Tensor r = random_tensor({directions, rows, hidden}, 5),
                     b = random_tensor({directions, bias_rows}, 6);
        const Tensor lengths = full ? Tensor::of<int64_t>({3}, {length, length, length})
                                    : Tensor::of<int64_t>({3}, {(length + 1) / 2, 0, length});
        const auto n = static_cast<size_t>(hidden), d = static_cast<size_t>(input),
                   t_all = static_cast<size_t>(length);
        std::vector<float> y(element_count({batch, directions, length, hidden})), h_last(h.size()),
            c_last(h.size());
        for (size_t i = 0; i < static_cast<size_t>(batch); ++i) {
          for (size_t k = 0; k < static_cast<size_t>(directions); ++k) {
            const Weights weights = {gates,
                                     d,
                                     n,
                                     linear_before_reset,
                                     w.data<float>() + k * static_cast<size_t>(rows * input),
                                     r.data<float>() + k * static_cast<size_t>(rows * hidden),
                                     b.data<float>() + k * static_cast<size_t>(bias_rows)};
            const size_t state = (i * static_cast<size_t>(directions) + k) * n;
            std::vector<double> h_row = row(h.data<float>() + state, n),
                                c_row = row(c.data<float>() + state, n);
            const auto steps = static_cast<size_t>(lengths.data<int64_t>()[i]);
            for (size_t s = 0; s < steps; ++s) {
              const size_t t = direction == "reverse" || k == 1 ? steps - 1 - s : s;
              step(weights, formula, row(x.data<float>() + (i * t_all + t) * d, d), h_row, c_row);
              std::copy(h_row.begin(), h_row.end(),
                        y.begin() + static_cast<std::ptrdiff_t>(
                                        ((i * static_cast<size_t>(directions) + k) * t_all + t) * n));
            }
            if (steps == 0) h_row.assign(n, 0), c_row.assign(n, 0);
            std::copy(h_row.begin(), h_row.end(), h_last.begin() + static_cast<std::ptrdiff_t>(state));
            std::copy(c_row.begin(), c_row.end(), c_last.begin() + static_cast<std::ptrdiff_t>(state));
          }
        }
        std::vector<Tensor> inputs = {x, h};
        if (lstm) inputs.push_back(c);
        const size_t first = inputs.size() + 1;
        inputs.insert(inputs.end(), {lengths, w, r, b});
        model::AttributeTexts texts = attributes;
        texts.emplace_back("hidden_size", std::to_string(hidden));
        texts.emplace_back("direction", direction);
        texts.emplace_back("linear_before_reset", linear_before_reset ? "true" : "false");
        const std::vector<std::vector<size_t>> known = {{}, {first, first + 1, first + 2}};
        for (const auto& constants : known) {
          for (const size_t threads : {1, 2}) {
            const auto outputs = run_op_open(type, 5, texts, inputs, lstm ? 3 : 2, constants, threads);
            expect_near(outputs[0], {batch, directions, length, hidden}, y, 1e-5f);
            expect_near(outputs[1], h.shape(), h_last, 1e-5f);
            if (lstm) expect_near(outputs[2], h.shape(), c_last, 1e-5f);
          }
        }
      }
    }
  }
}

}  // namespace wasmvino::test
