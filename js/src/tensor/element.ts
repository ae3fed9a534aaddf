// SPDX-License-Identifier: Apache-2.0
// Element types and the typed arrays that hold them.
import {invalidArgument, textOf} from '../base/error.js';
import {arrayName} from '../base/typed_arrays.js';

/** The name of an element type in OpenVINO. */
export type element =
  | 'boolean'
  | 'bf16'
  | 'f16'
  | 'f32'
  | 'f64'
  | 'i4'
  | 'i8'
  | 'i16'
  | 'i32'
  | 'i64'
  | 'u1'
  | 'u2'
  | 'u3'
  | 'u4'
  | 'u6'
  | 'u8'
  | 'u16'
  | 'u32'
  | 'u64'
  | 'nf4'
  | 'f8e4m3'
  | 'f8e5m2'
  | 'f4e2m1'
  | 'f8e8m0'
  | 'string';
/** The same as `element`. */
export type elementTypeString = element;

// Float16Array, if the TypeScript library of the program declares it.
type Float16 = typeof globalThis extends {Float16Array: {prototype: infer T}} ? T : never;

/** The typed arrays that hold the values of tensors. */
export type SupportedTypedArray =
  | Float16
  | Int8Array
  | Uint8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | Float32Array
  | Float64Array
  | BigInt64Array
  | BigUint64Array;

/** The values of a tensor: a typed array, or strings for the element type `string`. */
export type TensorData = SupportedTypedArray | string[];

/** The constructor of a typed array. */
export interface ArrayType {
  readonly name: string;
  readonly BYTES_PER_ELEMENT: number;
  new (length: number): SupportedTypedArray;
  new (buffer: ArrayBufferLike, byteOffset?: number, length?: number): SupportedTypedArray;
}

// Numbers if JavaScript has Float16Array, otherwise their bits.
const arrayOfF16 = (globalThis as {Float16Array?: ArrayType}).Float16Array ?? Uint16Array;

// The bits of one element, and the array type of values. Strings are in arrays of JavaScript.
const types: {readonly [E in element]: readonly [bits: number, array: ArrayType]} = {
  boolean: [8, Uint8Array],
  bf16: [16, Uint16Array],
  f16: [16, arrayOfF16],
  f32: [32, Float32Array],
  f64: [64, Float64Array],
  i4: [4, Uint8Array],
  i8: [8, Int8Array],
  i16: [16, Int16Array],
  i32: [32, Int32Array],
  i64: [64, BigInt64Array],
  u1: [1, Uint8Array],
  u2: [2, Uint8Array],
  u3: [3, Uint8Array],
  u4: [4, Uint8Array],
  u6: [6, Uint8Array],
  u8: [8, Uint8Array],
  u16: [16, Uint16Array],
  u32: [32, Uint32Array],
  u64: [64, BigUint64Array],
  nf4: [4, Uint8Array],
  f8e4m3: [8, Uint8Array],
  f8e5m2: [8, Uint8Array],
  f4e2m1: [4, Uint8Array],
  f8e8m0: [8, Uint8Array],
  string: [NaN, Uint8Array],
};

/** The element types by name: `element.f32` is 'f32'. */
export const element = Object.fromEntries(Object.keys(types).map((name) => [name, name])) as {readonly [E in element]: E};

/** The array type for the values of a tensor. Types narrower than a byte and 8-bit floats use Uint8Array. */
export function arrayTypeOf(type: element): ArrayType {
  return types[type][1];
}

/** Size of `count` elements in bytes. Elements are packed without gaps. u3 and u6 come in groups of 3 bytes. */
export function byteLength(type: element, count: number): number {
  const [bits] = types[type];
  if (bits === 3 || bits === 6) return Math.ceil((count * bits) / 24) * 3;
  return Math.ceil((count * bits) / 8);
}

/** Byte offset of element `index`, or undefined if it begins inside a byte or inside a group of bytes. */
export function byteOffset(type: element, index: number): number | undefined {
  const [bits] = types[type];
  const start = index * bits;
  return start % (bits === 3 || bits === 6 ? 24 : 8) === 0 ? start / 8 : undefined;
}

// Names of the types in other libraries and in OpenVINO's own files.
const otherNames: Record<string, element> = {
  bool: 'boolean',
  bfloat16: 'bf16',
  half: 'f16',
  float16: 'f16',
  float: 'f32',
  float32: 'f32',
  double: 'f64',
  float64: 'f64',
};

function properName(type: string): element | undefined {
  const lower = type.toLowerCase();
  const short = lower
    .replace(/^int(?=\d)/, 'i')
    .replace(/^uint(?=\d)/, 'u')
    .replace(/^fp(?=\d)/, 'f');
  return otherNames[lower] ?? (Object.hasOwn(element, short) ? (short as element) : undefined);
}

/**
 * Checks that a value names an element type.
 *
 * @throws WasmvinoError `INVALID_ARGUMENT` otherwise. The message suggests the right name for names of other libraries.
 */
export function checkElementType(type: unknown): element {
  if (typeof type !== 'string') {
    throw invalidArgument(
      `Passed argument must be of type String. The first argument is an element type such as 'f32', got ${textOf(type)}.`,
    );
  }
  if (!Object.hasOwn(element, type)) {
    const names = Object.keys(types).join(' ');
    const meant = properName(type);
    throw invalidArgument(
      `Cannot create ov::element::Type from '${type}': ${meant ? `its name here is '${meant}'` : `the types are ${names}`}.`,
      {
        expected: meant ?? names,
        actual: type,
      },
    );
  }
  return type as element;
}

export function isTypedArray(value: unknown): value is SupportedTypedArray {
  return arrayName(value) !== undefined;
}

/**
 * Converts a shape to an array of sizes. Accepts what OpenVINO's binding accepts: an array of numbers, which are truncated
 * to integers, an Int32Array or a Uint32Array.
 *
 * @throws WasmvinoError `INVALID_ARGUMENT` for anything else, and for negative sizes.
 */
export function checkShape(shape: unknown, argument = 'The shape'): number[] {
  const order = `${argument} is an array of sizes`;
  if (isTypedArray(shape)) {
    const name = arrayName(shape)!;
    if (name !== 'Int32Array' && name !== 'Uint32Array') {
      throw invalidArgument(`Passed argument must be an Int32Array or a Uint32Array. ${order}, got ${name}.`);
    }
  } else if (!Array.isArray(shape)) {
    throw invalidArgument(`Passed argument must be of type Array or TypedArray. ${order}, got ${textOf(shape)}.`);
  }
  const sizes = [...(shape as unknown[])];
  return sizes.map((size) => {
    if (typeof size !== 'number')
      throw invalidArgument(`Passed array must contain only numbers. The shape contains ${textOf(size)}.`);
    const whole = Math.trunc(size);
    if (!(whole >= 0 && Number.isSafeInteger(whole)))
      // The beginning is OpenVINO's.
      throw invalidArgument(`Cannot allocate memory: a shape cannot hold ${size}.`, {actual: textOf(sizes)});
    return whole;
  });
}

/** Number of elements in a tensor of this shape. */
export function elementCount(shape: readonly number[]): number {
  return shape.reduce((count, size) => count * size, 1);
}
