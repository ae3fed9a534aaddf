// SPDX-License-Identifier: Apache-2.0
// The WebAssembly module as Emscripten's glue presents it: web/embind.cc. Models and the like are numbers.
import type {element} from './element.js';
import type {Failure} from './error.js';

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
  /** What each input takes: "data: a numeric type; indices: i32 or i64". */
  inputs: string;
}

/** Bounds of one call; 0: none. */
export interface CallLimits {
  memoryBytes: number;
  tensorBytes: number;
  layers: number;
  nesting: number;
  iterations: number;
  milliseconds: number;
}

export interface CompileSettings {
  passes: boolean;
  integers: boolean;
  profiling: boolean;
  threads: number;
}

export interface CompiledInfo {
  id: number;
  inputs: PortInfo[];
  outputs: PortInfo[];
}

/** JSON of a T, or of {failure}; empty for nothing. */
export type Json<T> = string & {readonly of?: T};

/** @internal Texts and the bytes of models go through stage(). */
export interface Glue {
  readonly HEAPU8: Uint8Array;
  stage(bytes: number): Json<{address: number}>;
  readModel(weights: number, size: number, limits: CallLimits): Json<number>;
  inspect(weights: number, size: number): Json<Inspection>;
  operations(): Json<OperationInfo[]>;
  describeModel(model: number): Json<{name: string; inputs: PortInfo[]; outputs: PortInfo[]}>;
  modelOps(model: number): Json<{name: string; type: string}[]>;
  copyModel(model: number): Json<number>;
  reshapeModel(model: number): Json<void>;
  preprocessModel(model: number): Json<void>;
  checkLayout(layout: string): Json<void>;
  compileModel(model: number, settings: CompileSettings, limits: CallLimits): Json<CompiledInfo>;
  createInferRequest(compiled: number): Json<number>;
  setInput(request: number, i: number, type: string, shape: string, limits: CallLimits): Json<TensorInfo>;
  infer(request: number, limits: CallLimits): Json<void>;
  output(request: number, i: number): Json<TensorInfo>;
  variables(request: number): Json<VariableInfo[]>;
  setVariable(request: number, i: number, type: string, shape: string): Json<TensorInfo>;
  resetVariable(request: number, i: number): Json<void>;
  resetState(request: number): Json<void>;
  profiling(request: number): Json<ProfilingInfo[]>;
  observe(request: number): Json<void>;
  observations(request: number): Json<{observed: number; iterations: number[]; value: TensorInfo}[]>;
  memoryBytes(request: number): Json<number>;
  release(object: number): void;
  // Of the builds with threads: what computes in the background, and gives its result by finish().
  setUp?(mayWait: boolean): void;
  startRunner(): void;
  startInfer(request: number, limits: CallLimits): Json<void>;
  startCompile(model: number, settings: CompileSettings, limits: CallLimits): Json<void>;
  cancel(): void;
  finish(): Json<never>;
  terminate(): void;
}

/** @internal What the glue calls (web/library.js). */
export interface Hooks {
  weights(id: number, offset: number, count: number): Uint8Array | undefined;
  releaseWeights(id: number): void;
  alive(): void;
  finished(): void;
  /** `ran`: whether the thread has begun. */
  threadFailed(message: string, ran: boolean): void;
  makeWorker?: () => Worker;
  instantiateWasm(
    imports: WebAssembly.Imports,
    done: (instance: WebAssembly.Instance, module: WebAssembly.Module) => WebAssembly.Exports,
  ): WebAssembly.Exports;
}

/** Emscripten's MODULARIZE factory: it fills the object it is given, at once where its hook gives an instance at once. */
export type Factory = (glue: object) => unknown;
