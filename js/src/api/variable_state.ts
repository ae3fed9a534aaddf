// SPDX-License-Identifier: Apache-2.0
import type {RequestBackend} from '../backend/backend.js';
import {checkCaller, invalidArgument, type internally} from '../base/error.js';
import {isTensor, type Tensor} from '../tensor/tensor.js';

/** A variable of a request: a value that ReadValue and Assign keep between runs. */
export class VariableState {
  readonly #request: RequestBackend;
  readonly #position: number;
  readonly #name: string;

  /** @internal */
  constructor(token: typeof internally, request: RequestBackend, position: number, name: string) {
    checkCaller(token, 'VariableState', 'InferRequest.queryState()');
    this.#request = request;
    this.#position = position;
    this.#name = name;
  }

  /**
   * Returns the name of the variable.
   *
   * @returns The name.
   * @example
   * const names = request.queryState().map((variable) => variable.getName());
   */
  getName(): string {
    return this.#name;
  }

  /**
   * Returns a copy of the value. Before the first run and after a reset, it is zeros, with dynamic dimensions of size 0.
   *
   * @returns A tensor of the variable's element type.
   * @throws WasmvinoError `INVALID_STATE` if the engine is in a worker: use getStateAsync().
   * @example
   * const [variable] = request.queryState();
   * const saved = variable.getState();
   */
  getState(): Tensor {
    return this.#request.stateNow(this.#position);
  }

  /**
   * The asynchronous form of getState(). It also works if the engine is in a worker.
   *
   * @returns A promise of the tensor.
   * @example
   * const [variable] = request.queryState();
   * const saved = await variable.getStateAsync();
   */
  getStateAsync(): Promise<Tensor> {
    return this.#request.state(this.#position);
  }

  /**
   * Sets the value.
   *
   * @param state A tensor of the variable's element type and shape.
   * @throws WasmvinoError `INVALID_ARGUMENT`, `INVALID_TYPE` or `INVALID_SHAPE` if the tensor does not match.
   * @example
   * const [variable] = request.queryState();
   * variable.setState(new ov.Tensor('f32', [1, 64]));
   */
  setState(state: Tensor): void {
    if (!isTensor(state)) throw invalidArgument('Argument #0 must be a Tensor.');
    this.#request.setState(this.#position, state);
  }

  /**
   * Resets the variable: the next run starts with the initial value that the model computes.
   *
   * @throws WasmvinoError `INVALID_STATE` if the request is running or was disposed.
   * @example
   * for (const variable of request.queryState()) variable.reset();
   */
  reset(): void {
    this.#request.reset(this.#position);
  }
}
