// SPDX-License-Identifier: Apache-2.0
// The threads of a module: their start, and the computation in the background.
import {currentPlatform} from '../base/platform.js';
import {abortable} from '../base/turns.js';
import type {Hooks} from './glue.js';

/** A promise with its resolve and reject functions. */
class Settled {
  readonly promise = new Promise<void>((resolve, reject) => {
    this.resolve = resolve;
    this.reject = reject;
  });
  declare resolve: () => void;
  declare reject: (error: unknown) => void;
}

export class Jobs {
  readonly #started = new Settled();
  #hasThread = false; // whether the thread that computes in the background has started
  #job: Settled | undefined;

  readonly hooks: Pick<Hooks, 'alive' | 'finished'> = {
    alive: () => {
      this.#hasThread = true;
      this.#started.resolve();
    },
    finished: () => this.#job?.resolve(),
  };

  constructor() {
    this.#started.promise.catch(() => {}); // it may reject before anything awaits it
  }

  get hasThread(): boolean {
    return this.#hasThread;
  }

  get isBusy(): boolean {
    return this.#job !== undefined;
  }

  /** Waits until a thread runs. Rejects if that takes longer than `milliseconds`, or fails. */
  async untilStarted(milliseconds: number): Promise<void> {
    let timer;
    const tooLate = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no thread started within ${milliseconds / 1000} s`)), milliseconds);
    });
    try {
      await Promise.race([this.#started.promise, tooLate]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** A thread could not be started. */
  failToStart(why: string): void {
    this.#started.reject(new Error(why));
  }

  /** Starts a computation and waits until the module has finished it. If `signal` is aborted, calls `cancel`. */
  async run(start: () => void, cancel: () => void, signal: AbortSignal | undefined): Promise<void> {
    const job = (this.#job = new Settled());
    start();
    const leave = currentPlatform().stayAlive?.();
    try {
      await abortable(signal, cancel, () => job.promise);
      this.#job = undefined;
    } finally {
      leave?.();
    }
  }

  /** Rejects the computation that is going on. */
  end(error: unknown): void {
    this.#job?.reject(error);
    this.#job = undefined;
  }
}
