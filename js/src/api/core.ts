// SPDX-License-Identifier: Apache-2.0
import type {CompiledBackend, ModelBackend, Source} from '../backend/backend.js';
import type {Extension, ExtensionModule, GivenExtension} from '../backend/extensions.js';
import {limitsAfter, mergeLimits, ownedLimits, type Limits, type OwnedLimits} from '../backend/limits.js';
import type {CompileSettings} from '../backend/records.js';
import type {FileBlob, Signal, Url} from '../base/environment.js';
import {
  checkFlag,
  checkOptions,
  checkSignal,
  incorrectParameters,
  internally,
  invalidArgument,
  textOf,
  unsupported,
} from '../base/error.js';
import {loadPartsNow} from '../engine/current.js';
import {checkSendable, givenExtension, readyExtensions} from '../engine/extension.js';
import {LocalModel} from '../engine/local.js';
import {imported} from '../files/exported.js';
import {loadOptions, type LoadOptions} from '../files/loading.js';
import type {ModelFiles} from '../files/model_files.js';
import {withCompilePhase} from '../files/progress.js';
import {isTensor, type Tensor} from '../tensor/tensor.js';
import {engineFor, hostFor, isInWorker, type Placement} from '../worker/placement.js';
import {CompiledModel} from './compiled_model.js';
import {Model} from './model.js';
import {
  blobsOf,
  bytesOfTensor,
  checkedSource,
  isBytes,
  isPath,
  loadSync,
  refuseLoadOptions,
  sourceOf,
  toBytes,
  type Bytes,
  type Given,
} from './model_source.js';
import {Properties, checkValue, type OVAny} from './properties.js';

/** Name and version of the engine. */
export interface Version {
  /** OpenVINO version whose API this package follows, and version of the package: "2026.4.0-wasmvino-0.1.0". */
  buildNumber: string;
  /** 'wasmvino'. */
  description: string;
}

declare const WASMVINO_VERSION: string;

/** Returns name and version of the engine. */
export function version(): Version {
  const made = {buildNumber: `2026.4.0-wasmvino-${WASMVINO_VERSION}`, description: 'wasmvino'};
  Object.defineProperty(made, 'toString', {value: () => `${made.description}\n    Build : ${made.buildNumber}`});
  return made;
}

function checkDevice(name: string): void {
  // OpenVINO's virtual devices, which choose another device or batch requests, all mean the CPU: "BATCH:CPU(4)".
  if (/^(CPU|AUTO|(AUTO|MULTI|HETERO):CPU|BATCH:CPU(\(\d+\))?)$/.test(name)) return;
  throw invalidArgument(`The device '${name}' is not registered: the devices are CPU and those that select it: AUTO, AUTO:CPU, MULTI:CPU, HETERO:CPU, BATCH:CPU.`, {
    expected: 'CPU, AUTO, AUTO:CPU, MULTI:CPU, HETERO:CPU, BATCH:CPU',
    actual: name,
  });
}

// Types without a form of their own are kept in the next more precise one.
function cachePrecision(type: string): number {
  if (/^[ui]\d$/.test(type)) return 2;
  return type.toLowerCase() === 'f16' || type === 'FP16' ? 1 : 0;
}

function settingsOf(properties: Properties): CompileSettings {
  return {
    passes: properties.isOn('WASMVINO_PASSES'),
    integers: properties.isOn('LP_TRANSFORMS_MODE'),
    lastLogits: properties.isOn('WASMVINO_LAST_LOGITS'),
    profiling: properties.isOn('PERF_COUNT'),
    // OpenVINO's largest size, 2^64 - 1, means whole rows. No row has 2^31 elements.
    rowGroup: Math.min(Number(properties.get('DYNAMIC_QUANTIZATION_GROUP_SIZE')), 2 ** 31 - 1),
    threads: Number(properties.get('INFERENCE_NUM_THREADS')),
    keyPrecision: cachePrecision(String(properties.get('KEY_CACHE_PRECISION'))),
    valuePrecision: cachePrecision(String(properties.get('VALUE_CACHE_PRECISION'))),
    skippedPasses: String(properties.get('WASMVINO_SKIPPED_PASSES')),
  };
}

