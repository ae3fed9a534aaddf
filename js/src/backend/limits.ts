// SPDX-License-Identifier: Apache-2.0
import {invalidArgument} from '../base/error.js';
import type {CallLimits} from './records.js';

/**
 * Limits on the resources that models may use. Exceeding one throws `LIMIT_EXCEEDED`, or `OUT_OF_MEMORY` for
 * `memoryBytes`. By default, memory is limited to the 4 GiB of WebAssembly and nesting to 64 levels.
 */
export interface Limits {
  /** WebAssembly memory for all models together, in bytes. */
  memoryBytes?: number;
  /** Size of one tensor, in bytes. */
  tensorBytes?: number;
  /** Number of layers of a model, including those in bodies. */
  layers?: number;
  /** Nesting depth of bodies (TensorIterator, Loop, If). */
  nesting?: number;
  /** Number of iterations of one loop in one run. */
  iterations?: number;
  /** Duration of compileModel() and importModel(), in milliseconds. */
  compileMilliseconds?: number;
  /** Duration of infer() and inferAsync(), in milliseconds. */
  inferMilliseconds?: number;
}

const names: readonly (keyof Limits)[] = [
  'memoryBytes',
  'tensorBytes',
  'layers',
  'nesting',
  'iterations',
  'compileMilliseconds',
  'inferMilliseconds',
];

/** Checks the limits `over`, and returns those of `base` overridden by them. */
export function mergeLimits(base: Limits, over: Limits | undefined): Limits {
  if (over === undefined) return base;
  if (typeof over !== 'object' || over === null) throw invalidArgument('limits must be an object.', {actual: typeof over});
  for (const [name, value] of Object.entries(over)) {
    if (!names.includes(name as keyof Limits)) {
      throw invalidArgument(`Unknown limit '${name}' (available: ${names.join(', ')}).`, {expected: names.join(', '), actual: name});
    }
    if (value !== undefined && !(typeof value === 'number' && value > 0)) {
      throw invalidArgument(`The limit '${name}' takes a number above 0.`, {actual: String(value)});
    }
  }
  return {...base, ...over};
}

function callLimits(limits: Limits, milliseconds: number | undefined): CallLimits {
  const {memoryBytes = 0, tensorBytes = 0, layers = 0, nesting = 0, iterations = 0} = limits;
  return {memoryBytes, tensorBytes, layers, nesting, iterations, milliseconds: milliseconds ?? 0};
}

export const limitsOfReading = (limits: Limits) => callLimits(limits, undefined);
export const limitsOfCompiling = (limits: Limits) => callLimits(limits, limits.compileMilliseconds);
export const limitsOfRunning = (limits: Limits) => callLimits(limits, limits.inferMilliseconds);
