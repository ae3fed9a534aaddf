// SPDX-License-Identifier: Apache-2.0
/// <reference lib="esnext.disposable" preserve="true" />
import './dispose.js';
import type {CompiledBackend} from './backend.js';
import {checkCaller, incorrectParameters, internally} from './error.js';
import type {Explanation} from './explanation.js';
import {InferRequest} from './infer_request.js';
import type {Limits} from './limits.js';
import {ConstOutput, findPort} from './output.js';
import {Properties, type OVAny} from './properties.js';
import type {ExportedModel} from './exported.js';
import {inspected, portLines} from './inspected.js';

/** A model that is ready to run. */
export class CompiledModel {
  readonly #backend: CompiledBackend;
  readonly #properties: Properties;
  readonly #name: string;
  readonly #inputs: readonly ConstOutput[];
  readonly #outputs: readonly ConstOutput[];
  /** Milliseconds that its making took. `load` and `read` are those of the model. */
  readonly timings: {readonly load: number; readonly read: number; readonly compile: number};
  /** @internal Those of the Core and of compileModel(). */
  readonly limits: Limits;

  /** @internal Made by Core.compileModel(). */
  constructor(token: typeof internally, backend: CompiledBackend, name: string, properties: Properties, limits: Limits, timings: CompiledModel['timings']) {
    checkCaller(token, 'CompiledModel', 'Core.compileModel()');
    this.#backend = backend;
    this.#properties = properties;
    this.#name = name;
    this.#inputs = backend.inputs.map((port) => new ConstOutput(internally, port));
    this.#outputs = backend.outputs.map((port) => new ConstOutput(internally, port));
    this.limits = limits;
    this.timings = timings;
    Object.defineProperty(this, 'limits', {enumerable: false});
  }

  /** The inputs, in the model's order. */
  get inputs(): ConstOutput[] {
    return [...this.#inputs];
  }

  /** The outputs, in the model's order. */
  get outputs(): ConstOutput[] {
    return [...this.#outputs];
  }

  /**
   * Returns an input.
   *
   * @param which Its tensor name or position. May be omitted if there is one input.
   * @throws WasmvinoError `INVALID_ARGUMENT` if there is no such input.
   */
  input(which?: string | number): ConstOutput {
    return this.#inputs[findPort(this.#inputs, which, 'input')]!;
  }

  /**
   * Returns an output.
   *
   * @param which Its tensor name or position. May be omitted if there is one output.
   * @throws WasmvinoError `INVALID_ARGUMENT` if there is no such output.
   */
  output(which?: string | number): ConstOutput {
    return this.#outputs[findPort(this.#outputs, which, 'output')]!;
  }

  /** Creates a request, which runs the model with its own inputs, outputs and variables. */
  createInferRequest(): InferRequest {
    return new InferRequest(internally, this, this.#backend.createRequest());
  }

  /**
   * Returns the value of a property.
   *
   * @throws WasmvinoError `INVALID_ARGUMENT` if there is no such property.
   */
  getProperty(propertyName: string): OVAny {
    if (arguments.length !== 1 || typeof propertyName !== 'string') {
      throw incorrectParameters('getProperty', arguments, 'string');
    }
    return propertyName === 'NETWORK_NAME' ? this.#name : this.#properties.get(propertyName);
  }

  setProperty(properties: Record<string, OVAny>): void {
    if (arguments.length !== 1 || typeof properties !== 'object' || properties === null) {
      throw incorrectParameters('setProperty', arguments, 'object');
    }
    this.#properties.set(properties);
  }

  /**
   * Exports the model in a format that Core.importModel() accepts.
   *
   * @returns The bytes: a Buffer in Node.js, a Uint8Array elsewhere.
   * @throws WasmvinoError `INVALID_STATE` if the buffer of the weights has changed since the model was read, or if the engine
   *   is in a worker: use exportModel().
   * @example
   * const compiled = await core.compileModel('model.xml', 'CPU');
   * const again = core.importModelSync(compiled.exportModelSync(), 'CPU');
   */
  exportModelSync(): ExportedModel {
    return this.#backend.exportNow();
  }

  /** Like exportModelSync(), also for an engine in a worker. */
  exportModel(): Promise<ExportedModel> {
    return this.#backend.export();
  }

  /** @internal What console.log() of Node.js prints. */
  [inspected](): string {
    return `CompiledModel '${this.#name}'${portLines('input', this.#inputs)}${portLines('output', this.#outputs)}`;
  }

  /**
   * Explains what the model became: what the passes changed, how each operation runs, and what takes memory.
   *
   * @returns A promise of the explanation. For models with dynamic shapes, use InferRequest.explain() after a run: their
   *   operations are planned then.
   * @example
   * const {nodes, memory} = await compiledModel.explain();
   * console.log(nodes.map(({type, operations}) => `${type}: ${operations}`), memory.packed);
   */
  async explain(): Promise<Explanation> {
    const request = this.createInferRequest();
    try {
      return await request.explain();
    } finally {
      request.dispose();
    }
  }

  /** Frees the memory of the model, once its requests are disposed too. */
  dispose(): void {
    this.#backend.dispose();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}
