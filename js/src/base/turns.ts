// SPDX-License-Identifier: Apache-2.0

/** @internal Waits for a promise. If `signal` is aborted and `mayEnd` then returns true, rejects with the signal's reason. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined, mayEnd = () => true): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const abort = () => mayEnd() && reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
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
