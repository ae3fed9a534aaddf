// SPDX-License-Identifier: Apache-2.0
/// <reference lib="esnext.disposable" preserve="true" />
// Running a compiled model.
import './dispose.js';
import type {CompiledModel} from './compiled_model.js';
import {isTypedArray, type SupportedTypedArray} from './element.js';
import {Owned, type Engine} from './engine.js';
import {
  WasmvinoError,
  checkCaller,
  checkOptions,
  checkSignal,
  internally,
  invalidArgument,
  invalidShape,
  invalidState,
  textOf,
  type ErrorCode,
} from './error.js';
import type {CallLimits, ProfilingInfo, TensorInfo, VariableInfo} from './glue.js';
import {limitsOfRunning, mergeLimits, type Limits} from './limits.js';
import {arrayOfNumbers, isNumbers, type Numbers} from './numbers.js';
import {Output, findPort} from './output.js';
import {PartialShape} from './partial_shape.js';
import type {Signal} from './places.js';
import {Tensor, bytesOf, wrapArray} from './tensor.js';

/** Inputs of a run by name, or in the model's order. */
export type InputData =
  | {[inputName: string]: Tensor | SupportedTypedArray | Numbers}
  | (Tensor | SupportedTypedArray | Numbers)[];

/** Results of a run by name. */
export type OutputData = {[outputName: string]: Tensor};

/** How infer() gives its results. */
export interface InferOptions {
  /**
   * As share_outputs of OpenVINO's Python API: results show the request's own memory. Nothing is copied until `data`
   * is asked for, `view()` copies nothing at all, and the next run of the request changes them.
   */
  shareOutputs?: boolean;
  /** What the run may use, over the limits of the Core. */
  limits?: Limits;
}

/** How inferAsync() runs. */
export interface InferAsyncOptions extends InferOptions {
  /**
   * Aborted, it makes the promise reject with its reason. What waits for its turn never begins. What runs ends at the
   * next node, iteration or range of a kernel in the builds with threads; on one thread nothing but
   * `limits.inferMilliseconds` ends a run.
   */
  signal?: Signal;
}

/** A port inside the graph. */
export interface ObservedPort {
  /** Name of the layer; of a layer in a body, the names from the outermost: ["decoder", "topk"]. */
  layer: string | string[];
  /** Output of the layer, 0 where it is not given. */
  port?: number;
}

function isObservedPort(value: unknown): value is ObservedPort {
  if (typeof value !== 'object' || value === null) return false;
  const {layer, port = 0} = value as ObservedPort;
  const isPath = Array.isArray(layer) && layer.length > 0 && layer.every((name) => typeof name === 'string');
  return (typeof layer === 'string' || isPath) && Number.isInteger(port) && port >= 0;
}

/** A value that an observed port had in the last run. */
export interface Observation {
  layer: string[];
  port: number;
  /** Of each enclosing body, the iteration, outermost first. */
  iterations: number[];
  tensor: Tensor;
}

const toldOf = new WeakSet<Output>();

// As OpenVINO does, it runs on zeros; most often it is a mistake.
function warnOfNoInput(port: Output): void {
  const shape = port.getPartialShape();
  if (!shape.isStatic()) {
    throw invalidShape(`The input '${port}' was never set, and its shape ${shape} is not fixed: set a tensor.`, {
      port: port.anyName,
      expected: String(shape),
    });
  }
  if (toldOf.has(port)) return;
  toldOf.add(port);
  console.warn(`wasmvino: the input '${port}' (${port.elementType} ${shape}) was never set: it is zeros, as in OpenVINO.`);
}

const inferOptions: Record<keyof InferOptions, true> = {shareOutputs: true, limits: true};
const inferAsyncOptions: Record<keyof InferAsyncOptions, true> = {...inferOptions, signal: true};

