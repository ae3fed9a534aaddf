// SPDX-License-Identifier: Apache-2.0
// The current engine: it reads new models. This file loads and replaces it.
import {buildNames, type BuildName} from '../base/builds.js';
import type {Url, WasmModule} from '../base/environment.js';
import {WasmvinoError, checkFlag, checkOptions, invalidArgument, invalidState, messageOf, textOf, unsupported} from '../base/error.js';
import {currentPlatform, givenPlatform, setPlatform, type Factory, type Platform} from '../base/platform.js';
import {checkBuild, chooseBuild, isThreaded, withoutThreads, type Build} from './build.js';
import {Engine} from './engine.js';

/** Options of configure(). */
export interface Options {
  /** The build to use. Default: the best one that runs here. */
  build?: BuildName;
  /** URL of the .wasm file, or of a folder with all four .wasm files. The URL of a folder ends with "/". */
  wasmUrl?: string | Url;
  /** Bytes of the .wasm file, or the compiled module. Nothing is then fetched. */
  wasmBinary?: ArrayBuffer | Uint8Array | WasmModule;
  /**
   * The default export of "wasmvino/wasmvino-simd.mjs", or of another build. Service workers need it, because they cannot
   * use import().
   */
  factory?: Factory;
  /** Whether the engine runs in a worker, unless a Core has its own option. See CoreOptions. */
  worker?: boolean;
}

// Milliseconds that the first thread has to start. If a policy or a missing script blocks threads, the page falls back to
// one thread after this time.
const threadStart = 2000;

let options: Options = {};
let build: Build | undefined;
let engine: Engine | undefined;
let loading: Promise<Engine> | undefined;
let restarts = 0;

const optionNames: Record<keyof Options, true> = {build: true, wasmUrl: true, wasmBinary: true, factory: true, worker: true};

function checkTypes({build, wasmUrl, wasmBinary, factory, worker}: Options): void {
  checkFlag(worker, 'worker', 'configure');
  const refuse = (name: string, expected: string, value: unknown) =>
    invalidArgument(`configure(): ${name} is ${expected}, not ${textOf(value)}.`, {expected, actual: textOf(value)});
  const isBinary =
    wasmBinary === undefined || ArrayBuffer.isView(wasmBinary) || wasmBinary instanceof ArrayBuffer || wasmBinary instanceof WebAssembly.Module;
  if (build !== undefined && !buildNames.includes(build)) {
    const expected = buildNames.join(', ');
    throw invalidArgument(`Unknown build '${textOf(build)}' (available: ${expected}).`, {expected, actual: textOf(build)});
  }
  const {only} = currentPlatform();
  if (build !== undefined && only !== undefined && build !== only) {
    throw invalidArgument(`configure(): wasmvino/${only} has only the build '${only}', not '${build}': import 'wasmvino' or 'wasmvino/${build}'.`, {
      expected: only,
      actual: build,
    });
  }
  if (wasmUrl !== undefined && typeof wasmUrl !== 'string' && !(wasmUrl instanceof URL)) throw refuse('wasmUrl', 'a string or a URL', wasmUrl);
  if (!isBinary) throw refuse('wasmBinary', 'an ArrayBuffer, a Uint8Array or a WebAssembly.Module', wasmBinary);
  if (factory !== undefined && typeof factory !== 'function') {
    throw refuse('factory', 'the default export of "wasmvino/wasmvino-simd.mjs" or of a similar module', factory);
  }
}

/** Sets how to load the engine. Call it before the engine loads. */
export function configure(wanted: Options): void {
  checkOptions(wanted, optionNames, 'configure');
  if (loading || engine) {
    throw invalidState('The engine is already loaded: call configure() before the first use.');
  }
  checkTypes(wanted);
  options = {...wanted};
  build = undefined;
}

/** @internal What configure() was given. */
export function currentOptions(): Options {
  return options;
}

/** The build that is loaded, or that would be loaded. */
export function currentBuild(): Build {
  return engine?.build ?? (build ??= options.build ? {name: options.build, reason: 'configured'} : chooseBuild());
}

// The build that is loaded, being loaded or configured.
function buildInUse(): BuildName | undefined {
  return engine || loading ? currentBuild().name : options.build;
}

/**
 * @internal Sets the platform of an entry. All entries of a page or a program share one engine. If one of them has a single
 * build, the engine has this build.
 *
 * @throws WasmvinoError `INVALID_STATE` if another build is in use.
 */
