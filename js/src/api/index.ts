// SPDX-License-Identifier: Apache-2.0
// The public API: that of openvino-node, on an engine in WebAssembly.
import type {Inspection, OperationInfo} from '../backend/records.js';
import {WasmvinoError, incorrectParameters, invalidArgument, invalidState, unsupported} from '../base/error.js';
import {currentPlatform} from '../base/platform.js';
import type {Build} from '../engine/build.js';
import {capabilities} from '../engine/capabilities.js';
import {configure, currentBuild, drop, loadAllPartsNow, loadPartsNow, loadedEngine, readyEngine, whenReady, type Options} from '../engine/current.js';
import type {Engine} from '../engine/engine.js';
import {Weights} from '../files/weights.js';
import {element} from '../tensor/element.js';
import {PartialShape} from '../tensor/partial_shape.js';
import {Tensor} from '../tensor/tensor.js';
import {dropWorker, engineInWorker, runningWorker, takesWorker} from '../worker/current_worker.js';
import {AsyncInferQueue} from './async_infer_queue.js';
import {CompiledModel} from './compiled_model.js';
import {Core, version} from './core.js';
import {CustomStep, CustomValue} from './custom_step.js';
import {Explanation} from './explanation.js';
import {InferRequest} from './infer_request.js';
import {Model, Node} from './model.js';
import {isBytes, toBytes, type Bytes} from './model_source.js';
import {ConstOutput, Output} from './output.js';
import {preprocess, resizeAlgorithm} from './preprocess.js';
import {Profile} from './profile.js';
import {VariableState} from './variable_state.js';

declare const WASMVINO_VERSION: string;

// The engine of this thread, for synchronous calls.
function engineHere(method: string): Engine {
  if (!takesWorker()) return readyEngine();
  throw invalidState(`${method}() computes on the calling thread, but ov.configure({worker: true}) runs the engine in a worker. Call it without that option: in your own worker, or with npx wasmvino.`);
}

/**
 * The API, with the names of openvino-node. All members are also named exports.
 *
 * @example
 * import {addon as ov} from 'wasmvino';
 * const compiledModel = await new ov.Core().compileModel('model.xml', 'CPU');
 */
