// SPDX-License-Identifier: Apache-2.0
import {WasmvinoError, invalidArgument} from '../base/error.js';
import type {CallLimits} from './records.js';

/**
 * Limits on the resources that models may use. Exceeding one throws `LIMIT_EXCEEDED`, or `OUT_OF_MEMORY` for
 * `memoryBytes`. By default, memory is limited to the 4 GiB of WebAssembly and nesting to 64 levels.
 */
export interface Limits {
  /**
   * Memory of all models of the Core together, in bytes: their layers, weights, temporaries, states, inputs and outputs. Other
   * Cores count their own.
   */
  memoryBytes?: number;
  /** Size of one tensor, in bytes. */
  tensorBytes?: number;
  /** Number of layers of a model, including those in bodies. */
  layers?: number;
  /** Nesting depth of bodies (TensorIterator, Loop, If). */
  nesting?: number;
  /** Number of iterations of one loop in one run. */
  iterations?: number;
  /** Duration of readModel(), compileModel() and importModel(), and of each edit of a model, in milliseconds. */
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
export function mergeLimits<Base extends Limits>(base: Base, over: Limits | undefined): Base {
  if (over === undefined) return base;
  if (typeof over !== 'object' || over === null) throw invalidArgument('limits must be an object.', {actual: typeof over});
  const given = Object.entries(over);
  for (const [name, value] of given) {
    if (!names.includes(name as keyof Limits)) {
      throw invalidArgument(`Unknown limit '${name}' (available: ${names.join(', ')}).`, {expected: names.join(', '), actual: name});
    }
    if (value !== undefined && !(typeof value === 'number' && value > 0)) {
      throw invalidArgument(`The limit '${name}' takes a number above 0.`, {actual: String(value)});
    }
  }
  return {...base, ...Object.fromEntries(given)};
}

/** The limits of a Core, whose memory is counted under a number. */
export interface OwnedLimits extends Limits {
  owner: number;
}

let owners = 0;

/** Makes these the limits of a new owner of memory. */
export function ownedLimits(limits: Limits): OwnedLimits {
  return {...limits, owner: ++owners};
}

function callLimits(limits: OwnedLimits, milliseconds: number | undefined): CallLimits {
  const {owner, memoryBytes = 0, tensorBytes = 0, layers = 0, nesting = 0, iterations = 0} = limits;
  return {owner, memoryBytes, tensorBytes, layers, nesting, iterations, milliseconds: milliseconds ?? 0};
}

/** The limits that are left after a call has compiled for `spent` milliseconds. Throws if no time is left. */
export function limitsAfter<Given extends Limits>(limits: Given, spent: number): Given {
  const most = limits.compileMilliseconds;
  if (most === undefined) return limits;
  if (spent < most) return {...limits, compileMilliseconds: most - spent};
  throw new WasmvinoError('LIMIT_EXCEEDED', `The call takes longer than its limit of ${most} ms.`, {expected: `${most} ms`});
}

export const limitsOfCompiling = (limits: OwnedLimits) => callLimits(limits, limits.compileMilliseconds);
export const limitsOfRunning = (limits: OwnedLimits) => callLimits(limits, limits.inferMilliseconds);
