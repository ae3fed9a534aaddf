// SPDX-License-Identifier: Apache-2.0
// What belongs to an engine in a worker: objects by their numbers, and what was asked of them synchronously.
import {invalidState} from './error.js';
import type {LoadProgress} from './progress.js';
import type {SentRunProgress} from './protocol.js';
import type {RemoteEngine, Running} from './remote.js';
import {untilAborted} from './turns.js';

// Of a call whose worker was ended for the sake of another call.
export const ended = Symbol('ended');

export interface AskOptions {
  signal?: AbortSignal;
  transfer?: ArrayBuffer[];
  onProgress?: (progress: LoadProgress) => void;
  onRunProgress?: (progress: SentRunProgress) => void;
  /** Whether it may keep the worker's thread busy for long: without threads nothing but the worker's end ends it then. */
  computes?: boolean;
}

export type Maker<T> = (id: number, options: AskOptions) => Promise<T>;

/** An object of the worker's, by its number. */
export class RemoteObject<T> {
  readonly #engine: RemoteEngine;
  readonly #what: string;
  readonly #id: number;
  readonly #again: Maker<T>;
  #worker: Running | undefined; // that has it
  #disposed = false;

  /** `again` makes it in a worker that does not have it. */
  constructor(engine: RemoteEngine, what: string, again: Maker<T>) {
    this.#engine = engine;
    this.#what = what;
    this.#id = engine.newId();
    this.#again = again;
  }

  /** Frees it with its owner. */
  ownedBy(owner: object): this {
    this.#engine.own(owner, this.#id, this);
    return this;
  }

  check(): void {
    if (this.#disposed) throw invalidState(`This ${this.#what} was disposed.`);
    this.#engine.check();
  }

  async make(options: AskOptions, how: Maker<T> = this.#again): Promise<T> {
    try {
      const made = await how(this.#id, options);
      this.#worker = await this.#engine.started();
      return made;
    } catch (error) {
      this.#engine.release(this.#id); // it may be made in spite of it
      throw error;
    }
  }

  /** Its number, in a worker that has it; to be called in turn. */
  async here(options: AskOptions): Promise<number> {
    if (this.#worker !== (await untilAborted(this.#engine.started(), options.signal))) await this.make(options);
    return this.#id;
  }

  /** Lets go of what here() made of one that was disposed. */
  leave(): void {
    if (this.#disposed) this.#engine.release(this.#id);
  }

  /** What was asked for before still finds it. */
  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#engine.disown(this);
    this.#engine.inTurn(() => this.#engine.release(this.#id)).catch(() => {}); // nothing is left of a failed engine
  }
}

// What was asked for synchronously. What went wrong with it, the next asynchronous call says.
export class Deferred {
  readonly #engine: RemoteEngine;
  #error: {value: unknown} | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(engine: RemoteEngine) {
    this.#engine = engine;
  }

  add(task: () => Promise<unknown>): void {
    const noted = async () => {
      try {
        await task();
      } catch (value) {
        this.#error ??= {value};
      }
    };
    // Of an engine that is gone, everything says so.
    this.#last = this.#engine.inTurn(noted).catch(() => {});
  }

  check(): void {
    const error = this.#error;
    this.#error = undefined;
    if (error) throw error.value;
  }

  /** Settles when all is done. */
  async settled(): Promise<void> {
    await this.#last;
    this.#engine.check();
    this.check();
  }
}
