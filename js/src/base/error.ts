// SPDX-License-Identifier: Apache-2.0
// The only error class. Its codes are those of src/core/error.h, plus ENGINE_FAILED.

/** The kind of an error. The errors guide lists causes and remedies. */
export type ErrorCode =
  | 'INVALID_MODEL'
  | 'UNSUPPORTED'
  | 'INVALID_SHAPE'
  | 'INVALID_TYPE'
  | 'INVALID_VALUE'
  | 'INVALID_ARGUMENT'
  | 'INVALID_STATE'
  | 'OUT_OF_MEMORY'
  | 'CANCELLED'
  | 'LIMIT_EXCEEDED'
  | 'ENGINE_FAILED'
  | 'INTERNAL';

/** Where an error happened. Unknown members are missing. */
export interface ErrorDetails {
  /** Name of the layer in the model. */
  layer?: string;
  /** Operation and version of the layer: "GatherTree-1". */
  layerType?: string;
  /** Id of the layer in the .xml. */
  layerId?: number;
  /** Line of the layer in the .xml. */
  line?: number;
  /** The input or output of the layer. */
  port?: string;
  /** What was expected. */
  expected?: string;
  /** What was found instead. */
  actual?: string;
}

/** A problem as the engine reports it. */
export interface Failure extends ErrorDetails {
  /** The kind of the problem. */
  code: ErrorCode;
  /** What is wrong, where, what was expected, what was found, and what to do. */
  message: string;
  /** All problems, if there are several. */
  problems?: Failure[];
}

// Long lists of problems are cut in the message. The member `problems` has all of them.
function shortened(message: string, problems: Failure[] = []): string {
  const shown = 10;
  if (problems.length <= shown || !message.includes('\n')) return message;
  const [title] = message.split('\n', 1);
  const count = Number(/(\d+) problems/.exec(title!)?.[1] ?? problems.length);
  const first = problems.slice(0, shown).map((problem) => `\n  ${problem.message}`);
  return `${title}${first.join('')}\n  and ${count - shown} more (see the error's "problems")`;
}

/**
 * The class of all errors of this package. Its `name` is 'Error', as in openvino-node.
 *
 * @example
 * try {
 *   request.infer({x: tensor});
 * } catch (error) {
 *   if (error instanceof ov.WasmvinoError && error.code === 'INVALID_SHAPE') console.log(error.expected, error.actual);
 * }
 */
export class WasmvinoError extends Error {
  /** The kind of the error. */
  declare readonly code: ErrorCode;
  /** Name of the layer in the model. */
  declare readonly layer?: string;
  /** Operation and version of the layer: "GatherTree-1". */
  declare readonly layerType?: string;
  /** Id of the layer in the .xml. */
  declare readonly layerId?: number;
  /** Line of the layer in the .xml. */
  declare readonly line?: number;
  /** The input or output of the layer. */
  declare readonly port?: string;
  /** What was expected. */
  declare readonly expected?: string;
  /** What was found instead. */
  declare readonly actual?: string;
  /** All problems of a model, if several were found. */
  declare readonly problems?: WasmvinoError[];

  /**
   * Creates an error.
   *
   * @param code The kind of the error.
   * @param message What is wrong.
   * @param details Where it happened, and its cause.
   * @example
   * throw new WasmvinoError('INVALID_VALUE', 'The index 5 is outside axis 0.', {expected: '0 to 3', actual: '5'});
   */
  constructor(code: ErrorCode, message: string, details: Partial<Failure> & {cause?: unknown} = {}) {
    super(shortened(message, details.problems), details.cause === undefined ? undefined : {cause: details.cause});
    const {cause, message: _, problems, ...rest} = details;
    Object.assign(this, rest, {code});
    if (problems) {
      // Not enumerable: a console would print a stack for each problem.
      const value = problems.map((problem) => new WasmvinoError(problem.code, problem.message, problem));
      Object.defineProperty(this, 'problems', {value});
    }
  }
}

/** Describes any value in an error message. Never throws. */
export function textOf(value: unknown): string {
  try {
    if (Array.isArray(value) && value.length === 0) return 'an empty array';
    if (value instanceof Promise) return 'a Promise (is an await missing?)';
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? `an object (${Object.prototype.toString.call(value)})` : String(value);
  } catch {
    return `a value of type ${typeof value}`;
  }
}

/** A secret token. Constructors that users must not call require it as their first argument. */
export const internally = Symbol('wasmvino');

/** Throws unless a constructor was called with `internally`. `source` is the method to use instead. */
export function checkCaller(token: unknown, what: string, source: string): void {
  if (token !== internally) throw invalidArgument(`${/^[AEIO]/.test(what) ? 'An' : 'A'} ${what} cannot be created with new: get it from ${source}.`);
}

