// SPDX-License-Identifier: Apache-2.0
// The entry for Node.js: files are read, and all can be had at once.
import {closeSync, fstatSync, openSync, readFileSync, readSync} from 'node:fs';
import {open, readFile} from 'node:fs/promises';
import {createRequire} from 'node:module';
import {availableParallelism} from 'node:os';
import {pathToFileURL} from 'node:url';
import type {BuildName} from './build.js';
import {WasmvinoError, messageOf} from './error.js';
import type {Factory} from './glue.js';
import {setPlatform} from './platform.js';
import {checkWasm} from './sniff.js';
import {allocate, unreadable} from './weights.js';

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

function unlessMissing(error: unknown, path: string | URL): string {
  const {code} = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'there is no such file';
  if (error instanceof WasmvinoError) throw error;
  throw unreadable(path, code === 'EISDIR' ? 'it is a folder' : messageOf(error), error);
}

// readFile() refuses files of 2 GB and more, and one call of read() gives at most that much.
const most = 2 ** 30;

async function readLarge(path: string | URL): Promise<Uint8Array> {
  const file = await open(path);
  try {
    const stat = await file.stat();
    if (!stat.isFile()) return await readFile(path);
    const bytes = allocate(path, stat.size);
    let size = 0;
    for (let read = -1; read !== 0 && size < bytes.length; size += read) {
      read = (await file.read(bytes, size, Math.min(most, bytes.length - size))).bytesRead;
    }
    return bytes.subarray(0, size);
  } finally {
    await file.close();
  }
}

function readLargeSync(path: string | URL): Uint8Array {
  const file = openSync(path, 'r');
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) return readFileSync(path);
    const bytes = allocate(path, stat.size);
    let size = 0;
    for (let read = -1; read !== 0 && size < bytes.length; size += read) {
      read = readSync(file, bytes, size, Math.min(most, bytes.length - size), null);
    }
    return bytes.subarray(0, size);
  } finally {
    closeSync(file);
  }
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
  async read(path, signal) {
    signal?.throwIfAborted();
    const bytes = await readLarge(path).catch((error) => unlessMissing(error, path));
    signal?.throwIfAborted();
    return bytes;
  },
  readSync(path) {
    try {
      return readLargeSync(path);
    } catch (error) {
      return unlessMissing(error, path);
    }
  },
});
