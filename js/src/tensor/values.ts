// SPDX-License-Identifier: Apache-2.0
// Converts what callers give into the arrays of tensors.
import {invalidArgument, invalidShape, invalidType, textOf} from '../base/error.js';
import {isBuffer, partsOf, sizeOfBuffer} from '../base/typed_arrays.js';
import {
  arrayTypeOf,
  byteLength,
  elementCount,
  isTypedArray,
  type SupportedTypedArray,
  type TensorData,
  type element,
} from './element.js';
import {arrayOfNumbers, numbersIn} from './numbers.js';

/** A value of a tensor: a bigint for 64-bit integers, a string for strings, a number for all others. */
export type TensorValue = number | bigint | string;

/** @internal Converts values to the array of a tensor. */
export function encoded(type: element, shape: number[], values: readonly unknown[], method: string): TensorData {
  if (type === 'string') return checkStrings(values);
  const given = numbersIn(values);
  if (!given)
    throw invalidArgument(
      `${method}() takes numbers for a tensor of type ${type}, not ${textOf(values.find((value) => !numbersIn([value])))}.`,
    );
  return arrayOfNumbers(type, shape, given, 'The tensor');
}

/** @internal Checks that all values are strings, and copies them. */
export function checkStrings(values: readonly unknown[]): string[] {
  const given = [...values];
  if (!given.every((value) => typeof value === 'string')) {
    throw invalidArgument('The array passed to create string tensor must contain only strings.');
  }
  return given;
}

/**
 * @internal Wraps a caller's typed array as the array of a tensor, without a copy. `whose` starts the error messages: "The
 * tensor", or the name of an input.
 */
export function wrapArray(type: element, shape: number[], data: SupportedTypedArray, whose = 'The tensor'): TensorData {
  const {name: actual, buffer, byteOffset} = partsOf(data);
  if (byteOffset !== 0) {
    throw invalidArgument(
      `TypedArray.byteOffset has to be equal to zero. ${whose} has an array with byteOffset ${byteOffset}: slice() the array.`,
    );
  }
  if (type === 'string') throw invalidType(`${whose} is of type string: expected an array of strings, got ${actual}.`);
  const expected = arrayTypeOf(type).name;
  const [bytes, given] = [byteLength(type, elementCount(shape)), sizeOfBuffer(buffer)];
  // f16 is the one type whose array JavaScript may lack, or not convert to.
  const advice =
    expected === actual
      ? ''
      : ` Values of type ${type} are in a ${expected}${type === 'f16' ? ', or in an array of numbers, which is rounded: Array.from(array)' : ''}.`;
  if (given !== bytes) {
    const what =
      given === 0
        ? `the buffer of the ${actual} has none: it is empty, or was transferred`
        : `the buffer of the ${actual} has ${given}`;
    throw invalidShape(
      `Memory allocated using shape and element::type mismatch passed data's size: ${whose} of type ${type} and shape [${shape}] takes ${bytes} bytes, ${what}.${advice}`,
      {expected: `${bytes} bytes`, actual: `${given} bytes`},
    );
  }
  const ArrayType = arrayTypeOf(type);
  // Floating point and integers of the same size would be misread. Bytes may hold any type, and a Uint16Array the bits of f16.
  const isFloat = (name: string) => name.startsWith('Float');
  const isBits = actual === 'Uint8Array' || (type === 'f16' && ['Float16Array', 'Uint16Array'].includes(actual));
  if (expected !== actual && !isBits && (isFloat(expected) || isFloat(actual))) {
    throw invalidType(`${whose} of type ${type} takes a ${expected}, not a ${actual}.${type === 'f16' ? advice : ''}`, {
      expected,
      actual,
    });
  }
  if (bytes === 0) return new ArrayType(0); // the buffer may have been transferred
  // The explicit length keeps the array from growing with a resizable buffer.
  return new ArrayType(buffer, 0, bytes / ArrayType.BYTES_PER_ELEMENT);
}

/** @internal The array of a tensor for the data that a caller gave. */
export function arrayOf(type: element, shape: number[], data: unknown): TensorData {
  if (isTypedArray(data)) return wrapArray(type, shape, data);
  const numbers = numbersIn(data);
  if (numbers && type !== 'string' && numbers.length === elementCount(shape))
    return arrayOfNumbers(type, shape, numbers, 'The tensor');
  const what = numbers
    ? `an array of ${numbers.length}`
    : isBuffer(data)
      ? `an ArrayBuffer, of which new ${arrayTypeOf(type).name}(buffer) is one`
      : textOf(data);
  throw invalidArgument(
    `Third argument of a tensor must be TypedArray. An array of ${elementCount(shape)} numbers is also accepted; got ${what}.`,
  );
}
