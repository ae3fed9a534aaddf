// SPDX-License-Identifier: Apache-2.0
// Converts pictures and sound of browsers to arrays, and back.
import {
  WasmvinoError,
  checkOptions,
  invalidArgument,
  invalidShape,
  invalidType,
  messageOf,
  textOf,
  unsupported,
} from '../base/error.js';
import {arrayName, bytesOf, sizeOfArray} from '../base/typed_arrays.js';
import {elementCount, type element} from './element.js';

// A browser class, if the TypeScript library of the program declares it.
type Known<Name extends string> = typeof globalThis extends Record<Name, {prototype: infer T}> ? T : never;

/** RGBA bytes of a picture, row by row: an ImageData, or the result of a decoder in Node.js. */
export interface Pixels {
  /** Width in pixels. */
  readonly width: number;
  /** Height in pixels. */
  readonly height: number;
  /** 4 · width · height bytes. */
  readonly data: Uint8ClampedArray | Uint8Array;
}

/** The sources that Tensor.from() accepts. A Blob holds a picture in a format that the browser decodes. */
export type MediaSource =
  | Pixels
  | Known<'ImageData'>
  | Known<'ImageBitmap'>
  | Known<'HTMLImageElement'>
  | Known<'HTMLCanvasElement'>
  | Known<'OffscreenCanvas'>
  | Known<'VideoFrame'>
  | Known<'HTMLVideoElement'>
  | Known<'Blob'>
  | Known<'AudioBuffer'>;

/** The result of toImageData(). */
export type Picture = Known<'ImageData'>;

/** Options of Tensor.from(). */
export interface MediaOptions {
  /** Channels of a picture: 3 (RGB, the default) or 4 (RGBA). */
  channels?: 3 | 4;
}

/** @internal */
export interface MediaArray {
  type: element;
  shape: number[];
  array: Uint8Array | Float32Array;
}

const mediaOptions: Record<keyof MediaOptions, true> = {channels: true};

// The class name from "[object ImageData]". Unlike instanceof, this also works for objects of other windows.
function kindOf(source: unknown): string {
  return Object.prototype.toString.call(source).slice(8, -1);
}

// The pixels that an object holds, or undefined if it holds none.
function pixelsIn(source: unknown): Pixels | undefined {
  if (typeof source !== 'object' || source === null) return undefined;
  const {width, height, data} = source as Pixels;
  const kind = arrayName(data);
  const areSizes = Number.isInteger(width) && Number.isInteger(height) && width >= 0 && height >= 0;
  if (!areSizes || (kind !== 'Uint8ClampedArray' && kind !== 'Uint8Array')) return undefined;
  const [expected, actual] = [4 * width * height, sizeOfArray(data)];
  if (expected === actual) return {width, height, data: bytesOf(data)};
  throw invalidArgument(`A picture of ${width} x ${height} pixels in RGBA has ${expected} bytes, but its data has ${actual}.`, {
    expected: String(expected),
    actual: String(actual),
  });
}

// Width and height of each source that a canvas can draw, in its own pixels.
const sizesOf: Record<string, (source: never) => [number, number]> = {
  ImageBitmap: ({width, height}: ImageBitmap) => [width, height],
  HTMLImageElement: ({naturalWidth, naturalHeight}: HTMLImageElement) => [naturalWidth, naturalHeight],
  HTMLCanvasElement: ({width, height}: HTMLCanvasElement) => [width, height],
  OffscreenCanvas: ({width, height}: OffscreenCanvas) => [width, height],
  VideoFrame: ({displayWidth, displayHeight}: VideoFrame) => [displayWidth, displayHeight],
  HTMLVideoElement: ({videoWidth, videoHeight}: HTMLVideoElement) => [videoWidth, videoHeight],
};

// Why a source has no pixels, and what to do.
const emptyBecause: Record<string, string> = {
  ImageBitmap: 'It was closed.',
  VideoFrame: 'It was closed.',
  HTMLCanvasElement: 'Set its width and height.',
  OffscreenCanvas: 'Set its width and height.',
  HTMLImageElement: 'It is not loaded yet, or it could not be loaded: await its decode().',
  HTMLVideoElement: "It has no frame yet: wait for its event 'loadeddata'.",
};

function contextOf(width: number, height: number): CanvasRenderingContext2D {
  // Older browsers have no OffscreenCanvas. Both kinds of canvas behave the same here.
  const canvas =
    typeof OffscreenCanvas === 'function'
      ? new OffscreenCanvas(width, height)
      : Object.assign(document.createElement('canvas'), {width, height});
  const context = (canvas as HTMLCanvasElement).getContext('2d', {willReadFrequently: true});
  if (!context)
    throw new WasmvinoError('OUT_OF_MEMORY', `Cannot create a canvas of ${width} x ${height} pixels to read the picture.`);
  return context;
}