/** A copy of the options, which are read once. Throws if they are not an object or have an unknown name. */
export function checkOptions<T extends object>(options: T, known: Record<keyof T, true>, method: string): T {
  if (typeof options !== 'object' || options === null) {
    throw invalidArgument(`${method}() takes its options as an object, not ${textOf(options)}.`);
  }
  const expected = Object.keys(known).join(', ');
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(known, name));
  const isGiven = (name: string) => name in options;
  if (unknown === undefined) return Object.fromEntries(Object.keys(known).filter(isGiven).map((name) => [name, options[name as keyof T]])) as T;
  throw invalidArgument(`${method}() has no option '${unknown}'; its options are ${expected}.`, {expected, actual: unknown});
}

/** @internal Throws unless the value is an AbortSignal or undefined. */
export function checkSignal(signal: unknown): AbortSignal | undefined {
  if (signal === undefined || signal instanceof AbortSignal) return signal;
  throw invalidArgument(`signal takes an AbortSignal, not ${textOf(signal)}.`, {expected: 'AbortSignal', actual: textOf(signal)});
}

/** @internal Throws unless the value is a boolean or undefined. */
export function checkFlag(value: unknown, name: string, method: string): boolean | undefined {
  if (value === undefined || typeof value === 'boolean') return value;
  throw invalidArgument(`${method}(): ${name} is true or false, not ${textOf(value)}.`, {expected: 'true or false', actual: textOf(value)});
}

// Number of letters to change, add or remove to get from one text to the other.
function distance(a: string, b: string): number {
  let row = Array.from({length: b.length + 1}, (_, i) => i);
  for (let i = 1; i <= a.length; ++i) {
    const next = [i];
    for (let j = 1; j <= b.length; ++j) {
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length]!;
}

/** The name among `names` that a caller most likely meant: the nearest, if at most a third of its letters differ. */
export function nearest(given: string, names: readonly string[]): string | undefined {
  if (given.length > 100) return undefined;
  const wanted = given.toUpperCase().replace(/[^A-Z0-9]+/g, '_');
  const [best] = names.map((name) => ({name, steps: distance(wanted, name.toUpperCase())})).sort((a, b) => a.steps - b.steps);
  return best && best.steps <= best.name.length / 3 ? best.name : undefined;
}

const said = new Set<string>();

/** Prints a warning on the console. Repeated texts are printed once. */
export function warnOnce(text: string): void {
  if (said.has(text)) return;
  said.add(text);
  console.warn(`wasmvino: ${text}`);
}

export function messageOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    // An object without a prototype, for example.
    return 'a value that has no text';
  }
}

const withCode = (code: ErrorCode) => (message: string, details?: ErrorDetails & {cause?: unknown}) =>
  new WasmvinoError(code, message, details);

export const invalidArgument = withCode('INVALID_ARGUMENT');
export const invalidModel = withCode('INVALID_MODEL');
export const invalidShape = withCode('INVALID_SHAPE');
export const invalidState = withCode('INVALID_STATE');
export const invalidType = withCode('INVALID_TYPE');
export const unsupported = withCode('UNSUPPORTED');

/** @internal The error of a synchronous call if the engine is in a worker. */
export function onlyAsync(method: string, instead: string): WasmvinoError {
  return invalidState(`${method}() computes on the calling thread, but the engine is in a worker: use ${instead}().`);
}

/** The error of a call whose arguments match no overload of a method. The text is that of OpenVINO's binding. */
export function incorrectParameters(method: string, given: ArrayLike<unknown>, ...allowed: string[]): WasmvinoError {
  return mismatch(`'${method}'`, given, allowed);
}

/** The same for a constructor. */
export function incorrectConstruction(name: string, given: ArrayLike<unknown>, ...allowed: string[]): WasmvinoError {
  return mismatch(`'${name}' constructor`, given, allowed);
}

function mismatch(what: string, given: ArrayLike<unknown>, allowed: string[]): WasmvinoError {
  const provided = Array.from(given, (value) => typeof value).join(', ');
  const promise = Array.from(given).findIndex((value) => value instanceof Promise);
  const hint = promise < 0 ? '' : `Argument ${promise + 1} is a Promise: write await before the call that returned it.\n`;
  return invalidArgument(
    `${what} method called with incorrect parameters.\n` +
      `Provided signature: (${provided}) \n` +
      `Allowed signatures:\n${allowed.map((form) => `- (${form})\n`).join('')}${hint}`,
  );
}

/** Throws if a method without parameters is given arguments, as OpenVINO's binding does. */
export function expectNoArguments(given: ArrayLike<unknown>, method: string): void {
  if (given.length > 0) throw invalidArgument(`${method}() does not accept any arguments.`);
}

/** @internal The reason of a signal, if its abort cancelled a run with this error. Otherwise the error itself. */
export function unlessAborted(error: unknown, signal: AbortSignal | undefined): unknown {
  return signal?.aborted && error instanceof WasmvinoError && error.code === 'CANCELLED' ? signal.reason : error;
}
