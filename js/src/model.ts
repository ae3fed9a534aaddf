// SPDX-License-Identifier: Apache-2.0
/// <reference lib="esnext.disposable" preserve="true" />
import './dispose.js';
import {Owned, type Engine} from './engine.js';
import {checkCaller, expectNoArguments, incorrectParameters, internally, invalidArgument} from './error.js';
import type {CallLimits, CompileSettings, CompiledInfo} from './glue.js';
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

  getName(): string {
    return this.#name;
  }

  getTypeName(): string {
    return this.#type;
  }
}

/** A model as it was read. */
export class Model {
  readonly #owned: Owned;
  #files: ModelFiles;
  #name = '';
  #friendlyName = '';
  #inputs: readonly Output[] = [];
  #outputs: readonly Output[] = [];

  /** @internal Made by Core.readModel(). */
  constructor(token: typeof internally, engine: Engine, id: number, files: ModelFiles) {
    checkCaller(token, 'Model', 'Core.readModel()');
    this.#owned = new Owned(this, engine, id, 'Model');
    this.#files = files;
    this.#describe();
  }

  #describe(): void {
    const {name, inputs, outputs} = this.#owned.look((glue, id) => glue.describeModel(id));
    this.#name = name;
    this.#inputs = inputs.map((port) => new Output(internally, port));
    this.#outputs = outputs.map((port) => new Output(internally, port));
  }

  get inputs(): Output[] {
    return [...this.#inputs];
  }

  get outputs(): Output[] {
    return [...this.#outputs];
  }

  /** The input of this name or position; of a model with one input, that one. */
  input(which?: string | number): Output {
    return this.#inputs[findPort(this.#inputs, which, 'input')]!;
  }

  /** The output of this name or position; of a model with one output, that one. */
  output(which?: string | number): Output {
    return this.#outputs[findPort(this.#outputs, which, 'output')]!;
  }

  /** Whether some input or output has an open shape. */
  isDynamic(...args: []): boolean {
    expectNoArguments(args, 'isDynamic');
    return [...this.#inputs, ...this.#outputs].some((port) => port.getPartialShape().isDynamic());
  }

  getName(): string {
    return this.#name;
  }

  getFriendlyName(...args: []): string {
    expectNoArguments(args, 'getFriendlyName');
    return this.#friendlyName || this.#name;
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

  /** The layers in the order of execution; those inside bodies are not listed. */
  getOps(): Node[] {
    return this.#owned.look((glue, id) => glue.modelOps(id)).map(({name, type}) => new Node(internally, name, type));
  }

  clone(...args: []): Model {
    if (args.length > 0) throw incorrectParameters('clone', args, '');
    const id = this.#owned.call((glue, id) => glue.copyModel(id));
    const copy = new Model(internally, this.#owned.engine, id, this.#files);
    copy.#friendlyName = this.#friendlyName;
    return copy;
  }

  /**
   * Gives inputs other shapes: the only one, or those of a map by position, name or port.
   *
   * @param variablesShapes Shapes of variables (ReadValue, Assign) by their ids.
   * @returns The model itself, unchanged where it throws.
   * @throws WasmvinoError `INVALID_ARGUMENT` where there is no such input or variable; `INVALID_SHAPE` where the model
   *   cannot have the shapes.
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
    this.edit('reshape', [...wanted, ...variables]);
    return this;
  }

  /** @internal Changes the model, and keeps what was done for those who read it again. */
  edit(...edit: Edit): void {
    const [kind, texts] = edit;
    this.#owned.engine.stageTexts(texts);
    this.#owned.call((glue, id) => (kind === 'reshape' ? glue.reshapeModel(id) : glue.preprocessModel(id)));
    this.#files = {...this.#files, edits: [...(this.#files.edits ?? []), edit]};
    this.#describe();
  }

  /** @internal As they are now. */
  get files(): ModelFiles & {name: string} {
    return {...this.#files, name: this.getFriendlyName()};
  }

  /** @internal What console.log() of Node.js prints. */
  [inspected](): string {
    return `Model '${this.getFriendlyName()}'${portLines('input', this.#inputs)}${portLines('output', this.#outputs)}`;
  }

  /** @internal The engine it belongs to. */
  get engine(): Engine {
    return this.#owned.engine;
  }

  /** @internal */
  compile(settings: CompileSettings, limits: CallLimits): CompiledInfo {
    return this.#owned.call((glue, id) => glue.compileModel(id, settings, limits));
  }

  /** @internal To be called in turn. */
  async compileInBackground(settings: CompileSettings, limits: CallLimits, signal?: AbortSignal): Promise<CompiledInfo> {
    if (!this.engine.hasThreads) return this.compile(settings, limits);
    const {id} = this.#owned;
    return this.engine.inBackground((glue) => glue.startCompile(id, settings, limits), signal);
  }

  /** Frees the engine's memory of this model, and the weights once nothing compiled from it is left. */
  dispose(): void {
    this.#owned.dispose();
    this.#files = {...this.#files, weights: undefined};
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}
