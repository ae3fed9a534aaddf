// SPDX-License-Identifier: Apache-2.0
// Records the origin of a module in its custom section "wasmvino.provenance".
import {execFileSync} from 'node:child_process';
import {leb128} from './leb128.mjs';

/**
 * Returns the commit of a Git checkout, with "-dirty" if files differ from it. Outside of Git, returns "unknown".
 * @param {string} folder
 * @returns {string}
 */
export function commitOf(folder) {
  try {
    // The folder may be part of another project's checkout.
    const git = (...args) => execFileSync('git', ['-C', folder, ...args], {encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore']}).trim();
    if (git('rev-parse', '--show-prefix') !== '') return 'unknown';
    return git('describe', '--always', '--abbrev=40', '--exclude=*', '--dirty');
  } catch {
    return 'unknown';
  }
}

/**
 * Appends the section to a module. Engines ignore it, and `WebAssembly.Module.customSections()` returns it.
 * @param {Uint8Array} wasm
 * @param {{version: string, commit: string, emscripten: string, clang: string}} provenance
 * @returns {Buffer}
 */
export function withProvenance(wasm, provenance) {
  const name = Buffer.from('wasmvino.provenance');
  const content = Buffer.concat([leb128(name.length), name, Buffer.from(JSON.stringify(provenance))]);
  return Buffer.concat([wasm, Buffer.of(0), leb128(content.length), content]);
}