function isObject(value: unknown): value is Record<string, OVAny> {
  return typeof value === 'object' && value !== null;
}

const compileForms = ['string, string', 'Model, string', 'string, string, object', 'Model, string, object'];

/** Options of synchronous calls. */
export interface CallOptions {
  /** Limits of the call. They override those of the Core. */
  limits?: Limits;
}

/** Options of asynchronous calls. */
export interface AsyncCallOptions extends CallOptions {
  /** Aborting it rejects the promise with its reason, and stops downloads and, in threaded builds, computation. */
  signal?: Signal;
}

/** Options of readModel() and compileModel(). */
export interface ReadOptions extends AsyncCallOptions, LoadOptions {}

/**
 * Options of readModel() for a File, a Blob or bytes. `cache` and `integrity` apply to the files that `externalData` names.
 */
export interface BlobOptions extends AsyncCallOptions, Omit<LoadOptions, 'weights'> {}

/** Options of a Core. */
export interface CoreOptions {
  /** Limits of all calls of this Core. */
  limits?: Limits;
  /** Whether reading or compiling a model restarts an engine that has failed. Default: false. */
  autoRestart?: boolean;
  /**
   * Whether the engine runs in a worker, so that it never blocks this thread. Synchronous calls that compute then throw. All
   * Cores with this option share one worker. Default: the option of ov.configure(), or false.
   */
  worker?: boolean;
}

const callOptions: Record<keyof CallOptions, true> = {limits: true};
const asyncCallOptions: Record<keyof AsyncCallOptions, true> = {limits: true, signal: true};
const readOptions: Record<keyof ReadOptions, true> = {...asyncCallOptions, ...loadOptions};
const coreOptions: Record<keyof CoreOptions, true> = {limits: true, autoRestart: true, worker: true};

// Removes the options from the arguments. They are the last argument, after at least `least` others.
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
  const {limits, signal, ...load} = checkOptions(last as ReadOptions, known, method);
  return {limits, signal: checkSignal(signal), load};
}

type CompileRequest = {model: Model | Given; device: string; config: Record<string, OVAny>};

function compileRequest(method: string, args: unknown[]): CompileRequest {
  if (method === 'compileModel' && (args.length < 2 || args.length > 3)) {
    // OpenVINO's binding has another text for its asynchronous method.
    const {message} = incorrectParameters(method, args, ...compileForms);
    throw invalidArgument(`Invalid number of arguments -> ${args.length}: ${message}`);
  }
  const [model, device, config = {}] = args;
  const known = model instanceof Model || isPath(model);
  if (args.length > 3 || !known || typeof device !== 'string' || !isObject(config)) {
    throw incorrectParameters(method, args, ...compileForms);
  }
  // Invalid values throw at the call. Unknown names are reported when the model is compiled.
  const entries = Object.entries(config);
  for (const [name, value] of entries) checkValue(name, value);
  return {model: model instanceof Model ? model : sourceOf(method, [model]), device, config: Object.fromEntries(entries)};
}

/** The entry point: reads and compiles models. */
export class Core {
  readonly #properties = new Properties();
  readonly #limits: OwnedLimits;
  readonly #placement: Placement;
  readonly #extensions: GivenExtension[] = [];

  /**
   * Creates a Core. It does not load the engine.
   *
   * @param options Limits, and where the engine runs.
   * @throws WasmvinoError `INVALID_ARGUMENT` for unknown or invalid options.
   * @example
   * const core = new ov.Core({limits: {inferMilliseconds: 1000}});
   */
  constructor(options: CoreOptions = {}) {
    const {limits, worker, autoRestart = false} = checkOptions(options, coreOptions, 'Core');
    this.#limits = ownedLimits(mergeLimits({}, limits));
    this.#placement = {worker: checkFlag(worker, 'worker', 'Core'), autoRestart};
  }

