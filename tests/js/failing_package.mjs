// SPDX-License-Identifier: Apache-2.0
// Makes a copy of the package whose engine traps on demand, on the main thread or on another one.
import {cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {root} from './engine.mjs';

// (module (func (export "trap") unreachable))
const trap = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 4, 1, 0x60, 0, 0, 3, 2, 1, 0, 7, 8, 1, 4, 116, 114, 97, 112, 0, 0, 10, 5, 1, 3, 0, 0, 0x0b];

/**
 * Copies the package to a new folder. While `where` ('main' or 'thread') is armed, each call from the engine to JavaScript on
 * that thread ends in a real trap, which no C++ code can catch.
 */
export function failingPackage(build) {
  const folder = mkdtempSync(join(tmpdir(), 'wasmvino-failing-'));
  cpSync(join(root, 'dist'), folder, {recursive: true});
  const armed = (where) => join(folder, `armed-${where}`);
  const script = join(folder, 'node', `wasmvino-${build}.cjs`);
  const prelude = `{
    const {existsSync} = require('node:fs');
    const armed = require('node:worker_threads').workerData === 'em-pthread' ? ${JSON.stringify(armed('thread'))} : ${JSON.stringify(armed('main'))};
    const {trap} = new WebAssembly.Instance(new WebAssembly.Module(Uint8Array.of(${trap}))).exports;
    const Instance = WebAssembly.Instance;
    WebAssembly.Instance = function (module, imports) {
      const guarded = {};
      for (const [name, fields] of Object.entries(imports ?? {})) {
        guarded[name] = {};
        for (const [field, value] of Object.entries(fields)) {
          guarded[name][field] = typeof value !== 'function' ? value : (...args) => (existsSync(armed) && trap(), value(...args));
        }
      }
      return new Instance(module, guarded);
    };
  }\n`;
  writeFileSync(script, prelude + readFileSync(script, 'utf8'));
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  return {
    url: pathToFileURL(join(folder, 'node.js')).href,
    async load() {
      const ov = (await import(this.url)).addon;
      ov.configure({build});
      return ov;
    },
    arm: (where) => writeFileSync(armed(where), ''),
    disarm: (where) => rmSync(armed(where), {force: true}),
    remove: () => rmSync(folder, {recursive: true, force: true}),
  };
}
