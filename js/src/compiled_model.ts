// SPDX-License-Identifier: Apache-2.0
/// <reference lib="esnext.disposable" preserve="true" />
import './dispose.js';
import {Owned, call, type CompiledInfo} from './engine.js';
import {checkCaller, incorrectParameters, internally} from './error.js';
import {InferRequest} from './infer_request.js';
import type {ModelFiles} from './model.js';
import {ConstOutput, findPort} from './output.js';
import {Properties, type OVAny} from './properties.js';
import {exported} from './exported.js';

/** A model made ready to run. */
export class CompiledModel {
  readonly #owned: Owned;
  readonly #properties: Properties;
  #files: ModelFiles;
  readonly inputs: readonly ConstOutput[];
  readonly outputs: readonly ConstOutput[];
  /** @internal How many threads it was compiled for. */
  readonly threads: number;

  /** @internal Made by Core.compileModel(). */
  constructor(token: typeof internally, info: CompiledInfo, files: ModelFiles, properties: Properties) {
    checkCaller(token, 'CompiledModel', 'Core.compileModel()');
    const {id, inputs, outputs} = info;
    this.#owned = new Owned(this, id, 'CompiledModel');
    this.#properties = properties;
    this.#files = files;
    this.inputs = inputs.map((port) => new ConstOutput(internally, port));
    this.outputs = outputs.map((port) => new ConstOutput(internally, port));
    this.threads = Number(properties.get('INFERENCE_NUM_THREADS'));
    Object.defineProperty(this, 'threads', {enumerable: false});
  }

  /** The input of this name or position; of a model with one input, that one. */
  input(which?: string | number): ConstOutput {
    return this.inputs[findPort(this.inputs, which, 'input')]!;
  }

  /** The output of this name or position; of a model with one output, that one. */
  output(which?: string | number): ConstOutput {
    return this.outputs[findPort(this.outputs, which, 'output')]!;
  }

  createInferRequest(): InferRequest {
    return new InferRequest(internally, this, call((engine) => engine.createInferRequest(this.#owned.id)));
  }

  getProperty(propertyName: string): OVAny {
    if (arguments.length !== 1 || typeof propertyName !== 'string') {
      throw incorrectParameters('getProperty', arguments, 'string');
    }
    return this.#properties.get(propertyName);
  }

  setProperty(properties: Record<string, OVAny>): void {
    if (arguments.length !== 1 || typeof properties !== 'object' || properties === null) {
      throw incorrectParameters('setProperty', arguments, 'object');
    }
    this.#properties.set(properties);
  }

  /** The model in a form that Core.importModel() takes. */
  exportModelSync(): Uint8Array {
    void this.#owned.id; // not of a disposed one
    return exported(this.#files);
  }

  /** Frees the engine's memory of this model, once its requests are gone too. */
  dispose(): void {
    this.#owned.dispose();
    this.#files = {...this.#files, weights: undefined};
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}
