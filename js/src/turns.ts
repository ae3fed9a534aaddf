// SPDX-License-Identifier: Apache-2.0

/** @internal What a promise gives; rejects with the reason of an aborted `signal`, where `mayEnd` says so then. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined, mayEnd = () => true): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const abort = () => mayEnd() && reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** @internal Has tasks done one after the other, in the order in which they were asked for. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /** Does a task in its turn. An aborted `signal` ends the wait; a task that has begun looks at the signal itself. */
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
