// SPDX-License-Identifier: Apache-2.0
/// <reference lib="esnext.disposable" preserve="true" />
import '../base/dispose.js';
import type {ModelBackend, ModelInfo} from '../backend/backend.js';
import {checkCaller, expectNoArguments, incorrectParameters, internally, invalidArgument} from '../base/error.js';
import {inspected} from '../base/inspected.js';
import {PartialShape, shapeText} from '../tensor/partial_shape.js';
import {Output, findPort, givenPort, portLines} from './output.js';

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

  /**
   * Returns the name of the layer.
   *
   * @returns The name.
   * @example
   * const name = model.getOps()[0].getName();
   */
  getName(): string {
    return this.#name;
  }

  /**
   * Returns the operation of the layer.
   *
   * @returns The type, such as 'Convolution'.
   * @example
   * const convolutions = model.getOps().filter((op) => op.getTypeName() === 'Convolution');
   */
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

  // The ports after all edits.
  get #ports(): {inputs: readonly Output[]; outputs: readonly Output[]} {
    const {info} = this.#backend;
    if (info !== this.#shown.info) this.#show(info);
    return this.#shown;
  }

  /**
   * Resolves once reshape() and PrePostProcessor.build() have taken effect. Await it before you read the ports of a model in
   * a worker. On the calling thread it is always resolved.
   *
   * @returns A promise. It rejects with the error of a change that failed. The model is then unchanged.
   * @example
   * await model.reshape('[1,3,224,224]').ready;
   * console.log(model.output().getPartialShape());
   */
  get ready(): Promise<void> {
    return this.#backend.ready;
  }

  /** How long it took, in milliseconds, to load the files into memory (`load`) and to read the model from them (`read`). */
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
   * @param which Tensor name or position of the input. May be omitted if there is one input.
   * @returns The input.
   * @throws WasmvinoError `INVALID_ARGUMENT` if there is no such input.
   * @example
   * const shape = model.input('image').getPartialShape();
   */
  input(which?: string | number): Output {
    return givenPort(this.#inputs, which, arguments.length, 'input');
  }

  /**
   * Returns an output.
   *
   * @param which Tensor name or position of the output. May be omitted if there is one output.
   * @returns The output.
   * @throws WasmvinoError `INVALID_ARGUMENT` if there is no such output.
   * @example
   * const {elementType} = model.output(0);
   */
  output(which?: string | number): Output {
    return givenPort(this.#outputs, which, arguments.length, 'output');
  }

  /**
   * Whether an input or output has a dynamic shape.
   *
   * @returns Whether a dimension or the number of axes of a port is dynamic.
   * @example
   * if (model.isDynamic()) model.reshape('[1,3,224,224]');
   */
  isDynamic(...args: []): boolean {
    expectNoArguments(args, 'isDynamic');
    return [...this.#inputs, ...this.#outputs].some((port) => port.getPartialShape().isDynamic());
  }

  /**
   * Returns the name in the model file.
   *
   * @returns The name.
   * @example
   * const name = model.getName();
   */
  getName(): string {
    return this.#shown.info.name;
  }

  /**
   * Returns the name set by setFriendlyName(), otherwise the name in the model file.
   *
   * @returns The name.
   * @example
   * const name = model.getFriendlyName();
   */
  getFriendlyName(...args: []): string {
    if (args.length > 0) throw invalidArgument('getFriendlyName() does not take any arguments.');
    return this.#friendlyName || this.getName();
  }

  /**
   * Sets the friendly name.
   *
   * @param name Any text.
   * @throws WasmvinoError `INVALID_ARGUMENT` if it is not a string.
   * @example
   * model.setFriendlyName('detector');
   */
  setFriendlyName(name: string): void {
    if (arguments.length !== 1 || typeof name !== 'string') {
      throw invalidArgument('Expected a single string argument for the friendly name');
    }
    this.#friendlyName = name;
  }

  /**
   * Returns the number of outputs.
   *
   * @returns The number.
   * @example
   * const count = model.getOutputSize();
   */
  getOutputSize(...args: []): number {
    expectNoArguments(args, 'getOutputSize');
    return this.#outputs.length;
  }

  /**
   * Returns the shape of an output.
   *
   * @param index Position of the output.
   * @returns Dimensions, outermost first.
   * @throws WasmvinoError `INVALID_ARGUMENT` if there is no such output; `INVALID_SHAPE` if a dimension is dynamic.
   * @example
   * const [batch, classes] = model.getOutputShape(0);
   */
  getOutputShape(index: number): number[] {
    if (arguments.length !== 1 || typeof index !== 'number') throw invalidArgument('Invalid argument. Expected a single number.');
    return this.#outputs[findPort(this.#outputs, index, 'output')]!.shape;
  }

  /**
   * Returns the element type of an output.
   *
   * @param index Position of the output.
   * @returns The name of the type, such as 'f32'.
   * @throws WasmvinoError `INVALID_ARGUMENT` if there is no such output.
   * @example
   * const type = model.getOutputElementType(0);
   */
  getOutputElementType(index: number): string {
    if (arguments.length !== 1 || !Number.isInteger(index)) {
      throw incorrectParameters('getOutputElementType', arguments, 'int');
    }
    return this.#outputs[findPort(this.#outputs, index, 'output')]!.elementType;
  }

  /**
   * Returns the layers in execution order, without those in bodies of loops and branches.
   *
   * @returns One object per layer.
   * @throws WasmvinoError `INVALID_STATE` if the model was disposed.
   * @example
   * const types = model.getOps().map((op) => op.getTypeName());
   */
  getOps(): Node[] {
    return this.#backend.ops().map(({name, type}) => new Node(internally, name, type));
  }

  /**
   * Returns a copy. It can be changed and disposed independently.
   *
   * @returns The copy.
   * @throws WasmvinoError `INVALID_STATE` if the model was disposed.
   * @example
   * const fixed = model.clone().reshape('[1,3,224,224]');
   */
  clone(...args: []): Model {
    if (args.length > 0) throw incorrectParameters('clone', args, '');
    const copy = new Model(internally, this.#backend.copy());
    copy.#friendlyName = this.#friendlyName;
    return copy;
  }

  /**
   * Changes the shapes of inputs.
   *
   * @param shapes The shape of the only input, or a map of shapes by position, tensor name or port.
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
    const one = shapeText(shapes);
    if (one === undefined && !(shapes instanceof Map)) {
      throw incorrectParameters('reshape', arguments, 'PartialShape', 'string', 'Map', 'Map, object');
    }
    if (variablesShapes !== undefined && (typeof variablesShapes !== 'object' || variablesShapes === null)) {
      throw incorrectParameters('reshape', arguments, 'PartialShape', 'string', 'Map', 'Map, object');
    }
    const entries = one === undefined ? [...(shapes as Map<number | string | Output, PartialShape | string>)] : [[undefined, one] as const];
    const wanted = this.#inputs.map(() => '');
    const textOfShape = (shape: unknown) => shapeText(shape) ?? String(new PartialShape(shape as string));
    for (const [which, shape] of entries) wanted[findPort(this.#inputs, which, 'input')] = textOfShape(shape);
    const variables = Object.entries(variablesShapes ?? {}).flatMap(([id, shape]) => [id, textOfShape(shape)]);
    this.#backend.edit(['reshape', [...wanted, ...variables]]);
    return this;
  }

  /** @internal The text that console.log() prints in Node.js. */
  [inspected](): string {
    const {inputs, outputs} = this.#shown;
    return `Model '${this.getFriendlyName()}'${portLines('input', inputs)}${portLines('output', outputs)}`;
  }

  /** @internal */
  get backend(): ModelBackend {
    return this.#backend;
  }

  /**
   * Frees the memory of the model. Its weights are freed once everything compiled from it is disposed too.
   *
   * @example
   * using model = await core.readModel('model.xml'); // disposed at the end of the block
   */
  dispose(): void {
    this.#backend.dispose();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}
