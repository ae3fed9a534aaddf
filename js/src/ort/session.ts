// SPDX-License-Identifier: Apache-2.0
// A session of onnxruntime: a compiled model and one request.
import type {InferenceSession, InferenceSessionHandler, OnnxValue, Tensor as OrtTensor} from 'onnxruntime-common';
import type {CompiledModel, InferRequest, Output} from '../api/index.js';
import {copyTo, fromEngine, ortType, toEngine} from './element_types.js';

/** Options of run() beyond those of onnxruntime-web. */
export interface RunExtras {
  /** Aborting it rejects the promise of run() with its reason. */
  signal?: AbortSignal;
}

function metadata(port: Output): InferenceSession.ValueMetadata {
  const declared = port.getPartialShape();
  // onnxruntime describes a shape of unknown rank as an empty array.
  const dimensions = String(declared) === '[...]' ? [] : declared.getDimensions();
  const names = port.getDimensionNames();
  const shape = dimensions.map((size, i) => (typeof size === 'number' && size >= 0 ? size : (names[i] ?? '')));
  // A type that Tensor cannot hold keeps the engine's name.
  const type = (ortType(port.getElementType()) ?? port.getElementType()) as OrtTensor.Type;
  return {name: port.anyName, isTensor: true, type, shape};
}

export class Session implements InferenceSessionHandler {
  readonly inputMetadata: readonly InferenceSession.ValueMetadata[];
  readonly outputMetadata: readonly InferenceSession.ValueMetadata[];
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  readonly #compiled: CompiledModel;
  readonly #request: InferRequest;
  readonly #profiles: boolean;
  #released = false;
  #last: Promise<unknown> = Promise.resolve();

  constructor(compiled: CompiledModel, profiles: boolean) {
    this.#compiled = compiled;
    this.#request = compiled.createInferRequest();
    this.#profiles = profiles;
    this.inputMetadata = compiled.inputs.map(metadata);
    this.outputMetadata = compiled.outputs.map(metadata);
    this.inputNames = this.inputMetadata.map(({name}) => name);
    this.outputNames = this.outputMetadata.map(({name}) => name);
  }

  /**
   * Runs the model. Calls of one session run one after the other.
   *
   * @param feeds Tensors by input name.
   * @param fetches The outputs to return, each with a tensor to fill or null.
   */
  run(
    feeds: Readonly<Record<string, OnnxValue>>,
    fetches: Readonly<Record<string, OnnxValue | null>>,
    options: InferenceSession.RunOptions & RunExtras,
  ): Promise<Record<string, OnnxValue>> {
    if (this.#released) return Promise.reject(new Error('The session is released: create another one with InferenceSession.create().'));
    const unknown = Object.keys(feeds).find((name) => !this.inputNames.includes(name));
    if (unknown !== undefined) {
      return Promise.reject(new Error(`invalid input '${unknown}': the inputs are ${this.inputNames.map((name) => `'${name}'`).join(', ')}.`));
    }
    const run = async () => {
      const inputs = Object.fromEntries(Object.entries(feeds).map(([name, value]) => [name, toEngine(name, value)]));
      const outputs = await this.#request.inferAsync(inputs, options.signal ? {signal: options.signal} : {});
      return Object.fromEntries(
        Object.entries(fetches).map(([name, target]) => {
          if (target === null) return [name, fromEngine(name, outputs[name]!)];
          copyTo(name, target, outputs[name]!);
          return [name, target];
        }),
      );
    };
    const running = this.#last.then(run, run);
    this.#last = running.catch(() => {});
    return running;
  }

  /** Releases the model's memory once calls that have begun are done. */
  async dispose(): Promise<void> {
    if (this.#released) return;
    this.#released = true;
    await this.#last;
    this.#request.dispose();
    this.#compiled.dispose();
  }

  /** onnxruntime-web measures from the creation of the session on, if `enableProfiling` is set. So does this. */
  startProfiling(): void {}

  /** Writes the times of all layers of the last run to the console, if the session has `enableProfiling`. */
  endProfiling(): void {
    if (this.#profiles) console.log(String(this.#request.getProfile()));
  }
}
