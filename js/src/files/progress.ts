// SPDX-License-Identifier: Apache-2.0
// Reports the progress of loading a model: the sum over all its files.
import {invalidArgument, textOf} from '../base/error.js';

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
   * - `compile`: the model is read, and compileModel() compiles it.
   */
  phase: 'download' | 'cache' | 'verify' | 'read' | 'compile';
}

/** @internal Throws unless the value is a function or undefined. */
export function checkProgress<T>(onProgress: ((progress: T) => void) | undefined): ((progress: T) => void) | undefined {
  if (onProgress === undefined || typeof onProgress === 'function') return onProgress;
  throw invalidArgument(`onProgress takes a function, not ${textOf(onProgress)}.`, {
    expected: 'function',
    actual: textOf(onProgress),
  });
}

type Report = (progress: LoadProgress) => void;

/**
 * @internal A function to report to instead of the user's, and one that then reports that the model is read and will be
 * compiled.
 */
export function withCompilePhase(given: Report | undefined): {onProgress?: Report; tellCompile?: () => void} {
  const report = checkProgress(given);
  if (!report) return {};
  let last: LoadProgress | undefined;
  return {
    onProgress(progress) {
      last = progress;
      report(progress);
    },
    tellCompile: () => last && report({...last, phase: 'compile'}),
  };
}

/** @internal Sums up the progress of the files of a model. */
export class Progress {
  readonly #report: Report | undefined;
  readonly #files = new Map<string, {loaded: number; total?: number}>();
  #furthest = 0;

  constructor(report: Report | undefined) {
    this.#report = report;
  }

  /** Adds files, so that no total is reported before their sizes are known. */
  expect(files: readonly string[]): void {
    for (const file of files) this.#files.set(file, {loaded: 0});
  }

  /** Reports that part of a file has arrived. */
  at(file: string, phase: LoadProgress['phase'], loaded: number, total: number | undefined): void {
    // Servers may announce too few bytes.
    this.#files.set(file, {loaded, total: total === undefined ? undefined : Math.max(loaded, total)});
    this.tell(file, phase);
  }

  /** Notes that a file is complete, or missing (size 0). */
  done(file: string, size: number): void {
    this.#files.set(file, {loaded: size, total: size});
  }

  /** Calls the user's function. */
  tell(file: string, phase: LoadProgress['phase']): void {
    if (!this.#report) return;
    let [loaded, total] = [0, 0];
    for (const each of this.#files.values()) {
      loaded += each.loaded;
      total += each.total ?? NaN;
    }
    // A restarted transfer begins at 0 again, but `loaded` must not decrease.
    this.#furthest = Math.max(this.#furthest, loaded);
    this.#report({loaded: this.#furthest, ...(total >= 0 && {total: Math.max(total, this.#furthest)}), file, phase});
  }
}
