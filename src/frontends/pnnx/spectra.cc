// SPDX-License-Identifier: Apache-2.0
// Fourier transforms, of whole axes and of overlapping frames.
#include <cmath>
#include <limits>

#include "frontends/pnnx/complex.h"
#include "frontends/pnnx/families.h"
#include "frontends/pnnx/functions.h"

namespace wasmvino::pnnx {
namespace {

// Of sizes and lengths in a file, so that sums of them do not overflow.
constexpr int64_t kLargest = int64_t{1} << 30;

// x * count^exponent. The count is the product of the lengths of a transform.
Source scaled(Context& c, Source x, const std::vector<Source>& lengths, double exponent) {
  if (exponent == 0) return x;
  const ElementType type = c.b().type(x);
  double known = 1;
  for (const Source length : lengths) {
    if (const auto value = c.b().known_ints(length)) {
      known *= static_cast<double>((*value)[0]);
    } else {
      const Source factor = with_number(c, "Power", convert(c, length, type), exponent);
      x = c.b().add("Multiply", {x, factor});
    }
  }
  return with_number(c, "Multiply", x, std::pow(known, exponent));
}

// torch.fft.*: [i]fft of complex numbers, [i]rfft from and to real numbers, [i]hfft to and from real numbers.
void fourier(Context& c) {
  std::string_view name = c.op().type;
  name.remove_prefix(name.rfind('.') + 1);
  const bool inverse = name[0] == 'i';
  const char kind = name[inverse ? 1 : 0], form = name.back();
  const bool hermitian = kind == 'h';
  const bool from_real = (kind == 'r' && !inverse) || (hermitian && inverse);
  const bool to_real = (kind == 'r' && inverse) || (hermitian && !inverse);
  // Transforms to hermitian numbers are inverse ones of conjugates, whose results are divided by the count.
  const bool divides = hermitian ? !inverse : inverse;

  Source x = from_real ? as_real(c, c.input(0)) : complex_input(c, 0);
  const size_t rank = c.b().rank(x) - (from_real ? 0 : 1);
  const char* const size_name = form == 't' ? "n" : "s";
  // Sizes that the graph computes are one list.
  const bool computed = c.is_marked(size_name);
  const Source given_sizes =
      computed ? reshape(c, convert(c, c.required_input(size_name, 1), ElementType::kI64), {-1}) : Source();
  const Ints sizes = !computed && c.has(size_name) ? c.ints(size_name) : Ints{};
  Ints axes;
  if (c.has("dim")) {
    axes = c.ints("dim");
  } else if (form == 'n') {
    size_t count = sizes.empty() ? rank : sizes.size();
    if (computed && c.b().shape(given_sizes)[0].is_static())
      count = static_cast<size_t>(c.b().shape(given_sizes)[0].size());
    for (size_t i = count; i > 0; --i) axes.push_back(-static_cast<int64_t>(i));
  } else {
    axes = form == '2' ? Ints{-2, -1} : Ints{-1};
  }
  for (int64_t& axis : axes) axis = c.axis(axis, rank);
  if (!sizes.empty() && sizes.size() != axes.size()) {
    fail(ErrorCode::kInvalidModel, "has ", sizes.size(), " sizes for ", axes.size(), " axes");
  }

  if (to_real && hermitian) x = conjugate(c, x);
  std::vector<Source> lengths;
  for (size_t i = 0; i < axes.size(); ++i) {
    const bool given = computed || (!sizes.empty() && sizes[i] != -1);
    const int64_t place = static_cast<int64_t>(i);
    Source length = computed ? slice(c, given_sizes, 0, place, place + 1)
                    : given  ? c.b().list({sizes[i]})
                             : size_of(c, x, axes[i]);
    if (!given && to_real && i + 1 == axes.size()) {
      // n real numbers have n / 2 + 1 complex ones. Without a given size, n is even.
      length = with_number(c, "Multiply", with_number(c, "Subtract", length, 1), 2);
    }
    lengths.push_back(length);
  }
  std::vector<Source> inputs = {x, c.b().list(axes)};
  if (computed || !sizes.empty()) inputs.push_back(concat_lists(c, lengths));
  Source result = c.b().add(from_real ? "RDFT" : to_real ? "IRDFT" : divides ? "IDFT" : "DFT", inputs);
  if (from_real && hermitian) result = conjugate(c, result);

  const std::string norm = c.word("norm", "backward");
  if (norm != "backward" && norm != "ortho" && norm != "forward") {
    fail(ErrorCode::kInvalidModel, "has the unknown norm '", norm, "'");
  }
  const bool other = (norm == "forward") != hermitian;
  const double exponent = norm == "ortho" ? 0.5 : other ? 1 : 0;
  result = scaled(c, result, lengths, divides ? exponent : -exponent);
  if (to_real) {
    c.give(result);
  } else {
    c.give_complex(result);
  }
}

struct Frames {
  int64_t size, step;
  Source window;
  bool center, normalized, onesided;
};

// Element types of the window and of the signal are the same.
Frames frames_of(Context& c, ElementType type, bool onesided) {
  Frames frames;
  frames.size = c.integer("n_fft");
  if (frames.size < 1 || frames.size > kLargest) {
    fail(ErrorCode::kInvalidModel, "has frames of ", frames.size, " elements");
  }
  frames.step = c.integer("hop_length", frames.size / 4);
  const auto window = c.find("window") ? std::nullopt : c.find_input("window", 1);
  const Source length = c.b().list({c.integer("win_length", frames.size)});
  frames.window =
      window ? convert(c, *window, type) : c.b().add("Broadcast", {c.b().scalar(1, type), length});
  frames.center = c.flag("center", true);
  frames.normalized = false;
  frames.onesided = c.flag("onesided", onesided);
  return frames;
}

std::vector<Source> frame_inputs(Context& c, const Source& data, const Frames& frames) {
  return {data, frames.window, c.b().scalar(frames.size), c.b().scalar(frames.step)};
}

// The axes from the first to the one `kept` from the end become one, as the operations have it.
Source flat(Context& c, const Source& x, size_t kept) {
  const size_t rank = c.b().rank(x);
  return rank > kept + 1 ? reshape_axes(c, x, 0, rank - kept, {-1}) : x;
}

// The first axis of a result becomes those that flat() joined.
Source unflat(Context& c, const Source& result, const Source& original, size_t kept) {
  const size_t rank = c.b().rank(original);
  if (rank <= kept + 1) return result;
  std::vector<Source> sizes;
  for (size_t i = 0; i < rank - kept; ++i) sizes.push_back(size_of(c, original, static_cast<int64_t>(i)));
  for (size_t i = 1; i < c.b().rank(result); ++i)
    sizes.push_back(size_of(c, result, static_cast<int64_t>(i)));
  return c.b().add("Reshape", {result, concat_lists(c, sizes)}, {{"special_zero", false}});
}

// The bins of frequencies size - 1 down to size / 2 + 1 are, of real signals, the conjugates of bins 1
// upwards.
Source mirrored(Context& c, const Source& spectrum, int64_t size) {
  const int64_t axis = static_cast<int64_t>(c.b().rank(spectrum)) - 3;
  const int64_t first = size - size / 2 - 1;
  if (first < 1) return spectrum;
  return concat(c, {spectrum, conjugate(c, slice(c, spectrum, axis, first, 0, -1))}, axis);
}

// [..., length] to [..., bins, frames, 2]
Source spectrum_of(Context& c, const Source& signal, const Frames& frames) {
  Source x = flat(c, signal, 1);
  const std::string mode = c.word("pad_mode", "reflect");
  if (frames.center) x = pad(c, x, {frames.size / 2, frames.size / 2}, mode, {0, true, {}});
  Source result = c.b().add("STFT", frame_inputs(c, x, frames), {{"transpose_frames", true}});
  if (!frames.onesided) result = mirrored(c, result, frames.size);
  if (frames.normalized) {
    result = with_number(c, "Multiply", result, 1 / std::sqrt(static_cast<double>(frames.size)));
  }
  return unflat(c, result, signal, 1);
}

// Half of a spectrum, [..., bins, frames, 2], to a real signal, [..., length]
Source signal_of(Context& c, const Source& half, const Frames& frames, const std::optional<Source>& length) {
  std::vector<Source> inputs = frame_inputs(c, flat(c, half, 3), frames);
  if (length) inputs.push_back(*length);
  const Source result =
      c.b().add("ISTFT", inputs, {{"center", frames.center}, {"normalized", frames.normalized}});
  return unflat(c, result, half, 3);
}

Source first_bins(Context& c, const Source& spectrum, const Frames& frames) {
  const int64_t axis = static_cast<int64_t>(c.b().rank(spectrum)) - 3;
  return slice(c, spectrum, axis, 0, frames.size / 2 + 1);
}

std::optional<Source> length_of(Context& c) {
  if (!c.has("length")) return std::nullopt;
  const Scalar length = c.number("length");
  if (length.known && !(*length.known >= 0 && *length.known <= kLargest))
    fail(ErrorCode::kInvalidModel, "makes a signal of ", *length.known, " elements");
  return number_as(c, length, ElementType::kI64);
}

void refuse_alignment(Context& c) {
  if (c.flag("align_to_window", false)) {
    fail(ErrorCode::kUnsupported, "aligns frames to windows (", c.op().parameter_text, ")");
  }
}

void stft(Context& c) {
  refuse_alignment(c);
  const Source signal = as_real(c, c.input(0));
  Frames frames = frames_of(c, c.b().type(signal), true);
  frames.normalized = c.flag("normalized", false);
  const Source result = spectrum_of(c, signal, frames);
  if (c.flag("return_complex", true)) {
    c.give_complex(result);
  } else {
    c.give(result);
  }
}

void istft(Context& c) {
  const Source z = complex_input(c, 0);
  const size_t rank = c.b().rank(z);
  if (rank < 3) fail(ErrorCode::kInvalidShape, "its input has ", rank - 1, " axes, expected 2 or 3");
  const PartialShape& shape = c.b().shape(z);
  Frames frames = frames_of(c, c.b().type(z), !shape[rank - 3].compatible(c.integer("n_fft")));
  frames.normalized = c.flag("normalized", false);
  const std::optional<Source> length = length_of(c);
  if (!c.flag("return_complex", false)) {
    c.give(signal_of(c, frames.onesided ? z : first_bins(c, z, frames), frames, length));
    return;
  }
  if (frames.onesided) fail(ErrorCode::kInvalidModel, "makes a complex signal of half of a spectrum");
  // The spectra of the real and the imaginary part of the signal: (z + w) / 2 and (z - w) / 2i, where w is
  // the conjugate of z at negative frequencies. Bin 0 stays, the others change places.
  const int64_t axis = static_cast<int64_t>(rank) - 3;
  constexpr int64_t kEnd = std::numeric_limits<int64_t>::min();
  Source w = slice(c, z, axis, 0, 1);
  if (frames.size > 1)
    w = concat(c, {w, slice(c, slice(c, z, axis, 1, frames.size), axis, -1, kEnd, -1)}, axis);
  w = conjugate(c, w);
  const Source even = with_number(c, "Multiply", c.b().add("Add", {z, w}), 0.5);
  const Source odd = with_number(c, "Multiply", c.b().add("Subtract", {z, w}), 0.5);
  // Division by i turns (a, b) into (b, -a).
  const Source turned = join_parts(c, imaginary_part(c, odd), c.b().add("Negative", {real_part(c, odd)}));
  c.give_complex(join_parts(c, signal_of(c, first_bins(c, even, frames), frames, length),
                            signal_of(c, first_bins(c, turned, frames), frames, length)));
}

// Elements that torchaudio adds on both sides of a signal.
int64_t margin_of(Context& c) {
  const int64_t margin = c.integer("pad", 0);
  if (margin < 0 || margin > kLargest)
    fail(ErrorCode::kInvalidModel, "pads the signal with ", margin, " elements");
  return margin;
}

// How torchaudio normalises: by the square root of the size of frames, by the norm of the window, or not.
enum class Norm { kNone, kFrame, kWindow };

Norm norm_of(Context& c) {
  const Parameter* given = c.find("normalized");
  if (given != nullptr && std::holds_alternative<std::string>(*given)) {
    const std::string word = c.word("normalized", "");
    if (word == "frame_length") return Norm::kFrame;
    if (word == "window") return Norm::kWindow;
    fail(ErrorCode::kInvalidModel, "is normalised by the unknown '", word, "'");
  }
  return c.flag("normalized", false) ? Norm::kWindow : Norm::kNone;
}

Source window_norm(Context& c, const Frames& frames) {
  return reduce(c, "ReduceL2", frames.window, {0}, false);
}

void spectrogram(Context& c) {
  Source signal = as_real(c, c.input(0));
  const int64_t margin = margin_of(c);
  if (margin != 0) signal = pad_with_zeros(c, signal, {margin, margin});
  Frames frames = frames_of(c, c.b().type(signal), true);
  const Norm norm = norm_of(c);
  frames.normalized = norm == Norm::kFrame;
  Source result = spectrum_of(c, signal, frames);
  if (norm == Norm::kWindow) result = c.b().add("Divide", {result, window_norm(c, frames)});
  if (!c.has("power")) {
    c.give_complex(result);
    return;
  }
  result = complex_unary(c, "abs", result).value;
  const double power = c.real("power");
  c.give(power == 1 ? result : with_number(c, "Power", result, power));
}

void inverse_spectrogram(Context& c) {
  Source z = complex_input(c, 0);
  Frames frames = frames_of(c, c.b().type(z), true);
  const Norm norm = norm_of(c);
  frames.normalized = norm == Norm::kFrame;
  if (norm == Norm::kWindow) z = c.b().add("Multiply", {z, window_norm(c, frames)});
  if (!frames.onesided) z = first_bins(c, z, frames);
  const int64_t margin = margin_of(c);
  std::optional<Source> length = length_of(c);
  if (length && margin > 0) length = with_number(c, "Add", *length, static_cast<double>(2 * margin));
  Source result = signal_of(c, z, frames, length);
  if (length && margin > 0) {
    result = slice(c, result, static_cast<int64_t>(c.b().rank(result)) - 1, margin, -margin);
  }
  c.give(result);
}

constexpr std::string_view kStft = "STFT Pad Broadcast Multiply",
                           kIstft = "ISTFT Broadcast Multiply Add Subtract Negative";
constexpr Entry kEntries[] = {
    {"torch.fft.fft", fourier, "DFT Pad Multiply"},
    {"torch.fft.fft2", fourier, "DFT Pad Multiply"},
    {"torch.fft.fftn", fourier, "DFT Pad Multiply"},
    {"torch.fft.ifft", fourier, "IDFT Pad Multiply"},
    {"torch.fft.ifft2", fourier, "IDFT Pad Multiply"},
    {"torch.fft.ifftn", fourier, "IDFT Pad Multiply"},
    {"torch.fft.rfft", fourier, "RDFT Multiply"},
    {"torch.fft.rfft2", fourier, "RDFT Multiply"},
    {"torch.fft.rfftn", fourier, "RDFT Multiply"},
    {"torch.fft.irfft", fourier, "IRDFT Pad Multiply Subtract"},
    {"torch.fft.irfft2", fourier, "IRDFT Pad Multiply Subtract"},
    {"torch.fft.irfftn", fourier, "IRDFT Pad Multiply Subtract"},
    {"torch.fft.hfft", fourier, "IRDFT Pad Multiply Subtract"},
    {"torch.fft.hfft2", fourier, "IRDFT Pad Multiply Subtract"},
    {"torch.fft.hfftn", fourier, "IRDFT Pad Multiply Subtract"},
    {"torch.fft.ihfft", fourier, "RDFT Multiply"},
    {"torch.fft.ihfft2", fourier, "RDFT Multiply"},
    {"torch.fft.ihfftn", fourier, "RDFT Multiply"},
    {"torch.stft", stft, kStft},
    {"torch.istft", istft, kIstft},
    {"torchaudio.functional.spectrogram", spectrogram, "STFT Pad Broadcast Multiply Divide ReduceL2 Power"},
    {"torchaudio.functional.inverse_spectrogram", inverse_spectrogram, "ISTFT Broadcast Multiply ReduceL2"},
};

}  // namespace

std::span<const Entry> spectra() { return kEntries; }

}  // namespace wasmvino::pnnx
