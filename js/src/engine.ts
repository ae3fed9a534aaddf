// SPDX-License-Identifier: Apache-2.0
// The wasm module: which build, how it is loaded, and every call into it.
import type {element} from './element.js';
import {WasmvinoError, checkOptions, invalidArgument, invalidState, messageOf, textOf, unsupported, type Failure} from './error.js';
import {hasRelaxedSimd, hasSharedMemory, hasSimd, mayWait} from './features.js';
import type {Url, WasmModule} from './places.js';

/** {SIMD, relaxed SIMD} × {one thread, threads}. */
export type BuildName = 'simd' | 'relaxed' | 'simd-mt' | 'relaxed-mt';
export const buildNames: readonly BuildName[] = ['simd', 'relaxed', 'simd-mt', 'relaxed-mt'];

/** The build in use, and why it is that one. */
export interface Build {
  readonly name: BuildName;
  readonly reason: string;
}

export interface Options {
  /** The build to use, in place of the one that fits this place best. */
  build?: BuildName;
  /** Where the .wasm file is; a folder of all four where it ends with "/". */
  wasmUrl?: string | Url;
  /** The bytes of the .wasm file, or the module made of them: nothing is fetched then. */
  wasmBinary?: ArrayBuffer | Uint8Array | WasmModule;
  /** The default export of "wasmvino/wasmvino-simd.mjs" (or another build's): nothing is imported then, which a service worker cannot do. */
  factory?: Factory;
}

export interface PortInfo {
  names: string[];
  friendlyName: string;
  type: element;
  shape: string;
}

/** A tensor in the engine's memory. */
export interface TensorInfo {
  type: element;
  shape: number[];
  address: number;
  bytes: number;
  /** In place of address and bytes, for strings. */
  strings?: string[];
}

export interface VariableInfo {
  id: string;
  type: element | 'dynamic';
  shape: string;
  value?: TensorInfo;
}

export interface ProfilingInfo {
  /** Name of the layer; of layers inside bodies "outer/inner". */
  nodeName: string;
  nodeType: string;
  /** Operation and version that computed it: "GatherTree-1". */
  execType: string;
  status: 'NOT_RUN' | 'OPTIMIZED_OUT' | 'EXECUTED';
  /** Microseconds, summed over the iterations of bodies. */
  realTime: number;
  cpuTime: number;
  calls: number;
}

/** What a model is made of, whether or not it can be run. */
export interface Inspection {
  name: string;
  irVersion: number;
  inputs: PortInfo[];
  outputs: PortInfo[];
  operations: {type: string; version: string; count: number; supported: boolean}[];
  problems: Failure[];
}

export interface OperationInfo {
  type: string;
  since: number;
  until: number;
  specification: string;
}

/** A list of texts as the engine takes it: their lengths in bytes of UTF-8 ("3,5") and all of them in a row. */
type Texts = [lengths: string, joined: Uint8Array];

const encoder = new TextEncoder();

export function packTexts(texts: readonly string[]): Texts {
  const parts = texts.map((text) => encoder.encode(text));
  const joined = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return [String(parts.map((part) => part.length)), joined];
}

/** JSON of a T, or of {failure}; empty for nothing. */
type Json<T> = string & {readonly of?: T};

/** The module as Emscripten's glue presents it: web/embind.cc. Models and the like are numbers. */
export interface Glue {
  readonly HEAPU8: Uint8Array;
  readModel(xml: Uint8Array | string, weights: number, size: number): Json<number>;
  inspect(xml: Uint8Array | string, weights: number, size: number): Json<Inspection>;
  operations(): Json<OperationInfo[]>;
  describeModel(model: number): Json<{name: string; inputs: PortInfo[]; outputs: PortInfo[]}>;
  modelOps(model: number): Json<{name: string; type: string}[]>;
  copyModel(model: number): Json<number>;
  reshapeModel(model: number, ...shapes: Texts): Json<void>;
  compileModel(model: number, ...options: CompileOptions): Json<CompiledInfo>;
  createInferRequest(compiled: number): Json<number>;
  setInput(request: number, i: number, type: string, shape: string, ...strings: Texts): Json<TensorInfo>;
  infer(request: number): Json<void>;
  output(request: number, i: number): Json<TensorInfo>;
  variables(request: number): Json<VariableInfo[]>;
  setVariable(request: number, i: number, type: string, shape: string, ...strings: Texts): Json<TensorInfo>;
  resetVariable(request: number, i: number): Json<void>;
  resetState(request: number): Json<void>;
  profiling(request: number): Json<ProfilingInfo[]>;
  observe(request: number, ...ports: Texts): Json<void>;
  observations(request: number): Json<{observed: number; iterations: number[]; value: TensorInfo}[]>;
  memoryBytes(request: number): Json<number>;
  release(object: number): void;
  // Of the builds with threads: what computes in the background, and gives its result by finish().
  setUp?(mayWait: boolean): void;
  startInfer(request: number): Json<void>;
  startCompile(model: number, ...options: CompileOptions): Json<void>;
  finish(): Json<never>;
}

export type CompileOptions = [passes: boolean, profiling: boolean, threads: number];

