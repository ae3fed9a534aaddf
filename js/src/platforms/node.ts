// SPDX-License-Identifier: Apache-2.0
// The platform of Node.js. It can read files and load the engine synchronously.
import {createHash} from 'node:crypto';
import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
  type Stats,
} from 'node:fs';
import {open} from 'node:fs/promises';
import {createRequire} from 'node:module';
import {availableParallelism} from 'node:os';
import {dirname, resolve} from 'node:path';
import {pathToFileURL} from 'node:url';
import type {BuildName, PartName} from '../base/builds.js';
import {WasmvinoError, invalidArgument, invalidState, messageOf} from '../base/error.js';
import type {Factory, Platform, ReadNow, Reading} from '../base/platform.js';
import {allocate, type Sink} from '../base/sink.js';
import {download} from '../files/download.js';
import {unreadable} from '../files/file_errors.js';
import {checkWasm} from '../files/formats.js';
import {changed} from '../files/weights.js';
import {moduleUrl} from './module_url.js';

const require = createRequire(import.meta.url);

function factorySync(build: BuildName): Factory {
  return require(`./node/wasmvino-${build}.cjs`);
}

function wasmSync(build: BuildName, from: string | URL | undefined, part?: PartName): Uint8Array<ArrayBuffer> {
  const given = from === undefined ? undefined : moduleUrl(new URL(from, pathToFileURL('./')), build, part);
  const url = given ?? moduleUrl(new URL('./', import.meta.url), build, part)!;
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    bytes = readFileSync(url);
  } catch (error) {
    if (part !== undefined) throw error; // the caller names the part
    throw invalidArgument(`The engine cannot be loaded: ${messageOf(error)}`);
  }
  checkWasm(bytes, url.pathname);
  return bytes;
}

const moduleSync = (build: BuildName, from: string | URL | undefined) => new WebAssembly.Module(wasmSync(build, from));

function unlessMissing(error: unknown, path: string | URL): string {
  const {code} = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'there is no such file';
  if (error instanceof WasmvinoError) throw error;
  throw unreadable(path, code === 'EISDIR' ? `it is a folder${modelsIn(path)}` : messageOf(error), error);
}

// The model files of a folder, such as those that optimum-cli writes, for an error message.
function modelsIn(path: string | URL): string {
  try {
    const models = readdirSync(path).filter((name) => /\.(xml|onnx|pnnx\.param)$/i.test(name)).sort();
    if (models.length === 0) return ' without a model (.xml, .onnx or .pnnx.param)';
    return `: give the model in it, ${models.slice(0, 5).join(' or ')}${models.length > 5 ? ' …' : ''}`;
  } catch {
    return '';
  }
}

const isFetched = (path: string | URL) => /^(https?|data|blob):/i.test(String(path));

const versionOf = ({size, mtime}: Stats) => `${size} bytes of ${mtime.toISOString()}`;

// Reads ranges of a file, as long as it is the one that had this state.
function rangesOf(path: string | URL, before: Stats): ReadNow {
  const from = typeof path === 'string' ? resolve(path) : path; // the working directory may change
  return (offset, count) => {
    const file = openSync(from, 'r');
    try {
      const now = fstatSync(file);
      const same = now.ino === before.ino && now.size === before.size && now.mtimeMs === before.mtimeMs;
      if (!same) throw changed(versionOf(before), versionOf(now));
      const bytes = new Uint8Array(count);
      for (let at = 0, read = -1; read !== 0 && at < count; at += read) {
        read = readSync(file, bytes, at, Math.min(most, count - at), offset + at);
      }
      return bytes;
    } finally {
      closeSync(file);
    }
  };
}

