// SPDX-License-Identifier: Apache-2.0
// How far loading a model is: one count for all its files.
import {invalidArgument, textOf} from './error.js';

/** How far a call is that loads a model. */
export interface LoadProgress {
  /** Bytes that have come, of all files of the model together. It never goes back. */
  loaded: number;
  /** Bytes of all files. Missing while the size of one of them is not known. */
  total?: number;
  /** The file that it is about: its path or URL. */
  file: string;
  /**
   * `download`: bytes come from a server or a disk; `cache`: from the cache; `verify`: a hash is computed; `read`: all
   * bytes are there, and the engine reads the model.
   */
  phase: 'download' | 'cache' | 'verify' | 'read';
}

/** @internal Refuses what is no function. */
export function checkProgress(onProgress: unknown): ((progress: LoadProgress) => void) | undefined {
  if (onProgress === undefined || typeof onProgress === 'function') return onProgress as never;
  throw invalidArgument(`onProgress takes a function, not ${textOf(onProgress)}.`, {expected: 'function', actual: textOf(onProgress)});
}

/** @internal Adds up what is known of the files of a model. */
export class Progress {
  readonly #report: ((progress: LoadProgress) => void) | undefined;
  readonly #files = new Map<string, {loaded: number; total?: number}>();
  #furthest = 0;

  /** `files`: all of them, so that the total is not taken for known too early. */
  constructor(report: ((progress: LoadProgress) => void) | undefined, files: readonly string[]) {
    this.#report = report;
    for (const file of files) this.#files.set(file, {loaded: 0});
  }

  /** What has come of a file. */
  at(file: string, phase: LoadProgress['phase'], loaded: number, total: number | undefined): void {
    // What was announced may be too little.
    this.#files.set(file, {loaded, total: total === undefined ? undefined : Math.max(loaded, total)});
    this.tell(file, phase);
  }

  /** A file is whole, or missing. */
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
    // A transfer that begins again has lost what came before.
    this.#furthest = Math.max(this.#furthest, loaded);
    this.#report({loaded: this.#furthest, ...(total >= 0 && {total: Math.max(total, this.#furthest)}), file, phase});
  }
}