export function usePlatform(wanted: Platform): void {
  const {only} = wanted;
  const before = givenPlatform();
  if (before !== undefined && only === undefined) return;
  const other = before && (before.only ?? buildInUse());
  if (other !== undefined && other !== only) {
    throw invalidState(
      `'wasmvino/${only}' cannot be imported, because the build '${other}' is in use: all entries share one engine. Import only one of them.`,
      {expected: other, actual: only},
    );
  }
  setPlatform(wanted);
  build = undefined; // the next use chooses it again
}

function loadError(error: unknown): WasmvinoError {
  if (error instanceof WasmvinoError) return error;
  const code = error instanceof RangeError ? 'OUT_OF_MEMORY' : 'INTERNAL';
  return new WasmvinoError(code, `The engine (build '${currentBuild().name}') cannot be started: ${messageOf(error)}`, {cause: error});
}

function givenModule(): WebAssembly.Module | undefined {
  const given = options.wasmBinary;
  if (!given || given instanceof WebAssembly.Module) return given;
  return new WebAssembly.Module(given as BufferSource);
}

async function make(wanted: Build, {factory, wasmUrl}: Options): Promise<Engine> {
  checkBuild(wanted.name);
  const platform = currentPlatform();
  return new Engine(
    wanted,
    ...(await Promise.all([factory ?? platform.factory(wanted.name), givenModule() ?? platform.module(wanted.name, wasmUrl)])),
  );
}

// Loads a threaded build. If its threads do not start, loads the single-threaded build instead. With a configured factory or
// module, which belongs to the threaded build, it throws instead.
async function loadThreaded(wanted: Build): Promise<Engine> {
  let why: unknown;
  try {
    const threaded = await make(wanted, options);
    try {
      await threaded.startThreads(threadStart);
      return threaded;
    } catch (error) {
      threaded.close();
      why = error;
    }
  } catch (error) {
    // A WasmvinoError means that the engine cannot be loaded. Other errors mean that its first thread could not be requested.
    if (error instanceof WasmvinoError) throw error;
    why = error;
  }
  if (options.factory || options.wasmBinary) throw why;
  const {only} = currentPlatform();
  if (only !== undefined) {
    throw unsupported(`The build '${only}' cannot run here: ${messageOf(why)}. wasmvino/${only} has no other build: import 'wasmvino', which also runs with one thread.`);
  }
  const {wasmUrl} = options;
  const folder = wasmUrl === undefined || String(wasmUrl).endsWith('/');
  return make(withoutThreads(wanted, messageOf(why)), {wasmUrl: folder ? wasmUrl : undefined});
}

async function load(): Promise<Engine> {
  const started = restarts;
  try {
    const wanted = currentBuild();
    const made = await (isThreaded(wanted.name) ? loadThreaded(wanted) : make(wanted, options));
    if (started === restarts) return (engine ??= made);
    made.close();
  } catch (error) {
    if (started === restarts) loading = undefined; // allows another attempt, perhaps with other options
    throw loadError(error);
  }
  throw invalidState('ov.restart() was called while the engine was being loaded.');
}

function loadSync(): Engine | undefined {
  try {
    const wanted = currentBuild();
    checkBuild(wanted.name);
    const platform = currentPlatform();
    const factory = options.factory ?? platform.factorySync?.(wanted.name);
    const module = factory && (givenModule() ?? platform.moduleSync?.(wanted.name, options.wasmUrl));
    return module && new Engine(wanted, factory, module);
  } catch (error) {
    throw loadError(error);
  }
}

/** @internal Loads the engine unless it is loaded. */
export function whenReady(): Promise<Engine> {
  return engine ? Promise.resolve(engine) : (loading ??= load());
}

/**
 * @internal The engine, for synchronous calls.
 *
 * @throws WasmvinoError `INVALID_STATE` if it is not loaded and cannot be loaded synchronously.
 */
export function readyEngine(): Engine {
  engine ??= loadSync();
  if (!engine) {
    throw invalidState('The engine is not loaded yet: `await ov.ready` before synchronous calls.');
  }
  return engine;
}

/** @internal The engine, if it is loaded. */
export function loadedEngine(): Engine | undefined {
  return engine;
}

/** @internal Closes the engine with everything that belongs to it. The next use loads a new one. */
export function drop(): void {
  const before = engine;
  ++restarts;
  engine = undefined;
  loading = undefined;
  build = undefined;
  before?.close();
}
