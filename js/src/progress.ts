// SPDX-License-Identifier: Apache-2.0
// The progress of loading a model: one count for all its files.
import {invalidArgument, textOf} from './error.js';

/** The progress of a call that loads a model. */
export interface LoadProgress {
  /** Bytes received so far, of all files together. Never decreases. */
  loaded: number;
  /** Size of all files together, in bytes. Missing while the size of a file is unknown. */
  total?: number;
  /** Path or URL of the file that this report is about. */
  file: string;
  /**
   * What the loader is doing:
   * - `download`: bytes of the file arrive from the network or the disk.
   * - `cache`: bytes of the file arrive from the cache.
   * - `verify`: the hash of the file is computed.
   * - `read`: all bytes have arrived, and the engine reads the model.
   */
  phase: 'download' | 'cache' | 'verify' | 'read';
}

/** @internal Checks that it is a function. */
export function checkProgress<T>(onProgress: ((progress: T) => void) | undefined): ((progress: T) => void) | undefined {
  if (onProgress === undefined || typeof onProgress === 'function') return onProgress;
  throw invalidArgument(`onProgress takes a function, not ${textOf(onProgress)}.`, {expected: 'function', actual: textOf(onProgress)});
}

/** @internal Adds up the files of a model. */
export class Progress {
  readonly #report: ((progress: LoadProgress) => void) | undefined;
  readonly #files = new Map<string, {loaded: number; total?: number}>();
  #furthest = 0;

  /** `files`: all files, so that the total is not reported before every size is known. */
  constructor(report: ((progress: LoadProgress) => void) | undefined, files: readonly string[]) {
    this.#report = report;
    for (const file of files) this.#files.set(file, {loaded: 0});
  }

  /** Part of a file has arrived. */
  at(file: string, phase: LoadProgress['phase'], loaded: number, total: number | undefined): void {
    // A server may announce too few bytes.
    this.#files.set(file, {loaded, total: total === undefined ? undefined : Math.max(loaded, total)});
    this.tell(file, phase);
  }

  /** A file is complete or missing. */
  done(file: string, size: number): void {
    this.#files.set(file, {loaded: size, total: size});
  }

  tell(file: string, phase: LoadProgress['phase']): void {
    if (!this.#report) return;
    let [loaded, total] = [0, 0];
    for (const each of this.#files.values()) {
      loaded += each.loaded;
      total += each.total ?? NaN;
    }
    // A transfer that starts again begins at 0.
    this.#furthest = Math.max(this.#furthest, loaded);
    this.#report({loaded: this.#furthest, ...(total >= 0 && {total: Math.max(total, this.#furthest)}), file, phase});
  }
}