// A plain object lists names that are whole numbers first, in ascending order: results come in the order of the outputs.
function inOrder(results: OutputData, names: string[]): OutputData {
  if (Object.keys(results).every((name, i) => name === names[i])) return results;
  return new Proxy(results, {
    ownKeys: (target) => [...new Set([...names.filter((name) => Object.hasOwn(target, name)), ...Reflect.ownKeys(target)])],
  });
}

type Giver = (type: string, shape: string) => TensorInfo;

// Has the engine make room for a tensor; strings are given with it.
function makeRoom(engine: Engine, tensor: Tensor, into: Giver): TensorInfo {
  const {type, shape, strings} = tensor.info;
  if (type === 'string') engine.stageTexts(strings ?? (tensor.array as string[]));
  return into(type, String(shape));
}

// Copies the values of tensors to the places made for them.
function fill(engine: Engine, tensors: Tensor[], places: TensorInfo[]): void {
  const heap = engine.memory;
  const values = tensors.map((tensor, i) => {
    if (places[i]!.type === 'string') return undefined;
    if (!tensor.engine) return bytesOf(tensor.array as SupportedTypedArray);
    const {address, bytes} = tensor.info as TensorInfo;
    const from = tensor.engine.memory.subarray(address, address + bytes);
    if (tensor.engine !== engine) return from;
    // A result of the last run may stand where another input is copied to now.
    const overwritten = places.some(
      (place, j) => j !== i && place.address < address + bytes && address < place.address + place.bytes,
    );
    return overwritten ? from.slice() : from;
  });
  values.forEach((array, i) => {
    if (!array) return;
    const {address, bytes} = places[i]!;
    if (array.length !== bytes) {
      throw invalidState(`The buffer of an input has ${array.length} bytes where ${bytes} were announced: it was changed meanwhile.`);
    }
    heap.set(array, address);
  });
}

function checked(tensor: Tensor, port: Output, kind: Kind): Tensor {
  const {type, shape} = tensor.info;
  const wanted = port.elementType;
  const wantedShape = port.getPartialShape();
  const refuse = (code: ErrorCode, what: string, expected: string, actual: string) =>
    new WasmvinoError(code, `The ${kind} '${port}' is of ${what} ${expected}, the tensor of ${what} ${actual}.`, {
      port: port.anyName,
      expected,
      actual,
    });
  if ((wanted as string) !== 'dynamic' && type !== wanted) throw refuse('INVALID_TYPE', 'type', wanted, type);
  if (!wantedShape.contains(shape)) throw refuse('INVALID_SHAPE', 'shape', `${wantedShape}`, `[${shape}]`);
  return tensor;
}

/** A variable of ReadValue and Assign, kept between the runs of a request. */
export class VariableState {
  readonly #request: Owned;
  readonly #position: number;
  readonly #name: string;

  /** @internal */
  constructor(token: typeof internally, request: Owned, position: number, name: string) {
    checkCaller(token, 'VariableState', 'InferRequest.queryState()');
    this.#request = request;
    this.#position = position;
    this.#name = name;
  }

  getName(): string {
    return this.#name;
  }

  /** The value: a copy. While the variable is unset, zeros (open sizes are 0). */
  getState(): Tensor {
    const info: VariableInfo = this.#request.look((glue, id) => glue.variables(id))[this.#position]!;
    if (info.value) return Tensor.copyOf(this.#request.engine, info.value);
    const sizes = new PartialShape(info.shape === '[...]' ? '' : info.shape).getDimensions();
    return new Tensor(
      info.type === 'dynamic' ? 'f32' : info.type,
      sizes.map((size) => (typeof size === 'number' ? Math.max(0, size) : size[0])),
    );
  }

  setState(state: Tensor): void {
    if (!(state instanceof Tensor)) throw invalidArgument('Argument #0 must be a Tensor.');
    const {engine} = this.#request;
    const place = makeRoom(engine, state, (...tensor) =>
      this.#request.call((glue, id) => glue.setVariable(id, this.#position, ...tensor)),
    );
    fill(engine, [state], [place]);
  }

  /** Makes the variable unset: ReadValue gives its initial value again. */
  reset(): void {
    this.#request.call((glue, id) => glue.resetVariable(id, this.#position));
  }
}

type Kind = 'input' | 'output';

export class InferRequest {
  readonly #owned: Owned;
  readonly #compiled: CompiledModel;
  readonly #given: Record<Kind, (Tensor | undefined)[]> = {input: [], output: []};
  #runs = false; // in the background
  #observed: {path: string[]; port: number}[] = [];

