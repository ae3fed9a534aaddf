// SPDX-License-Identifier: Apache-2.0
/// <reference lib="esnext.disposable" preserve="true" />
import './dispose.js';
import type {ModelBackend, ModelInfo} from './backend.js';
import {checkCaller, expectNoArguments, incorrectParameters, internally, invalidArgument} from './error.js';
import {inspected, portLines} from './inspected.js';
import {Output, findPort} from './output.js';
import {PartialShape} from './partial_shape.js';
import type {Url} from './places.js';

/** @internal A change to a model that was read, as texts of the engine. */
export type Edit = readonly ['reshape' | 'preprocess', readonly string[]];

/** @internal What a model was read from. */
export interface ModelFiles {
  xml: Uint8Array;
  weights: Uint8Array | undefined;
  /** Bytes of the weights when the model was read: the caller may transfer their buffer later. */
  weightsSize?: number;
  /** What was done to the model since. */
  edits?: readonly Edit[];
  /** The file of the weights, and how it showed that there is none. */
  origin?: {path: string | Url; missing?: string};
}

/** A layer of a model. */
export class Node {
  readonly #name: string;
  readonly #type: string;

  /** @internal */
  constructor(token: typeof internally, name: string, type: string) {
    checkCaller(token, 'Node', 'Model.getOps()');
    this.#name = name;
    this.#type = type;
  }

  /** Returns the name of the layer. */
  getName(): string {
    return this.#name;
  }

  /** Returns the operation of the layer. */
  getTypeName(): string {
    return this.#type;
  }
}

/** A model that was read but not compiled. */
export class Model {
  readonly #backend: ModelBackend;
  #friendlyName = '';
  #shown!: {info: ModelInfo; inputs: readonly Output[]; outputs: readonly Output[]};

  /** @internal Made by Core.readModel(). */
  constructor(token: typeof internally, backend: ModelBackend) {
    checkCaller(token, 'Model', 'Core.readModel()');
    this.#backend = backend;
    this.#show(backend.info);
  }

