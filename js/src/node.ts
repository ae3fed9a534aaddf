// SPDX-License-Identifier: Apache-2.0
// The entry for Node.js: files are read, and all can be had at once.
import {readFileSync} from 'node:fs';
import {readFile} from 'node:fs/promises';
import {createRequire} from 'node:module';
import {availableParallelism} from 'node:os';
import {pathToFileURL} from 'node:url';
import {setPlatform, type BuildName, type Factory} from './engine.js';
import {checkWasm} from './sniff.js';

export * from './index.js';

const require = createRequire(import.meta.url);

function factorySync(build: BuildName): Factory {
  return require(`./node/wasmvino-${build}.cjs`);
}

function moduleSync(build: BuildName, from: string | URL | undefined): WebAssembly.Module {
  const base = from === undefined ? new URL('./', import.meta.url) : new URL(from, pathToFileURL('./'));
  const url = base.pathname.endsWith('/') ? new URL(`wasmvino-${build}.wasm`, base) : base;
  const bytes = readFileSync(url);
  checkWasm(bytes, url.pathname);
  return new WebAssembly.Module(bytes);
}

function unlessMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
  throw error;
}

setPlatform({
  relaxedAdvice: 'Node.js 20 has it behind --experimental-wasm-relaxed-simd',
  processors: availableParallelism,
  stayAlive() {
    // The threads of the engine keep no process alive, not even while they compute.
    const timer = setInterval(() => {}, 2 ** 30);
    return () => clearInterval(timer);
  },
  threadsRefused: () => (availableParallelism() > 1 ? undefined : 'there is one processor'),
  factory: async (build) => factorySync(build),
  module: async (build, from) => moduleSync(build, from),
  factorySync,
  moduleSync,
  read: (path) => readFile(path).catch(unlessMissing),
  readSync(path) {
    try {
      return readFileSync(path);
    } catch (error) {
      return unlessMissing(error);
    }
  },
});
