// SPDX-License-Identifier: Apache-2.0
/// <reference lib="esnext.disposable" preserve="true" />
import '../base/dispose.js';
import type {ObservedPath, ObservedValue, RequestBackend, RunProgress} from '../backend/backend.js';
import {mergeLimits, type Limits} from '../backend/limits.js';
import type {ProfilingInfo} from '../backend/records.js';
import type {Signal} from '../base/environment.js';
import {
  WasmvinoError,
  checkCaller,
  checkOptions,
  checkSignal,
  internally,
  invalidArgument,
  invalidShape,
  textOf,
  type ErrorCode,
} from '../base/error.js';
import {inspected} from '../base/inspected.js';
import {arrayName} from '../base/typed_arrays.js';
import {checkProgress} from '../files/progress.js';
import {isTypedArray, type SupportedTypedArray} from '../tensor/element.js';
import {arrayOfNumbers, numbersIn, type Numbers} from '../tensor/numbers.js';
import {Tensor, contentOf, isTensor} from '../tensor/tensor.js';
import {wrapArray} from '../tensor/values.js';
import type {CompiledModel} from './compiled_model.js';
import {Explanation} from './explanation.js';
import {Output, findPort} from './output.js';
import {Profile} from './profile.js';
import {VariableState} from './variable_state.js';

/** Inputs of a run: an object by name, or an array in the order of the model's inputs. */
export type InputData =
  | {[inputName: string]: Tensor | SupportedTypedArray | Numbers}
  | (Tensor | SupportedTypedArray | Numbers)[];

/** Results of a run by output name. */
export type OutputData = {[outputName: string]: Tensor};

/** Options of infer(). */
export interface InferOptions {
  /**
   * Whether results refer to the request's own memory, like share_outputs in OpenVINO's Python API. The next run of the
   * request changes them. `data` copies, `view()` does not. Default: false.
   */
  shareOutputs?: boolean;
  /** Limits of the run. They override those of the Core. */
  limits?: Limits;
}

/** Options of inferAsync(). */
export interface InferAsyncOptions extends InferOptions {
  /**
   * Aborting it rejects the promise with its reason. A waiting run never starts. Whether a running one stops depends on the
   * build:
   * - Threaded builds stop it at the next node, iteration or range of a kernel.
   * - In single-threaded builds, only `limits.inferMilliseconds` stops it. If the engine is in a worker, a new worker
   *   replaces that worker.
   */
  signal?: Signal;
  /**
   * For an engine in a worker: whether to transfer the arrays of the input tensors instead of copying them. They are empty
   * afterwards, so the next run needs other tensors. Default: false.
   */
  transferInputs?: boolean;
  /**
   * Called after each layer and after each iteration of a loop. It receives the values that observed ports had since the
   * last report, for example the tokens of a decoder as they are generated. If it throws, the run stops and the promise
   * rejects with the exception.
   *
   * In single-threaded builds on the calling thread, the engine waits for this function. The function must not call the
   * engine, but it can stop the run by aborting `signal`.
   *
   * @example
   * request.observe([{layer: ['decoder', 'topk'], port: 1}]);
   * await request.inferAsync(inputs, {
   *   onProgress: ({observations}) => observations.forEach(({tensor}) => console.log(...tensor.data)),
   * });
   */
  onProgress?: (progress: InferProgress) => void;
}

/** A progress report of a run. */
export interface InferProgress {
  /** What ended: the computation of a layer (`node`), or an iteration of a loop. */
  event: 'node' | 'iteration';
  /** Names of the layers from the outermost inwards. The last is the layer that was computed, or the loop. */
  layer: string[];
  /** Operation that computed the layer, after the passes. Missing for an iteration. */
  type?: string;
  /** The iteration of each enclosing body, outermost first. For an iteration, the last number is its own. */
  iterations: number[];
  /** Number of nodes of the model, or of the body, that are computed so far. */
  done: number;
  /** Number of nodes of the model, or of the body, that the run computes. */
  total: number;
  /** The values that observed ports had since the last report. */
  observations: Observation[];
}

/** A port inside the graph whose values a request reports. */
export interface ObservedPort {
  /** Name of the layer. For a layer in a body, the names from the outermost layer inwards: ["decoder", "topk"]. */
  layer: string | string[];
  /** Position of the layer's output. Default: 0. */
  port?: number;
}