async function readInto(path: string | URL, sink: Sink, {signal, report}: Reading): Promise<ReadNow | undefined> {
  const file = await open(path);
  try {
    const stat = await file.stat();
    const start = sink.size;
    if (!stat.isFile()) {
      sink.write(await file.readFile());
      return undefined;
    }
    sink.reserve(start + stat.size);
    for (let read = -1; read !== 0 && sink.size < start + stat.size; ) {
      signal?.throwIfAborted();
      const {space} = sink; // at most a piece, so the signal is checked often
      read = (await file.read(space, 0, Math.min(space.length, start + stat.size - sink.size))).bytesRead;
      sink.advance(read);
      report(sink.size - start, stat.size);
    }
    return rangesOf(path, stat);
  } finally {
    await file.close();
  }
}

// Bytes per system call. readFile() refuses files of 2 GB and more, and one call of read() returns less than 2 GB.
const most = 2 ** 30;

function readLargeSync(path: string | URL): {bytes: Uint8Array; readNow?: ReadNow} {
  const file = openSync(path, 'r');
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) return {bytes: readFileSync(path)};
    const bytes = allocate(path, stat.size);
    let size = 0;
    for (let read = -1; read !== 0 && size < bytes.length; size += read) {
      read = readSync(file, bytes, size, Math.min(most, bytes.length - size), null);
    }
    return {bytes: bytes.subarray(0, size), readNow: rangesOf(path, stat)};
  } finally {
    closeSync(file);
  }
}

function writeAll(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, Math.min(most, bytes.length - at));
}

// Writes to temporary files and renames them at the end, so that a failure leaves existing files unchanged.
function saveSync(path: string, write: (part: (bytes: Uint8Array) => void) => string): void {
  const files = [path, path.replace(/\.xml$/, '.bin')] as const;
  const [xml, bin] = files.map((file) => `${file}.part`) as [string, string];
  try {
    mkdirSync(dirname(path), {recursive: true});
    const file = openSync(bin, 'w');
    try {
      writeFileSync(xml, write((bytes) => writeAll(file, bytes)));
    } finally {
      closeSync(file);
    }
    renameSync(bin, files[1]);
    renameSync(xml, files[0]);
  } catch (error) {
    for (const part of [xml, bin].filter((part) => existsSync(part))) rmSync(part);
    if (error instanceof WasmvinoError) throw error;
    throw invalidArgument(`Model file ${path} cannot be written: ${messageOf(error)}`, {actual: path, cause: error});
  }
}

/** @internal */
export const nodePlatform: Platform = {
  relaxedAdvice: 'Node.js 20 has it behind --experimental-wasm-relaxed-simd',
  processors: availableParallelism,
  stayAlive() {
    // The threads of the engine do not keep the process alive, even while they compute. A timer does.
    const timer = setInterval(() => {}, 2 ** 30);
    return () => clearInterval(timer);
  },
  threadsRefused: () => (availableParallelism() > 1 ? undefined : 'there is one processor'),
  isolation: () => ({available: true, reason: 'Node.js shares memory without it'}),
  workersRefused: () => undefined,
  absolute: (path) => path, // workers have the same working directory
  factory: async (build) => factorySync(build),
  module: async (build, from) => moduleSync(build, from),
  part: async (build, part, from) => wasmSync(build, from, part),
  factorySync,
  moduleSync,
  partSync: (build, part, from) => wasmSync(build, from, part),
  importModule: (path) => import(String(new URL(path, pathToFileURL('./')))),
  isFetched,
  async read(path, sink, reading) {
    if (isFetched(path)) return download(path, sink, reading);
    reading.signal?.throwIfAborted();
    let readNow: ReadNow | undefined;
    try {
      readNow = await readInto(path, sink, reading);
    } catch (error) {
      reading.signal?.throwIfAborted();
      return {missing: unlessMissing(error, path)};
    }
    reading.signal?.throwIfAborted();
    return {readNow};
  },
  async digest(kind, _path, pieces) {
    const hash = createHash(kind);
    for (const piece of pieces) hash.update(piece);
    return hash.digest();
  },
  saveSync,
  readSync(path) {
    if (isFetched(path)) throw invalidState(`${path} cannot be fetched synchronously: use readModel() or compileModel().`);
    try {
      return readLargeSync(path);
    } catch (error) {
      return unlessMissing(error, path);
    }
  },
};
