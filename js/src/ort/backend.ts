// SPDX-License-Identifier: Apache-2.0
// wasmvino as a backend of onnxruntime-common.
import {env, type Backend, type InferenceSession, type InferenceSessionHandler} from 'onnxruntime-common';
import {
  Core,
  WasmvinoError,
  configure,
  ready,
  type AsyncCallOptions,
  type LoadOptions,
  type Model,
  type OVAny,
  type Options,
} from '../api/index.js';
import {Session} from './session.js';

/** Options of InferenceSession.create() beyond those of onnxruntime-web. */
export interface SessionExtras extends Pick<LoadOptions, 'onProgress' | 'cache' | 'integrity'>, Pick<AsyncCallOptions, 'signal'> {}

// Providers that this package does not have. Their sessions run on the CPU.
const others = ['webgpu', 'webnn', 'webgl'];
const warned = new Set<string>();

function warnOnce(text: string): void {
  if (warned.has(text)) return;
  warned.add(text);
  console.warn(`wasmvino/ort: ${text}`);
}

const cores: {here?: Core; worker?: Core} = {};
let configured = false;

// Where the engine's files lie. Apps often set a folder of onnxruntime-web's own files, which are of no use here, and
// transformers.js then sets `wasmBinary` to one of them.
function configureFiles(): void {
  if (configured) return;
  configured = true;
  const {wasmPaths, wasmBinary} = env.wasm;
  const url = typeof wasmPaths === 'object' ? wasmPaths.wasm : wasmPaths;
  if (url !== undefined && /onnxruntime|\bort-wasm/.test(String(url))) {
    return warnOnce(`env.wasm.wasmPaths names files of onnxruntime-web (${url}), so the engine is loaded from where this package lies.`);
  }
  const options: Options =
    wasmBinary !== undefined
      ? {wasmBinary: wasmBinary instanceof Uint8Array ? wasmBinary : new Uint8Array(wasmBinary as ArrayBuffer)}
      : url !== undefined && url !== ''
        ? {wasmUrl: url}
        : {};
  if (Object.keys(options).length === 0) return;
  try {
    configure(options);
  } catch (error) {
    if (!(error instanceof WasmvinoError) || error.code !== 'INVALID_STATE') throw error;
    warnOnce('env.wasm.wasmPaths and env.wasm.wasmBinary have no effect, since the engine is already loaded.');
  }
}

// Loads the engine within env.wasm.initTimeout, if that is set.
async function loadInTime(): Promise<void> {
  const {initTimeout = 0, proxy} = env.wasm;
  if (!(initTimeout > 0) || proxy) return;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`The engine did not load within env.wasm.initTimeout, ${initTimeout} ms.`)), initTimeout);
  });
  try {
    await Promise.race([ready, late]);
  } finally {
    clearTimeout(timer);
  }
}

function core(): Core {
  configureFiles();
  if (env.wasm.proxy) return (cores.worker ??= new Core({worker: true}));
  return (cores.here ??= new Core());
}

function properties(options: InferenceSession.SessionOptions): Record<string, OVAny> {
  const threads = options.intraOpNumThreads ?? env.wasm.numThreads;
  return {
    ...(threads !== undefined && {INFERENCE_NUM_THREADS: threads}),
    ...(options.graphOptimizationLevel === 'disabled' && {WASMVINO_PASSES: false}),
    ...(options.enableProfiling && {PERF_COUNT: true}),
  };
}

// A file in ORT format is a FlatBuffer with this identifier.
const isOrtFile = (bytes: Uint8Array) => bytes.length >= 8 && String.fromCharCode(...bytes.subarray(4, 8)) === 'ORTM';

function refuseOrtFile(what: string): never {
  throw new Error(`${what} is in ORT format, which only onnxruntime reads: pass the .onnx file from which it was made.`);
}

// Sets the dimensions of inputs that have one of the names. Other names have no effect, as in onnxruntime.
function overrideDimensions(model: Model, sizes: Readonly<Record<string, number>>): void {
  const shapes = new Map<number, string>();
  for (const [at, input] of model.inputs.entries()) {
    const names = input.getDimensionNames();
    const isSet = (name: string | undefined): name is string => name !== undefined && name !== '' && Object.hasOwn(sizes, name);
    if (!names.some(isSet)) continue;
    const given = String(input.getPartialShape()).slice(1, -1).split(',');
    shapes.set(at, given.map((size, i) => (isSet(names[i]) ? sizes[names[i]] : size)).join());
  }
  if (shapes.size > 0) model.reshape(shapes);
}

async function createSession(model: string | Uint8Array, options: InferenceSession.SessionOptions & SessionExtras): Promise<Session> {
  if (typeof model === 'string' && /\.ort([?#]|$)/.test(model)) refuseOrtFile(`The model '${model}'`);
  if (typeof model !== 'string' && isOrtFile(model)) refuseOrtFile('The model');
  const {signal, onProgress, cache, integrity, externalData, executionProviders = []} = options;
  for (const provider of executionProviders) {
    const name = typeof provider === 'string' ? provider : provider.name;
    if (others.includes(name)) warnOnce(`the execution provider '${name}' is not available: models run on the CPU.`);
  }
  const call = signal ? {signal} : {};
  const host = core();
  await loadInTime();
  const load = {
    ...call,
    ...(onProgress && {onProgress}),
    ...(cache !== undefined && {cache}),
    ...(integrity && {integrity}),
    ...(externalData && {externalData: externalData as LoadOptions['externalData']}),
  };
  const read = typeof model === 'string' ? await host.readModel(model, load) : await host.readModel(model, externalData ? load : call);
  try {
    overrideDimensions(read, options.freeDimensionOverrides ?? {});
    await read.ready;
    const compiled = await host.compileModel(read, 'CPU', properties(options), call);
    return new Session(compiled, options.enableProfiling === true);
  } finally {
    read.dispose();
  }
}

/**
 * The backend, for apps that keep onnxruntime-web for some models.
 *
 * @example
 * import {InferenceSession, registerBackend} from 'onnxruntime-common';
 * import {backend} from 'wasmvino/ort';
 * registerBackend('wasmvino', backend, 10);
 * const session = await InferenceSession.create('model.onnx', {executionProviders: ['wasmvino']});
 */
export const backend: Backend = {
  init: async () => {},
  createInferenceSessionHandler: (model, options = {}): Promise<InferenceSessionHandler> => createSession(model, options),
};

/** The names under which `wasmvino/ort` registers the backend, with onnxruntime-web's priorities. */
export const providers: readonly (readonly [name: string, priority: number])[] = [
  ['wasm', 10],
  ['cpu', 10],
  ...others.map((name) => [name, 5] as const),
];