  #show(info: ModelInfo): void {
    const portsOf = (ports: ModelInfo['inputs']) => ports.map((port) => new Output(internally, port));
    this.#shown = {info, inputs: portsOf(info.inputs), outputs: portsOf(info.outputs)};
  }

  get #inputs(): readonly Output[] {
    return this.#ports.inputs;
  }

  get #outputs(): readonly Output[] {
    return this.#ports.outputs;
  }

  // As the edits have left them.
  get #ports(): {inputs: readonly Output[]; outputs: readonly Output[]} {
    const {info} = this.#backend;
    if (info !== this.#shown.info) this.#show(info);
    return this.#shown;
  }

  /**
   * Settles once reshape() and PrePostProcessor.build() have taken effect. Await it before you read the ports of a model in
   * a worker. On the calling thread it is always settled.
   *
   * @returns A promise that rejects with the error of a change. The model is then unchanged.
   * @example
   * await model.reshape('[1,3,224,224]').ready;
   * console.log(model.output().getPartialShape());
   */
  get ready(): Promise<void> {
    return this.#backend.ready;
  }

  /** Milliseconds that the model took: until its files were in memory (`load`), and until the engine had read it (`read`). */
  get timings(): {readonly load: number; readonly read: number} {
    return {...this.#backend.timings};
  }

  /** The inputs, in the model's order. */
  get inputs(): Output[] {
    return [...this.#inputs];
  }

  /** The outputs, in the model's order. */
  get outputs(): Output[] {
    return [...this.#outputs];
  }

  /**
   * Returns an input.
   *
   * @param which Its tensor name or position. May be omitted if there is one input.
   * @throws WasmvinoError `INVALID_ARGUMENT` if there is no such input.
   */
  input(which?: string | number): Output {
    return this.#inputs[findPort(this.#inputs, which, 'input')]!;
  }

  /**
   * Returns an output.
   *
   * @param which Its tensor name or position. May be omitted if there is one output.
   * @throws WasmvinoError `INVALID_ARGUMENT` if there is no such output.
   */
  output(which?: string | number): Output {
    return this.#outputs[findPort(this.#outputs, which, 'output')]!;
  }

  /** Whether an input or output has a dynamic shape. */
  isDynamic(...args: []): boolean {
    expectNoArguments(args, 'isDynamic');
    return [...this.#inputs, ...this.#outputs].some((port) => port.getPartialShape().isDynamic());
  }

  getName(): string {
    return this.#shown.info.name;
  }

  getFriendlyName(...args: []): string {
    expectNoArguments(args, 'getFriendlyName');
    return this.#friendlyName || this.getName();
  }

  setFriendlyName(name: string): void {
    if (arguments.length !== 1 || typeof name !== 'string') {
      throw invalidArgument('Expected a single string argument for the friendly name');
    }
    this.#friendlyName = name;
  }

  getOutputSize(...args: []): number {
    expectNoArguments(args, 'getOutputSize');
    return this.#outputs.length;
  }

  getOutputShape(index: number): number[] {
    return this.#outputs[findPort(this.#outputs, index, 'output')]!.shape;
  }

  getOutputElementType(index: number): string {
    if (arguments.length !== 1 || !Number.isInteger(index)) {
      throw incorrectParameters('getOutputElementType', arguments, 'int');
    }
    return this.#outputs[findPort(this.#outputs, index, 'output')]!.elementType;
  }

  /** Returns the layers in execution order, without those in bodies. */
  getOps(): Node[] {
    return this.#backend.ops().map(({name, type}) => new Node(internally, name, type));
  }

  /** Returns a copy, which can be changed and disposed independently. */
  clone(...args: []): Model {
    if (args.length > 0) throw incorrectParameters('clone', args, '');
    const copy = new Model(internally, this.#backend.copy());
    copy.#friendlyName = this.#friendlyName;
    return copy;
  }

  /**
   * Changes the shapes of inputs: a shape for the only input, or a map of shapes by position, name or port.
   *
   * @param variablesShapes Shapes of variables (ReadValue, Assign) by id.
   * @returns The model itself.
   * @throws WasmvinoError `INVALID_ARGUMENT` if there is no such input or variable; `INVALID_SHAPE` if the model does not
   *   accept the shapes. The model is then unchanged.
   * @example
   * model.reshape(new Map([['tokens', [1, 128].join()]]), {past_keys: '1,8,?,64'});
   */
  reshape(
    shapes: PartialShape | string | Map<number | string | Output, PartialShape | string>,
    variablesShapes?: Record<string, PartialShape | string>,
  ): Model {
    const one = typeof shapes === 'string' || shapes instanceof PartialShape;
    if (!one && !(shapes instanceof Map)) {
      throw incorrectParameters('reshape', arguments, 'PartialShape', 'string', 'Map', 'Map, object');
    }
    if (variablesShapes !== undefined && (typeof variablesShapes !== 'object' || variablesShapes === null)) {
      throw incorrectParameters('reshape', arguments, 'PartialShape', 'string', 'Map', 'Map, object');
    }
    const entries = one ? [[undefined, shapes] as const] : [...shapes.entries()];
    const wanted = this.#inputs.map(() => '');
    const textOfShape = (shape: PartialShape | string) => String(shape instanceof PartialShape ? shape : new PartialShape(shape));
    for (const [which, shape] of entries) wanted[findPort(this.#inputs, which, 'input')] = textOfShape(shape);
    const variables = Object.entries(variablesShapes ?? {}).flatMap(([id, shape]) => [id, textOfShape(shape)]);
    this.#backend.edit(['reshape', [...wanted, ...variables]]);
    return this;
  }

  /** @internal What console.log() of Node.js prints. */
  [inspected](): string {
    const {inputs, outputs} = this.#shown;
    return `Model '${this.getFriendlyName()}'${portLines('input', inputs)}${portLines('output', outputs)}`;
  }

  /** @internal */
  get backend(): ModelBackend {
    return this.#backend;
  }

  /** Frees the memory of the model. Its weights are released once everything compiled from it is disposed too. */
  dispose(): void {
    this.#backend.dispose();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}