  /** @internal Made by CompiledModel.createInferRequest(). */
  constructor(token: typeof internally, compiled: CompiledModel, engine: Engine, id: number) {
    checkCaller(token, 'InferRequest', 'CompiledModel.createInferRequest()');
    this.#compiled = compiled;
    this.#owned = new Owned(this, engine, id, 'InferRequest');
  }

  /**
   * Runs the model with the inputs given, or with those set before. Results are copies, which later runs do not
   * change; of an output that has a tensor (setOutputTensor()) the result is that tensor.
   *
   * On the main thread of a page, which must not wait for others, this takes one thread in every build, and says so
   * once on the console: see inferAsync().
   */
  infer(inputData?: InputData, options: InferOptions = {}): OutputData {
    checkOptions(options, inferOptions, 'infer');
    const inputs = this.#parse(inputData);
    const limits = this.#limits(options);
    this.#owned.engine.warnOfOneThread(this.#compiled.threads);
    return this.#infer(this.#take(inputs), limits, options);
  }

  #limits(options: InferOptions): CallLimits {
    return limitsOfRunning(mergeLimits(this.#compiled.limits, options.limits));
  }

  #infer(inputs: Tensor[], limits: CallLimits, options: InferOptions): OutputData {
    this.#give(inputs, limits);
    this.#owned.call((glue, id) => glue.infer(id, limits));
    return this.#results(options);
  }

  /**
   * As infer(), when all that was asked for asynchronously before is done. The builds with threads compute beside the
   * calling thread, which stays free; until the promise settles, other calls of this request throw. Inputs are read
   * when the run starts. Whatever is wrong, the promise rejects: nothing is thrown.
   *
   * @param inputData Inputs by name, or in the order of the model's; those set before where it is not given.
   * @returns Results by name, in the order of the model's outputs.
   * @throws WasmvinoError `INVALID_ARGUMENT`, `INVALID_SHAPE` or `INVALID_TYPE` where an input does not fit.
   * @example
   * const {scores} = await request.inferAsync({letters: new ov.Tensor('i32', [1, 3], Int32Array.of(3, 4, 2))});
   */
  async inferAsync(inputData?: InputData, options: InferAsyncOptions = {}): Promise<OutputData> {
    checkOptions(options, inferAsyncOptions, 'inferAsync');
    const inputs = this.#parse(inputData);
    const limits = this.#limits(options);
    const signal = checkSignal(options.signal);
    const {engine} = this.#owned;
    return engine.inTurn(async () => {
      const tensors = this.#take(inputs);
      if (!engine.hasThreads) return this.#infer(tensors, limits, options);
      this.#give(tensors, limits);
      const {id} = this.#owned;
      this.#runs = true;
      try {
        await engine.inBackground((glue) => glue.startInfer(id, limits), signal);
      } finally {
        this.#runs = false;
      }
      return this.#results(options);
    }, signal);
  }

