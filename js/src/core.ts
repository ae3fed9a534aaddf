// SPDX-License-Identifier: Apache-2.0
import {CompiledModel} from './compiled_model.js';
import {drop, loadedEngine, readyEngine, whenReady} from './current.js';
import type {Engine} from './engine.js';
import {
  checkOptions,
  checkSignal,
  incorrectParameters,
  internally,
  invalidArgument,
  invalidState,
  textOf,
  unsupported,
} from './error.js';
import {imported} from './exported.js';
import type {CompileSettings} from './glue.js';
import {limitsOfCompiling, limitsOfReading, mergeLimits, type Limits} from './limits.js';
import {load, loadOptions, loadSettings, type FileSource, type LoadOptions} from './loading.js';
import {Model, type ModelFiles} from './model.js';
import type {Signal, Url} from './places.js';
import {currentPlatform} from './platform.js';
import {Properties, checkValue, type OVAny} from './properties.js';
import {Tensor, bytesOf} from './tensor.js';
import {explained, noFile} from './weights.js';

/** Description of the engine. */
export interface Version {
  buildNumber: string;
  description: string;
}

export type Bytes = ArrayBuffer | Uint8Array;

declare const WASMVINO_VERSION: string;

export function version(): Version {
  const made = {buildNumber: `2026.4.0-wasmvino-${WASMVINO_VERSION}`, description: 'wasmvino'};
  Object.defineProperty(made, 'toString', {value: () => `${made.description}\n    Build : ${made.buildNumber}`});
  return made;
}

function checkDevice(name: string): void {
  // OpenVINO's devices that choose among others, or batch, get the one there is: "BATCH:CPU(4)".
  if (/^(CPU|AUTO|(AUTO|MULTI|HETERO):CPU|BATCH:CPU(\(\d+\))?)$/.test(name)) return;
  throw invalidArgument(`The device '${name}' is not registered: the devices are CPU and those that choose it: AUTO, AUTO:CPU, MULTI:CPU, HETERO:CPU, BATCH:CPU.`, {
    expected: 'CPU, AUTO, AUTO:CPU, MULTI:CPU, HETERO:CPU, BATCH:CPU',
    actual: name,
  });
}

/** @internal */
export function isBytes(value: unknown): value is Bytes {
  return value instanceof Uint8Array || value instanceof ArrayBuffer;
}

function isPath(value: unknown): value is string | Url {
  return typeof value === 'string' || value instanceof URL;
}

/** @internal Of the length that they have now. What other threads may write is copied: it is read more than once. */
export function toBytes(value: Bytes): Uint8Array {
  const given = value instanceof Uint8Array ? value : new Uint8Array(value, 0, value.byteLength);
  const {buffer, byteOffset, length} = given;
  if (length === 0) return new Uint8Array(0); // as of a buffer that was transferred
  return buffer instanceof ArrayBuffer ? new Uint8Array(buffer, byteOffset, length) : new Uint8Array(given);
}

