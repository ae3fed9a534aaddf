// SPDX-License-Identifier: Apache-2.0
// The differences between browsers and Node.js.
import type {BuildName} from './build.js';
import type {Capability} from './capabilities.js';
import type {ReadNow, Reading, Received} from './download.js';
import type {Factory, ThreadWorker} from './glue.js';
import type {HashKind} from './integrity.js';
import type {Ask, Tell} from './protocol.js';
import type {Sink} from './sink.js';

/** @internal A worker that runs the engine, as seen from the page. */
export interface WorkerThread {
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
  startWorker?(hear: (message: Tell) => void, failed: (why: string) => void): WorkerThread;
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
  /** Loads and compiles the module of a build, from `url` or from its default location. */
  module(build: BuildName, url: string | URL | undefined): Promise<WebAssembly.Module>;
  /** Returns a function that starts the workers of a threaded build, if the glue cannot do it itself. */
  workerMaker?(build: BuildName): (() => ThreadWorker) | undefined;
  /** The synchronous forms of factory() and module(), where they are possible. */
  factorySync?(build: BuildName): Factory;
  moduleSync?(build: BuildName, url: string | URL | undefined): WebAssembly.Module;
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

let platform: Platform;

/** @internal Each entry calls this once. */
export function setPlatform(chosen: Platform): void {
  platform = chosen;
}

/** @internal */
export function currentPlatform(): Platform {
  return platform;
}
