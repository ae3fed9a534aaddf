// SPDX-License-Identifier: Apache-2.0
// Says in one sentence what is wrong with the weights of a model that the engine refused.
import {WasmvinoError, invalidArgument, type ErrorDetails} from './error.js';
import type {ModelFiles} from './model.js';
import {checkWeights, mistakenFor} from './sniff.js';

const attribute = (name: string) => new RegExp(`\\s${name}\\s*=\\s*["']([^"']*)["']`);
const attributes = {type: attribute('type'), offset: attribute('offset'), size: attribute('size')};

// Of the constants that have bytes in the weights, the byte behind the last. Only the engine reads an .xml properly;
// this is for messages.
function constantsOf(xml: Uint8Array): number[] {
  const ends: number[] = [];
  for (const [, layer, data] of new TextDecoder().decode(xml).matchAll(/<layer\b([^<>]*)>\s*<data\b([^<>]*)>/g)) {
    const read = (text: string, name: keyof typeof attributes) => attributes[name].exec(text)?.[1] ?? '';
    if (read(layer!, 'type') !== 'Const') continue;
    const size = Number(read(data!, 'size'));
    if (size > 0) ends.push(Number(read(data!, 'offset')) + size);
  }
  return ends;
}

/** The engine's error, or one that says what the weights lack, where that is why. */
export function explained(error: unknown, {xml, weights, origin}: ModelFiles): unknown {
  if (!(error instanceof WasmvinoError) || !['INVALID_MODEL', 'UNSUPPORTED'].includes(error.code)) return error;
  const problems = error.problems ?? [error];
  const others = problems.filter(({message}) => !/\bthe weights\b/.test(message));
  if (others.length === problems.length) return error;
  const constants = constantsOf(xml);
  const needed = constants.reduce((most, end) => Math.max(most, end), 0);
  const because = (code: 'INVALID_ARGUMENT' | 'INVALID_MODEL', reason: string, details: ErrorDetails) => {
    const more = others.length > 0 ? ` Besides: ${others.map(({message}) => message).join('\n  ')}` : '';
    return new WasmvinoError(code, `${reason}.${more}`, {...details, problems: error.problems});
  };
  if (!weights) {
    if (!origin?.missing) return error;
    const reason = `${origin.path} cannot be opened (${origin.missing}): ${constants.length} constants of the model need its ${needed} bytes`;
    return because('INVALID_ARGUMENT', reason, {expected: `${needed} bytes`, actual: origin.missing});
  }
  if (origin) {
    try {
      checkWeights(weights, String(origin.path));
    } catch (mistaken) {
      return mistaken;
    }
  }
  const first = problems.find(({message}) => /beyond the end of the weights/.test(message));
  if (!first || mistakenFor(weights)) return error;
  const {layer, layerType, layerId, line} = first;
  const reason =
    `${origin ? String(origin.path) : 'The weights'} ended too early: ${weights.length} bytes are there, ` +
    `the model's constants need ${needed} (the first beyond the end is layer '${layer}')`;
  const details = {layer, layerType, layerId, line, expected: `${needed} bytes`, actual: `${weights.length} bytes`};
  return because('INVALID_MODEL', reason, details);
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
