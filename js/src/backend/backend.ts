// SPDX-License-Identifier: Apache-2.0
// The interface between the public classes and an engine. engine/local.ts implements it for an engine on this thread,
// and worker/remote_*.ts for an engine in a worker.
// Methods whose names end in "Now" are synchronous and compute on the calling thread.
import type {BlobSource} from '../files/blobs.js';
import type {ExportedModel} from '../files/exported.js';
import type {FileSource, LoadSettings} from '../files/loading.js';
import type {Edit, ModelFiles} from '../files/model_files.js';
import type {Tensor} from '../tensor/tensor.js';
import type {GivenExtension} from './extensions.js';
import type {OwnedLimits} from './limits.js';
import type {CompileSettings, ExplanationData, PortInfo, ProfilingInfo, RuntimeOption} from './records.js';

/** What a model is read from: bytes in memory, Blobs, or files to load. `edits` are applied after reading. */
export type Source =
  | {files: ModelFiles; settings?: LoadSettings}
  | {blobs: BlobSource; settings: LoadSettings; edits?: readonly Edit[]}
  | {load: FileSource; settings: LoadSettings; edits?: readonly Edit[]};

export interface Host {
  read(source: Source, limits: OwnedLimits, extensions: readonly GivenExtension[], signal?: AbortSignal): Promise<ModelBackend>;
}

export interface ModelInfo {
  name: string;
  inputs: PortInfo[];
  outputs: PortInfo[];
  runtimeOptions: RuntimeOption[];
}

/** Durations in milliseconds. */
export interface ReadTimings {
  load: number;
  read: number;
}

export interface ModelBackend {
  readonly timings: ReadTimings;
  /** Each edit replaces this object. Throws while an edit is pending. */
  readonly info: ModelInfo;
  /** No edit changes them, so they are known while one is pending. */
  readonly runtimeOptions: readonly RuntimeOption[];
  /** Resolves when all edits are done. Rejects with the error of a failed edit. */
  readonly ready: Promise<void>;
  ops(): {name: string; type: string}[];
  copy(): ModelBackend;
  edit(edit: Edit): void;
  checkLayout(layout: string): void;
  /** Returns the text of the .xml. Passes the bytes of the .bin to `write`, which must copy them before it returns. */
  writeNow(compressToFp16: boolean, write: (bytes: Uint8Array) => void): string;
  /** `settings.threads` is the requested number of threads. 0 means one per processor, at most eight. */
  compile(settings: CompileSettings, limits: OwnedLimits, signal?: AbortSignal): Promise<CompiledBackend>;
  compileNow(settings: CompileSettings, limits: OwnedLimits): CompiledBackend;
  dispose(): void;
}

export interface CompiledBackend {
  readonly inputs: readonly PortInfo[];
  readonly outputs: readonly PortInfo[];
  readonly threads: number;
  createRequest(): RequestBackend;
  export(): Promise<ExportedModel>;
  exportNow(): ExportedModel;
  dispose(): void;
}

/** An output port of a layer. `path` names the enclosing layers, outermost first, and then the layer. */
export interface ObservedPath {
  path: string[];
  port: number;
}

/** A value that an observed port had. */
export interface ObservedValue extends ObservedPath {
  iterations: number[];
  tensor: Tensor;
}

/** Reports that a node was computed, or that an iteration of the last layer in `path` ended. */
export interface RunProgress {
  path: string[];
  /** Operation of the node. Undefined for an iteration. */
  type?: string;
  iterations: number[];
  done: number;
  total: number;
  observed: ObservedValue[];
}

export interface RunOptions {
  signal?: AbortSignal;
  transfer: boolean;
  onProgress?: (progress: RunProgress) => void;
}

export interface RequestBackend {
  inTurn<T>(task: () => T | Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Call this inside inTurn(). */
  run(tensors: Tensor[], limits: OwnedLimits, how: RunOptions): Promise<void>;
  /** Calls `take` for the inputs once it is certain that the run can start. */
  runNow(take: () => Tensor[], limits: OwnedLimits): void;
  /** Stops the current run, if there is one. */
  cancel(): void;
  /** A live tensor: it always shows the result of the last run. */
  output(i: number): Tensor;
  /** A copy of the result of the last run. */
  result(i: number): Tensor;
  /** Copies the result of the last run into a tensor. */
  copyResult(i: number, into: Tensor): void;
  /** Names of the variables. The other methods take positions in this list. */
  variables(): string[];
  state(variable: number): Promise<Tensor>;
  stateNow(variable: number): Tensor;
  setState(variable: number, tensor: Tensor): void;
  /** Resets one variable, or all of them. */
  reset(variable?: number): void;
  profiling(): ProfilingInfo[];
  observe(ports: ObservedPath[]): void;
  observations(): ObservedValue[];
  explain(): Promise<ExplanationData>;
  memoryBytes(): number;
  dispose(): void;
}