// "model.xml" → "model.bin", "net.pnnx.param" → "net.pnnx.bin"; a query stays behind it.
function weightsPathOf(path: string | Url): string | Url {
  const text = String(path);
  const at = /\.(?:xml|param)(?=$|[?#])/i.exec(text);
  const bin = at ? `${text.slice(0, at.index)}.bin${text.slice(at.index + at[0].length)}` : `${text}.bin`;
  return path instanceof URL ? new URL(bin) : bin;
}

type Source = {files: ModelFiles} | FileSource;

const readForms = ['string', 'string, string', 'string, Tensor', 'Uint8Array', 'Uint8Array, Uint8Array'];

function sourceOf(method: string, args: unknown[]): Source {
  const [model, weights] = args;
  if (args.length >= 1 && args.length <= 2) {
    if (isBytes(model) && (weights === undefined || isBytes(weights))) {
      return {files: {xml: toBytes(model), weights: weights && toBytes(weights)}};
    }
    if (typeof model === 'string' && weights instanceof Tensor) {
      return {files: {xml: new TextEncoder().encode(model), weights: toBytes(bytesOf(weights.view((array) => array)))}};
    }
    if (isPath(model) && (weights === undefined || isPath(weights))) {
      const given = weights !== undefined && weights !== '';
      return {xml: model, weights: [given ? weights : weightsPathOf(model)], optional: !given};
    }
  }
  throw incorrectParameters(method, args, ...readForms);
}

// Of what is in memory there is nothing to load.
function refuseLoadOptions({onProgress: _, ...options}: LoadOptions): void {
  const [name] = Object.keys(options);
  if (name === undefined) return;
  throw invalidArgument(`The option ${name} is for models that are read from a path or a URL.`, {actual: name});
}

async function loaded(source: Source, options: LoadOptions, signal: AbortSignal | undefined): Promise<ModelFiles> {
  if ('files' in source) {
    refuseLoadOptions(options);
    return source.files;
  }
  const checked = loadSettings(options, source);
  return load(checked.source, checked.settings, signal);
}

function loadSync(source: Source): ModelFiles {
  if ('files' in source) return source.files;
  const {readSync} = currentPlatform();
  if (!readSync) {
    throw invalidState('Files cannot be read synchronously here: use the asynchronous form, or give the bytes.');
  }
  const path = source.weights[0]!;
  const [xml, weights] = [readSync(source.xml), readSync(path)];
  if (typeof xml === 'string') throw noFile(source.xml, xml);
  if (typeof weights !== 'string') return {xml, weights, origin: {path}};
  if (!source.optional) throw noFile(path, weights);
  return {xml, weights: undefined, origin: {path, missing: weights}};
}

function makeModel(engine: Engine, files: ModelFiles, limits: Limits): Model {
  let id: number;
  try {
    engine.stage(files.xml);
    id = engine.call((glue) => glue.readModel(...engine.lend(files.weights), limitsOfReading(limits)));
  } catch (error) {
    throw explained(error, files);
  }
  return new Model(internally, engine, id, {...files, edits: [], weightsSize: files.weights?.length});
}

// A model to compile, and whether it was made for that alone.
function modelOf(engine: Engine, source: Model | ModelFiles, limits: Limits): {model: Model; own: boolean} {
  if (source instanceof Model) return {model: source, own: false};
  const model = makeModel(engine, source, limits);
  try {
    for (const edit of source.edits ?? []) model.edit(...edit);
    return {model, own: true};
  } catch (error) {
    model.dispose();
    throw error;
  }
}

// Settles how many threads there are.
function settingsOf(engine: Engine, properties: Properties): CompileSettings {
  const threads = engine.threadsFor(Number(properties.get('INFERENCE_NUM_THREADS')));
  properties.set({INFERENCE_NUM_THREADS: threads});
  return {
    passes: properties.isOn('WASMVINO_PASSES'),
    integers: properties.isOn('LP_TRANSFORMS_MODE'),
    profiling: properties.isOn('PERF_COUNT'),
    threads,
  };
}

function compile(engine: Engine, source: Model | ModelFiles, properties: Properties, limits: Limits): CompiledModel {
  const {model, own} = modelOf(engine, source, limits);
  try {
    const info = model.compile(settingsOf(engine, properties), limitsOfCompiling(limits));
    return new CompiledModel(internally, engine, info, model.files, properties, limits);
  } finally {
    if (own) model.dispose();
  }
}

function compileInTurn(
  engine: Engine,
  source: Model | ModelFiles,
  properties: Properties,
  limits: Limits,
  signal: AbortSignal | undefined,
): Promise<CompiledModel> {
  return engine.inTurn(async () => {
    const {model, own} = modelOf(engine, source, limits);
    try {
      const info = await model.compileInBackground(settingsOf(engine, properties), limitsOfCompiling(limits), signal);
      return new CompiledModel(internally, engine, info, model.files, properties, limits);
    } finally {
      if (own) model.dispose();
    }
  }, signal);
}

function isObject(value: unknown): value is Record<string, OVAny> {
  return typeof value === 'object' && value !== null;
}

const compileForms = ['string, string', 'Model, string', 'string, string, object', 'Model, string, object'];

/** How a call goes on. */
export interface CallOptions {
  /** What the call may use, over the limits of the Core. */
  limits?: Limits;
}

/** How an asynchronous call goes on. */
export interface AsyncCallOptions extends CallOptions {
  /** Aborted, it makes the promise reject with its reason, and ends downloads and what is computed beside the page. */
  signal?: Signal;
}

/** How readModel() and compileModel() go on. */
export interface ReadOptions extends AsyncCallOptions, LoadOptions {}

/** What a Core is for. */
export interface CoreOptions {
  /** What its models may use. */
  limits?: Limits;
  /** Where the engine has failed, reading and compiling a model calls ov.restart() first. */
  autoRestart?: boolean;
}

const callOptions: Record<keyof CallOptions, true> = {limits: true};
const asyncCallOptions: Record<keyof AsyncCallOptions, true> = {limits: true, signal: true};
const readOptions: Record<keyof ReadOptions, true> = {...asyncCallOptions, ...loadOptions};
const coreOptions: Record<keyof CoreOptions, true> = {limits: true, autoRestart: true};

// Takes the options, the last argument behind `least` others, from the arguments.
function takeOptions(
  method: string,
  args: unknown[],
  least: number,
  known: Record<string, true>,
): {limits?: Limits; signal?: AbortSignal; load: LoadOptions} {
  if (args.length <= least) return {load: {}};
  const last = args[args.length - 1];
  if (last === undefined) {
    args.pop();
    return {load: {}};
  }
  if (typeof last !== 'object' || last === null || Object.getPrototypeOf(last) !== Object.prototype) return {load: {}};
  args.pop();
  checkOptions(last, known, method);
  const {limits, signal, ...load} = last as ReadOptions;
  return {limits, signal: checkSignal(signal), load};
}

type CompileRequest = {model: Model | Source; device: string; config: Record<string, OVAny>};

function compileRequest(method: string, args: unknown[]): CompileRequest {
  const [model, device, config = {}] = args;
  const known = model instanceof Model || isPath(model);
  if (args.length > 3 || !known || typeof device !== 'string' || !isObject(config)) {
    throw incorrectParameters(method, args, ...compileForms);
  }
  // A wrong value is refused at the call, a wrong name when the model is compiled.
  Object.values(config).forEach(checkValue);
  return {model: model instanceof Model ? model : sourceOf(method, [model]), device, config};
}

/** The entry to everything: reads and compiles models. */
export class Core {
  readonly #properties = new Properties();
  readonly #limits: Limits;
  readonly #autoRestart: boolean;

  constructor(options: CoreOptions = {}) {
    checkOptions(options, coreOptions, 'Core');
    this.#limits = mergeLimits({}, options.limits);
    this.#autoRestart = options.autoRestart ?? false;
  }

  // Lets go of a failed engine, where that was asked for: the next one is loaded then.
  #restartIfAsked(): void {
    if (this.#autoRestart && loadedEngine()?.failure) drop();
  }

  #ready(): Promise<Engine> {
    this.#restartIfAsked();
    return whenReady();
  }

  #readyNow(): Engine {
    this.#restartIfAsked();
    return readyEngine();
  }

  /**
   * Reads a model of OpenVINO IR, version 10 or 11, or of PNNX: from the path of an .xml or a .param (in browsers its
   * URL) with the .bin beside it, from the bytes of both, or from the text of the .xml and a tensor of weights. Weights are not copied: their
   * buffer must not change while the model is in use.
   *
   * @param modelPath the .xml or the .pnnx.param: a file or an http(s) URL in Node.js, a URL elsewhere
   * @param weightsPath the .bin, where it does not lie beside the .xml under the same name
   * @param options how the files are loaded, what ends the call, what it may use
   * @returns the model; it rejects with `signal.reason` once the signal is aborted
   * @throws {WasmvinoError} `INVALID_ARGUMENT`: a file cannot be read; `INVALID_MODEL`: it is not what it should be, a hash
   *   included; `OUT_OF_MEMORY`: it is larger than memory; `LIMIT_EXCEEDED`
   * @example
   * const model = await core.readModel('model.xml', {
   *   onProgress: ({loaded, total}) => console.log(`${loaded} of ${total ?? 'unknown'} bytes`),
   *   cache: true,
   * });
   */
  readModel(modelPath: string | Url, weightsPath?: string | Url, options?: ReadOptions): Promise<Model>;
  readModel(modelPath: string | Url, options: ReadOptions): Promise<Model>;
  readModel(model: string, weights: Tensor, options?: AsyncCallOptions): Promise<Model>;
  readModel(modelBuffer: Bytes, weightsBuffer?: Bytes, options?: AsyncCallOptions): Promise<Model>;
  readModel(modelBuffer: Bytes, options: AsyncCallOptions): Promise<Model>;
  readModel(...args: unknown[]): Promise<Model> {
    const {limits, signal, load} = takeOptions('readModel', args, 1, readOptions);
    const source = sourceOf('readModel', args);
    const merged = mergeLimits(this.#limits, limits);
    if (signal?.aborted) return Promise.reject(signal.reason);
    return Promise.all([loaded(source, load, signal), this.#ready()]).then(([files, engine]) =>
      engine.inTurn(() => makeModel(engine, files, merged), signal),
    );
  }

  /** As readModel(), at once. */
  readModelSync(modelPath: string | Url, weightsPath?: string | Url, options?: CallOptions): Model;
  readModelSync(modelPath: string | Url, options: CallOptions): Model;
  readModelSync(model: string, weights: Tensor, options?: CallOptions): Model;
  readModelSync(modelBuffer: Bytes, weightsBuffer?: Bytes, options?: CallOptions): Model;
  readModelSync(modelBuffer: Bytes, options: CallOptions): Model;
  readModelSync(...args: unknown[]): Model {
    const {limits} = takeOptions('readModelSync', args, 1, callOptions);
    const files = loadSync(sourceOf('readModelSync', args));
    return makeModel(this.#readyNow(), files, mergeLimits(this.#limits, limits));
  }

  /** Makes a model, or the one of a path, ready to run on the device CPU (or AUTO, which is CPU). */
  compileModel(
    model: Model | string | Url,
    deviceName: string,
    config?: Record<string, OVAny>,
    options?: ReadOptions,
  ): Promise<CompiledModel>;
  compileModel(...args: unknown[]): Promise<CompiledModel> {
    const {limits, signal, load} = takeOptions('compileModel', args, 3, readOptions);
    const {model, device, config} = compileRequest('compileModel', args);
    const merged = mergeLimits(this.#limits, limits);
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (model instanceof Model) refuseLoadOptions(load);
    const files = model instanceof Model ? model : loaded(model, load, signal);
    const engine = model instanceof Model ? model.engine : this.#ready();
    return Promise.all([files, engine]).then(([source, engine]) =>
      compileInTurn(engine, source, this.#configured(device, config), merged, signal),
    );
  }

  /** As compileModel(), at once. */
  compileModelSync(
    model: Model | string | Url,
    deviceName: string,
    config?: Record<string, OVAny>,
    options?: CallOptions,
  ): CompiledModel;
  compileModelSync(...args: unknown[]): CompiledModel {
    const {limits} = takeOptions('compileModelSync', args, 3, callOptions);
    const {model, device, config} = compileRequest('compileModelSync', args);
    const source = model instanceof Model ? model : loadSync(model);
    const engine = source instanceof Model ? source.engine : this.#readyNow();
    return compile(engine, source, this.#configured(device, config), mergeLimits(this.#limits, limits));
  }

  #configured(device: string, config: Record<string, OVAny>): Properties {
    checkDevice(device);
    const properties = new Properties(this.#properties);
    properties.set(config);
    return properties;
  }

  /** Takes what CompiledModel.exportModelSync() gave. */
  importModel(
    model: Bytes | Tensor,
    device: string,
    config?: Record<string, OVAny>,
    options?: AsyncCallOptions,
  ): Promise<CompiledModel>;
  importModel(...args: unknown[]): Promise<CompiledModel> {
    const {limits, signal} = takeOptions('importModel', args, 3, asyncCallOptions);
    const {files, device, config} = this.#importRequest('importModel', args);
    const merged = mergeLimits(this.#limits, limits);
    if (signal?.aborted) return Promise.reject(signal.reason);
    return this.#ready().then((engine) =>
      compileInTurn(engine, imported(files), this.#configured(device, config), merged, signal),
    );
  }

  /** As importModel(), at once. */
  importModelSync(
    model: Bytes | Tensor,
    device: string,
    config?: Record<string, OVAny>,
    options?: CallOptions,
  ): CompiledModel;
  importModelSync(...args: unknown[]): CompiledModel {
    const {limits} = takeOptions('importModelSync', args, 3, callOptions);
    const {files, device, config} = this.#importRequest('importModelSync', args);
    return compile(this.#readyNow(), imported(files), this.#configured(device, config), mergeLimits(this.#limits, limits));
  }

  #importRequest(method: string, args: unknown[]): {files: Uint8Array; device: string; config: Record<string, OVAny>} {
    const [model, device, config = {}] = args;
    const bytes = model instanceof Tensor ? model.data : model;
    if (!isBytes(bytes) || typeof device !== 'string' || args.length > 3 || !isObject(config)) {
      throw incorrectParameters(method, args, 'Buffer, string', 'Buffer, string, object', 'Tensor, string', 'Tensor, string, object');
    }
    return {files: toBytes(bytes), device, config};
  }

  getAvailableDevices(): string[] {
    return ['CPU'];
  }

  getVersions(deviceName: string): {[deviceName: string]: Version} {
    if (arguments.length !== 1) throw invalidArgument('getVersions() method expects 1 argument of string type.');
    if (typeof deviceName !== 'string') {
      throw invalidArgument('The argument in getVersions() method must be a string or convertible to a string.');
    }
    checkDevice(deviceName);
    return {[deviceName]: version()};
  }

  getProperty(propertyName: string): OVAny;
  getProperty(deviceName: string, propertyName: string): OVAny;
  getProperty(...args: unknown[]): OVAny {
    if (args.length < 1 || args.length > 2 || args.some((arg) => typeof arg !== 'string')) {
      throw incorrectParameters('getProperty', args, 'string', 'string, string');
    }
    const [device, name] = args as string[];
    if (name === undefined) return this.#properties.get(device!);
    checkDevice(device!);
    return this.#properties.get(name);
  }

  setProperty(properties: Record<string, OVAny>): void;
  setProperty(deviceName: string, properties: Record<string, OVAny>): void;
  setProperty(...args: unknown[]): void {
    const properties = args.pop();
    if (args.length > 1 || !isObject(properties)) {
      throw incorrectParameters('setProperty', [...args, properties], 'object', 'string, object');
    }
    if (args.length === 1) {
      if (typeof args[0] !== 'string') throw incorrectParameters('setProperty', [...args, properties], 'object', 'string, object');
      checkDevice(args[0]);
    }
    this.#properties.set(properties);
  }

  /** Which device computes each layer: all that can be read can be computed. */
  queryModel(model: Model, deviceName: string, properties: Record<string, OVAny> = {}): {[layer: string]: string} {
    if (!(model instanceof Model) || typeof deviceName !== 'string' || !isObject(properties)) {
      throw incorrectParameters('queryModel', arguments, 'Model, string', 'Model, string, object');
    }
    checkDevice(deviceName);
    return Object.fromEntries(model.getOps().map((op) => [op.getName(), deviceName]));
  }

  addExtension(libraryPath: string): void {
    throw unsupported(`Cannot load library '${textOf(libraryPath)}': there are no native libraries here.`);
  }
}
