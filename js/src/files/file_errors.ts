// SPDX-License-Identifier: Apache-2.0
// Errors about files. They name the files, which the engine does not know.
import {WasmvinoError, invalidArgument} from '../base/error.js';
import {checkModel, checkWeights} from './formats.js';
import type {ModelFiles} from './model_files.js';

/** Adds the path of a file to an error of the engine that concerns it. Returns other errors unchanged. */
export function explained(error: unknown, {xml, weights, origin}: ModelFiles): unknown {
  if (!(error instanceof WasmvinoError) || !origin) return error;
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
  if (!/\bthe weights end\b|\bend of the weights\b/.test(error.message)) return error;
  return new WasmvinoError(error.code, `${path} is too short: ${error.message}`, {...error, problems: error.problems});
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
