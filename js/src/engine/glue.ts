// SPDX-License-Identifier: Apache-2.0
// The functions of the WebAssembly module (web/embind.cc). They identify models, compiled models and requests by numbers.
import type {ModelInfo} from '../backend/backend.js';
import type {CallLimits, CompileSettings, ExplanationData, Inspection, OperationInfo, PortInfo, ProfilingInfo} from '../backend/records.js';
import type {PartName} from '../base/builds.js';
import type {Failure} from '../base/error.js';
import type {ThreadWorker} from '../base/platform.js';
import type {Outline} from '../files/model_files.js';
import type {element} from '../tensor/element.js';
import type {TensorInfo} from '../tensor/storage.js';

/** @internal A report of the engine during a run. Without a layer, it reports the end of an iteration. */
export interface RunReport {
  path: string[];
  layer?: string;
  type?: string;
  iterations: number[];
  done: number;
  total: number;
  observed: {observed: number; iterations: number[]; value: TensorInfo}[];
}

export interface VariableInfo {
  type: element | 'dynamic';
  shape: string;
  value?: TensorInfo;
}

/** Bytes that stay in JavaScript, identified by a number. The number 0 means none. */
export interface LentBytes {
  id: number;
  size: number;
}

export interface CompiledInfo {
  id: number;
  inputs: PortInfo[];
  outputs: PortInfo[];
}

/** `unreadable`: bytes of weights that the call needed could not be read. */
export type EngineFailure = Failure & {unreadable?: true};

/** A T, or the failure of the call. */
export type Result<T> = T | {failure: EngineFailure};

/** @internal Texts and the bytes of models are passed through stage(). */
export interface Glue {
  readonly HEAPU8: Uint8Array;
  stage(bytes: number): Result<Uint8Array>;
  outline(file: LentBytes, limits: CallLimits): Result<Outline>;
  readModel(file: LentBytes, weights: LentBytes, limits: CallLimits): Result<number>;
  partsOf(file: LentBytes): Result<PartName[]>;
  inspect(file: LentBytes, weights: LentBytes): Result<Omit<Inspection, 'parts'>>;
  operations(parts: string): Result<OperationInfo[]>;
  setExtensions(): Result<void>;
  describeModel(model: number): Result<ModelInfo>;
  modelOps(model: number): Result<{name: string; type: string}[]>;
  copyModel(model: number): Result<number>;
  reshapeModel(model: number, limits: CallLimits): Result<void>;
  preprocessModel(model: number, limits: CallLimits): Result<void>;
  writeModel(model: number, compressToFp16: boolean): Result<{xml: string}>;
  checkLayout(layout: string): Result<void>;
  compileModel(model: number, settings: CompileSettings, limits: CallLimits): Result<CompiledInfo>;
  createInferRequest(compiled: number): Result<number>;
  setInput(request: number, i: number, type: string, shape: string, limits: CallLimits): Result<TensorInfo>;
  infer(request: number, limits: CallLimits, progress: boolean): Result<void>;
  output(request: number, i: number): Result<TensorInfo>;
  variables(request: number): Result<string[]>;
  variable(request: number, i: number): Result<VariableInfo>;
  setVariable(request: number, i: number, type: string, shape: string): Result<TensorInfo>;
  resetVariable(request: number, i: number): Result<void>;
  resetState(request: number): Result<void>;
  profiling(request: number): Result<ProfilingInfo[]>;
  observe(request: number): Result<void>;
  observations(request: number): Result<{observed: number; iterations: number[]; value: TensorInfo}[]>;
  explain(request: number): Result<ExplanationData>;
  memoryBytes(request: number): Result<number>;
  release(object: number): void;
  // Threaded builds only: these compute in the background; finish() returns the result.
  setUp?(mayWait: boolean): void;
  startRunner(): void;
  addPart(): void;
  startInfer(request: number, limits: CallLimits, progress: boolean): Result<void>;
  startCompile(model: number, settings: CompileSettings, limits: CallLimits): Result<void>;
  cancel(): void;
  finish(): Result<never>;
  terminate(): void;
}

/** @internal The functions that the glue calls (web/library.js). */
export interface Hooks {
  /** Returns a range of lent bytes, in pieces, or undefined if it cannot be read. */
  weights(id: number, offset: number, count: number): readonly Uint8Array[] | undefined;
  /** A range of lent bytes will be read more than once. */
  keepWeights(id: number, offset: number, count: number): void;
  releaseWeights(id: number): void;
  /** Receives weights of a model that is being written, and must copy them at once. Returns whether it succeeded. */
  writeWeights(bytes: Uint8Array): boolean;
  /** Receives a report of a run; in threaded builds, a list of reports. Returns whether the run should end. */
  progress(report: string): boolean;
  /** Returns lines "type shape", or "!" and what went wrong. */
  inferExtension(number: number, json: string): string;
  /** Returns lines "type bytes shape", or "!" and what went wrong. `bytes` is the number of bytes of the output. */
  evaluateExtension(number: number, json: string): string;
  /** The bytes of an output of the last evaluateExtension(). */
  takeExtension(output: number): Uint8Array;
  alive(): void;
  finished(): void;
  /** `ran`: whether the thread had started. */
  threadFailed(message: string, ran: boolean): void;
  makeWorker?: () => ThreadWorker;
  instantiateWasm(
    imports: WebAssembly.Imports,
    done: (instance: WebAssembly.Instance, module: WebAssembly.Module) => WebAssembly.Exports,
  ): WebAssembly.Exports;
}
