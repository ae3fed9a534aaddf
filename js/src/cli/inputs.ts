// SPDX-License-Identifier: Apache-2.0
// Reads inputs from files. Values are converted to the type of the input if it represents them exactly.
import {existsSync, readFileSync} from 'node:fs';
import {storedType} from '../arrays/values.mjs';
import {Tensor, WasmvinoError, type Output, type element} from '../entries/node.js';
import {readArray, valuesOf} from './arrays.js';
import {isSound, readSound} from './media.js';

function fail(message: string): never {
  throw new WasmvinoError('INVALID_ARGUMENT', message);
}

type Scalar = number | boolean | string;

/** Creates a tensor of what a file holds. Errors name the file. */
function tensorOf(path: string, type: element, shape: readonly number[], data: readonly (number | bigint)[] | readonly string[]): Tensor {
  try {
    if (type !== 'string') return new Tensor(type, [...shape], data as number[]);
    const tensor = new Tensor(type, [...shape]);
    tensor.data = data as string[];
    return tensor;
  } catch (error) {
    if (!(error instanceof WasmvinoError)) throw error;
    throw new WasmvinoError(error.code, `${path}: ${error.message}`, {cause: error, expected: error.expected, actual: error.actual});
  }
}

// Returns the shape of nested arrays, and their values as a flat array.
function flatten(path: string, json: unknown): {shape: number[]; data: Scalar[]} {
  const shape: number[] = [];
  for (let at = json; Array.isArray(at); at = at[0]) shape.push(at.length);
  const data: Scalar[] = [];
  const walk = (value: unknown, axis: number) => {
    if (axis < shape.length) {
      if (!Array.isArray(value) || value.length !== shape[axis]) fail(`${path}: the arrays on axis ${axis} are not all of length ${shape[axis]}`);
      for (const each of value as unknown[]) walk(each, axis + 1);
    } else {
      if (!['number', 'boolean', 'string'].includes(typeof value)) fail(`${path}: ${JSON.stringify(value)} is not a value of a tensor`);
      data.push(value as Scalar);
    }
  };
  walk(json, 0);
  return {shape, data};
}

function readJson(path: string, port: Output): Tensor {
  const type = port.elementType as element | 'dynamic';
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new WasmvinoError('INVALID_ARGUMENT', `${path} is not JSON: ${(cause as Error).message}`, {cause});
  }
  const given = json as {shape?: number[]; data?: Scalar[]} | null;
  const isRecord = typeof given === 'object' && given !== null && Array.isArray(given.shape) && Array.isArray(given.data);
  const {shape, data} = isRecord ? {shape: given.shape!, data: given.data!} : flatten(path, json);
  const count = shape.reduce((product, size) => product * size, 1);
  if (data.length !== count) fail(`${path}: the shape [${shape}] has ${count} values, but the file has ${data.length}`);
  const isText = type === 'string';
  if (data.some((value) => (typeof value === 'string') !== isText)) {
    fail(`${path}: the file has ${isText ? 'other values than strings' : 'strings'}, but the input '${port.anyName}' takes ${type}`);
  }
  return tensorOf(path, type === 'dynamic' ? 'f32' : type, shape, data as number[]);
}

// Reads sound, and removes the channel axis or adds a batch axis if the rank of the input requires it.
function readSoundFor(path: string, port: Output): Tensor {
  const sound = readSound(path);
  const [channels, samples] = sound.getShape() as [number, number];
  const shape = String(port.getPartialShape());
  const rank = shape === '[...]' ? 2 : port.getPartialShape().getDimensions().length;
  if ((port.elementType as string) !== 'dynamic' && port.elementType !== 'f32') fail(`${path}: sound is f32, but the input '${port}' takes ${port.elementType}`);
  if (rank === 1 && channels === 1) sound.setShape([samples]);
  else if (rank === 3) sound.setShape([1, channels, samples]);
  else if (rank !== 2) fail(`${path}: sound of ${channels} channels is [${channels},${samples}], but the input '${port}' takes ${shape}`);
  return sound;
}

/** Reads a file (array, picture or sound) as a tensor for an input. */
export function readInput(path: string, port: Output): Tensor {
  const type = port.elementType as element | 'dynamic';
  if (!existsSync(path)) fail(`there is no file ${path}`);
  if (isSound(path)) return readSoundFor(path, port);
  if (/\.json$/i.test(path)) return readJson(path, port);
  if (!/\.npy$/i.test(path)) fail(`${path}: unsupported file type (supported: .npy, .json, .png, .jpg, .wav)`);
  const stored = readArray(path);
  const found = stored.getElementType();
  if (type === 'dynamic' || storedType(type) === found) return readArray(path, type === 'dynamic' ? found : type);
  const values = valuesOf(stored);
  const tensor = tensorOf(path, type, stored.getShape(), Array.from<number | bigint>(values as Float64Array));
  const now = valuesOf(tensor);
  const at = values.findIndex((value: number | bigint, i: number) => Number(value) !== Number(now[i]) && !(value !== value && now[i] !== now[i]));
  if (at >= 0) {
    throw new WasmvinoError('INVALID_VALUE', `${path}: value ${at}, ${values[at]} of type ${found}, has no exact representation in ${type}: convert the array first with astype()`, {
      expected: type,
      actual: found,
    });
  }
  return tensor;
}
