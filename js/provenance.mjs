// SPDX-License-Identifier: Apache-2.0
// Where a module comes from, written into the module itself as the custom section "wasmvino.provenance".
import {execFileSync} from 'node:child_process';
import {leb128} from './leb128.mjs';

/**
 * The commit that a folder is checked out at, with "-dirty" where files differ from it; "unknown" outside of Git.
 * @param {string} folder
 * @returns {string}
 */
export function commitOf(folder) {
  try {
    // The folder may lie below the checkout of another project.
    const git = (...args) => execFileSync('git', ['-C', folder, ...args], {encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore']}).trim();
    if (git('rev-parse', '--show-prefix') !== '') return 'unknown';
    return git('describe', '--always', '--abbrev=40', '--exclude=*', '--dirty');
  } catch {
    return 'unknown';
  }
}

/**
 * A module with one more section at its end, which engines ignore and `WebAssembly.Module.customSections()` shows.
 * @param {Uint8Array} wasm
 * @param {{version: string, commit: string, emscripten: string, clang: string}} provenance
 * @returns {Buffer}
 */
export function withProvenance(wasm, provenance) {
  const name = Buffer.from('wasmvino.provenance');
  const content = Buffer.concat([leb128(name.length), name, Buffer.from(JSON.stringify(provenance))]);
  return Buffer.concat([wasm, Buffer.of(0), leb128(content.length), content]);
}