  #readNow(method: string, files: ModelFiles, limits: OwnedLimits): LocalModel {
    const engine = engineFor(this.#placement, method);
    loadPartsNow(engine, engine.partsOf(files.xml));
    return LocalModel.read(engine, files, limits, readyExtensions(this.#extensions));
  }

  /**
   * Reads a model in OpenVINO IR (version 10 or 11), PNNX or ONNX: from paths, from files that the visitor chose, from bytes, or
   * from the text of the .xml and a tensor of weights. Weights given as bytes are not copied: their buffer must not change
   * while the model is in use. Those of a path, URL or File are released once they are packed, and read again when needed.
   *
   * @param modelPath Path of the .xml, .pnnx.param or .onnx: a file or an http(s) URL in Node.js, a URL in browsers. A File or a
   *   Blob with the bytes is accepted too.
   * @param weightsPath Path of the .bin. Default: the .bin beside the model file. A File or a Blob is accepted too. ONNX files
   *   name the files with their tensors, which are read from beside the model, or given as the option `externalData`.
   * @param options How to load the files, a signal, and limits.
   * @returns A promise of the model. It rejects with the reason of the signal after an abort, otherwise with a WasmvinoError:
   *   `INVALID_ARGUMENT` if a file cannot be read, `INVALID_MODEL` if it is not a valid model or its hash differs,
   *   `UNSUPPORTED` for unsupported operations, `OUT_OF_MEMORY` if it exceeds memory, `LIMIT_EXCEEDED`.
   * @example
   * const model = await core.readModel('model.xml', {
   *   onProgress: ({loaded, total}) => console.log(`${loaded} of ${total ?? 'unknown'} bytes`),
   *   cache: true,
   * });
   */
  readModel(modelPath: string | Url, weightsPath?: string | Url, options?: ReadOptions): Promise<Model>;
  readModel(modelPath: string | Url, options: ReadOptions): Promise<Model>;
  readModel(model: FileBlob, weights?: FileBlob, options?: BlobOptions): Promise<Model>;
  readModel(model: FileBlob, options: BlobOptions): Promise<Model>;
  readModel(model: string, weights: Tensor, options?: AsyncCallOptions): Promise<Model>;
  readModel(modelBuffer: Bytes, weightsBuffer?: Bytes, options?: BlobOptions): Promise<Model>;
  readModel(modelBuffer: Bytes, options: BlobOptions): Promise<Model>;
  readModel(...args: unknown[]): Promise<Model> {
    const {limits, signal, load} = takeOptions('readModel', args, 1, readOptions);
    const given = blobsOf(args) ?? sourceOf('readModel', args);
    return this.#read(() => checkedSource(given, load), mergeLimits(this.#limits, limits), signal);
  }

  async #read(source: () => Source, limits: OwnedLimits, signal: AbortSignal | undefined): Promise<Model> {
    signal?.throwIfAborted();
    return new Model(internally, await hostFor(this.#placement).read(source(), limits, [...this.#extensions], signal));
  }

  /**
   * The synchronous form of readModel(). It reads files in Node.js. It does not fetch URLs.
   *
   * @param modelPath Path of the .xml, .pnnx.param or .onnx.
   * @param weightsPath Path of the .bin. Default: the .bin beside the model file.
   * @param options Limits of the call.
   * @returns The model.
   * @throws WasmvinoError The errors of readModel(); also `INVALID_STATE` if the engine is in a worker or, in browsers, not
   *   loaded yet, or if the file would have to be fetched.
   * @example
   * const model = core.readModelSync('model.xml');
   */
  readModelSync(modelPath: string | Url, weightsPath?: string | Url, options?: CallOptions): Model;
  readModelSync(modelPath: string | Url, options: CallOptions): Model;
  readModelSync(model: string, weights: Tensor, options?: CallOptions): Model;
  readModelSync(modelBuffer: Bytes, weightsBuffer?: Bytes, options?: CallOptions): Model;
  readModelSync(modelBuffer: Bytes, options: CallOptions): Model;
  readModelSync(...args: unknown[]): Model {
    const {limits} = takeOptions('readModelSync', args, 1, callOptions);
    const files = loadSync(sourceOf('readModelSync', args));
    return new Model(internally, this.#readNow('readModel', files, mergeLimits(this.#limits, limits)));
  }

  /**
   * Compiles a model: optimises its graph and prepares it to run.
   *
   * @param model A model, or the path of its .xml, .pnnx.param or .onnx.
   * @param deviceName 'CPU', or 'AUTO', which means the CPU.
   * @param config Properties by name, such as INFERENCE_NUM_THREADS.
   * @param options How to load the files of a path, a signal, and limits.
   * @returns A promise of the compiled model. It rejects with the errors of readModel().
   * @example
   * const compiledModel = await core.compileModel('model.xml', 'CPU', {INFERENCE_NUM_THREADS: 4});
   */
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
    if (!(model instanceof Model)) {
      const {onProgress, tellCompile} = withCompilePhase(load.onProgress);
      return this.#compileSource(() => checkedSource(model, onProgress ? {...load, onProgress} : load), () => this.#configured(device, config), merged, signal, tellCompile);
    }
    refuseLoadOptions(load);
    return this.#compile(model.backend, model.getFriendlyName(), () => this.#configured(device, config), merged, signal);
  }

  async #compile(
    model: ModelBackend,
    name: string,
    configured: () => Properties,
    limits: OwnedLimits,
    signal: AbortSignal | undefined,
  ): Promise<CompiledModel> {
    signal?.throwIfAborted();
    const properties = configured();
    properties.follow(model.runtimeOptions);
    const start = performance.now();
    return this.#made(await model.compile(settingsOf(properties), limits, signal), name, properties, limits, {...model.timings, compile: performance.now() - start});
  }

  async #compileSource(
    source: () => Source,
    configured: () => Properties,
    limits: OwnedLimits,
    signal: AbortSignal | undefined,
    tellCompile?: () => void,
  ): Promise<CompiledModel> {
    signal?.throwIfAborted();
    const model = await hostFor(this.#placement).read(source(), limits, [...this.#extensions], signal);
    try {
      tellCompile?.();
      return await this.#compile(model, model.info.name, configured, limitsAfter(limits, model.timings.read), signal);
    } finally {
      model.dispose();
    }
  }

  #compileNow(model: ModelBackend, name: string, properties: Properties, limits: OwnedLimits): CompiledModel {
    properties.follow(model.runtimeOptions);
    const start = performance.now();
    const compiled = model.compileNow(settingsOf(properties), limits);
    return this.#made(compiled, name, properties, limits, {...model.timings, compile: performance.now() - start});
  }

  #made(backend: CompiledBackend, name: string, properties: Properties, limits: OwnedLimits, timings: CompiledModel['timings']): CompiledModel {
    properties.set({INFERENCE_NUM_THREADS: backend.threads, NUM_STREAMS: 1}); // what is in use
    return new CompiledModel(internally, backend, name, properties, limits, timings);
  }