  /** Ends the inferAsync() of this request that runs now: its promise rejects with `CANCELLED`. */
  cancel(): void {
    if (this.#runs) this.#owned.engine.cancel();
  }

  #parse(data: InputData = {}): [number, Tensor][] {
    if (isTypedArray(data)) throw invalidArgument('TypedArray cannot be passed directly into infer() method.');
    if (typeof data !== 'object' || data === null) {
      throw invalidArgument('Infer method takes as an argument an array or an object.');
    }
    const {inputs} = this.#compiled;
    return Object.entries(data).map(([name, value]) => {
      const i = findPort(inputs, Array.isArray(data) ? Number(name) : name, 'input');
      const port = inputs[i]!;
      let tensor: unknown = value;
      if (isTypedArray(value) || isNumbers(value)) {
        const {elementType: type} = port;
        const whose = `Input '${port}'`;
        if ((type as string) === 'dynamic' || port.getPartialShape().isDynamic()) {
          throw invalidShape(`${whose} takes ${type} ${port.getPartialShape()}: an array has no shape, give a Tensor.`, {
            port: port.anyName,
            expected: 'Tensor',
            actual: value.constructor.name,
          });
        }
        const {shape} = port;
        const array = isTypedArray(value) ? wrapArray(type, shape, value, whose) : arrayOfNumbers(type, shape, value, whose);
        tensor = Tensor.of({type, shape, array});
      }
      if (!(tensor instanceof Tensor)) {
        const what = typeof value === 'object' ? 'Invalid argument' : 'Cannot create a tensor from the passed value';
        throw invalidArgument(
          `${what}: input '${port}' takes a Tensor or a TypedArray of type ${port.elementType} and shape ${port.getPartialShape()}, not ${textOf(value)}.`,
          {port: port.anyName},
        );
      }
      return [i, checked(tensor, port, 'input')];
    });
  }