// The port that a caller described. Undefined if it is no such description.
function observedPath(value: unknown): ObservedPath | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const {layer, port = 0} = value as ObservedPort;
  const path: unknown[] = Array.isArray(layer) ? [...layer] : [layer];
  const isPath = path.length > 0 && path.every((name) => typeof name === 'string');
  return isPath && Number.isInteger(port) && port >= 0 ? {path: path as string[], port} : undefined;
}

/** A value that an observed port had in the last run. */
export interface Observation {
  /** Names of the layers from the outermost inwards. */
  layer: string[];
  /** Position of the layer's output. */
  port: number;
  /** The iteration of each enclosing body, outermost first. */
  iterations: number[];
  /** A copy of the value. */
  tensor: Tensor;
}

const observationOf = ({path, ...rest}: ObservedValue): Observation => ({layer: path, ...rest});

function progressOf({path, type, iterations, done, total, observed}: RunProgress): InferProgress {
  const what = type === undefined ? {event: 'iteration' as const, layer: path} : {event: 'node' as const, layer: path, type};
  return {...what, iterations, done, total, observations: observed.map(observationOf)};
}

const toldOf = new WeakSet<Output>();

// Like OpenVINO, a run uses zeros for an input that was never set. This is usually a mistake, so it warns.
function warnOfNoInput(port: Output): void {
  const shape = port.getPartialShape();
  if (!shape.isStatic()) {
    throw invalidShape(`The input '${port}' was never set, and its shape ${port.shapeText} is dynamic: set a tensor.`, {
      port: port.anyName,
      expected: String(shape),
    });
  }
  if (toldOf.has(port)) return;
  toldOf.add(port);
  console.warn(`wasmvino: the input '${port}' (${port.elementType} ${shape}) was never set: its values are zeros, as in OpenVINO.`);
}

const inferOptions: Record<keyof InferOptions, true> = {shareOutputs: true, limits: true};
const inferAsyncOptions: Record<keyof InferAsyncOptions, true> = {...inferOptions, signal: true, transferInputs: true, onProgress: true};

// JavaScript objects list integer-like keys first. The proxy lists results in the order of the outputs instead.
function inOrder(results: OutputData, names: string[]): OutputData {
  if (Object.keys(results).every((name, i) => name === names[i])) return results;
  return new Proxy(results, {
    ownKeys: (target) => [...new Set([...names.filter((name) => Object.hasOwn(target, name)), ...Reflect.ownKeys(target)])],
  });
}

function checked(tensor: Tensor, port: Output, kind: Kind): Tensor {
  const {type, shape} = contentOf(tensor);
  const wanted = port.elementType;
  const wantedShape = port.getPartialShape();
  const refuse = (code: ErrorCode, what: string, expected: string, actual: string) =>
    new WasmvinoError(code, `The ${kind} '${port}' is of ${what} ${expected}, but the tensor is of ${what} ${actual}.`, {
      port: port.anyName,
      expected,
      actual,
    });
  if ((wanted as string) !== 'dynamic' && type !== wanted) throw refuse('INVALID_TYPE', 'type', wanted, type);
  // A tensor for an output of dynamic shape gets the shape of the result.
  if (!(kind === 'output' && wantedShape.isDynamic()) && !wantedShape.contains(shape)) throw refuse('INVALID_SHAPE', 'shape', port.shapeText, `[${shape}]`);
  return tensor;
}

type Kind = 'input' | 'output';

interface InputValue {
  which: string | number;
  value: Tensor | SupportedTypedArray | Numbers;
}

/** Runs a compiled model. A request has its own inputs, outputs and variables. */
export class InferRequest {
  readonly #backend: RequestBackend;
  readonly #compiled: CompiledModel;
  readonly #given: Record<Kind, (Tensor | undefined)[]> = {input: [], output: []};

  /** @internal Made by CompiledModel.createInferRequest(). */
  constructor(token: typeof internally, compiled: CompiledModel, backend: RequestBackend) {
    checkCaller(token, 'InferRequest', 'CompiledModel.createInferRequest()');
    this.#compiled = compiled;
    this.#backend = backend;
  }