// Draws a source on a canvas and reads its pixels.
function drawn(source: CanvasImageSource, [width, height]: [number, number]): Pixels {
  const what = kindOf(source);
  if (!(width > 0 && height > 0)) {
    const actual = `${width} x ${height}`;
    throw invalidArgument(`The ${what} has ${actual} pixels. ${emptyBecause[what] ?? ''}`.trim(), {actual});
  }
  try {
    const context = contextOf(width, height);
    context.drawImage(source, 0, 0, width, height);
    return context.getImageData(0, 0, width, height);
  } catch (cause) {
    if (cause instanceof WasmvinoError) throw cause;
    throw invalidArgument(
      `The pixels of the ${what} cannot be read: ${messageOf(cause)} A picture from another origin needs permission (CORS).`,
      {cause},
    );
  }
}

async function decoded(blob: Blob): Promise<Pixels> {
  if (typeof createImageBitmap !== 'function') {
    throw unsupported('Encoded pictures cannot be decoded here: pass their pixels, {width, height, data} in RGBA.');
  }
  let bitmap;
  try {
    bitmap = await createImageBitmap(blob);
  } catch (cause) {
    throw invalidArgument(`The Blob of type '${blob.type}' is not a picture that the browser can decode: ${messageOf(cause)}`, {
      cause,
    });
  }
  try {
    return drawn(bitmap, [bitmap.width, bitmap.height]);
  } finally {
    bitmap.close();
  }
}

async function pixelsOf(source: unknown, kind: string): Promise<Pixels> {
  if (kind === 'Blob' || kind === 'File') return decoded(source as Blob);
  const sizes = sizesOf[kind];
  if (sizes) return drawn(source as CanvasImageSource, sizes(source as never));
  const pixels = pixelsIn(source);
  if (pixels) return pixels;
  throw invalidArgument(
    `Tensor.from() takes a picture (ImageData, {width, height, data} of RGBA, ImageBitmap, an image, canvas or video element, OffscreenCanvas, VideoFrame, Blob) or an AudioBuffer, not ${textOf(source)}.`,
  );
}

function arrayOfSound(sound: AudioBuffer): MediaArray {
  const {numberOfChannels, length} = sound;
  const array = new Float32Array(numberOfChannels * length);
  for (let channel = 0; channel < numberOfChannels; ++channel) array.set(sound.getChannelData(channel), channel * length);
  return {type: 'f32', shape: [numberOfChannels, length], array};
}

/** @internal Converts a picture to u8 [1, height, width, channels], or sound to f32 [channels, samples]. */
export async function arrayOfMedia(source: unknown, options: MediaOptions): Promise<MediaArray> {
  const {channels: given} = checkOptions(options, mediaOptions, 'Tensor.from');
  const channels = given ?? 3;
  if (channels !== 3 && channels !== 4) {
    throw invalidArgument(`Tensor.from() takes 3 or 4 channels of a picture, not ${textOf(channels)}.`, {
      expected: '3 or 4',
      actual: textOf(channels),
    });
  }
  const kind = kindOf(source);
  if (kind === 'AudioBuffer') {
    if (given !== undefined)
      throw invalidArgument('The option channels applies to pictures. An AudioBuffer keeps its channels.');
    return arrayOfSound(source as AudioBuffer);
  }
  const {width, height, data} = await pixelsOf(source, kind);
  const shape = [1, height, width, channels];
  if (channels === 4) return {type: 'u8', shape, array: new Uint8Array(data)};
  const array = new Uint8Array(3 * width * height);
  for (let from = 0, to = 0; to < array.length; from += 4, to += 3) {
    array[to] = data[from]!;
    array[to + 1] = data[from + 1]!;
    array[to + 2] = data[from + 2]!;
  }
  return {type: 'u8', shape, array};
}

/** @internal Converts u8 values of shape [height, width, channels] or [1, height, width, channels] to a picture. */
export function pictureOf(type: element, shape: readonly number[], values: Uint8Array): Picture {
  const expected = 'u8 [1, height, width, channels] or [height, width, channels] of 1, 3 or 4 channels';
  const actual = `${type} [${shape}]`;
  if (type !== 'u8') throw invalidType(`toImageData() takes a tensor of ${expected}, not ${actual}.`, {expected, actual});
  const [height = 0, width = 0, channels = 0] =
    shape.length === 4 && shape[0] === 1 ? shape.slice(1) : shape.length === 3 ? shape : [];
  if (!([1, 3, 4].includes(channels) && elementCount(shape) > 0)) {
    throw invalidShape(`toImageData() takes a tensor of ${expected}, not ${actual}.`, {expected, actual});
  }
  if (typeof ImageData !== 'function') throw unsupported('ImageData exists only in browsers.');
  const picture = new ImageData(width, height);
  const {data} = picture;
  for (let from = 0, to = 0; to < data.length; from += channels, to += 4) {
    data[to] = values[from]!;
    data[to + 1] = values[channels === 1 ? from : from + 1]!;
    data[to + 2] = values[channels === 1 ? from : from + 2]!;
    data[to + 3] = channels === 4 ? values[from + 3]! : 255;
  }
  return picture as Picture;
}
