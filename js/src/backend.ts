// SPDX-License-Identifier: Apache-2.0
// The interface between the public classes and an engine. local.ts implements it for an engine on this thread, remote.ts
// for one in a worker.
// Methods whose names end in Now compute on the calling thread.
import type {ExplanationData} from './explanation.js';
import type {ExportedModel} from './exported.js';
import type {GivenExtension} from './extension.js';
import type {CompileSettings, PortInfo, ProfilingInfo} from './glue.js';
import type {Limits} from './limits.js';
import type {FileSource, LoadSettings} from './loading.js';
import type {Edit, ModelFiles} from './model.js';
import type {Tensor} from './tensor.js';

/** What a model is read from: what is in memory, or files to load; `edits`: what becomes of it then. */
export type Source = {files: ModelFiles} | {load: FileSource; settings: LoadSettings; edits?: readonly Edit[]};

export interface Host {
  read(source: Source, limits: Limits, extensions: readonly GivenExtension[], signal?: AbortSignal): Promise<ModelBackend>;
}

export interface ModelInfo {
  name: string;
  inputs: PortInfo[];
  outputs: PortInfo[];
}

/** Milliseconds. */
export interface ReadTimings {
  load: number;
  read: number;
}

export interface ModelBackend {
  readonly timings: ReadTimings;
  /** Another object after each edit. Throws while an edit is under way. */
  readonly info: ModelInfo;
  /** Settles when all edits are done; rejects with what was wrong with one. */
  readonly ready: Promise<void>;
  ops(): {name: string; type: string}[];
  copy(): ModelBackend;
  edit(edit: Edit): void;
  checkLayout(layout: string): void;
  /** The .xml; the bytes of the .bin go to `write`, which copies them at once. */
  writeNow(compressToFp16: boolean, write: (bytes: Uint8Array) => void): string;
  /** `settings.threads`: as many as are wanted, 0 for as many as there are processors. */
  compile(settings: CompileSettings, limits: Limits, signal?: AbortSignal): Promise<CompiledBackend>;
  compileNow(settings: CompileSettings, limits: Limits): CompiledBackend;
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

/** A port of an inner layer, by the names of the layers around it. */
export interface ObservedPath {
  path: string[];
  port: number;
}

/** What an observed port held. */
export interface ObservedValue extends ObservedPath {
  iterations: number[];
  tensor: Tensor;
}

/** What was computed: a node, or an iteration of the last layer of the path. */
export interface RunProgress {
  path: string[];
  /** Operation of the node; undefined for an iteration. */
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
  /** To be called in turn. */
  run(tensors: Tensor[], limits: Limits, how: RunOptions): Promise<void>;
  /** `take` gives the inputs, where it can run. */
  runNow(take: () => Tensor[], limits: Limits): void;
  /** Ends the run that is under way, if one is. */
  cancel(): void;
  /** A tensor that shows what each run gives. */
  output(i: number): Tensor;
  /** What the last run gave, which later runs leave as it is. */
  result(i: number): Tensor;
  /** Puts what the last run gave into a tensor. */
  copyResult(i: number, into: Tensor): void;
  /** The names of the variables. */
  variables(): string[];
  state(variable: number): Promise<Tensor>;
  stateNow(variable: number): Tensor;
  setState(variable: number, tensor: Tensor): void;
  /** Makes a variable unset, or all. */
  reset(variable?: number): void;
  profiling(): ProfilingInfo[];
  observe(ports: ObservedPath[]): void;
  observations(): ObservedValue[];
  explain(): Promise<ExplanationData>;
  memoryBytes(): number;
  dispose(): void;
}