export const addon = {
  Core,
  Model,
  Node,
  CompiledModel,
  InferRequest,
  AsyncInferQueue,
  VariableState,
  Tensor,
  Output,
  ConstOutput,
  PartialShape,
  WasmvinoError,
  element,
  preprocess,
  resizeAlgorithm,
  getOpenvinoVersion: version,

  /** The version of this package. */
  version: WASMVINO_VERSION as string,

  /**
   * Sets which build to load and from where. Call it before the engine loads.
   *
   * @param options Build, location or bytes of the WebAssembly module, and whether the engine runs in a worker.
   * @throws WasmvinoError `INVALID_ARGUMENT` for unknown or invalid options; `INVALID_STATE` if the engine has loaded.
   * @example
   * ov.configure({build: 'simd'});
   */
  configure(options: Options): void {
    if (runningWorker()) throw invalidState('The engine is already loaded, in a worker: call configure() before the first use.');
    configure(options);
  },

  /**
   * Loads the engine unless it is loaded. In browsers, await it before a synchronous call.
   *
   * @returns A promise that resolves once the engine is loaded. It rejects with a WasmvinoError: `UNSUPPORTED` if the engine
   *   cannot run here, `INVALID_ARGUMENT` if its files cannot be loaded, `OUT_OF_MEMORY`.
   * @example
   * await ov.ready;
   */
  get ready(): Promise<void> {
    return (takesWorker() ? engineInWorker().started() : whenReady()).then(() => undefined);
  },

  /**
   * Replaces the engine with a new one. Call it after an error with the code `ENGINE_FAILED`.
   *
   * This frees all memory of the old engine and ends its threads. An engine in a worker gets a new worker. Models, compiled
   * models, requests and tensors of the old engine throw from now on, and its pending calls reject.
   *
   * @returns A promise that resolves once the new engine is loaded. It rejects with the errors of `ov.ready`.
   * @example
   * if (error.code === 'ENGINE_FAILED') await ov.restart();
   */
  async restart(): Promise<void> {
    const inWorker = takesWorker() || runningWorker() !== undefined;
    const here = !inWorker || loadedEngine() !== undefined;
    dropWorker();
    drop();
    await Promise.all([inWorker && engineInWorker().started(), here && whenReady()]);
  },

  /**
   * The build that is loaded, or that would be loaded.
   *
   * @throws WasmvinoError `UNSUPPORTED` if no build can run here.
   * @example
   * console.log(ov.build.name, ov.build.reason);
   */
  get build(): Build {
    const worker = loadedEngine() ? undefined : runningWorker();
    return worker?.build ?? currentBuild();
  },

  capabilities,

  /**
   * Returns the size of the engine's WebAssembly memory in bytes. It never shrinks. For an engine in a worker, this is the
   * size when the worker last answered.
   *
   * @returns Number of bytes; 0 before the engine is loaded.
   * @example
   * console.log(`${ov.memoryBytes() / 2 ** 20} MiB`);
   */
  memoryBytes(): number {
    return (loadedEngine()?.memoryBytes ?? 0) + (runningWorker()?.memoryBytes ?? 0);
  },

  /**
   * Writes a model as OpenVINO IR, including the changes made since it was read. Node.js only.
   *
   * @param model The model.
   * @param path The path of the `.xml`. The weights go to the `.bin` beside it. Creates folders, replaces files.
   * @param compressToFp16 Whether to store f32 and f64 weights as f16. As in OpenVINO, weights of quantised models and
   *   values that determine shapes stay as they are. Default: true.
   * @throws WasmvinoError `INVALID_ARGUMENT` if the path does not end in `.xml` or cannot be written; `INVALID_STATE` if the
   *   model is in a worker; `UNSUPPORTED` in browsers.
   * @example
   * const model = await core.readModel('net.pnnx.param');
   * ov.saveModelSync(model, 'net.xml');
   */
  saveModelSync(model: Model, path: string, compressToFp16 = true): void {
    if (!(model instanceof Model) || typeof path !== 'string' || typeof compressToFp16 !== 'boolean' || arguments.length > 3) {
      throw incorrectParameters('saveModelSync', arguments, 'Model, string', 'Model, string, boolean');
    }
    const {saveSync} = currentPlatform();
    if (!saveSync) {
      throw unsupported('saveModelSync() writes files, which browsers do not allow. Save the model in Node.js, and serve its .xml and .bin.');
    }
    if (!/[^/\\]\.xml$/.test(path)) {
      // The first sentence is OpenVINO's.
      throw invalidArgument(`Path for xml file doesn't contains file name with 'xml' extension. The path of a saved model must end in .xml, but it is '${path}'.`, {expected: 'a path that ends in .xml', actual: path});
    }
    saveSync(path, (part) => model.backend.writeNow(compressToFp16, part));
  },

  /**
   * Reports the operations of a model and everything that is unsupported or wrong. It reports even if the model cannot be
   * read. Operations of Core.addExtension() count as unsupported. In browsers, a model that needs a part of the engine is only
   * described if the part is loaded: see the option `parts` of configure().
   *
   * @param xml The text or bytes of the .xml.
   * @param weights The bytes of the .bin.
   * @returns The report.
   * @throws WasmvinoError `INVALID_ARGUMENT` if an argument has the wrong type; `INVALID_STATE` if, in browsers, the engine
   *   is not loaded yet, or if ov.configure() placed it in a worker.
   * @example
   * const {problems} = ov.inspect(xml, weights);
   * for (const {layer, message} of problems) console.log(layer, message);
   */
  inspect(xml: Bytes | string, weights?: Bytes): Inspection {
    if (!(typeof xml === 'string' || isBytes(xml)) || !(weights === undefined || isBytes(weights))) {
      throw incorrectParameters('inspect', arguments, 'string', 'Uint8Array', 'string, Uint8Array', 'Uint8Array, Uint8Array');
    }
    const engine = engineHere('inspect');
    engine.setExtensions([]); // those of a Core belong to its models only
    const bytes = typeof xml === 'string' ? new TextEncoder().encode(xml) : toBytes(xml);
    const parts = engine.partsOf(bytes);
    try {
      loadPartsNow(engine, parts);
    } catch (error) {
      if (!(error instanceof WasmvinoError)) throw error;
      return {name: '', irVersion: 0, parts, inputs: [], outputs: [], operations: [], problems: [{code: error.code, message: error.message}]};
    }
    const found = engine.look((glue) => glue.inspect(engine.lend(new Weights(bytes)), engine.lend(weights && new Weights(toBytes(weights)))));
    return {...found, parts};
  },

  /**
   * Returns all supported operations.
   *
   * @returns One entry per version of an operation, with the opsets that have it. In browsers, the operators of a format are
   *   listed only if the part of the engine for that format is loaded.
   * @throws WasmvinoError `INVALID_STATE` if, in browsers, the engine is not loaded yet, or if ov.configure() placed it in a
   *   worker.
   * @example
   * const names = new Set(ov.operations().map(({type}) => type));
   */
  operations(): OperationInfo[] {
    const engine = engineHere('operations');
    loadAllPartsNow(engine);
    return engine.operations();
  },
};