  /**
   * Runs the model. The results are copies, or the tensors set by setOutputTensor().
   *
   * On the main thread of a page, which must not block, this uses one thread in every build. The console shows a warning
   * once. Use inferAsync() there.
   *
   * @param inputData Inputs by name, or an array in the order of the model's inputs. Inputs not given keep their tensors.
   * @param options Whether results share the request's memory, and limits of the run.
   * @returns Results by name, in the order of the model's outputs.
   * @throws WasmvinoError `INVALID_ARGUMENT`, `INVALID_SHAPE` or `INVALID_TYPE` if an input does not match; `INVALID_STATE` if
   *   the engine is busy or in a worker; `LIMIT_EXCEEDED`.
   * @example
   * const {scores} = request.infer({letters: new ov.Tensor('i32', [1, 3], Int32Array.of(3, 4, 2))});
   */
  infer(inputData?: InputData, options: InferOptions = {}): OutputData {
    const {shareOutputs = false, limits} = checkOptions(options, inferOptions, 'infer');
    const inputs = this.#inputs(this.#values(inputData));
    this.#backend.runNow(() => this.#take(inputs), mergeLimits(this.#compiled.limits, limits));
    return this.#results(shareOutputs);
  }

  /**
   * Runs the model after all asynchronous calls made before. Threaded builds compute on other threads, so the calling thread
   * stays free. Inputs are read when the run starts, not when this is called. While it runs, infer() and reading outputs throw.
   * Further asynchronous calls wait for their turn, and tensors that are set apply to them.
   *
   * @param inputData Inputs by name, or an array in the order of the model's inputs. Inputs not given keep their tensors.
   * @param options The options of infer(), a signal, and a function for progress reports.
   * @returns A promise of the results by name, in the order of the model's outputs. It rejects with the reason of the signal
   *   after an abort, otherwise with a WasmvinoError: `INVALID_ARGUMENT`, `INVALID_SHAPE` or `INVALID_TYPE` if an input does
   *   not match; `LIMIT_EXCEEDED`; `CANCELLED`.
   * @throws WasmvinoError `INVALID_ARGUMENT`, at once, for values that are neither tensors nor arrays, as in OpenVINO.
   * @example
   * const {scores} = await request.inferAsync({letters: new ov.Tensor('i32', [1, 3], Int32Array.of(3, 4, 2))});
   */
  inferAsync(inputData?: InputData, options: InferAsyncOptions = {}): Promise<OutputData> {
    return this.#runAsync(this.#values(inputData), options);
  }

