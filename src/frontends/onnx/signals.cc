// SPDX-License-Identifier: Apache-2.0
// Spectra of signals, and the windows and filters that belong to them.
#include <cmath>
#include <limits>
#include <numbers>

#include "frontends/onnx/families.h"
#include "frontends/onnx/operands.h"

namespace wasmvino::onnx {
namespace {

using namespace frontends::build;  // NOLINT: builder functions are written in terms of these throughout

// The size of the last axis: 1 for real numbers, 2 for pairs of real and imaginary parts.
bool is_complex(Context& c, const Source& x) {
  const PartialShape& shape = c.b().shape(x);
  const size_t rank = c.b().rank(x);
  if (rank < 2 || !shape[rank - 1].is_static() || shape[rank - 1].size() < 1 || shape[rank - 1].size() > 2) {
    fail(ErrorCode::kUnsupported, "transforms ", shape,
         ", expected a last axis of size 1 (real) or 2 (real and imaginary parts)");
  }
  return shape[rank - 1].size() == 2;
}

// Numbers whose imaginary parts are 0.
Source as_complex(Context& c, const Source& x) {
  Ints before(c.b().rank(x), 0), after = before;
  after.back() = 1;
  return c.b().add("Pad", {x, c.b().list(before), c.b().list(after), number_like(c.b(), 0, x)},
                   {{"pad_mode", "constant"}});
}

// The transform of `x` along `axis`. `length` is a list of one number.
Source transform(Context& c, Source x, int64_t axis, const std::optional<Source>& length, bool inverse,
                 bool onesided) {
  model::Builder& b = c.b();
  const auto last = static_cast<int64_t>(b.rank(x)) - 1;
  const bool complex = is_complex(c, x);
  if (axis == last) fail(ErrorCode::kInvalidModel, "transforms the axis of real and imaginary parts, ", axis);
  const auto run = [&](const char* type, const Source& numbers) {
    std::vector<Source> inputs = {numbers, b.list({axis})};
    if (length) inputs.push_back(*length);
    return b.add(type, inputs);
  };
  if (onesided && !inverse && !complex) return run("RDFT", squeeze(b, x, {last}));
  if (!complex) x = as_complex(c, x);
  if (inverse) return onesided ? unsqueeze(b, run("IRDFT", x), {last}) : run("IDFT", x);
  const Source all = run("DFT", x);
  if (!onesided) return all;
  const Source half = b.add("Divide", {size_of(b, all, axis), b.list({2})});
  return b.add("Slice", {all, b.list({0}), b.add("Add", {half, b.list({1})}), b.list({1}), b.list({axis})});
}

std::optional<Source> list_of_one(Context& c, size_t i) {
  if (!c.has_input(i)) return std::nullopt;
  return reshape(c.b(), convert(c.b(), c.input(i), ElementType::kI64), Ints{1});
}

void dft_along(Context& c, int64_t axis) {
  const Source x = c.input();
  c.give(
      transform(c, x, c.axis(axis, c.b().rank(x)), list_of_one(c, 1), c.flag("inverse"), c.flag("onesided")));
}
void legacy_dft(Context& c) { dft_along(c, c.integer("axis", 1)); }
void dft(Context& c) {
  if (!c.has_input(2)) return dft_along(c, -2);
  const auto axis = c.b().known_ints(c.input(2));
  if (!axis || axis->size() != 1)
    fail(ErrorCode::kUnsupported, "its axis is computed by the graph, expected a constant");
  dft_along(c, (*axis)[0]);
}

// The frames of a signal [batch, samples, parts] as [batch, frames, length, parts].
Source frames_of(Context& c, const Source& signal, const Source& step, const Source& length) {
  model::Builder& b = c.b();
  const auto scalar = [&](const Source& list) { return squeeze(b, list, {0}); };
  const Source moves = b.add("Divide", {b.add("Subtract", {size_of(b, signal, 1), length}), step});
  const Source count = b.add("Add", {moves, b.list({1})});
  const Source begins = b.add("Multiply", {range_to(b, scalar(count)), step});
  const Source places = b.add("Add", {unsqueeze(b, begins, {1}), range_to(b, scalar(length))});
  return b.add("Gather", {signal, places, b.scalar(int64_t{1})});
}

void stft(Context& c) {
  model::Builder& b = c.b();
  Source signal = c.input(0);
  if (b.rank(signal) == 2) signal = unsqueeze(b, signal, {2});
  if (b.rank(signal) != 3)
    fail(ErrorCode::kInvalidModel, "its signal is ", b.shape(signal), ", expected [batch, samples, parts]");
  const Source step = *list_of_one(c, 1);
  auto window = c.find_input(2);
  auto length = list_of_one(c, 3);
  if (!length && !window) fail(ErrorCode::kInvalidModel, "has neither a window nor a frame_length");
  if (!length) length = size_of(b, *window, 0);
  const bool onesided = c.flag("onesided", true);
  if (!window) window = filled(b, 1, *length, signal);
  if (onesided && !is_complex(c, signal)) {
    return c.give(b.add("STFT",
                        {squeeze(b, signal, {2}), *window, squeeze(b, *length, {0}), squeeze(b, step, {0})},
                        {{"transpose_frames", false}}));
  }
  const Source frames = frames_of(c, signal, step, *length);
  c.give(transform(c, b.add("Multiply", {frames, unsqueeze(b, *window, {1})}), 2, std::nullopt, false,
                   onesided));
}

// The sum of factor * cos(2 pi n k / N) over the factors k = 0, 1 ..., for n = 0 to size - 1.
void window_of(Context& c, std::initializer_list<double> factors) {
  model::Builder& b = c.b();
  const auto number = [&](double value) { return b.scalar(value, ElementType::kF64); };
  const Source size = index_scalar(c, c.input());
  const Source n = convert(b, range_to(b, size), ElementType::kF64);
  const Source all = convert(b, size, ElementType::kF64);
  const Source period = c.flag("periodic", true) ? all : b.add("Subtract", {all, number(1)});
  const Source turns = b.add("Divide", {b.add("Multiply", {n, number(2 * std::numbers::pi)}), period});
  std::optional<Source> sum;
  double k = 0;
  for (const double factor : factors) {
    const Source wave =
        b.add("Multiply", {b.add("Cos", {b.add("Multiply", {turns, number(k)})}), number(factor)});
    sum = sum ? b.add("Add", {*sum, wave}) : wave;
    ++k;
  }
  c.give(convert(b, *sum, c.element_type("output_datatype", ElementType::kF32)));
}
void hann(Context& c) { window_of(c, {0.5, -0.5}); }
void hamming(Context& c) { window_of(c, {25.0 / 46, -21.0 / 46}); }
void blackman(Context& c) { window_of(c, {0.42, -0.5, 0.08}); }

// Triangles over the bins of a spectrum, whose corners are equally far apart in mel.
void mel_weight_matrix(Context& c) {
  model::Builder& b = c.b();
  const auto number = [&](double value) { return b.scalar(value, ElementType::kF64); };
  const auto real = [&](size_t i) { return reshape(b, convert(b, c.input(i), ElementType::kF64), Ints()); };
  const double scale = 2595 / std::numbers::ln10;
  const auto mel = [&](size_t i) {
    const Source ratio = b.add("Add", {b.add("Divide", {real(i), number(700)}), number(1)});
    return b.add("Multiply", {b.add("Log", {ratio}), number(scale)});
  };
  const Source bands = index_scalar(c, c.input(0));
  const Source corners = b.add("Add", {bands, b.scalar(int64_t{2})});
  const Source low = mel(3);
  const Source step =
      b.add("Divide", {b.add("Subtract", {mel(4), low}), convert(b, corners, ElementType::kF64)});
  const Source mels =
      b.add("Add", {b.add("Multiply", {convert(b, range_to(b, corners), ElementType::kF64), step}), low});
  const Source hertz = b.add(
      "Multiply",
      {b.add("Subtract", {b.add("Exp", {b.add("Divide", {mels, number(scale)})}), number(1)}), number(700)});
  const Source length = index_scalar(c, c.input(1));
  const Source places = b.add(
      "Floor",
      {b.add("Divide",
             {b.add("Multiply", {b.add("Add", {convert(b, length, ElementType::kF64), number(1)}), hertz}),
              real(2)})});
  // Corner `i` of each band.
  const auto corner = [&](int64_t i) {
    return b.add("Slice", {places, b.list({i}),
                           i == 2 ? b.list({std::numeric_limits<int64_t>::max()}) : b.list({i - 2}),
                           b.list({1}), b.list({0})});
  };
  const Source left = corner(0), center = corner(1), right = corner(2);
  const Source bins = b.add("Add", {b.add("Divide", {length, b.scalar(int64_t{2})}), b.scalar(int64_t{1})});
  const Source bin = unsqueeze(b, convert(b, range_to(b, bins), ElementType::kF64), {1});
  const auto slope = [&](const Source& up, const Source& width) {
    const Source none = b.add("Equal", {width, number(0)});
    return b.add("Select",
                 {none, number(1), b.add("Divide", {up, b.add("Select", {none, number(1), width})})});
  };
  const auto both = [&](const Source& x, const Source& y) { return b.add("LogicalAnd", {x, y}); };
  const Source rising = slope(b.add("Subtract", {bin, left}), b.add("Subtract", {center, left}));
  const Source falling = slope(b.add("Subtract", {right, bin}), b.add("Subtract", {right, center}));
  const Source rises = both(b.add("GreaterEqual", {bin, left}), b.add("LessEqual", {bin, center}));
  const Source falls = both(b.add("GreaterEqual", {bin, center}), b.add("Less", {bin, right}));
  const Source weights = b.add("Select", {falls, falling, b.add("Select", {rises, rising, number(0)})});
  c.give(convert(b, weights, c.element_type("output_datatype", ElementType::kF32)));
}

constexpr Entry kEntries[] = {
    {"BlackmanWindow", kAllOpsets, blackman, "Cos"},
    {"DFT", until(19), legacy_dft, "DFT RDFT IDFT IRDFT"},
    {"DFT", since(20), dft, "DFT RDFT IDFT IRDFT"},
    {"HammingWindow", kAllOpsets, hamming, "Cos"},
    {"HannWindow", kAllOpsets, hann, "Cos"},
    {"MelWeightMatrix", kAllOpsets, mel_weight_matrix, "Select"},
    {"STFT", kAllOpsets, stft, "STFT DFT"},
};

}  // namespace

std::span<const Entry> signals() { return kEntries; }

}  // namespace wasmvino::onnx