/** The type of `addon`, by its name in openvino-node. */
export type NodeAddon = typeof addon;

export default addon;

// The literal has no computed name: if nothing uses it, esbuild 0.25 turns it into `Symbol.toStringTag + ''`, which throws.
const thenable = {
  then: (...handlers: Parameters<Promise<void>['then']>) => addon.ready.then(...handlers),
  catch: (...handlers: Parameters<Promise<void>['catch']>) => addon.ready.catch(...handlers),
  finally: (...handlers: Parameters<Promise<void>['finally']>) => addon.ready.finally(...handlers),
};

/** The same as `addon.ready`. Loading starts when it is first awaited. */
export const ready = Object.defineProperty(thenable, Symbol.toStringTag, {value: 'Promise'}) as Promise<void>;

/** The same as `addon.build`. The build is chosen when a property is first read. */
export const build: Build = {
  get name() {
    return addon.build.name;
  },
  get reason() {
    return addon.build.reason;
  },
};

// The other members of the addon are named exports too.
/** Sets which build to load and from where. The same as `addon.configure()`. */
const configureEngine = addon.configure;
/** Returns the name and version of the engine. The same as `addon.getOpenvinoVersion()`. */
const getOpenvinoVersion = addon.getOpenvinoVersion;
/** Reports the operations of a model and all its problems. The same as `addon.inspect()`. */
const inspect = addon.inspect;
/** Returns the size of the engine's memory in bytes. The same as `addon.memoryBytes()`. */
const memoryBytes = addon.memoryBytes;
/** Returns all supported operations. The same as `addon.operations()`. */
const operations = addon.operations;
/** The version of this package. The same as `addon.version`. */
const packageVersion = addon.version;
/** Replaces the engine with a new one. The same as `addon.restart()`. */
const restart = addon.restart;
/** Writes a model as OpenVINO IR, in Node.js. The same as `addon.saveModelSync()`. */
const saveModelSync = addon.saveModelSync;
export {capabilities, configureEngine as configure, getOpenvinoVersion, inspect, memoryBytes, operations, packageVersion as version, restart, saveModelSync};

export type {AsyncInferQueueCallback} from './async_infer_queue.js';
export type {Build} from '../engine/build.js';
export type {BuildName} from '../base/builds.js';
export type {PadWidths} from '../tensor/arrangement.js';
export type {Capabilities} from '../engine/capabilities.js';
export type {Capability} from '../base/platform.js';
export type {AsyncCallOptions, BlobOptions, CallOptions, CoreOptions, ReadOptions, Version} from './core.js';
export type {Options} from '../engine/current.js';
export type {AttributeValue} from './custom_step.js';
export type {SupportedTypedArray, TensorData, elementTypeString} from '../tensor/element.js';
export type {ErrorCode, ErrorDetails, Failure} from '../base/error.js';
export type {ExportedModel} from '../files/exported.js';
export type {ExplainedMemory, ExplainedNode, ExplainedQuantization, ExplainedValue, PassChange} from '../backend/records.js';
export type {ComputedValue, Extension, ExtensionCode, ExtensionModule, ExtensionName, ExtensionValue, InferredValue} from '../backend/extensions.js';
export type {Factory} from '../base/platform.js';
export type {Inspection, OperationInfo, PortInfo, ProfilingInfo} from '../backend/records.js';
export type {InferAsyncOptions, InferOptions, InferProgress, InputData, Observation, ObservedPort, OutputData} from './infer_request.js';
export type {Limits} from '../backend/limits.js';
export type {ExternalData} from '../files/external.js';
export type {Integrity, LoadOptions} from '../files/loading.js';
export type {MediaOptions, MediaSource, Picture, Pixels} from '../tensor/media.js';
export type {Bytes} from './model_source.js';
export type {Dimension} from '../tensor/partial_shape.js';
export type {
  InputInfo,
  InputTensorInfo,
  ModelInfo as InputModelInfo,
  OutputInfo,
  OutputTensorInfo,
  PostProcessSteps,
  PrePostProcessor,
  PreProcessSteps,
} from './preprocess.js';
export type {TraceEvent} from './profile.js';
export type {LoadProgress} from '../files/progress.js';
export type {OVAny} from './properties.js';
export type {TensorValue} from '../tensor/values.js';
export {
  AsyncInferQueue,
  CompiledModel,
  ConstOutput,
  Core,
  CustomStep,
  CustomValue,
  Explanation,
  InferRequest,
  Model,
  Node,
  Output,
  PartialShape,
  Profile,
  Tensor,
  VariableState,
  WasmvinoError,
  element,
  preprocess,
  resizeAlgorithm,
};
