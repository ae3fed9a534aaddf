// SPDX-License-Identifier: Apache-2.0
// What is wrong with files, in words: their names, which the engine does not know.
import {WasmvinoError, invalidArgument} from './error.js';
import type {ModelFiles} from './model.js';
import {checkWeights} from './sniff.js';

/** The engine's error, which knows what the weights lack, with the file that they came from. */
export function explained(error: unknown, {weights, origin}: ModelFiles): unknown {
  if (!(error instanceof WasmvinoError) || !origin) return error;
  const {path, missing} = origin;
  if (missing && /\bneeds its weights\b/.test(error.message)) {
    return new WasmvinoError('INVALID_ARGUMENT', `${path} cannot be opened (${missing}): ${error.message}`, {...error, actual: missing});
  }
  try {
    if (weights) checkWeights(weights, String(path));
  } catch (mistaken) {
    return mistaken;
  }
  if (!/\bthe weights end\b|\bend of the weights\b/.test(error.message)) return error;
  return new WasmvinoError(error.code, `${path} ended too early: ${error.message}`, {...error, problems: error.problems});
}

/** What was refused, in words, where memory for a file cannot be had. `room`: bytes that the engine addresses. */
export function allocate(path: string | URL, bytes: number): Uint8Array<ArrayBuffer> {
  const room = 2 ** 32;
  const refuse = (why: string, cause?: unknown) =>
    new WasmvinoError('OUT_OF_MEMORY', `${path} has ${bytes} bytes: ${why}`, {
      expected: `at most ${room} bytes`,
      actual: `${bytes} bytes`,
      cause,
    });
  if (bytes > room) throw refuse(`more than the ${room} bytes of memory that the engine can address. Nothing was read.`);
  try {
    return new Uint8Array(bytes);
  } catch (cause) {
    throw refuse('there is no memory for them here.', cause);
  }
}

/** An error of reading a file, in words. */
export function unreadable(path: string | URL, why: string, cause?: unknown): WasmvinoError {
  return invalidArgument(`${path} cannot be read: ${why}`, {actual: String(path), cause});
}
