// SPDX-License-Identifier: Apache-2.0
// wasmvino: the names and behaviour of OpenVINO's binding for Node.js, over an engine in WebAssembly.
import {AsyncInferQueue} from './async_infer_queue.js';
import {CompiledModel} from './compiled_model.js';
import {Core, isBytes, toBytes, version, type Bytes} from './core.js';
import {element} from './element.js';
import type {Build} from './build.js';
import {configure, currentBuild, drop, loadedEngine, readyEngine, whenReady, type Options} from './current.js';
import {WasmvinoError, incorrectParameters} from './error.js';
import type {Inspection, OperationInfo} from './glue.js';
import {InferRequest, VariableState} from './infer_request.js';
import {Model, Node} from './model.js';
import {ConstOutput, Output} from './output.js';
import {PartialShape} from './partial_shape.js';
import {preprocess, resizeAlgorithm} from './preprocess.js';
import {Tensor} from './tensor.js';

declare const WASMVINO_VERSION: string;

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

  /** Version of this package. */
  version: WASMVINO_VERSION as string,

  /** Says which build to load and from where; to be called before anything is loaded. */
  configure(options: Options): void {
    configure(options);
  },

  /** Loads the engine, if nothing has, and waits for it. Synchronous calls in browsers need it. */
  get ready(): Promise<void> {
    return whenReady().then(() => undefined);
  },

  /**
   * Loads a fresh engine in the place of the present one, which frees all its memory and ends its threads. What belongs
   * to that one (models, compiled models, requests, their tensors) says so from now on; calls under way reject. This is
   * the way on after an error with the code `ENGINE_FAILED`.
   */
  restart(): Promise<void> {
    drop();
    return whenReady().then(() => undefined);
  },

  /** The build in use, or to be used: which of the four, and why. */
  get build(): Build {
    return currentBuild();
  },

  /** Bytes of WebAssembly memory, which grows as it must and never shrinks. */
  memoryBytes(): number {
    return loadedEngine()?.memoryBytes ?? 0;
  },

  /** What a model is made of and what this engine lacks for it, whether or not it can be read. */
  inspect(xml: Bytes | string, weights?: Bytes): Inspection {
    if (!(typeof xml === 'string' || isBytes(xml)) || !(weights === undefined || isBytes(weights))) {
      throw incorrectParameters('inspect', arguments, 'string', 'Uint8Array', 'string, Uint8Array', 'Uint8Array, Uint8Array');
    }
    const engine = readyEngine();
    engine.stage(typeof xml === 'string' ? new TextEncoder().encode(xml) : toBytes(xml));
    return engine.look((glue) => glue.inspect(...engine.lend(weights && toBytes(weights))));
  },

  /** All operations of this engine, by the opsets that have them. */
  operations(): OperationInfo[] {
    return readyEngine().look((glue) => glue.operations());
  },
};

/** As addon.ready: loading starts when it is first awaited. */
export const ready: Promise<void> = {
  then: (...handlers) => addon.ready.then(...handlers),
  catch: (handler) => addon.ready.catch(handler),
  finally: (handler) => addon.ready.finally(handler),
  [Symbol.toStringTag]: 'Promise',
};

/** As addon.build: what it says is found out when it is first read. */
export const build: Build = {
  get name() {
    return addon.build.name;
  },
  get reason() {
    return addon.build.reason;
  },
};

// The addon's other members by themselves, under the names that they have there.
const {configure: configureEngine, getOpenvinoVersion, inspect, memoryBytes, operations, restart, version: packageVersion} = addon;
export {configureEngine as configure, getOpenvinoVersion, inspect, memoryBytes, operations, packageVersion as version, restart};

export type {AsyncInferQueueCallback} from './async_infer_queue.js';
export type {Build, BuildName} from './build.js';
export type {AsyncCallOptions, Bytes, CallOptions, CoreOptions, ReadOptions, Version} from './core.js';
export type {Options} from './current.js';
export type {SupportedTypedArray, TensorData, elementTypeString} from './element.js';
export type {ErrorCode, ErrorDetails, Failure} from './error.js';
export type {ExportedModel} from './exported.js';
export type {Factory, Inspection, OperationInfo, PortInfo, ProfilingInfo} from './glue.js';
export type {InferAsyncOptions, InferOptions, InputData, Observation, ObservedPort, OutputData} from './infer_request.js';
export type {Limits} from './limits.js';
export type {Integrity, LoadOptions} from './loading.js';
export type {MediaOptions, MediaSource, Picture, Pixels} from './media.js';
export type {Dimension} from './partial_shape.js';
export type {LoadProgress} from './progress.js';
export type {OVAny} from './properties.js';
export {
  AsyncInferQueue,
  CompiledModel,
  ConstOutput,
  Core,
  InferRequest,
  Model,
  Node,
  Output,
  PartialShape,
  Tensor,
  VariableState,
  WasmvinoError,
  element,
  preprocess,
  resizeAlgorithm,
};
