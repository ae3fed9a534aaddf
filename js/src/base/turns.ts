// SPDX-License-Identifier: Apache-2.0
// Work that an AbortSignal ends, and work in turns.

/** @internal Does `work`. If `signal` is aborted before it is done, calls `stop` with the reason of the signal. */
export async function abortable<T>(signal: AbortSignal | undefined, stop: (reason: unknown) => void, work: () => T | Promise<T>): Promise<T> {
  if (!signal) return work();
  const abort = () => stop(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort);
  try {
    return await work();
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** @internal Waits for a promise. If `signal` is aborted and `mayEnd` then returns true, rejects with the signal's reason. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined, mayEnd = () => true): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const end = (reason: unknown) => mayEnd() && reject(reason);
    abortable(signal, end, () => promise).then(resolve, reject);
  });
}

/** @internal Runs tasks one after another, in the order of the calls. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs a task when its turn comes. An aborted `signal` ends the wait. A task that has started checks the signal itself. */
  take<T>(task: () => T | Promise<T>, signal?: AbortSignal): Promise<T> {
    let started = false;
    const result = this.#last.then(() => {
      started = true;
      signal?.throwIfAborted();
      return task();
    });
    this.#last = result.catch(() => {});
    return untilAborted(result, signal, () => !started);
  }
}
