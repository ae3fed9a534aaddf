// SPDX-License-Identifier: Apache-2.0
// The one class of errors. Codes are those of src/core/error.h.

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
  | 'INTERNAL';

/** Where an error happened and what it is about, as far as it is known. */
export interface ErrorDetails {
  /** Name of the layer in the model. */
  layer?: string;
  /** Operation and version of the layer: "GatherTree-1". */
  layerType?: string;
  /** Id of the layer in the .xml. */
  layerId?: number;
  /** Line of the layer in the .xml. */
  line?: number;
  /** The input or output it is about. */
  port?: string;
  /** What was wanted, and what came. */
  expected?: string;
  actual?: string;
}

/** As the engine reports it. */
export interface Failure extends ErrorDetails {
  code: ErrorCode;
  message: string;
  problems?: Failure[];
}

/** Every error of the engine and of its wrapper. Its name stays Error: so OpenVINO's binding tells its own. */
export class WasmvinoError extends Error {
  declare readonly code: ErrorCode;
  declare readonly layer?: string;
  declare readonly layerType?: string;
  declare readonly layerId?: number;
  declare readonly line?: number;
  declare readonly port?: string;
  declare readonly expected?: string;
  declare readonly actual?: string;
  /** Everything that is wrong with a model, one by one. */
  declare readonly problems?: WasmvinoError[];

  constructor(code: ErrorCode, message: string, details: Partial<Failure> & {cause?: unknown} = {}) {
    super(message, details.cause === undefined ? undefined : {cause: details.cause});
    const {cause, message: _, problems, ...rest} = details;
    Object.assign(this, rest, {code});
    if (problems) this.problems = problems.map((problem) => new WasmvinoError(problem.code, problem.message, problem));
  }
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
