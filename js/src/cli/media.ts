// SPDX-License-Identifier: Apache-2.0
// Reads pictures (.png, .jpg) and sound (.wav) from files.
import {existsSync, readFileSync} from 'node:fs';
import {convertIndexedToRgb, decode as decodePng, type DecodedPng} from 'fast-png';
import {decode as decodeJpeg} from 'jpeg-js';
import {Tensor, WasmvinoError} from '../entries/node.js';

export const isPicture = (path: string) => /\.(png|jpe?g)$/i.test(path);
export const isSound = (path: string) => /\.wav$/i.test(path);

function fail(path: string, message: string, cause?: unknown): never {
  throw new WasmvinoError('INVALID_ARGUMENT', `${path}: ${message}`, {cause});
}

interface Channels {
  width: number;
  height: number;
  channels: number;
  data: ArrayLike<number>;
}

function decodedPng(bytes: Uint8Array): Channels {
  const png = decodePng(bytes);
  const {width, height, depth} = png;
  // Grey levels of 1, 2 or 4 bits are packed like the indices of a palette.
  const levels = 2 ** depth - 1;
  const palette = png.palette ?? (depth < 8 ? Array.from({length: levels + 1}, (_, i) => Array<number>(3).fill((255 * i) / levels)) : undefined);
  if (palette) return {width, height, channels: palette[0]!.length, data: convertIndexedToRgb({...png, palette} as DecodedPng)};
  // 16-bit channels are reduced to their upper 8 bits.
  return {...png, data: depth === 16 ? png.data.map((value) => value >> 8) : png.data};
}

function decoded(path: string): Channels {
  if (!existsSync(path)) fail(path, 'there is no such file');
  const bytes = readFileSync(path);
  const isPng = /\.png$/i.test(path);
  try {
    if (isPng) return decodedPng(bytes);
    return {...decodeJpeg(bytes, {useTArray: true, formatAsRGBA: false, maxResolutionInMP: Infinity, maxMemoryUsageInMB: Infinity}), channels: 3};
  } catch (cause) {
    return fail(path, `the file is damaged, or it is not a ${isPng ? 'PNG' : 'JPEG'} picture`, cause);
  }
}

/** Reads a picture as u8 [1, height, width, channels], with 1, 3 or 4 channels. */
export function readPicture(path: string, channels: number): Tensor {
  const {width, height, channels: from, data} = decoded(path);
  const tensor = new Tensor('u8', [1, height, width, channels]);
  const values = tensor.view();
  const grey = from < 3;
  for (let pixel = 0; pixel < width * height; ++pixel) {
    const at = pixel * from;
    const [red, green, blue] = grey ? [data[at]!, data[at]!, data[at]!] : [data[at]!, data[at + 1]!, data[at + 2]!];
    const alpha = from === 2 ? data[at + 1]! : from === 4 ? data[at + 3]! : 255;
    const pixels = channels === 1 ? [grey ? red : Math.round(0.299 * red + 0.587 * green + 0.114 * blue)] : [red, green, blue, alpha];
    for (let channel = 0; channel < channels; ++channel) values[pixel * channels + channel] = pixels[channel]!;
  }
  return tensor;
}

// Returns a function that reads a .wav sample as a number from -1 to 1, depending on format and bits.
function sampleReader(path: string, view: DataView, format: number, bits: number): (at: number) => number {
  if (format === 3 && bits === 32) return (at) => view.getFloat32(at, true);
  if (format === 3 && bits === 64) return (at) => view.getFloat64(at, true);
  if (format === 1 && bits === 8) return (at) => (view.getUint8(at) - 128) / 128;
  if (format === 1 && bits === 16) return (at) => view.getInt16(at, true) / 2 ** 15;
  if (format === 1 && bits === 24) return (at) => ((view.getInt8(at + 2) << 16) | view.getUint16(at, true)) / 2 ** 23;
  if (format === 1 && bits === 32) return (at) => view.getInt32(at, true) / 2 ** 31;
  return fail(path, `samples of format ${format} with ${bits} bits are not supported (supported: PCM of 8, 16, 24 or 32 bits, floating point)`);
}

/** Reads sound as f32 [channels, samples], from -1 to 1. */
export function readSound(path: string): Tensor {
  const bytes = readFileSync(path);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const name = (at: number) => bytes.toString('latin1', at, at + 4);
  if (bytes.length < 12 || name(0) !== 'RIFF' || name(8) !== 'WAVE') fail(path, 'this is not a .wav file');
  let read: ((at: number) => number) | undefined;
  let [channels, bits] = [0, 0];
  for (let at = 12; at + 8 <= bytes.length; ) {
    const [start, size] = [at + 8, view.getUint32(at + 4, true)];
    if (name(at) === 'fmt ' && size >= 16 && start + size <= bytes.length) {
      channels = view.getUint16(start + 2, true);
      bits = view.getUint16(start + 14, true);
      // In the extensible format (0xfffe), the actual format is in the extension.
      const format = view.getUint16(start, true);
      read = sampleReader(path, view, format === 0xfffe && size >= 26 ? view.getUint16(start + 24, true) : format, bits);
    }
    if (name(at) === 'data' && read && channels > 0) {
      // A recording that was cut off has fewer bytes than its header says.
      const samples = Math.floor(Math.min(size, bytes.length - start) / (channels * (bits / 8)));
      const tensor = new Tensor('f32', [channels, samples]);
      const values = tensor.view();
      for (let i = 0; i < samples; ++i) {
        for (let channel = 0; channel < channels; ++channel) values[channel * samples + i] = read(start + (i * channels + channel) * (bits / 8));
      }
      return tensor;
    }
    at = start + size + (size % 2);
  }
  return fail(path, 'the .wav file has no samples');
}
