// SPDX-License-Identifier: Apache-2.0
// Wraps a worker with its own engine in an object with asynchronous methods.

export class Engine {
  #worker = new Worker(new URL('./worker.js', import.meta.url), {type: 'module'});
  #waiting = new Map();
  #calls = 0;

  constructor() {
    this.#worker.onmessage = ({data: {id, result, error}}) => {
      const {resolve, reject} = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error) reject(Object.assign(new Error(error.message), error));
      else resolve(result);
    };
    this.#worker.onerror = (event) => this.#fail(new Error(event.message || 'The worker could not be started.'));
  }

  #fail(error) {
    for (const {reject} of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }

  /**
   * @param {'open' | 'layOut' | 'run' | 'observe'} method
   * @param {any} [argument]
   * @returns {Promise<any>}
   */
  call(method, argument) {
    const id = ++this.#calls;
    this.#worker.postMessage({id, method, argument});
    return new Promise((resolve, reject) => this.#waiting.set(id, {resolve, reject}));
  }

  /** Ends the worker, even while it is busy. */
  end() {
    this.#worker.terminate();
    this.#fail(new Error('It was stopped.'));
  }
}
