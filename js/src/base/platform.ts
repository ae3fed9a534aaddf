// SPDX-License-Identifier: Apache-2.0
// The differences between browsers and Node.js.
import type {BuildName, PartName} from './builds.js';
import type {Sink} from './sink.js';

/** Whether a feature is available, and the reason. */
export interface Capability {
  /** Whether it is available. */
  readonly available: boolean;
  /** The reason, in words. */
  readonly reason: string;
}

/** The default export of `wasmvino-….mjs`: Emscripten's factory, which adds the module's functions to an object. */
export type Factory = (glue: object) => unknown;

/** @internal What the glue uses of the worker of a thread. */
export interface ThreadWorker {
  postMessage(message: unknown, transfer?: Transferable[]): void;
  terminate(): void;
}

/** @internal Identifies a version of a file: the ETag and Last-Modified headers. */
export interface Validator {
  etag?: string;
  modified?: string;
}

/** @internal How a file is read. */
export interface Reading {
  signal?: AbortSignal;
  /** Whether the file was read before. The browser's cache is then not checked for a newer version. */
  again?: boolean;
  /** Whether the bytes will be compared with a hash, so that a broken transfer can be resumed without an ETag. */
  hashed?: boolean;
  /** Returns the length of the file in bytes. Used if the server does not announce it. */
  expected?: () => Promise<number | undefined>;
  /** Called with the number of bytes received so far, and the length of the file if it is known. */
  report: (loaded: number, total: number | undefined) => void;
}

/** @internal Reads a range of a file. Throws if the file has changed. */
export type ReadNow = (offset: number, count: number) => Uint8Array;

/** @internal Result of a read. `missing` says why there is no such file. `readNow` is for files that can be read synchronously. */
export interface Received {
  missing?: string;
  validator?: Validator;
  readNow?: ReadNow;
  /** Whether the bytes are still being written to a cache. */
  shared?: boolean;
}

/** @internal A kind of hash. */
export type HashKind = 'sha256' | 'sha384' | 'sha512';

/** @internal A worker that runs the engine, as seen from the page. */
export interface WorkerThread<Ask> {
  post(ask: Ask, transfer: ArrayBuffer[]): void;
  /** Ends the worker. No more messages arrive from it. */
  end(): void;
}

/** @internal */
export interface Platform {
  /** The only build, for entries of a single build. */
  only?: BuildName;
  /** Whether cross-origin isolation permits shared memory here, and why. */
  isolation(): Capability;
  /** The reason why workers are not available. Undefined if they are. */
  workersRefused(): string | undefined;
  /**
   * Starts a worker that runs the engine. Calls `failed` with the reason if the worker does not start, or ends. This is
   * missing inside such workers.
   */
  startWorker?<Ask, Tell>(hear: (message: Tell) => void, failed: (why: string) => void): WorkerThread<Ask>;
  /**
   * Milliseconds that a call waits for the fetched script of a worker to start. If the browser refuses the script, an event
   * reports that much earlier.
   */
  scriptStart?: number;
  /** Converts a path to one that has the same meaning in a worker. */
  absolute(path: string | URL): string | URL;
  /** The reason why memory cannot be shared with threads. Undefined if it can. */
  threadsRefused(): string | undefined;
  /** The reason not to choose a build with threads, although it may work. */
  threadsAvoided?(): string | undefined;
  /** Number of logical processors. */
  processors(): number;
  /** Keeps the process alive until the returned function is called. */
  stayAlive?(): () => void;
  /** How to enable relaxed SIMD if it is off. */
  relaxedAdvice: string;
  /** Loads the glue of a build. */
  factory(build: BuildName): Promise<Factory>;
  /** Loads and compiles the module of a build, from its default location or from `url`: that of a folder, or of the module. */
  module(build: BuildName, url: string | URL | undefined): Promise<WebAssembly.Module>;
  /** Loads a part of a module, whose location is `url` as above. */
  part(build: BuildName, part: PartName, url: string | URL | undefined): Promise<Uint8Array>;
  /** Returns a function that starts the workers of a threaded build, if the glue cannot do it itself. */
  workerMaker?(build: BuildName): (() => ThreadWorker) | undefined;
  /** The synchronous forms of factory(), module() and part(), where they are possible. */
  factorySync?(build: BuildName): Factory;
  moduleSync?(build: BuildName, url: string | URL | undefined): WebAssembly.Module;
  partSync?(build: BuildName, part: PartName, url: string | URL | undefined): Uint8Array;
  /** Imports a module with the functions of an extension. */
  importModule(path: string | URL): Promise<object>;
  /** Whether a file is loaded by fetch(). */
  isFetched(path: string | URL): boolean;
  /** Appends the bytes of a file to the sink. If the signal is aborted, the promise rejects with its reason. */
  read(path: string | URL, sink: Sink, reading: Reading): Promise<Received>;
  /** Computes the hash of a file's bytes. */
  digest(kind: HashKind, path: string | URL, pieces: readonly Uint8Array<ArrayBuffer>[]): Promise<Uint8Array>;
  /**
   * Writes a model to files, where that is possible. `write` returns the .xml and passes the bytes of the .bin to `part`.
   */
  saveSync?(path: string, write: (part: (bytes: Uint8Array) => void) => string): void;
  /** Reads a file synchronously, where that is possible. Returns a string with the reason if there is no such file. */
  readSync?(path: string | URL): {bytes: Uint8Array; readNow?: ReadNow} | string;
}

let platform: Platform | undefined;

/** @internal Entries call usePlatform() instead, which checks that they agree. */
export function setPlatform(chosen: Platform): void {
  platform = chosen;
}

/** @internal */
export function currentPlatform(): Platform {
  return platform!;
}

/** @internal The platform, if an entry has set it. */
export function givenPlatform(): Platform | undefined {
  return platform;
}
