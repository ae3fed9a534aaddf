// SPDX-License-Identifier: Apache-2.0
/// <reference lib="esnext.disposable" preserve="true" />
import '../base/dispose.js';
import type {CompiledBackend} from '../backend/backend.js';
import type {OwnedLimits} from '../backend/limits.js';
import {checkCaller, incorrectParameters, internally} from '../base/error.js';
import {inspected} from '../base/inspected.js';
import type {ExportedModel} from '../files/exported.js';
import type {Explanation} from './explanation.js';
import {InferRequest} from './infer_request.js';
import {ConstOutput, givenPort, portLines} from './output.js';
import {Properties, type OVAny} from './properties.js';

/** A model that is ready to run. */
export class CompiledModel {
  readonly #backend: CompiledBackend;
  readonly #properties: Properties;
  readonly #name: string;
  readonly #inputs: readonly ConstOutput[];
  readonly #outputs: readonly ConstOutput[];
  /** How long each step took, in milliseconds: loading the files, reading the model, compiling it. */
  readonly timings: {readonly load: number; readonly read: number; readonly compile: number};
  /** @internal The limits of the Core, merged with those of compileModel(). */
  readonly limits: OwnedLimits;

  /** @internal Made by Core.compileModel(). */
  constructor(token: typeof internally, backend: CompiledBackend, name: string, properties: Properties, limits: OwnedLimits, timings: CompiledModel['timings']) {
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
   * @param which Tensor name or position of the input. May be omitted if there is one input.
   * @returns The input.
   * @throws WasmvinoError `INVALID_ARGUMENT` if there is no such input.
   * @example
   * const {elementType} = compiledModel.input('image');
   */
  input(which?: string | number): ConstOutput {
    return givenPort(this.#inputs, which, arguments.length, 'input');
  }

  /**
   * Returns an output.
   *
   * @param which Tensor name or position of the output. May be omitted if there is one output.
   * @returns The output.
   * @throws WasmvinoError `INVALID_ARGUMENT` if there is no such output.
   * @example
   * const name = compiledModel.output(0).anyName;
   */
  output(which?: string | number): ConstOutput {
    return givenPort(this.#outputs, which, arguments.length, 'output');
  }

  /**
   * Creates a request. It runs the model with its own inputs, outputs and variables.
   *
   * @returns The request.
   * @throws WasmvinoError `INVALID_STATE` if the model was disposed.
   * @example
   * const request = compiledModel.createInferRequest();
   */
  createInferRequest(): InferRequest {
    return new InferRequest(internally, this, this.#backend.createRequest());
  }

  /**
   * Returns the value of a property.
   *
   * @param propertyName Name of the property, such as 'INFERENCE_NUM_THREADS'. 'NETWORK_NAME' is the name of the model.
   * @returns The value.
   * @throws WasmvinoError `INVALID_ARGUMENT` if there is no such property.
   * @example
   * const threads = compiledModel.getProperty('INFERENCE_NUM_THREADS');
   */
  getProperty(propertyName: string): OVAny {
    if (arguments.length !== 1 || typeof propertyName !== 'string') {
      throw incorrectParameters('getProperty', arguments, 'string');
    }
    return propertyName === 'NETWORK_NAME' ? this.#name : this.#properties.get(propertyName);
  }

  /**
   * Sets properties. This only changes what getProperty() returns: set properties in compileModel() to
   * change how a model is compiled.
   *
   * @param properties Values by property name.
   * @throws WasmvinoError `INVALID_ARGUMENT` or `INVALID_TYPE` for unknown properties and invalid values.
   * @example
   * compiledModel.setProperty({PERFORMANCE_HINT: 'LATENCY'});
   */
  setProperty(properties: Record<string, OVAny>): void {
    if (arguments.length !== 1 || typeof properties !== 'object' || properties === null) {
      throw incorrectParameters('setProperty', arguments, 'object');
    }
    this.#properties.set(properties, true);
  }

  /**
   * Exports the model in a format that Core.importModel() accepts.
   *
   * @returns The bytes: a Buffer in Node.js, a Uint8Array elsewhere.
   * @throws WasmvinoError `INVALID_STATE` if the buffer of the weights was transferred or resized since the model was read,
   *   or if their file has changed; in browsers, if they were released; if the engine is in a worker: use exportModel().
   * @example
   * const compiled = await core.compileModel('model.xml', 'CPU');
   * const again = core.importModelSync(compiled.exportModelSync(), 'CPU');
   */
  exportModelSync(): ExportedModel {
    return this.#backend.exportNow();
  }

  /**
   * The asynchronous form of exportModelSync(). It also works if the engine is in a worker or the weights were released.
   *
   * @returns A promise of the bytes. It rejects with `INVALID_STATE` if the buffer of the weights was transferred or resized,
   *   or if their file has changed.
   * @example
   * const again = await core.importModel(await compiledModel.exportModel(), 'CPU');
   */
  exportModel(): Promise<ExportedModel> {
    return this.#backend.export();
  }

  /** @internal The text that console.log() prints in Node.js. */
  [inspected](): string {
    return `CompiledModel '${this.#name}'${portLines('input', this.#inputs)}${portLines('output', this.#outputs)}`;
  }

  /**
   * Explains how the model is executed: what the passes changed, how each operation runs, and what takes memory.
   *
   * @returns A promise of the explanation. Operations of models with dynamic shapes are planned by the first run: for these,
   *   use InferRequest.explain() after a run.
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

  /**
   * Releases the model. Its memory is freed once its requests are disposed too.
   *
   * @example
   * using compiledModel = await core.compileModel('model.xml', 'CPU'); // disposed at the end of the block
   */
  dispose(): void {
    this.#backend.dispose();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}
