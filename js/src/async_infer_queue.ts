// SPDX-License-Identifier: Apache-2.0
// Requests of one model that take turns.
import {CompiledModel} from './compiled_model.js';
import {incorrectParameters, invalidArgument, invalidState} from './error.js';
import type {InferRequest, InputData} from './infer_request.js';

const most = 1024;

/**
 * Takes the results of a run, or what went wrong with it. The request's tensors are those of the run until the function
 * returns or, where it gives a promise, until that settles.
 */
export type AsyncInferQueueCallback<UserData = object> = (
  error: null | Error,
  inferRequest: InferRequest,
  userData: UserData,
) => unknown;

/**
 * A pool of requests of one compiled model. What is started while all of them are busy waits for its turn.
 *
 * @example
 * const queue = new ov.AsyncInferQueue(compiledModel, 2);
 * queue.setCallback((error, request, name) => {
 *   if (!error) console.log(name, request.getOutputTensor().data);
 * });
 * await Promise.all([queue.startAsync({x: first}, 'first'), queue.startAsync({x: second}, 'second')]);
 * queue.release();
 */
export class AsyncInferQueue {
  readonly #requests: readonly InferRequest[];
  readonly #idle: InferRequest[];
  readonly #waiting: ((request: InferRequest) => void)[] = [];
  #callback: AsyncInferQueueCallback<never> | undefined;
  #released = false;

  /**
   * @param compiledModel The model to run.
   * @param jobs Number of requests; the optimal number, which is 1 here, where it is not given.
   * @throws WasmvinoError `INVALID_ARGUMENT` where an argument is something else.
   */
  constructor(compiledModel: CompiledModel, jobs?: number) {
    const count = jobs ?? Number(compiledModel instanceof CompiledModel && compiledModel.getProperty('OPTIMAL_NUMBER_OF_INFER_REQUESTS'));
    if (!(compiledModel instanceof CompiledModel) || !Number.isInteger(count)) {
      throw incorrectParameters('AsyncInferQueue', arguments, 'CompiledModel', 'CompiledModel, int');
    }
    if (count < 1 || count > most) throw invalidArgument(`An AsyncInferQueue has 1 to ${most} requests, not ${count}.`, {actual: `${count}`});
    this.#requests = Array.from({length: count}, () => compiledModel.createInferRequest());
    this.#idle = [...this.#requests];
  }

  /**
   * Sets what is called when a run is over, in place of what was set before. What it throws rejects the promise of the
   * run.
   *
   * @param callback Takes the error or null, the request, and what was given to startAsync() with the inputs.
   * @throws WasmvinoError `INVALID_ARGUMENT` where it is no function.
   */
  setCallback<UserData = object>(callback: AsyncInferQueueCallback<UserData>): void {
    if (typeof callback !== 'function') throw incorrectParameters('setCallback', arguments, 'function');
    this.#callback = callback as AsyncInferQueueCallback<never>;
  }

  /**
   * Runs the model by the next request that is idle.
   *
   * @param inputData Inputs by name, or in the order of the model's.
   * @param userData What the callback gets, and the promise resolves to.
   * @returns A promise of `userData`, which settles after the callback.
   * @throws WasmvinoError `INVALID_STATE` where no callback was set, or the queue was released.
   */
  startAsync<UserData = object>(inputData: InputData, userData?: UserData): Promise<UserData> {
    if (typeof inputData !== 'object' || inputData === null) {
      throw incorrectParameters('startAsync', arguments, 'object', 'object, any');
    }
    this.#checkHeld();
    if (!this.#callback) throw invalidState("Callback has to be set before starting inference. Use 'setCallback' method.");
    const idle = this.#idle.shift();
    const request = idle ? Promise.resolve(idle) : new Promise<InferRequest>((resolve) => this.#waiting.push(resolve));
    return request.then((given) => this.#run(given, inputData, userData as UserData));
  }

  async #run<UserData>(request: InferRequest, inputData: InputData, userData: UserData): Promise<UserData> {
    try {
      this.#checkHeld();
      const failure = await request.inferAsync(inputData, {shareOutputs: true}).then(() => null, (error: Error) => error);
      await (this.#callback as AsyncInferQueueCallback<UserData>)(failure, request, userData);
      if (failure) throw failure;
      return userData;
    } finally {
      const next = this.#waiting.shift();
      if (next) next(request);
      else this.#idle.push(request);
    }
  }

  #checkHeld(): void {
    if (this.#released) throw invalidState('This AsyncInferQueue was released.');
  }

  /** Frees the requests. Runs that wait for their turn reject; to be called when all are over. */
  release(): void {
    if (this.#released) return;
    this.#released = true;
    for (const request of this.#requests) request.dispose();
  }
}
