// SPDX-License-Identifier: Apache-2.0
import {incorrectConstruction, incorrectParameters, invalidArgument, invalidState} from '../base/error.js';
import {CompiledModel} from './compiled_model.js';
import type {InferRequest, InputData} from './infer_request.js';

const most = 1024;

/**
 * A function that an AsyncInferQueue calls after each run.
 *
 * Until the function returns, no other run uses the tensors of the request. If it returns a promise, no other run uses them
 * until that promise settles.
 *
 * @param error Null if the run succeeded, otherwise the error.
 * @param inferRequest The request that ran.
 * @param userData The second argument of startAsync().
 */
export type AsyncInferQueueCallback<UserData = object> = (
  error: null | Error,
  inferRequest: InferRequest,
  userData: UserData,
) => unknown;

/**
 * A pool of requests of one compiled model. Runs that start while all requests are busy wait.
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
   * Creates the requests.
   *
   * @param compiledModel The model to run.
   * @param jobs Number of requests, 1 to 1024. Default: the property OPTIMAL_NUMBER_OF_INFER_REQUESTS, which is 1.
   * @throws WasmvinoError `INVALID_ARGUMENT` if an argument has the wrong type or is out of range.
   * @example
   * const queue = new ov.AsyncInferQueue(compiledModel, 2);
   */
  constructor(compiledModel: CompiledModel, jobs?: number) {
    const count = jobs ?? Number(compiledModel instanceof CompiledModel && compiledModel.getProperty('OPTIMAL_NUMBER_OF_INFER_REQUESTS'));
    if (!(compiledModel instanceof CompiledModel) || !Number.isInteger(count)) {
      throw incorrectConstruction('AsyncInferQueue', arguments, 'CompiledModel', 'CompiledModel, int');
    }
    if (count < 1 || count > most) throw invalidArgument(`An AsyncInferQueue has 1 to ${most} requests, not ${count}.`, {actual: `${count}`});
    this.#requests = Array.from({length: count}, () => compiledModel.createInferRequest());
    this.#idle = [...this.#requests];
  }

  /**
   * Sets the function to call after each run. It replaces the previous one. If it throws, the promise of the run rejects.
   *
   * @param callback Takes the error or null, the request, and the second argument of startAsync().
   * @throws WasmvinoError `INVALID_ARGUMENT` if it is not a function.
   * @example
   * queue.setCallback((error, request, userData) => console.log(userData, error ?? request.getOutputTensor().data));
   */
  setCallback<UserData = object>(callback: AsyncInferQueueCallback<UserData>): void {
    if (typeof callback !== 'function') throw incorrectParameters('setCallback', arguments, 'function');
    this.#callback = callback as AsyncInferQueueCallback<never>;
  }

  /**
   * Runs the model with the next idle request.
   *
   * @param inputData Inputs by name, or an array in the order of the model's inputs.
   * @param userData Any value. The callback receives it.
   * @returns A promise of `userData`. It settles after the callback.
   * @throws WasmvinoError `INVALID_STATE` if no callback was set or the queue was released.
   * @example
   * await queue.startAsync({x: tensor}, 'first picture');
   */
  startAsync<UserData = object>(inputData: InputData, userData?: UserData): Promise<UserData> {
    if (typeof inputData !== 'object' || inputData === null || arguments.length > 2) {
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
      let failure: Error | null = null;
      try {
        await request.inferAsync(inputData, {shareOutputs: true});
      } catch (error) {
        failure = error as Error;
      }
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
    if (this.#released) throw invalidState('Callback has to be set before starting inference. This AsyncInferQueue was released.');
  }

  /**
   * Frees the requests. Call it after all runs are over: runs that still wait reject with `INVALID_STATE`.
   *
   * @example
   * await Promise.all(runs);
   * queue.release();
   */
  release(): void {
    if (this.#released) return;
    this.#released = true;
    for (const request of this.#requests) request.dispose();
  }
}
