// SPDX-License-Identifier: Apache-2.0
// The log-mel spectrogram that Whisper reads.
import {check} from './check.js';

/** How sound becomes features: preprocessor_config.json. */
export interface FeatureSettings {
  feature_size: number;
  sampling_rate: number;
  hop_length: number;
  n_fft: number;
  chunk_length: number;
  n_samples: number;
  nb_max_frames: number;
}

export const defaultFeatures: FeatureSettings = {
  feature_size: 80,
  sampling_rate: 16000,
  hop_length: 160,
  n_fft: 400,
  chunk_length: 30,
  n_samples: 480000,
  nb_max_frames: 3000,
};

/** Features of a sound: `size` rows of `frames` values. */
export interface Features {
  size: number;
  frames: number;
  data: Float32Array;
}

// The Fourier transform of a fixed length: halves, as long as the length is even.
class Fourier {
  readonly #length: number;
  readonly #cos: Float64Array;
  readonly #sin: Float64Array;
  readonly #half: Fourier | undefined;
  readonly #even: Float64Array;
  readonly #odd: Float64Array;

  constructor(length: number) {
    this.#length = length;
    this.#cos = Float64Array.from({length}, (_, i) => Math.cos((2 * Math.PI * i) / length));
    this.#sin = Float64Array.from({length}, (_, i) => Math.sin((2 * Math.PI * i) / length));
    this.#half = length % 2 === 0 ? new Fourier(length / 2) : undefined;
    [this.#even, this.#odd] = [new Float64Array(length), new Float64Array(length)];
  }

  /** Transforms `length` real values, `step` apart. Writes real and imaginary parts in turn. */
  transform(input: Float64Array, start: number, step: number, output: Float64Array): void {
    const length = this.#length;
    const [cos, sin] = [this.#cos, this.#sin];
    if (!this.#half) {
      for (let k = 0; k < length; ++k) {
        let [real, imaginary, turn] = [0, 0, 0];
        for (let n = 0; n < length; ++n) {
          const value = input[start + n * step]!;
          real += value * cos[turn]!;
          imaginary -= value * sin[turn]!;
          turn = (turn + k) % length;
        }
        output[2 * k] = real;
        output[2 * k + 1] = imaginary;
      }
      return;
    }
    const [even, odd] = [this.#even, this.#odd];
    this.#half.transform(input, start, 2 * step, even);
    this.#half.transform(input, start + step, 2 * step, odd);
    for (let k = 0; k < length / 2; ++k) {
      const real = cos[k]! * odd[2 * k]! + sin[k]! * odd[2 * k + 1]!;
      const imaginary = cos[k]! * odd[2 * k + 1]! - sin[k]! * odd[2 * k]!;
      output[2 * k] = even[2 * k]! + real;
      output[2 * k + 1] = even[2 * k + 1]! + imaginary;
      output[length + 2 * k] = even[2 * k]! - real;
      output[length + 2 * k + 1] = even[2 * k + 1]! - imaginary;
    }
  }
}

// The mel scale of Slaney: linear below 1000 Hz, logarithmic above.
const logStep = Math.log(6.4) / 27;
const melOf = (hertz: number) => (hertz < 1000 ? (3 * hertz) / 200 : 15 + Math.log(hertz / 1000) / logStep);
const hertzOf = (mel: number) => (mel < 15 ? (200 * mel) / 3 : 1000 * Math.exp(logStep * (mel - 15)));

// One triangle for each feature, with the bins that it covers.
function filtersOf({feature_size: size, n_fft: length, sampling_rate: rate}: FeatureSettings): {first: number; weights: Float64Array}[] {
  const bins = length / 2 + 1;
  const highest = melOf(8000);
  const edges = Array.from({length: size + 2}, (_, i) => hertzOf((highest * i) / (size + 1)));
  return Array.from({length: size}, (_, i) => {
    const [low, middle, high] = [edges[i]!, edges[i + 1]!, edges[i + 2]!];
    const all = Float64Array.from({length: bins}, (_, bin) => {
      const hertz = (bin * rate) / 2 / (bins - 1);
      return (Math.max(0, Math.min((hertz - low) / (middle - low), (high - hertz) / (high - middle))) * 2) / (high - low);
    });
    const first = Math.max(0, all.findIndex((weight) => weight > 0));
    const count = all.filter((weight) => weight > 0).length; // they are neighbours
    return {first, weights: all.slice(first, first + count)};
  });
}

/** Makes features of sounds. */
export class LogMel {
  readonly settings: FeatureSettings;
  readonly #window: Float64Array;
  readonly #filters: {first: number; weights: Float64Array}[];
  readonly #fourier: Fourier;

  constructor(settings: FeatureSettings) {
    this.settings = settings;
    const {n_fft: length} = settings;
    this.#window = Float64Array.from({length}, (_, i) => 0.5 * (1 - Math.cos((2 * Math.PI * i) / length)));
    this.#filters = filtersOf(settings);
    this.#fourier = new Fourier(length);
  }

  /** Makes the features of a sound. Shorter sounds than a window are padded with silence. */
  features(sound: Float32Array): Features {
    const {n_fft: length, hop_length: hop, n_samples: shortest, feature_size: size} = this.settings;
    const border = length / 2;
    check(sound.length > border, `raw_speech too short for reflect padding: size=${sound.length}, required > ${border}`);
    const padded = new Float64Array(Math.max(sound.length, shortest) + 2 * border);
    padded.set(sound, border);
    for (let i = 0; i < border; ++i) {
      padded[i] = padded[2 * border - i]!;
      padded[padded.length - 1 - i] = padded[padded.length - 1 - 2 * border + i]!;
    }
    const frames = Math.floor((padded.length - length) / hop);
    const data = new Float32Array(size * frames).fill(-10); // silence
    const sounding = Math.min(Math.floor((sound.length + border) / hop) + 1, frames);
    const [part, spectrum] = [new Float64Array(length), new Float64Array(2 * length)];
    let loudest = -10;
    for (let frame = 0; frame < sounding; ++frame) {
      // Native takes what is behind the sound for silence.
      const rest = sound.length + border - frame * hop;
      for (let i = 0; i < length; ++i) part[i] = i < rest ? this.#window[i]! * padded[frame * hop + i]! : 0;
      this.#fourier.transform(part, 0, 1, spectrum);
      this.#filters.forEach(({first, weights}, row) => {
        let power = 0;
        for (let i = 0; i < weights.length; ++i) {
          const bin = 2 * (first + i);
          power += weights[i]! * (spectrum[bin]! ** 2 + spectrum[bin + 1]! ** 2);
        }
        const value = Math.log10(Math.max(power, 1e-10));
        data[row * frames + frame] = value;
        if (value > loudest) loudest = value;
      });
    }
    for (let i = 0; i < data.length; ++i) data[i] = (Math.max(data[i]!, loudest - 8) + 4) / 4;
    return {size, frames, data};
  }

  /** The part of the features that a window reads. What is behind the end is 0. */
  window({size, frames, data}: Features, start: number): Float32Array {
    const {nb_max_frames: length} = this.settings;
    const part = new Float32Array(size * length);
    for (let row = 0; row < size; ++row) {
      part.set(data.subarray(row * frames + start, Math.min(row * frames + start + length, (row + 1) * frames)), row * length);
    }
    return part;
  }
}
