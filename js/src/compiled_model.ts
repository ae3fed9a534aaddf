// SPDX-License-Identifier: Apache-2.0
/// <reference lib="esnext.disposable" preserve="true" />
import './dispose.js';
import {Owned, type Engine} from './engine.js';
import {checkCaller, incorrectParameters, internally} from './error.js';
import type {CompiledInfo} from './glue.js';
import {InferRequest} from './infer_request.js';
import type {Limits} from './limits.js';
import type {ModelFiles} from './model.js';
import {ConstOutput, findPort} from './output.js';
import {Properties, type OVAny} from './properties.js';
import {exported, type ExportedModel} from './exported.js';
import {inspected, portLines} from './inspected.js';

/** A model made ready to run. */
export class CompiledModel {
  readonly #owned: Owned;
  readonly #properties: Properties;
  #files: ModelFiles & {name: string};
  readonly #inputs: readonly ConstOutput[];
  readonly #outputs: readonly ConstOutput[];
  /** @internal How many threads it was compiled for. */
  readonly threads: number;
  /** @internal Those of the Core and of compileModel(). */
  readonly limits: Limits;

  /** @internal Made by Core.compileModel(). */
  constructor(
    token: typeof internally,
    engine: Engine,
    info: CompiledInfo,
    files: ModelFiles & {name: string},
    properties: Properties,
    limits: Limits,
  ) {
    checkCaller(token, 'CompiledModel', 'Core.compileModel()');
    const {id, inputs, outputs} = info;
    this.#owned = new Owned(this, engine, id, 'CompiledModel');
    this.#properties = properties;
    this.#files = files;
    this.#inputs = inputs.map((port) => new ConstOutput(internally, port));
    this.#outputs = outputs.map((port) => new ConstOutput(internally, port));
    this.threads = Number(properties.get('INFERENCE_NUM_THREADS'));
    this.limits = limits;
    for (const name of ['limits', 'threads']) Object.defineProperty(this, name, {enumerable: false});
  }

  /** The inputs, in the model's order. */
  get inputs(): ConstOutput[] {
    return [...this.#inputs];
  }

  /** The outputs, in the model's order. */
  get outputs(): ConstOutput[] {
    return [...this.#outputs];
  }

  /** The input of this name or position; of a model with one input, that one. */
  input(which?: string | number): ConstOutput {
    return this.#inputs[findPort(this.#inputs, which, 'input')]!;
  }

  /** The output of this name or position; of a model with one output, that one. */
  output(which?: string | number): ConstOutput {
    return this.#outputs[findPort(this.#outputs, which, 'output')]!;
  }

  createInferRequest(): InferRequest {
    const id = this.#owned.call((glue, id) => glue.createInferRequest(id));
    return new InferRequest(internally, this, this.#owned.engine, id);
  }

  getProperty(propertyName: string): OVAny {
    if (arguments.length !== 1 || typeof propertyName !== 'string') {
      throw incorrectParameters('getProperty', arguments, 'string');
    }
    return propertyName === 'NETWORK_NAME' ? this.#files.name : this.#properties.get(propertyName);
  }

  setProperty(properties: Record<string, OVAny>): void {
    if (arguments.length !== 1 || typeof properties !== 'object' || properties === null) {
      throw incorrectParameters('setProperty', arguments, 'object');
    }
    this.#properties.set(properties);
  }

  /**
   * The model in a form that Core.importModel() takes.
   *
   * @returns The bytes: a Buffer where there is that class, as in Node.js.
   * @throws WasmvinoError `INVALID_STATE` where the buffer of the weights was changed since the model was read.
   * @example
   * const compiled = await core.compileModel('model.xml', 'CPU');
   * const again = core.importModelSync(compiled.exportModelSync(), 'CPU');
   */
  exportModelSync(): ExportedModel {
    void this.#owned.id; // not of a disposed one
    return exported(this.#files);
  }

  /** @internal What console.log() of Node.js prints. */
  [inspected](): string {
    return `CompiledModel '${this.#files.name}'${portLines('input', this.#inputs)}${portLines('output', this.#outputs)}`;
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