export interface CompiledInfo {
  id: number;
  inputs: PortInfo[];
  outputs: PortInfo[];
}

/** Emscripten's MODULARIZE factory: it fills the object it is given, at once where its hook gives an instance at once. */
export type Factory = (glue: object) => unknown;

/** @internal What differs between browsers and Node.js. */
export interface Platform {
  /** Why memory cannot be shared with threads here; undefined where it can. */
  threadsRefused(): string | undefined;
  processors(): number;
  /** Keeps the process alive until the function it gives is called. */
  stayAlive?(): () => void;
  /** How to get relaxed SIMD here, where it is off. */
  relaxedAdvice: string;
  factory(build: BuildName): Promise<Factory>;
  module(build: BuildName, url: string | URL | undefined): Promise<WebAssembly.Module>;
  /** Where all can be had at once. */
  factorySync?(build: BuildName): Factory;
  moduleSync?(build: BuildName, url: string | URL | undefined): WebAssembly.Module;
  /** The bytes of a file; where there is none, how that showed. */
  read(path: string | URL): Promise<Uint8Array | string>;
  readSync?(path: string | URL): Uint8Array | string;
}

let platform: Platform;
let options: Options = {};
let build: Build | undefined;
let loading: Promise<Glue> | undefined;
let glue: Glue | undefined;
let calls = 0;
let waits = true; // this thread may
let warned = false;
let finished: () => void;
let queue: Promise<unknown> = Promise.resolve();

/** @internal */
export function setPlatform(chosen: Platform): void {
  platform = chosen;
}

/** @internal */
export function currentPlatform(): Platform {
  return platform;
}

const optionNames: Record<keyof Options, true> = {build: true, wasmUrl: true, wasmBinary: true, factory: true};

/** Says how to load the engine; to be called before it is. */
export function configure(wanted: Options): void {
  checkOptions(wanted, optionNames, 'configure');
  if (loading || glue) {
    throw invalidState('The engine is loaded already: configure() comes before the first use.');
  }
  if (wanted.build !== undefined && !buildNames.includes(wanted.build)) {
    throw invalidArgument(`There is no build '${textOf(wanted.build)}': there are ${buildNames.join(', ')}.`, {
      expected: buildNames.join(', '),
      actual: textOf(wanted.build),
    });
  }
  const {wasmUrl, wasmBinary, factory} = wanted;
  const refuse = (name: string, takes: string, value: unknown) => invalidArgument(`configure(): ${name} is ${takes}, not ${textOf(value)}.`, {expected: takes, actual: textOf(value)});
  if (wasmUrl !== undefined && typeof wasmUrl !== 'string' && !(wasmUrl instanceof URL)) throw refuse('wasmUrl', 'a string or a URL', wasmUrl);
  if (wasmBinary !== undefined && !ArrayBuffer.isView(wasmBinary) && !(wasmBinary instanceof ArrayBuffer || wasmBinary instanceof WebAssembly.Module)) {
    throw refuse('wasmBinary', 'an ArrayBuffer, a Uint8Array or a WebAssembly.Module', wasmBinary);
  }
  if (factory !== undefined && typeof factory !== 'function') throw refuse('factory', 'the default export of "wasmvino/wasmvino-simd.mjs" or its like', factory);
  options = {...wanted};
  build = undefined;
}

export function currentBuild(): Build {
  return (build ??= options.build ? {name: options.build, reason: 'configured'} : chooseBuild());
}

function chooseBuild(): Build {
  const relaxed = hasRelaxedSimd();
  if (!relaxed && !hasSimd()) {
    throw unsupported('WebAssembly has no SIMD here, which the engine needs.');
  }
  const refused = hasSharedMemory() ? platform.threadsRefused() : (platform.threadsRefused() ?? 'memory cannot be shared');
  const reason =
    (relaxed ? 'relaxed SIMD' : `no relaxed SIMD here (${platform.relaxedAdvice})`) +
    '; ' +
    (refused ? `one thread: ${refused}` : 'memory can be shared between threads');
  return {name: `${relaxed ? 'relaxed' : 'simd'}${refused ? '' : '-mt'}`, reason};
}

function loadError(error: unknown): WasmvinoError {
  if (error instanceof WasmvinoError) return error;
  const code = error instanceof RangeError ? 'OUT_OF_MEMORY' : 'INTERNAL';
  return new WasmvinoError(code, `The engine (build '${currentBuild().name}') cannot be started: ${messageOf(error)}`, {cause: error});
}

const weights = new Map<number, Uint8Array>();
let weightsGiven = 0;

/** Lends weights to the engine, until it gives them back: their number and size, for readModel() and inspect(). */
export function lend(bytes: Uint8Array | undefined): [number, number] {
  if (!bytes) return [0, 0];
  weights.set(++weightsGiven, bytes);
  return [weightsGiven, bytes.length];
}

