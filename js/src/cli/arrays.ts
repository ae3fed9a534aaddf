// SPDX-License-Identifier: Apache-2.0
// Reads and writes tensors as array files.
import {readArrayFile, writeArrayFile} from '../arrays/array_files.mjs';
import {isPacked, pack, unpack, valuesOf as valuesIn, type StoredArray} from '../arrays/values.mjs';
import {Tensor, WasmvinoError, type SupportedTypedArray, type element} from '../entries/node.js';

function bytesOf(array: SupportedTypedArray): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

/** Reads an array as a tensor of `type`. Default: the type of the file. */
export function readArray(path: string, type?: element): Tensor {
  let stored: StoredArray;
  try {
    stored = readArrayFile(path, type);
  } catch (cause) {
    const {message, expected, actual} = cause as Error & {expected?: string; actual?: string};
    throw new WasmvinoError(expected === undefined ? 'INVALID_ARGUMENT' : 'INVALID_TYPE', message, {expected, actual, cause});
  }
  const tensor = new Tensor(stored.type as element, stored.shape);
  if (Array.isArray(stored.data)) {
    tensor.data = stored.data;
    return tensor;
  }
  const into = bytesOf(tensor.view());
  if (isPacked(stored.type)) pack(stored.type, stored.data as Uint8Array, into);
  else into.set(bytesOf(stored.data));
  return tensor;
}

/** Converts a tensor to the form of array files. */
export function storedArray(tensor: Tensor): StoredArray {
  const type = tensor.getElementType();
  const shape = tensor.getShape();
  const {data} = tensor;
  if (Array.isArray(data)) return {type, shape, data};
  if (isPacked(type)) return {type, shape, data: unpack(type, bytesOf(data), tensor.getSize())};
  // If JavaScript has Float16Array, takes the bits of its values.
  if (type === 'f16') return {type, shape, data: new Uint16Array(data.buffer, data.byteOffset, data.length)};
  return {type, shape, data: data as Exclude<StoredArray['data'], string[]>};
}

/** Writes a tensor to `stem` + ".npy", or ".json" for strings. Returns the path. */
export function writeArray(stem: string, tensor: Tensor): string {
  return writeArrayFile(stem, storedArray(tensor));
}

/** The values of a tensor as numbers. Different values stay different: 64-bit integers are bigints. */
export function valuesOf(tensor: Tensor): ReturnType<typeof valuesIn> {
  return valuesIn(storedArray(tensor));
}
