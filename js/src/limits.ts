// SPDX-License-Identifier: Apache-2.0
// Bounds on what models and inputs may use.
import {invalidArgument} from './error.js';
import type {CallLimits} from './glue.js';

/**
 * What reading, compiling and running may use. What exceeds a limit fails with `LIMIT_EXCEEDED`, memory with
 * `OUT_OF_MEMORY`. Without a limit, memory is bounded by the 4 GiB of WebAssembly, bodies are nested 64 deep at most,
 * and nothing else is bounded.
 */
export interface Limits {
  /** Bytes of WebAssembly memory, for all models together. */
  memoryBytes?: number;
  /** Bytes of one tensor. */
  tensorBytes?: number;
  /** Layers of a model, those in bodies included. */
  layers?: number;
  /** Bodies inside bodies (TensorIterator, Loop, If). */
  nesting?: number;
  /** Iterations of one loop, each time it runs. */
  iterations?: number;
  /** Milliseconds of compileModel() and importModel(). */
  compileMilliseconds?: number;
  /** Milliseconds of infer() and inferAsync(). */
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

/** `over` a base, checked. */
export function mergeLimits(base: Limits, over: Limits | undefined): Limits {
  if (over === undefined) return base;
  if (typeof over !== 'object' || over === null) throw invalidArgument('limits takes an object.', {actual: typeof over});
  for (const [name, value] of Object.entries(over)) {
    if (!names.includes(name as keyof Limits)) {
      throw invalidArgument(`There is no limit '${name}'.`, {expected: names.join(', '), actual: name});
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
