// SPDX-License-Identifier: Apache-2.0
// Objects of an engine in a worker, and the queue of their synchronous calls.
import {invalidState} from '../base/error.js';
import {untilAborted} from '../base/turns.js';
import type {AskOptions, RemoteEngine, Running} from './remote_engine.js';

/** Creates an object with the given id in the worker. */
export type Maker<T> = (id: number, options: AskOptions) => Promise<T>;

/** An object in the worker, identified by a number. */
export class RemoteObject<T> {
  readonly #engine: RemoteEngine;
  readonly #what: string;
  readonly #id: number;
  readonly #again: Maker<T>;
  #worker: Running | undefined; // the worker that has the object
  #disposed = false;

  /** `again` creates the object in a worker that does not have it. */
  constructor(engine: RemoteEngine, what: string, again: Maker<T>) {
    this.#engine = engine;
    this.#what = what;
    this.#id = engine.newId();
    this.#again = again;
  }

  /** Frees the object when `owner` is garbage-collected. */
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
      this.#engine.release(this.#id); // the worker may have created it all the same
      throw error;
    }
  }

  /** Returns the object's number, after creating the object if the current worker lacks it. Call it inside inTurn(). */
  async here(options: AskOptions): Promise<number> {
    if (this.#worker !== (await untilAborted(this.#engine.started(), options.signal))) await this.make(options);
    return this.#id;
  }

  /** Releases the object again if here() created it after dispose(). */
  leave(): void {
    if (this.#disposed) this.#engine.release(this.#id);
  }

  /** Releases the object after all calls that are already queued. */
  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#engine.disown(this);
    this.#engine.inTurn(() => this.#engine.release(this.#id)).catch(() => {}); // a failed engine has nothing to release
  }
}

// The queue of the effects of synchronous methods, which cannot wait for the worker. If one fails, the next asynchronous call
// throws its error.
export class Effects {
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
    // If the engine is gone, every later call reports that.
    this.#last = this.#engine.inTurn(noted).catch(() => {});
  }

  /** Throws the first error since the last check. */
  check(): void {
    const error = this.#error;
    this.#error = undefined;
    if (error) throw error.value;
  }

  /** Resolves when all queued work is done. Rejects with its first error. */
  async settled(): Promise<void> {
    await this.#last;
    this.#engine.check();
    this.check();
  }
}
