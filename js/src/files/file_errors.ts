// SPDX-License-Identifier: Apache-2.0
// Errors about files. They name the files, which the engine does not know.
import {WasmvinoError, invalidArgument, type ErrorCode} from '../base/error.js';
import {checkModel, checkWeights} from './formats.js';
import type {ModelFiles} from './model_files.js';

// The kinds of errors that a file causes.
const ofFiles: readonly ErrorCode[] = [
  'INVALID_MODEL',
  'UNSUPPORTED',
  'INVALID_SHAPE',
  'INVALID_TYPE',
  'INVALID_VALUE',
  'LIMIT_EXCEEDED',
];

/** Adds the path of a file to an error of the engine that concerns it. Returns other errors unchanged. */
export function explained(error: unknown, {xml, weights, origin}: ModelFiles): unknown {
  if (!(error instanceof WasmvinoError) || !origin || !ofFiles.includes(error.code)) return error;
  const {model, path, missing} = origin;
  try {
    // A server that answers with a page does so for all files. The first one tells most.
    checkModel(xml, String(model));
  } catch (mistaken) {
    return mistaken;
  }
  if (missing && /\bneeds its weights\b/.test(error.message)) {
    return new WasmvinoError('INVALID_ARGUMENT', `${path} cannot be opened (${missing}): ${error.message}`, {
      ...error,
      actual: missing,
    });
  }
  try {
    if (weights?.head) checkWeights(weights.head, String(path));
  } catch (mistaken) {
    return mistaken;
  }
  const about = (text: string) => new WasmvinoError(error.code, text, {...error, problems: error.problems, cause: error.cause});
  if (/\bthe weights end\b|\bend of the weights\b/.test(error.message)) return about(`${path} is too short: ${error.message}`);
  if (/\.bin$/i.test(String(model)) && /\bis not a model in\b/.test(error.message)) {
    return about(
      `${model} has the weights of a model, not the model itself: read the .xml or .pnnx.param beside it. (${error.message})`,
    );
  }
  // Values of another model's weights make shapes and axes that nobody wrote.
  const end = weights && endOfWeights(xml);
  const other =
    end !== undefined && end !== weights!.size
      ? ` ${path} has ${weights!.size} bytes, but the model describes ${end}: is it the .bin of another model?`
      : '';
  return about(`${model}: ${error.message}${other}`);
}

/** @internal The error for a file that does not exist. `why` is the reason that the platform gave. */
export function noFile(path: string | URL, why: string): WasmvinoError {
  return invalidArgument(`Model file ${path} cannot be opened: ${why}.`, {actual: String(path)});
}

/** Computes the length of the .bin from the constants in the .xml. Undefined if there are none. */
export function endOfWeights(xml: Uint8Array): number | undefined {
  let end: number | undefined;
  const text = new TextDecoder().decode(xml);
  let from = 0;
  // Not one expression for the whole: on a text of many '<data ' without a '>', it would take time quadratic in its length.
  for (let at = text.indexOf('<data', from); at !== -1; at = text.indexOf('<data', from)) {
    from = text.indexOf('>', at);
    if (from === -1) break;
    if (!/\s/.test(text.charAt(at + '<data'.length))) continue;
    const data = text.slice(at, from);
    const [offset, size] = [/\soffset="(\d+)"/.exec(data)?.[1], /\ssize="(\d+)"/.exec(data)?.[1]];
    if (offset !== undefined && size !== undefined) end = Math.max(end ?? 0, Number(offset) + Number(size));
  }
  return end;
}

/** The error for a file that cannot be read. */
export function unreadable(path: string | URL, why: string, cause?: unknown): WasmvinoError {
  return invalidArgument(`${path} cannot be read: ${why}`, {actual: String(path), cause});
}
