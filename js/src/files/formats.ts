// SPDX-License-Identifier: Apache-2.0
// Recognises what servers often send instead of a file: error pages and Git LFS pointers.
import {WasmvinoError, type ErrorCode} from '../base/error.js';

function startOf(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes.subarray(0, 64)).trimStart();
}

/** Describes the content if it is certainly neither a module nor weights. Otherwise returns undefined. */
export function mistakenFor(bytes: Uint8Array): string | undefined {
  const start = startOf(bytes);
  if (/^<(!doctype html|html|head|body)\b/i.test(start))
    return 'an HTML page (a missing file that the server answers with a page?)';
  if (start.startsWith('version https://git-lfs')) return 'a Git LFS pointer (the file itself was not fetched: git lfs pull)';
  return undefined;
}

/** Throws `INVALID_ARGUMENT` if the bytes are not a WebAssembly module. */
export function checkWasm(bytes: Uint8Array, from: string): void {
  if (bytes[0] === 0 && bytes[1] === 0x61 && bytes[2] === 0x73 && bytes[3] === 0x6d) return;
  const found = Array.from(bytes.subarray(0, 4), (byte) => byte.toString(16).padStart(2, '0')).join(' ');
  throw notWasm(from, mistakenFor(bytes) ?? `a file that starts with the bytes ${found || '(it is empty)'}`);
}

export function notWasm(from: string, what: string): WasmvinoError {
  return wrongFile('INVALID_ARGUMENT', from, 'the WebAssembly module', what);
}

/** Throws `INVALID_MODEL` if the bytes are certainly not a model. */
export function checkModel(bytes: Uint8Array, from: string): void {
  const what = mistakenFor(bytes);
  if (what) throw wrongFile('INVALID_MODEL', from, 'a model', what);
}

/** Throws `INVALID_MODEL` if the bytes are certainly not weights. */
export function checkWeights(bytes: Uint8Array, from: string): void {
  const what = mistakenFor(bytes);
  if (what) throw wrongFile('INVALID_MODEL', from, 'the weights', what);
}

function wrongFile(code: ErrorCode, from: string, wanted: string, what: string): WasmvinoError {
  return new WasmvinoError(code, `${from} is not ${wanted}: it is ${what}`, {expected: wanted, actual: what});
}