  async #runAsync(values: InputValue[], options: InferAsyncOptions): Promise<OutputData> {
    const {shareOutputs = false, transferInputs = false, ...given} = checkOptions(options, inferAsyncOptions, 'inferAsync');
    const inputs = this.#inputs(values);
    const limits = mergeLimits(this.#compiled.limits, given.limits);
    const signal = checkSignal(given.signal);
    const listener = checkProgress(given.onProgress);
    const onProgress = listener && ((progress: RunProgress) => listener(progressOf(progress)));
    return this.#backend.inTurn(async () => {
      await this.#backend.run(this.#take(inputs), limits, {signal, transfer: transferInputs, onProgress});
      return this.#results(shareOutputs);
    }, signal);
  }

  /**
   * Stops the running inferAsync() of this request. Its promise rejects with `CANCELLED`.
   *
   * @example
   * const running = request.inferAsync(inputs);
   * request.cancel();
   * await running.catch(({code}) => console.log(code)); // CANCELLED
   */
  cancel(): void {
    this.#backend.cancel();
  }

  // The inputs of a call by name or position. Throws unless all are tensors or arrays.
  #values(data: InputData = {}): InputValue[] {
    if (isTypedArray(data)) throw invalidArgument('TypedArray cannot be passed directly into infer() method.');
    const isOther = typeof data !== 'object' || data === null || isTensor(data) || (Symbol.iterator in data && !Array.isArray(data));
    if (isOther) {
      throw invalidArgument(`Infer method takes as an argument an array or an object. Pass {name: tensor}, not ${isTensor(data) ? 'a Tensor' : textOf(data)}.`);
    }
    const {inputs} = this.#compiled;
    return Object.entries(data).map(([name, value]): InputValue => {
      const which = Array.isArray(data) ? Number(name) : name;
      if (isTensor(value) || isTypedArray(value)) return {which, value};
      const numbers = numbersIn(value);
      if (numbers) return {which, value: numbers};
      const port = inputs[findPort(inputs, which, 'input')]!;
      // OpenVINO's binding begins its errors like this.
      const what = typeof value === 'object' ? 'Invalid argument' : 'Cannot create a tensor from the passed Napi::Value';
      throw invalidArgument(
        `${what}. Input '${port}' takes a Tensor or a TypedArray of type ${port.elementType} and shape ${port.getPartialShape()}, not ${textOf(value)}.`,
        {port: port.anyName},
      );
    });
  }

  // The positions and tensors of inputs. Throws unless they match the ports of the model.
  #inputs(values: InputValue[]): [number, Tensor][] {
    const {inputs} = this.#compiled;
    return values.map(({which, value}) => {
      const i = findPort(inputs, which, 'input');
      const port = inputs[i]!;
      if (isTensor(value)) return [i, checked(value, port, 'input')];
      const {elementType: type} = port;
      const whose = `Input '${port}'`;
      if ((type as string) === 'dynamic' || port.getPartialShape().isDynamic()) {
        throw invalidShape(`${whose} takes ${type} ${port.shapeText}: an array has no shape, pass a Tensor.`, {
          port: port.anyName,
          expected: 'Tensor',
          actual: arrayName(value) ?? 'Array',
        });
      }
      const {shape} = port;
      const array = isTypedArray(value) ? wrapArray(type, shape, value, whose) : arrayOfNumbers(type, shape, value, whose);
      return [i, checked(Tensor.of({type, shape, array}), port, 'input')];
    });
  }

  // Stores the inputs of this call, and returns the tensors of all inputs. Throws before anything changes if one of them, or a
  // tensor that was set for an output, cannot be used.
  #take(inputs: [number, Tensor][]): Tensor[] {
    const given = new Map(inputs);
    const tensors = this.#compiled.inputs.map((port, i) => {
      const tensor = given.get(i) ?? this.#given.input[i];
      if (!tensor) warnOfNoInput(port);
      return tensor && checked(tensor, port, 'input');
    });
    this.#given.output.forEach((tensor, i) => tensor && this.#checkOutput(tensor, i));
    return tensors.map((tensor, i) => {
      if (!tensor) return this.getInputTensor(i);
      this.#given.input[i] = tensor;
      return tensor;
    });
  }

  #checkOutput(tensor: Tensor, i: number): void {
    checked(tensor, this.#compiled.outputs[i]!, 'output');
    if (contentOf(tensor).engine) throw invalidArgument('An output cannot be written to a tensor that belongs to a request.');
  }

  #results(shareOutputs: boolean): OutputData {
    const {outputs} = this.#compiled;
    const results = outputs.map((port, i) => {
      const given = this.#given.output[i];
      if (given) this.#backend.copyResult(i, given);
      return [port.anyName, given ?? (shareOutputs ? this.#backend.output(i) : this.#backend.result(i))];
    });
    return inOrder(Object.fromEntries(results), outputs.map(({anyName}) => anyName));
  }

  /**
   * Returns the compiled model of this request.
   *
   * @returns The compiled model.
   * @example
   * const {inputs} = request.getCompiledModel();
   */
  getCompiledModel(): CompiledModel {
    return this.#compiled;
  }

  /**
   * Returns the tensor of an input or output. The tensor of an output always shows the result of the last run.
   *
   * @param nameOrOutput A tensor name, or a port of the compiled model.
   * @returns The tensor.
   * @throws WasmvinoError `INVALID_ARGUMENT` if there is no such input or output.
   * @example
   * const scores = request.getTensor('scores').data;
   */
  getTensor(nameOrOutput: string | Output): Tensor {
    if (arguments.length !== 1) throw invalidArgument('InferRequest.getTensor() invalid number of arguments.');
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

  /**
   * Returns the tensor of an input. If none was set, it is zeros, or empty if the shape is dynamic.
   *
   * @param i Position of the input. May be omitted if there is one input.
   * @returns The tensor. Writing to it changes the input of the next run.
   * @throws WasmvinoError `INVALID_ARGUMENT` if there is no such input.
   * @example
   * request.getInputTensor(0).fill(0.5);
   */
  getInputTensor(i?: number): Tensor {
    const {inputs} = this.#compiled;
    const at = findPort(inputs, i, 'input');
    const port = inputs[at]!;
    // As in OpenVINO: a static shape gives a tensor of that shape, a dynamic one an empty tensor.
    return (this.#given.input[at] ??= new Tensor(port.elementType, port.getPartialShape().isStatic() ? port.shape : [0]));
  }

  /**
   * Returns a tensor that always shows the result of the last run, or the one set by setOutputTensor().
   *
   * @param i Position of the output. May be omitted if there is one output.
   * @returns The tensor.
   * @throws WasmvinoError `INVALID_ARGUMENT` if there is no such output.
   * @example
   * request.infer({x: tensor});
   * const sum = request.getOutputTensor().view((array) => array.reduce((a, b) => a + b, 0));
   */
  getOutputTensor(i?: number): Tensor {
    const at = findPort(this.#compiled.outputs, i, 'output');
    return this.#given.output[at] ?? this.#backend.output(at);
  }

  /**
   * Sets the tensor of an input or output by name.
   *
   * @param name Tensor name of the input or output.
   * @param tensor A tensor of the port's element type and shape.
   * @throws WasmvinoError `INVALID_ARGUMENT`, `INVALID_TYPE` or `INVALID_SHAPE` if the tensor does not match.
   * @example
   * request.setTensor('x', new ov.Tensor('f32', [1, 2], [1, 2]));
   */
  setTensor(name: string, tensor: Tensor): void {
    if (typeof name !== 'string' || arguments.length !== 2) throw invalidArgument('InferRequest.setTensor() invalid argument.');
    const [kind, i] = this.#find(name);
    this.#set(kind, [i, tensor]);
  }

  /**
   * Sets the tensor of the only input, or of input `i`. Each run copies its values.
   *
   * @param tensor A tensor of the input's element type and shape. The position of the input may come before it.
   * @throws WasmvinoError `INVALID_ARGUMENT`, `INVALID_TYPE` or `INVALID_SHAPE` if the tensor does not match.
   * @example
   * request.setInputTensor(0, new ov.Tensor('f32', [1, 2], [1, 2]));
   */
  setInputTensor(tensor: Tensor): void;
  setInputTensor(i: number, tensor: Tensor): void;
  setInputTensor(...args: unknown[]): void {
    this.#set('input', args);
  }

  /**
   * Sets a tensor into which each run copies the only output, or output `i`. Before a run, the tensor is checked again. If the
   * output has a dynamic shape, a tensor over a caller's array may turn out too small for the result: the call then fails after
   * the run, which has advanced the variables.
   *
   * @param tensor A tensor of the output's element type and shape. The position of the output may come before it.
   * @throws WasmvinoError `INVALID_ARGUMENT`, `INVALID_TYPE` or `INVALID_SHAPE` if the tensor does not match.
   * @example
   * const result = new ov.Tensor('f32', [1, 10]);
   * request.setOutputTensor(result);
   */
  setOutputTensor(tensor: Tensor): void;
  setOutputTensor(i: number, tensor: Tensor): void;
  setOutputTensor(...args: unknown[]): void {
    this.#set('output', args);
  }

  #set(kind: Kind, args: unknown[]): void {
    const tensor = args[args.length - 1];
    if (args.length === 0 || args.length > 2 || (args.length === 2 && typeof args[0] !== 'number')) {
      throw invalidArgument(`InferRequest.set${kind === 'input' ? 'Input' : 'Output'}Tensor() invalid argument.`);
    }
    if (!isTensor(tensor)) throw invalidArgument(`Argument #${args.length - 1} must be a Tensor.`);
    const ports = this.#compiled[`${kind}s`];
    const at = findPort(ports, args.length === 2 ? args[0] : undefined, kind);
    if (kind === 'input') checked(tensor, ports[at]!, kind);
    else this.#checkOutput(tensor, at);
    this.#given[kind][at] = tensor;
  }

  /**
   * Returns the variables (state) of the request, sorted by name.
   *
   * @returns One object per variable. Empty if the model has none.
   * @throws WasmvinoError `INVALID_STATE` if the request was disposed.
   * @example
   * for (const variable of request.queryState()) console.log(variable.getName(), variable.getState().getShape());
   */
  queryState(): VariableState[] {
    return this.#backend.variables().map((name, i) => new VariableState(internally, this.#backend, i, name));
  }

  /**
   * Resets all variables: the next run starts with the initial values that the model computes.
   *
   * @throws WasmvinoError `INVALID_STATE` if the request is running or was disposed.
   * @example
   * request.resetState(); // before the first chunk of another recording
   */
  resetState(): void {
    this.#backend.reset();
  }

  /**
   * Returns the time of each layer in the last run.
   *
   * @returns One entry per layer. Empty unless the model was compiled with the property PERF_COUNT.
   * @throws WasmvinoError `INVALID_STATE` if the request is running or was disposed.
   * @example
   * const compiledModel = await core.compileModel('model.xml', 'CPU', {PERF_COUNT: true});
   * const request = compiledModel.createInferRequest();
   * await request.inferAsync(inputs);
   * for (const {nodeName, realTime} of request.getProfilingInfo()) console.log(nodeName, realTime);
   */
  getProfilingInfo(): ProfilingInfo[] {
    return this.#backend.profiling();
  }

  /**
   * Returns the times of getProfilingInfo() with a table and events for Chrome's trace viewer.
   *
   * @returns The profile. It is empty unless the model was compiled with the property PERF_COUNT.
   * @throws WasmvinoError `INVALID_STATE` if the request is running or was disposed.
   * @example
   * const model = await core.compileModel('model.xml', 'CPU', {PERF_COUNT: true});
   * const request = model.createInferRequest();
   * request.infer(inputs);
   * console.log(request.getProfile().toTable(10));
   */
  getProfile(): Profile {
    return new Profile(this.#backend.profiling());
  }

  /**
   * Explains how the request runs the model: what the passes changed, how each operation runs, and what takes memory.
   *
   * @returns A promise of the explanation. The first run plans the operations of models with dynamic shapes: before it, the
   *   list of operations is empty.
   * @example
   * console.log(String(await request.explain()));
   */
  async explain(): Promise<Explanation> {
    return new Explanation(await this.#backend.explain());
  }

  /**
   * Records the values of ports inside the graph, from the next run on. The graph then runs without the optimisation passes,
   * which would remove some of these ports.
   *
   * @param ports The ports. They replace the previous ones. An empty array stops the recording.
   * @throws WasmvinoError `INVALID_ARGUMENT` if there is no such port.
   * @example
   * request.observe([{layer: ['decoder', 'topk'], port: 1}]);
   */
  observe(ports: ObservedPort[]): void {
    const paths = Array.isArray(ports) ? [...ports].map(observedPath) : [undefined];
    if (!paths.every((path) => path !== undefined)) {
      throw invalidArgument(`observe() takes an array of {layer: string | string[], port?: number}, not ${textOf(ports)}.`);
    }
    this.#backend.observe(paths);
  }

  /**
   * Returns copies of the values that observed ports had in the last run, in order of computation.
   *
   * @returns One entry per value: its layer, port, iterations and tensor. Empty before the first run.
   * @throws WasmvinoError `INVALID_STATE` if the request is running or was disposed.
   * @example
   * for (const {layer, iterations, tensor} of request.observations()) console.log(layer, iterations, tensor.data);
   */
  observations(): Observation[] {
    return this.#backend.observations().map(observationOf);
  }

  /**
   * Returns the size of the request's intermediate values and outputs in bytes.
   *
   * @returns Bytes.
   * @throws WasmvinoError `INVALID_STATE` if the request is running or was disposed.
   * @example
   * console.log(`${request.memoryBytes()} bytes for temporaries`);
   */
  memoryBytes(): number {
    return this.#backend.memoryBytes();
  }

  /** @internal The text that console.log() prints in Node.js. */
  [inspected](): string {
    return `InferRequest of ${this.#compiled[inspected]()}`;
  }

  /**
   * Frees the memory of the request. Using it afterwards throws.
   *
   * @example
   * using request = compiledModel.createInferRequest(); // disposed at the end of the block
   */
  dispose(): void {
    this.#backend.dispose();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}
