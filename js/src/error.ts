// SPDX-License-Identifier: Apache-2.0
// The one class of errors. Codes are those of src/core/error.h, and ENGINE_FAILED.

/** The kind of an error. The guide to errors lists causes and cures. */
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

/** Where an error happened, as far as it is known. */
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
  /** What came instead. */
  actual?: string;
}

/** A problem as the engine reports it. */
export interface Failure extends ErrorDetails {
  code: ErrorCode;
  message: string;
  problems?: Failure[];
}

// The message lists the first problems; `problems` has all of them.
function shortened(message: string, problems: Failure[] = []): string {
  const shown = 10;
  if (problems.length <= shown || !message.includes('\n')) return message;
  const [title] = message.split('\n', 1);
  const count = Number(/\d+/.exec(title!)?.[0] ?? problems.length);
  const first = problems.slice(0, shown).map((problem) => `\n  ${problem.message}`);
  return `${title}${first.join('')}\n  and ${count - shown} more (see the error's "problems")`;
}

/** The class of all errors of this package. Its `name` is 'Error', as for errors of openvino-node. */
export class WasmvinoError extends Error {
  declare readonly code: ErrorCode;
  declare readonly layer?: string;
  declare readonly layerType?: string;
  declare readonly layerId?: number;
  declare readonly line?: number;
  declare readonly port?: string;
  declare readonly expected?: string;
  declare readonly actual?: string;
  /** All problems of a model. */
  declare readonly problems?: WasmvinoError[];

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

/** Any value as a text. */
export function textOf(value: unknown): string {
  try {
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? `an object (${Object.prototype.toString.call(value)})` : String(value);
  } catch {
    return `a value of type ${typeof value}`;
  }
}

/** Only this package has it: by it the classes that users get, but do not make, know who constructs them. */
export const internally = Symbol('wasmvino');

export function checkCaller(token: unknown, what: string, source: string): void {
  if (token !== internally) throw invalidArgument(`A ${what} cannot be created with new: get it from ${source}.`);
}

/** Refuses what is no object, and names that it does not know. */
export function checkOptions(options: unknown, known: Record<string, true>, method: string): void {
  if (typeof options !== 'object' || options === null) {
    throw invalidArgument(`${method}() takes its options as an object, not ${textOf(options)}.`);
  }
  const expected = Object.keys(known).join(', ');
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(known, name));
  if (unknown === undefined) return;
  throw invalidArgument(`${method}() has no option '${unknown}'; its options are ${expected}.`, {expected, actual: unknown});
}

/** @internal Refuses what is no AbortSignal. */
export function checkSignal(signal: unknown): AbortSignal | undefined {
  if (signal === undefined || signal instanceof AbortSignal) return signal;
  throw invalidArgument(`signal takes an AbortSignal, not ${textOf(signal)}.`, {expected: 'AbortSignal', actual: textOf(signal)});
}

/** @internal Refuses what is neither true nor false. */
export function checkFlag(value: unknown, name: string, method: string): boolean | undefined {
  if (value === undefined || typeof value === 'boolean') return value;
  throw invalidArgument(`${method}(): ${name} is true or false, not ${textOf(value)}.`, {expected: 'true or false', actual: textOf(value)});
}

const said = new Set<string>();

/** Says something on the console, once. */
export function warnOnce(text: string): void {
  if (said.has(text)) return;
  said.add(text);
  console.warn(`wasmvino: ${text}`);
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const withCode = (code: ErrorCode) => (message: string, details?: ErrorDetails & {cause?: unknown}) =>
  new WasmvinoError(code, message, details);

export const invalidArgument = withCode('INVALID_ARGUMENT');
export const invalidShape = withCode('INVALID_SHAPE');
export const invalidState = withCode('INVALID_STATE');
export const invalidType = withCode('INVALID_TYPE');
export const unsupported = withCode('UNSUPPORTED');

/** @internal For a synchronous call about an engine that lies in a worker. */
export function onlyAsync(method: string, instead: string): WasmvinoError {
  return invalidState(`${method}() computes on the calling thread, but the engine is in a worker: use ${instead}().`);
}

/** For a call whose arguments fit none of a method's forms. */
export function incorrectParameters(method: string, given: ArrayLike<unknown>, ...allowed: string[]): WasmvinoError {
  const provided = Array.from(given, (value) => typeof value).join(', ');
  return invalidArgument(
    `'${method}' method called with incorrect parameters.\n` +
      `Provided signature: (${provided}) \n` +
      `Allowed signatures:\n${allowed.map((form) => `- (${form})\n`).join('')}`,
  );
}

/** For methods that take nothing: OpenVINO's binding refuses surplus arguments. */
export function expectNoArguments(given: ArrayLike<unknown>, method: string): void {
  if (given.length > 0) throw invalidArgument(`${method}() does not accept any arguments.`);
}