  // Sets inputs; gives all of them.
  #take(inputs: [number, Tensor][]): Tensor[] {
    for (const [i, tensor] of inputs) this.#given.input[i] = tensor;
    return this.#compiled.inputs.map((port, i) => {
      if (!this.#given.input[i]) warnOfNoInput(port);
      return checked(this.getInputTensor(i), port, 'input');
    });
  }

  #give(tensors: Tensor[], limits: CallLimits): void {
    const {engine} = this.#owned;
    const places = tensors.map((tensor, i) =>
      makeRoom(engine, tensor, (...values) => this.#owned.call((glue, id) => glue.setInput(id, i, ...values, limits))),
    );
    fill(engine, tensors, places);
  }

  #results({shareOutputs = false}: InferOptions): OutputData {
    const {engine} = this.#owned;
    const {outputs} = this.#compiled;
    const results = outputs.map((port, i) => {
      const given = this.#given.output[i];
      given?.take(engine, this.#owned.look((glue, id) => glue.output(id, i)));
      const result = given ?? this.getOutputTensor(i);
      return [port.anyName, given || shareOutputs ? result : Tensor.copyOf(engine, result.info as TensorInfo)];
    });
    return inOrder(Object.fromEntries(results), outputs.map(({anyName}) => anyName));
  }

  getCompiledModel(): CompiledModel {
    return this.#compiled;
  }

  /**
   * The tensor of an input or output, by name or port. An output's shows what the last run gave, wherever that is in
   * the engine's memory.
   */
  getTensor(nameOrOutput: string | Output): Tensor {
    if (typeof nameOrOutput !== 'string' && !(nameOrOutput instanceof Output)) {
      throw invalidArgument('InferRequest.getTensor() invalid argument.');
    }
    const [kind, i] = this.#find(nameOrOutput);
    return kind === 'input' ? this.getInputTensor(i) : this.getOutputTensor(i);
  }

  #find(which: string | Output): [Kind, number] {
    const {inputs, outputs} = this.#compiled;
    const at = findPort([...inputs, ...outputs], which, 'port');
    return at < inputs.length ? ['input', at] : ['output', at - inputs.length];
  }

  getInputTensor(i?: number): Tensor {
    const {inputs} = this.#compiled;
    const at = findPort(inputs, i, 'input');
    const port = inputs[at]!;
    // As OpenVINO gives them: of the port's shape where that is fixed, else without elements.
    return (this.#given.input[at] ??= new Tensor(port.elementType, port.getPartialShape().isStatic() ? port.shape : [0]));
  }

  getOutputTensor(i?: number): Tensor {
    const at = findPort(this.#compiled.outputs, i, 'output');
    const find = () => this.#owned.look((glue, id) => glue.output(id, at));
    return this.#given.output[at] ?? Tensor.of({engine: this.#owned.engine, find});
  }

  setTensor(name: string, tensor: Tensor): void {
    if (typeof name !== 'string' || arguments.length !== 2) throw invalidArgument('InferRequest.setTensor() invalid argument.');
    const [kind, i] = this.#find(name);
    this.#set(kind, [i, tensor]);
  }

  /** Sets what an input reads. Its array is copied when a run starts. */
  setInputTensor(tensor: Tensor): void;
  setInputTensor(i: number, tensor: Tensor): void;
  setInputTensor(...args: unknown[]): void {
    this.#set('input', args);
  }

  /** Sets a tensor that each run copies an output into. */
  setOutputTensor(tensor: Tensor): void;
  setOutputTensor(i: number, tensor: Tensor): void;
  setOutputTensor(...args: unknown[]): void {
    this.#set('output', args);
  }

  #set(kind: Kind, args: unknown[]): void {
    const tensor = args[args.length - 1];
    if (args.length === 0 || args.length > 2 || (args.length === 2 && typeof args[0] !== 'number')) {
      throw invalidArgument(`InferRequest: setting a tensor, invalid argument.`);
    }
    if (!(tensor instanceof Tensor)) throw invalidArgument(`Argument #${args.length - 1} must be a Tensor.`);
    const ports = this.#compiled[`${kind}s`];
    const at = findPort(ports, args.length === 2 ? args[0] : undefined, kind);
    const port = ports[at]!;
    if (kind === 'input' || port.getPartialShape().isStatic()) checked(tensor, port, kind);
    if (kind === 'output' && tensor.engine) throw invalidArgument('An output cannot be written to a tensor of a request.');
    this.#given[kind][at] = tensor;
  }

  /** The variables of the model (ReadValue, Assign), sorted by name. */
  queryState(): VariableState[] {
    return this.#owned.look((glue, id) => glue.variables(id)).map(({id}, i) => new VariableState(internally, this.#owned, i, id));
  }

  /** Makes all variables unset. */
  resetState(): void {
    this.#owned.call((glue, id) => glue.resetState(id));
  }

  /** What each node took in the last run. The model must have been compiled with PERF_COUNT. */
  getProfilingInfo(): ProfilingInfo[] {
    return this.#owned.look((glue, id) => glue.profiling(id));
  }

  /** Keeps, while running, the values of ports inside the graph; replaces the list given before. */
  observe(ports: ObservedPort[]): void {
    if (!Array.isArray(ports) || !ports.every(isObservedPort)) {
      throw invalidArgument(`observe() takes an array of {layer: string | string[], port?: number}, not ${textOf(ports)}.`);
    }
    const observed = ports.map(({layer, port}) => ({path: typeof layer === 'string' ? [layer] : [...layer], port: port ?? 0}));
    const texts = observed.flatMap(({path, port}) => [`${port}`, `${path.length}`, ...path]);
    this.#owned.engine.stageTexts(texts);
    this.#owned.call((glue, id) => glue.observe(id));
    this.#observed = observed;
  }

  /** What the observed ports held in the last run, in the order of computation: copies. */
  observations(): Observation[] {
    return this.#owned.look((glue, id) => glue.observations(id)).map(({observed, iterations, value}) => {
      const {path, port} = this.#observed[observed]!;
      return {layer: path, port, iterations, tensor: Tensor.copyOf(this.#owned.engine, value)};
    });
  }

  /** Bytes of the engine's memory held for temporaries and outputs. */
  memoryBytes(): number {
    return this.#owned.look((glue, id) => glue.memoryBytes(id));
  }

  /** Frees the engine's memory of this request. */
  dispose(): void {
    this.#owned.dispose();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}