// Compiling takes the time; an instance of a compiled module can be had at once everywhere.
function start(factory: Factory, module: WebAssembly.Module): Glue {
  const made = {
    // The engine copies from the caller's weights what it needs; undefined where the buffer was transferred or shrunk.
    weights(id: number, offset: number, count: number) {
      const bytes = weights.get(id)!;
      return offset + count <= bytes.length ? bytes.subarray(offset, offset + count) : undefined;
    },
    finished: () => finished(),
    releaseWeights: (id: number) => weights.delete(id),
    instantiateWasm: (imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance, module: WebAssembly.Module) => WebAssembly.Exports) =>
      done(new WebAssembly.Instance(module, imports), module),
  };
  factory(made);
  const engine = made as unknown as Glue;
  waits = mayWait();
  engine.setUp?.(waits);
  return engine;
}

async function load(): Promise<Glue> {
  try {
    const {name} = currentBuild();
    return (glue = start(
      ...(await Promise.all([options.factory ?? platform.factory(name), givenModule() ?? platform.module(name, options.wasmUrl)])),
    ));
  } catch (error) {
    loading = undefined; // it may go better with other options
    throw loadError(error);
  }
}

function loadSync(): Glue | undefined {
  try {
    const {name} = currentBuild();
    const factory = options.factory ?? platform.factorySync?.(name);
    const module = factory && (givenModule() ?? platform.moduleSync?.(name, options.wasmUrl));
    return module && start(factory, module);
  } catch (error) {
    throw loadError(error);
  }
}

function givenModule(): WebAssembly.Module | undefined {
  const given = options.wasmBinary;
  if (!given || given instanceof WebAssembly.Module) return given;
  return new WebAssembly.Module(given as BufferSource);
}

/** The engine, once it is loaded. */
export function whenReady(): Promise<Glue> {
  return glue ? Promise.resolve(glue) : (loading ??= load());
}

function ready(): Glue {
  if (glue) return glue;
  glue = loadSync();
  if (!glue) {
    throw invalidState('The engine is not loaded yet: `await ov.ready` comes before synchronous calls.');
  }
  return glue;
}

/** How often the engine has been called: what was seen of its memory before the last call may be gone. */
export function callCount(): number {
  return calls;
}

/** The engine's memory as it is now. */
export function memory(): Uint8Array {
  return ready().HEAPU8;
}

/** Bytes of wasm memory, which grows and never shrinks; 0 before the engine is loaded. */
export function memoryBytes(): number {
  return glue ? glue.HEAPU8.byteLength : 0;
}

/** Calls the engine where only something is looked up: views stay valid. */
export function look<T>(ask: (glue: Glue) => Json<T> | void): T {
  const engine = ready();
  let json: string | void;
  try {
    json = ask(engine);
  } catch (error) {
    if (error instanceof WasmvinoError) throw error;
    // A trap, or a stack that was too small: no C++ exception leaves the engine.
    throw new WasmvinoError('INTERNAL', `The engine failed: ${messageOf(error)}`, {cause: error});
  }
  const result = json ? JSON.parse(json) : undefined;
  if (result?.failure) throw new WasmvinoError(result.failure.code, result.failure.message, result.failure);
  return result;
}

/** Calls the engine. */
export function call<T>(run: (glue: Glue) => Json<T> | void): T {
  ++calls;
  return look(run);
}

/** Does something after what was asked for before it, and before what is asked for later. */
export function inTurn<T>(task: () => T | Promise<T>): Promise<T> {
  const result = queue.then(task);
  queue = result.catch(() => {});
  return result;
}

/** Has a thread of the engine compute something; to be called in turn, of an engine that has threads. */
export async function inBackground<T>(start: (glue: Glue) => Json<void>): Promise<T> {
  const end = new Promise<void>((resolve) => (finished = resolve));
  call(start);
  const leave = platform.stayAlive?.();
  await end;
  leave?.();
  return call((engine) => engine.finish());
}

export function hasThreads(): boolean {
  return !!ready().setUp;
}

/** Threads that a model is compiled for, where so many are wanted; 0: as many as there are processors. */
export function threadsFor(wanted: number): number {
  // Beyond eight threads the memory they share is what limits networks of the size that fits into 4 GB.
  return hasThreads() ? wanted || Math.min(8, platform.processors()) : 1;
}

/** Says once that a synchronous run on a thread that must not wait leaves the other threads alone. */
export function warnOfOneThread(threads: number): void {
  if (threads === 1 || waits || warned) return;
  warned = true;
  console.warn(
    `wasmvino: infer() on the main thread of a page computes on 1 of ${threads} threads, and blocks the page: inferAsync() computes on all of them beside it.`,
  );
}

const registry = new FinalizationRegistry<number>((id) => glue!.release(id));

/** An object of the engine that a JavaScript object owns: freed by dispose(), or when that object is collected. */
export class Owned {
  #id: number;
  readonly #what: string;

  constructor(owner: object, id: number, what: string) {
    this.#id = id;
    this.#what = what;
    registry.register(owner, id, this);
  }

  get id(): number {
    if (!this.#id) throw invalidState(`This ${this.#what} was disposed.`);
    return this.#id;
  }

  dispose(): void {
    if (!this.#id) return;
    registry.unregister(this);
    call((engine) => engine.release(this.#id));
    this.#id = 0;
  }
}
