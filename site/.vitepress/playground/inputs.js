// SPDX-License-Identifier: Apache-2.0
// Values for inputs: random ones, and those from files (.npy, JSON, pictures, sound).
import {parseNpy} from '../../../js/src/arrays/npy.mjs';
import {valuesOf} from '../../../js/src/arrays/values.mjs';

const arrays = {
  f64: Float64Array, f32: Float32Array, i64: BigInt64Array, u64: BigUint64Array, i32: Int32Array, u32: Uint32Array,
  i16: Int16Array, u16: Uint16Array, i8: Int8Array, u8: Uint8Array, boolean: Uint8Array, f16: Uint16Array, bf16: Uint16Array,
};

/** Suggests a shape that a partial shape allows. A dynamic first dimension becomes 1, others become 8. */
export function suggestShape(partial) {
  const inner = partial.replace(/^\[|\]$/g, '');
  if (inner === '') return [];
  if (inner === '...') return [1];
  return inner.split(',').map((size, i) => {
    const [, low] = /^(\d+)/.exec(size.trim()) ?? [];
    return low ? Math.max(1, Number(low)) : i === 0 ? 1 : 8;
  });
}

export function sizeOf(shape) {
  return shape.reduce((product, size) => product * size, 1);
}

/** @param {string} text "1, 3, 224, 224" */
export function parseShape(text) {
  const sizes = text.trim() === '' ? [] : text.split(/[\s,x×]+/).map(Number);
  if (!sizes.every((size) => Number.isInteger(size) && size >= 0)) throw new Error(`"${text}" is not a shape: expected whole numbers, separated by commas.`);
  if (sizeOf(sizes) > 2 ** 28) throw new Error(`The shape ${text} has ${sizeOf(sizes)} elements, more than a page can hold.`);
  return sizes;
}

function arrayFor(type, count) {
  const ArrayType = arrays[type];
  if (!ArrayType) throw new Error(`Inputs of type ${type} cannot be created here.`);
  return new ArrayType(count);
}

/** Converts numbers to an array of the type. @param {ArrayLike<number>} values */
function fill(type, values) {
  const array = arrayFor(type, values.length);
  if (type === 'f16' || type === 'bf16') throw new Error(`Values of type ${type} can be random or zeros only.`);
  const wide = type === 'i64' || type === 'u64';
  for (let i = 0; i < values.length; i++) array[i] = wide ? BigInt(Math.round(values[i])) : values[i];
  return array;
}

/** Reproducible random values: floats from 0 to 1, bytes from 0 to 255, other integers from 0 to 9. */
export function randomValues(type, shape) {
  const array = arrayFor(type, sizeOf(shape));
  let seed = 42;
  const random = () => (seed = (seed * 1103515245 + 12345) % 2 ** 31) / 2 ** 31;
  for (let i = 0; i < array.length; i++) {
    const value = random();
    if (type === 'f32' || type === 'f64') array[i] = value;
    else if (type === 'i64' || type === 'u64') array[i] = BigInt(Math.floor(10 * value));
    else if (type === 'f16') array[i] = 0x3000 + Math.floor(0x800 * value); // from 0.125 to 0.5
    else if (type === 'bf16') array[i] = 0x3e00 + Math.floor(0x80 * value);
    else if (type === 'boolean') array[i] = value < 0.5 ? 0 : 1;
    else array[i] = Math.floor((type === 'u8' ? 256 : 10) * value);
  }
  return array;
}

/** Returns the layout and size of a picture in an input of this shape, or undefined if the input takes no picture. */
export function pictureShape(wanted) {
  const channelsFirst = wanted.length === 4 && wanted[1] <= 4 && wanted[3] > 4;
  const [channels, height, width] = channelsFirst ? [wanted[1], wanted[2], wanted[3]] : [wanted[3], wanted[1], wanted[2]];
  return wanted.length === 4 && [1, 3, 4].includes(channels) ? {channelsFirst, channels, height, width} : undefined;
}

/** Converts a picture to values. @param {ImageBitmapSource} source @param {string} type @param {number[]} wanted */
async function readPicture(source, type, wanted) {
  const {channelsFirst, channels, height, width} = pictureShape(wanted) ?? {};
  if (!channels) throw new Error(`A picture does not fit the shape [${wanted}]: expected four sizes with 1, 3 or 4 channels.`);
  const bitmap = await createImageBitmap(source, {resizeWidth: width, resizeHeight: height, resizeQuality: 'high'});
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d');
  context.drawImage(bitmap, 0, 0);
  const {data} = context.getImageData(0, 0, width, height);
  const pixels = width * height;
  const scale = type === 'u8' ? 1 : 1 / 255;
  const values = new Float32Array(channels * pixels);
  for (let i = 0; i < pixels; i++) {
    for (let c = 0; c < channels; c++) {
      const value = channels === 1 ? (data[4 * i] + data[4 * i + 1] + data[4 * i + 2]) / 3 : data[4 * i + c];
      values[channelsFirst ? c * pixels + i : i * channels + c] = value * scale;
    }
  }
  return {tensor: {type, shape: [1, ...wanted.slice(1)], data: fill(type, values)}, picture: {width, height, source: canvas}};
}

/** Takes a picture with the camera, for an input of this type and shape. */
export async function readCamera(type, shape) {
  const stream = await navigator.mediaDevices.getUserMedia({video: true}).catch((cause) => {
    throw new Error(`The camera is not there: ${cause.message}`, {cause});
  });
  try {
    const video = Object.assign(document.createElement('video'), {srcObject: stream, muted: true, playsInline: true});
    await video.play();
    return await readPicture(video, type, shape);
  } finally {
    for (const track of stream.getTracks()) track.stop();
  }
}

async function readSound(file, type, wanted) {
  const decoded = await new OfflineAudioContext(1, 1, 16000).decodeAudioData(await file.arrayBuffer());
  const samples = decoded.getChannelData(0);
  const last = wanted.at(-1) ?? samples.length;
  const count = last > 8 ? last : samples.length;
  const values = new Float32Array(count);
  values.set(samples.subarray(0, count));
  return {tensor: {type, shape: [...wanted.slice(0, -1).map(() => 1), count], data: fill(type, values)}};
}

/**
 * Reads a file as values for an input of this type and shape. For a picture file, also returns the picture.
 * @param {File} file
 * @param {string} type
 * @param {number[]} shape
 * @returns {Promise<{tensor: {type: string, shape: number[], data: any}, picture?: {width: number, height: number, source: OffscreenCanvas}}>}
 */
export async function readInput(file, type, shape) {
  if (file.name.endsWith('.npy')) {
    const given = parseNpy(new Uint8Array(await file.arrayBuffer()));
    if (given.type === type) return {tensor: given};
    return {tensor: {...given, type, data: fill(type, Array.from(valuesOf(given), Number))}};
  }
  if (file.name.endsWith('.json')) {
    const values = JSON.parse(await file.text());
    const sizes = [];
    for (let level = values; Array.isArray(level); level = level[0]) sizes.push(level.length);
    return {tensor: {type, shape: sizes, data: fill(type, [values].flat(Infinity).map(Number))}};
  }
  if (file.type.startsWith('image/')) return readPicture(file, type, shape);
  if (file.type.startsWith('audio/')) return readSound(file, type, shape);
  throw new Error(`${file.name} is not an input: expected a .npy, .json, picture or sound file.`);
}
