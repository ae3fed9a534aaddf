// SPDX-License-Identifier: Apache-2.0
// The current engine: it reads new models. This file loads and replaces it.
import {buildNames, partNames, type BuildName, type PartName} from '../base/builds.js';
import type {Url, WasmModule} from '../base/environment.js';
import {WasmvinoError, checkFlag, checkOptions, invalidArgument, invalidState, messageOf, textOf, unsupported} from '../base/error.js';
import {currentPlatform, givenPlatform, setPlatform, type Factory, type Platform} from '../base/platform.js';
import {bytesOf} from '../base/typed_arrays.js';
import {checkWasm} from '../files/formats.js';
import {checkBuild, chooseBuild, isThreaded, withoutThreads, type Build} from './build.js';
import {Engine} from './engine.js';
import type {Part} from './parts.js';

/** Options of configure(). */
export interface Options {
  /** The build to use. Default: the best one that runs here. */
  build?: BuildName;
  /**
   * URL of the .wasm file, or of a folder with all .wasm files. The URL of a folder ends with "/". Parts are loaded from the same
   * folder.
   */
  wasmUrl?: string | Url;
  /** Bytes of the .wasm file, or the compiled module. Nothing is then fetched, except for parts that `parts` does not name. */
  wasmBinary?: ArrayBuffer | Uint8Array | WasmModule;
  /**
   * Parts of the engine to load with it: `onnx` and `pnnx` read ONNX and PNNX models. `true` loads a part from its default location. Bytes of its
   * .wasm file or the compiled module are taken as they are. By default, the first readModel() or compileModel() of a model that
   * needs a part loads it. Pages need this option for synchronous calls with such models. Builds with threads take bytes only.
   */
  parts?: Partial<Record<PartName, true | ArrayBuffer | Uint8Array | WasmModule>>;
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

const optionNames: Record<keyof Options, true> = {build: true, wasmUrl: true, wasmBinary: true, parts: true, factory: true, worker: true};

const isPartName = (name: string): name is PartName => (partNames as readonly string[]).includes(name);

const isBinary = (value: unknown) => ArrayBuffer.isView(value) || value instanceof ArrayBuffer || value instanceof WebAssembly.Module;

function checkTypes({build, wasmUrl, wasmBinary, parts, factory, worker}: Options): void {
  checkFlag(worker, 'worker', 'configure');
  const refuse = (name: string, expected: string, value: unknown) =>
    invalidArgument(`configure(): ${name} is ${expected}, not ${textOf(value)}.`, {expected, actual: textOf(value)});
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
  if (wasmBinary !== undefined && !isBinary(wasmBinary)) throw refuse('wasmBinary', 'an ArrayBuffer, a Uint8Array or a WebAssembly.Module', wasmBinary);
  if (parts !== undefined) {
    const expected = partNames.join(', ');
    if (typeof parts !== 'object' || parts === null) throw refuse('parts', 'an object', parts);
    for (const [name, part] of Object.entries(parts)) {
      if (!isPartName(name)) throw invalidArgument(`configure(): the engine has no part '${name}' (parts: ${expected}).`, {expected, actual: name});
      if (part !== undefined && part !== true && !isBinary(part)) throw refuse(`parts.${name}`, 'true, an ArrayBuffer, a Uint8Array or a WebAssembly.Module', part);
    }
  }
  if (factory !== undefined && typeof factory !== 'function') {
    throw refuse('factory', 'the default export of "wasmvino/wasmvino-simd.mjs" or of a similar module', factory);
  }
}

/** Sets how to load the engine. Call it before the engine loads. */
export function configure(given: Options): void {
  const wanted = checkOptions(given, optionNames, 'configure');
  if (loading || engine) {
    throw invalidState('The engine is already loaded: call configure() before the first use.');
  }
  checkTypes(wanted);
  options = wanted;
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
  // Chromium and Firefox name the policy or its directive. WebKit names the directive.
  if (/unsafe-eval|Content.Security.Policy|disallowed by embedder|blocked by CSP/i.test(messageOf(error))) {
    const message = `The Content-Security-Policy of this page does not allow WebAssembly: add 'wasm-unsafe-eval' to its script-src. (${messageOf(error)})`;
    return new WasmvinoError('UNSUPPORTED', message, {cause: error});
  }
  const code = error instanceof RangeError ? 'OUT_OF_MEMORY' : 'INTERNAL';
  return new WasmvinoError(code, `The engine (build '${currentBuild().name}') cannot be started: ${messageOf(error)}`, {cause: error});
}

function givenModule(given: Options['wasmBinary'] | true, option: string): WebAssembly.Module | undefined {
  if (!given || given === true) return undefined;
  if (given instanceof WebAssembly.Module) return given;
  const bytes = ArrayBuffer.isView(given) ? bytesOf(given) : new Uint8Array(given as ArrayBuffer);
  checkWasm(bytes, `The option ${option}`);
  return new WebAssembly.Module(bytes as BufferSource);
}

function givenPart(name: PartName): Part | undefined {
  const given = options.parts?.[name];
  const module = givenModule(given, `parts.${name}`);
  if (!module) return undefined;
  return {module, bytes: given instanceof WebAssembly.Module ? undefined : new Uint8Array(given as ArrayBuffer)};
}

const configuredParts = () => partNames.filter((name) => options.parts?.[name]);

function partError(part: PartName, build: BuildName, error: unknown): WasmvinoError {
  if (error instanceof WasmvinoError) return error;
  return new WasmvinoError('INVALID_ARGUMENT', `The part '${part}' of the engine (build '${build}') cannot be loaded: ${messageOf(error)}`, {cause: error});
}

async function partOf(build: BuildName, part: PartName, wasmUrl: Options['wasmUrl']): Promise<Part> {
  try {
    const given = givenPart(part);
    if (given) return given;
    const bytes = await currentPlatform().part(build, part, wasmUrl);
    return {module: await WebAssembly.compile(bytes as BufferSource), bytes};
  } catch (error) {
    throw partError(part, build, error);
  }
}

function partNow(build: BuildName, part: PartName, wasmUrl: Options['wasmUrl']): Part | undefined {
  try {
    const given = givenPart(part);
    if (given) return given;
    const bytes = currentPlatform().partSync?.(build, part, wasmUrl);
    return bytes && {module: new WebAssembly.Module(bytes as BufferSource), bytes};
  } catch (error) {
    throw partError(part, build, error);
  }
}

async function make(wanted: Build, {factory, wasmUrl}: Options): Promise<Engine> {
  checkBuild(wanted.name);
  const platform = currentPlatform();
  const names = configuredParts();
  const [glue, module, ...parts] = await Promise.all([
    factory ?? platform.factory(wanted.name),
    givenModule(options.wasmBinary, 'wasmBinary') ?? platform.module(wanted.name, wasmUrl),
    ...names.map((name) => partOf(wanted.name, name, wasmUrl)),
  ]);
  const made = new Engine(wanted, glue, module, wasmUrl);
  for (const [i, name] of names.entries()) made.addPart(name, parts[i]!);
  return made;
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
  const given = Object.values(options.parts ?? {}).some((part) => part !== true);
  if (options.factory || options.wasmBinary || given) throw why;
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
    const module = factory && (givenModule(options.wasmBinary, 'wasmBinary') ?? platform.moduleSync?.(wanted.name, options.wasmUrl));
    if (!module) return undefined;
    const names = configuredParts();
    const parts = names.map((name) => partNow(wanted.name, name, options.wasmUrl));
    if (parts.includes(undefined)) return undefined;
    const made = new Engine(wanted, factory, module, options.wasmUrl);
    for (const [i, name] of names.entries()) made.addPart(name, parts[i]!);
    return made;
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

/** @internal Loads parts of the engine, unless they are loaded. */
export async function loadParts(engine: Engine, parts: readonly PartName[]): Promise<void> {
  await Promise.all(parts.map((part) => engine.loadPart(part, () => partOf(engine.build.name, part, engine.wasmUrl))));
}

/**
 * @internal Loads parts of the engine for a synchronous call, unless they are loaded.
 *
 * @throws WasmvinoError `INVALID_STATE` if a part cannot be loaded synchronously.
 */
export function loadPartsNow(engine: Engine, parts: readonly PartName[]): void {
  for (const part of parts) {
    if (engine.parts.includes(part)) continue;
    const loaded = partNow(engine.build.name, part, engine.wasmUrl);
    if (!loaded) {
      throw invalidState(
        `The model needs the part '${part}' of the engine, which a synchronous call cannot load here: use readModel() or compileModel(), or call ov.configure({parts: {${part}: true}}) before the engine loads.`,
        {expected: part},
      );
    }
    engine.addPart(part, loaded);
  }
}

/** @internal Loads all parts, where that is possible synchronously. */
export function loadAllPartsNow(engine: Engine): void {
  for (const part of partNames) {
    const loaded = engine.parts.includes(part) ? undefined : partNow(engine.build.name, part, engine.wasmUrl);
    if (loaded) engine.addPart(part, loaded);
  }
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
