// SPDX-License-Identifier: Apache-2.0
// Bytes that the module borrows from JavaScript, and bytes of a model that it writes.
import type {Weights} from '../files/weights.js';
import type {Hooks, LentBytes} from './glue.js';

/** Bytes of models and weights, which stay in JavaScript until the module releases them. */
export class Lending {
  readonly #lent = new Map<number, Weights>();
  #count = 0;
  #failure: unknown; // why bytes could not be read

  readonly hooks: Pick<Hooks, 'weights' | 'keepWeights' | 'releaseWeights'> = {
    // The engine copies what it needs.
    weights: (id, offset, count) => {
      try {
        const parts = this.#lent.get(id)!.part(offset, count);
        if (!parts) this.#failure = undefined; // the engine's error tells what happened
        return parts;
      } catch (error) {
        this.#failure = error;
        return undefined;
      }
    },
    keepWeights: (id, offset, count) => this.#lent.get(id)!.keep(offset, count),
    releaseWeights: (id) => this.#lent.delete(id),
  };

  lend(weights: Weights | undefined): LentBytes {
    if (!weights) return {id: 0, size: 0};
    this.#lent.set(++this.#count, weights);
    return {id: this.#count, size: weights.size};
  }

  /** The reason why bytes could not be read. It refers to the weights, so it is kept no longer. */
  takeFailure(): unknown {
    const failure = this.#failure;
    this.#failure = undefined;
    return failure;
  }

  clear(): void {
    this.#lent.clear();
  }
}

/** Receives the weights of a model that is being written. */
export class Writing {
  #write: ((bytes: Uint8Array) => void) | undefined;
  #failure: unknown;

  readonly hooks: Pick<Hooks, 'writeWeights'> = {
    writeWeights: (bytes) => {
      try {
        this.#write!(bytes);
        return true;
      } catch (error) {
        this.#failure = error;
        return false;
      }
    },
  };

  /** Passes the bytes that `run` makes the module write to `write`. Throws the error of `write` if it throws one. */
  to<T>(write: (bytes: Uint8Array) => void, run: () => T): T {
    this.#write = write;
    this.#failure = undefined;
    try {
      return run();
    } catch (error) {
      throw this.#failure ?? error;
    } finally {
      this.#write = undefined;
    }
  }
}
