// SPDX-License-Identifier: Apache-2.0
import {WasmvinoError, type ErrorCode} from './engine.js';

/** Throws unless the condition holds. */
export function check(condition: unknown, message: string, code: ErrorCode = 'INVALID_ARGUMENT'): asserts condition {
  if (!condition) throw new WasmvinoError(code, message);
}

/** Returns an array of strings. Throws if the value is none. */
export function arrayOfStrings(value: unknown): string[] {
  check(Array.isArray(value), 'Passed argument must be of type Array or TypedArray.');
  check(value.every((item) => typeof item === 'string'), 'Passed array must contain only strings.');
  return value;
}

/** Returns a string. Throws if the value is none. */
export function aString(value: unknown): string {
  check(typeof value === 'string', 'Passed argument must be of type String.');
  return value;
}