  #compileFilesNow(method: string, files: ModelFiles, properties: Properties, limits: OwnedLimits): CompiledModel {
    const model = this.#readNow(method, files, limits);
    try {
      return this.#compileNow(model, model.info.name, properties, limitsAfter(limits, model.timings.read));
    } finally {
      model.dispose();
    }
  }

  /**
   * The synchronous form of compileModel().
   *
   * @param model A model, or the path of its .xml, .pnnx.param or .onnx.
   * @param deviceName 'CPU', or 'AUTO', which means the CPU.
   * @param config Properties by name, such as INFERENCE_NUM_THREADS.
   * @param options Limits of the call.
   * @returns The compiled model.
   * @throws WasmvinoError The errors of readModelSync().
   * @example
   * const compiledModel = core.compileModelSync('model.xml', 'CPU');
   */
  compileModelSync(
    model: Model | string | Url,
    deviceName: string,
    config?: Record<string, OVAny>,
    options?: CallOptions,
  ): CompiledModel;
  compileModelSync(...args: unknown[]): CompiledModel {
    const {limits} = takeOptions('compileModelSync', args, 3, callOptions);
    const {model, device, config} = compileRequest('compileModelSync', args);
    const merged = mergeLimits(this.#limits, limits);
    if (model instanceof Model) {
      return this.#compileNow(model.backend, model.getFriendlyName(), this.#configured(device, config), merged);
    }
    return this.#compileFilesNow('compileModel', loadSync(model), this.#configured(device, config), merged);
  }

  #configured(device: string, config: Record<string, OVAny>): Properties {
    checkDevice(device);
    const properties = new Properties(this.#properties);
    properties.set(config);
    return properties;
  }

  /**
   * Imports a model that CompiledModel.exportModelSync() or exportModel() exported.
   *
   * @param model The exported bytes, or a u8 tensor of them. They are not copied: they must not change while the model is in
   *   use.
   * @param device 'CPU' or 'AUTO'.
   * @param config Properties by name.
   * @param options A signal and limits.
   * @returns A promise of the compiled model. It rejects with `INVALID_MODEL` if the bytes are not an exported model, and with
   *   `UNSUPPORTED` if another version of the package exported them in another format.
   * @example
   * const compiledModel = await core.importModel(bytes, 'CPU');
   */
  importModel(
    model: Bytes | Tensor,
    device: string,
    config?: Record<string, OVAny>,
    options?: AsyncCallOptions,
  ): Promise<CompiledModel>;
  importModel(...args: unknown[]): Promise<CompiledModel> {
    const {limits, signal} = takeOptions('importModel', args, 3, asyncCallOptions);
    const {files, device, config} = this.#importRequest('importModel', args);
    const source = () => ({files: imported(files)});
    return this.#compileSource(source, () => this.#configured(device, config), mergeLimits(this.#limits, limits), signal);
  }

  /**
   * The synchronous form of importModel().
   *
   * @param model The exported bytes, or a u8 tensor of them. They are not copied: they must not change while the model is in
   *   use.
   * @param device 'CPU' or 'AUTO'.
   * @param config Properties by name.
   * @param options Limits of the call.
   * @returns The compiled model.
   * @throws WasmvinoError `INVALID_MODEL` if the bytes are not an exported model; `UNSUPPORTED` if they have the format
   *   of another version of the package; `INVALID_STATE` if the engine is in a worker or, in browsers, not loaded yet.
   * @example
   * const compiledModel = core.importModelSync(bytes, 'CPU');
   */
  importModelSync(
    model: Bytes | Tensor,
    device: string,
    config?: Record<string, OVAny>,
    options?: CallOptions,
  ): CompiledModel;
  importModelSync(...args: unknown[]): CompiledModel {
    const {limits} = takeOptions('importModelSync', args, 3, callOptions);
    const {files, device, config} = this.#importRequest('importModelSync', args);
    return this.#compileFilesNow('importModel', imported(files), this.#configured(device, config), mergeLimits(this.#limits, limits));
  }

  #importRequest(method: string, args: unknown[]): {files: Uint8Array; device: string; config: Record<string, OVAny>} {
    const [model, device, config = {}] = args;
    const bytes = isTensor(model) ? bytesOfTensor(model) : model;
    if (!isBytes(bytes) || typeof device !== 'string' || args.length > 3 || !isObject(config)) {
      const {message} = incorrectParameters(method, args, 'Buffer, string', 'Buffer, string, object', 'Tensor, string', 'Tensor, string, object');
      // OpenVINO's synchronous method has texts of its own.
      const first = !isBytes(bytes)
        ? 'The first argument must be of type Buffer. '
        : typeof device !== 'string'
          ? 'The second argument must be of type String. '
          : !isObject(config)
            ? 'Passed Napi::Value must be an object. '
            : '';
      throw invalidArgument(method === 'importModelSync' ? first + message : message);
    }
    return {files: toBytes(bytes), device, config: {...config}};
  }

  /**
   * Returns the devices: ['CPU'].
   *
   * @returns The names.
   * @example
   * core.getAvailableDevices(); // ['CPU']
   */
  getAvailableDevices(): string[] {
    return ['CPU'];
  }

  /**
   * Returns name and version of the engine.
   *
   * @param deviceName 'CPU' or another name that compileModel() accepts.
   * @returns An object with one entry, whose key is `deviceName`.
   * @throws WasmvinoError `INVALID_ARGUMENT` if there is no such device.
   * @example
   * console.log(core.getVersions('CPU').CPU.buildNumber);
   */
  getVersions(deviceName: string): {[deviceName: string]: Version} {
    if (arguments.length !== 1) throw invalidArgument('getVersions() method expects 1 argument of string type.');
    if (typeof deviceName !== 'string') {
      throw invalidArgument('The argument in getVersions() method must be a string or convertible to a string.');
    }
    checkDevice(deviceName);
    return {[deviceName]: version()};
  }

  /**
   * Returns the value of a property.
   *
   * @param propertyName Name of the property, such as 'INFERENCE_NUM_THREADS'. It may follow the name of a device.
   * @returns The value.
   * @throws WasmvinoError `INVALID_ARGUMENT` if there is no such property or device.
   * @example
   * const threads = core.getProperty('INFERENCE_NUM_THREADS');
   */
  getProperty(propertyName: string): OVAny;
  getProperty(deviceName: string, propertyName: string): OVAny;
  getProperty(...args: unknown[]): OVAny {
    if (args.length < 1 || args.length > 2 || args.some((arg) => typeof arg !== 'string')) {
      throw invalidArgument('Invalid arguments of get_property function: getProperty() takes the name of a property, which may follow that of a device.');
    }
    const [device, name] = args as string[];
    if (name === undefined) return this.#properties.get(device!);
    checkDevice(device!);
    return this.#properties.get(name);
  }

  /**
   * Sets properties for models that are compiled afterwards.
   *
   * @param properties Values by property name. They may follow the name of a device.
   * @throws WasmvinoError `INVALID_ARGUMENT` or `INVALID_TYPE` for unknown properties and invalid values.
   * @example
   * core.setProperty({INFERENCE_NUM_THREADS: 2});
   */
  setProperty(properties: Record<string, OVAny>): void;
  setProperty(deviceName: string, properties: Record<string, OVAny>): void;
  setProperty(...args: unknown[]): void {
    const device = typeof args[0] === 'string' ? (args.shift() as string) : undefined;
    const [properties] = args;
    if (!isObject(properties)) throw invalidArgument('Properties parameter must be an object.');
    if (args.length > 1) throw invalidArgument('setProperty applies 1 or 2 arguments only: properties, which may follow the name of a device.');
    if (device !== undefined) checkDevice(device);
    this.#properties.set(properties);
  }

  /**
   * Returns the device that runs each layer. Every model that can be read runs entirely on the device given.
   *
   * @param model The model.
   * @param deviceName 'CPU' or another name that compileModel() accepts.
   * @param properties Ignored.
   * @returns `deviceName` by the name of each layer.
   * @throws WasmvinoError `INVALID_ARGUMENT` if an argument has the wrong type or there is no such device.
   * @example
   * const devices = core.queryModel(model, 'CPU');
   */
  queryModel(model: Model, deviceName: string, properties: Record<string, OVAny> = {}): {[layer: string]: string} {
    if (!(model instanceof Model) || typeof deviceName !== 'string' || !isObject(properties)) {
      throw incorrectParameters('queryModel', arguments, 'Model, string', 'Model, string, object');
    }
    checkDevice(deviceName);
    return Object.fromEntries(model.getOps().map((op) => [op.getName(), deviceName]));
  }

  /**
   * Adds an operation that is written in JavaScript. Models that this Core reads afterwards may use it.
   *
   * If the engine is in a worker, give a module: functions cannot be sent to a worker, but the worker can import them.
   *
   * @param extension The type and version of the layers, and either the functions `infer` and `evaluate` or a module that
   *   exports them.
   * @throws WasmvinoError `INVALID_ARGUMENT` for anything else; `UNSUPPORTED` for the path of a native library, which
   *   OpenVINO accepts.
   * @example
   * core.addExtension({
   *   type: 'Swoosh',
   *   infer: ([{type, shape}]) => [{type, shape}],
   *   evaluate: ([x]) => [new ov.Tensor('f32', x.getShape(), x.data.map((value) => value / (1 + Math.exp(-value))))],
   * });
   */
  addExtension(extension: Extension | ExtensionModule): void;
  addExtension(libraryPath: string): void;
  addExtension(extension: Extension | ExtensionModule | string): void {
    if (arguments.length === 0) {
      throw invalidArgument('addExtension method applies one argument of string type, or an object {type, infer, evaluate}.');
    }
    if (typeof extension !== 'object' || extension === null) {
      throw unsupported(`Cannot load library '${textOf(extension)}': native libraries are not supported. Implement the operation in JavaScript: addExtension({type, infer, evaluate}).`);
    }
    const made = givenExtension(extension);
    if (isInWorker(this.#placement)) checkSendable(made);
    const before = this.#extensions.findIndex(({type, version}) => type === made.type && version === made.version);
    if (before >= 0) this.#extensions.splice(before, 1);
    this.#extensions.push(made);
  }
}
