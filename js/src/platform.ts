// SPDX-License-Identifier: Apache-2.0
// What differs between browsers and Node.js.
import type {BuildName} from './build.js';
import type {Capability} from './capabilities.js';
import type {Reading, Received} from './download.js';
import type {Factory} from './glue.js';
import type {HashKind} from './integrity.js';
import type {Ask, Tell} from './protocol.js';
import type {Sink} from './sink.js';

/** @internal A worker with an engine, as the page sees it. */
export interface WorkerThread {
  post(ask: Ask, transfer: ArrayBuffer[]): void;
  /** Ends it; nothing is heard of it any more. */
  end(): void;
}

/** @internal */
export interface Platform {
  /** The build of an entry that has but one. */
  only?: BuildName;
  /** Whether memory may be shared here as far as the place has a say, and why. */
  isolation(): Capability;
  /** Why there are no workers here; undefined where there are. */
  workersRefused(): string | undefined;
  /**
   * Starts a worker for an engine; `failed` says why it did not start, or ended. Workers for engines start none
   * themselves.
   */
  startWorker?(hear: (message: Tell) => void, failed: (why: string) => void): WorkerThread;
  /**
   * Milliseconds that a call waits for the script of a worker to begin, where it is fetched. A refusal is told by an event,
   * much earlier.
   */
  scriptStart?: number;
  /** A path that means the same in a worker. */
  absolute(path: string | URL): string | URL;
  /** Why memory cannot be shared with threads here; undefined where it can. */
  threadsRefused(): string | undefined;
  processors(): number;
  /** Keeps the process alive until the function it gives is called. */
  stayAlive?(): () => void;
  /** How to get relaxed SIMD here, where it is off. */
  relaxedAdvice: string;
  factory(build: BuildName): Promise<Factory>;
  module(build: BuildName, url: string | URL | undefined): Promise<WebAssembly.Module>;
  /** Makes the workers of a threaded build, where the glue itself may not. */
  workerMaker?(build: BuildName): (() => Worker) | undefined;
  /** Where all can be had at once. */
  factorySync?(build: BuildName): Factory;
  moduleSync?(build: BuildName, url: string | URL | undefined): WebAssembly.Module;
  /** What a module exports, of the functions of an extension. */
  importModule(path: string | URL): Promise<object>;
  /** Whether a file comes by fetch(). */
  isFetched(path: string | URL): boolean;
  /** Puts the bytes of a file behind what the sink holds. An aborted signal rejects with its reason. */
  read(path: string | URL, sink: Sink, reading: Reading): Promise<Received>;
  /** The hash of bytes. */
  digest(kind: HashKind, bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array>;
  /** Where there are files: writes a model that `write` makes, which gives the .xml and hands over the bytes of the .bin. */
  saveSync?(path: string, write: (part: (bytes: Uint8Array) => void) => string): void;
  /** Where all can be had at once: the bytes of a file, or how it showed that there is none. */
  readSync?(path: string | URL): Uint8Array | string;
}

let platform: Platform;

/** @internal */
export function setPlatform(chosen: Platform): void {
  platform = chosen;
}

/** @internal */
export function currentPlatform(): Platform {
  return platform;
}
