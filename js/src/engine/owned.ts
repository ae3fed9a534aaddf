// SPDX-License-Identifier: Apache-2.0
// Objects of the engine that JavaScript objects own.
import {invalidState} from '../base/error.js';
import type {Engine} from './engine.js';
import type {Glue, Result} from './glue.js';

/** @internal An object of the engine, owned by a JavaScript object. dispose() or garbage collection of the owner frees it. */
export class Owned {
  readonly engine: Engine;
  readonly #what: string;
  #id: number;

  constructor(owner: object, engine: Engine, id: number, what: string) {
    this.engine = engine;
    this.#id = id;
    this.#what = what;
    engine.own(owner, id, this);
  }

  get id(): number {
    if (!this.#id) throw invalidState(`This ${this.#what} was disposed.`);
    this.engine.check();
    return this.#id;
  }

  /** Calls Engine.look() with the object's id. */
  look<T>(ask: (glue: Glue, id: number) => Result<T>): T {
    const {id} = this;
    return this.engine.look((glue) => ask(glue, id));
  }

  /** Calls Engine.call() with the object's id. */
  call<T>(run: (glue: Glue, id: number) => Result<T>): T {
    const {id} = this;
    return this.engine.call((glue) => run(glue, id));
  }

  dispose(): void {
    if (!this.#id) return;
    this.engine.disown(this);
    this.engine.release(this.#id);
    this.#id = 0;
  }
}
