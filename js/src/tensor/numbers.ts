// SPDX-License-Identifier: Apache-2.0
// Converts between plain arrays of numbers and the typed arrays of tensors.
import {WasmvinoError, invalidShape, invalidType, textOf} from '../base/error.js';
import {arrayTypeOf, byteLength, elementCount, type SupportedTypedArray, type element} from './element.js';

/** Plain numbers. 64-bit integers may be bigints, and elements of type boolean may be true and false. */
export type Numbers = readonly (number | bigint | boolean)[];

const float = new Float32Array(1);
const bits = new Uint32Array(float.buffer);

// Rounds to nearest, ties to even.
function bf16Bits(value: number): number {
  float[0] = value;
  if (value !== value) return 0x7fc0;
  return (bits[0]! + 0x7fff + ((bits[0]! >>> 16) & 1)) >>> 16;
}

function f16Bits(value: number): number {
  if (value !== value) return 0x7e00;
  const sign = Object.is(value, -0) || value < 0 ? 0x8000 : 0;
  const size = Math.abs(value);
  if (size >= 65520) return sign | 0x7c00;
  // Counts units in the last place. Subnormal numbers have the unit 2^-24. Each power of two above has 1024 steps.
  const exponent = Math.max(-14, Math.floor(Math.log2(size)));
  const units = size / 2 ** (exponent - 10);
  const floor = Math.floor(units);
  const rest = units - floor;
  const rounded = floor + (rest > 0.5 || (rest === 0.5 && floor % 2 === 1) ? 1 : 0);
  return sign | (((exponent + 14) << 10) + rounded);
}

function ofBf16Bits(half: number): number {
  bits[0] = half << 16;
  return float[0]!;
}

function ofF16Bits(half: number): number {
  const sign = half & 0x8000 ? -1 : 1;
  const [exponent, fraction] = [(half >> 10) & 31, half & 1023];
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent ? 1024 + fraction : fraction) * 2 ** (Math.max(exponent, 1) - 25);
}

const packedTypes = /^(u1|u2|u3|u4|i4|u6|nf4|f4e2m1|f8\w+|string)$/;
// The smallest value of each type that rounds to infinity.
const tooLarge: Partial<Record<element, number>> = {f16: 65520, bf16: (2 - 2 ** -8) * 2 ** 127, f32: (2 - 2 ** -24) * 2 ** 127};

/**
 * The numbers in a tensor's array: bigints for 64-bit integers.
 *
 * @param method Name of the calling method, for error messages.
 * @throws WasmvinoError `INVALID_TYPE` for types that the array holds as packed bytes.
 */
export function numbersOf(type: element, array: SupportedTypedArray, method: string): ArrayLike<number | bigint> {
  if (packedTypes.test(type))
    throw invalidType(`${method}() does not support type ${type}, whose data are packed bytes.`, {actual: type});
  if (type === 'bf16') return Array.from(array as Uint16Array, ofBf16Bits);
  if (type === 'f16' && array instanceof Uint16Array) return Array.from(array, ofF16Bits);
  return array as ArrayLike<number | bigint>;
}

/** A copy of an array that may hold numbers. Undefined for anything else. Each element is read once. */
export function numbersIn(value: unknown): Numbers | undefined {
  if (!Array.isArray(value)) return undefined;
  const copy: unknown[] = [...value];
  return copy.every((each) => ['number', 'bigint', 'boolean'].includes(typeof each)) ? (copy as Numbers[number][]) : undefined;
}

/**
 * Converts numbers to the array of a tensor. Floating-point types round the values, as typed arrays do. Integer types
 * must represent them exactly.
 *
 * @param whose Start of the error messages: "The tensor", or the name of an input.
 * @throws WasmvinoError `INVALID_SHAPE` for another number of values; `INVALID_VALUE` for a value that the type cannot
 *   represent; `INVALID_TYPE` for types that the array holds as packed bytes.
 */
export function arrayOfNumbers(type: element, shape: number[], values: Numbers, whose: string): SupportedTypedArray {
  if (packedTypes.test(type)) {
    throw invalidType(`${whose} is of type ${type}, which takes its packed bytes as a Uint8Array, not an array of numbers.`, {
      expected: 'Uint8Array',
      actual: 'Array',
    });
  }
  const count = elementCount(shape);
  if (values.length !== count) {
    throw invalidShape(`${whose} of shape [${shape}] takes ${count} values, but the array has ${values.length}.`, {
      expected: `${count} values`,
      actual: `${values.length} values`,
    });
  }
  const ArrayType = arrayTypeOf(type);
  const array = new ArrayType(count);
  const refuse = (i: number, why: string) =>
    new WasmvinoError('INVALID_VALUE', `${whose} is of type ${type}: value ${i}, ${textOf(values[i])}, ${why}.`, {
      expected: type,
      actual: textOf(values[i]),
    });
  const isFloat = /^b?f\d/.test(type);
  const wide = type === 'i64' || type === 'u64';
  const width = type === 'boolean' ? 1 : 8 * byteLength(type, 1);
  const [least, most] = type.startsWith('i')
    ? [-(2n ** BigInt(width - 1)), 2n ** BigInt(width - 1) - 1n]
    : [0n, 2n ** BigInt(width) - 1n];
  const encode = type === 'bf16' ? bf16Bits : type === 'f16' && array instanceof Uint16Array ? f16Bits : Number;
  for (let i = 0; i < count; ++i) {
    const value = values[i]!;
    const number = Number(value);
    if (isFloat) {
      if (typeof value === 'bigint' && BigInt(number) !== value) throw refuse(i, 'has no exact value in that type');
      if (Number.isFinite(number) && Math.abs(number) >= (tooLarge[type] ?? Infinity)) throw refuse(i, 'is too large');
      array[i] = encode(number);
      continue;
    }
    if (typeof value === 'number' && !Number.isSafeInteger(value))
      throw refuse(i, 'is not an integer that a number represents exactly');
    const integer = BigInt(value);
    if (integer < least || integer > most) throw refuse(i, `is outside ${least} to ${most}`);
    (array as {[i: number]: number | bigint})[i] = wide ? integer : number;
  }
  return array;
}
