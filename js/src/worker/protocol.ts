// SPDX-License-Identifier: Apache-2.0
// The messages between a page and the worker that runs its engine.
import type {ModelInfo, ObservedPath, ReadTimings, RunProgress} from '../backend/backend.js';
import type {OwnedLimits} from '../backend/limits.js';
import type {CompileSettings, ExplanationData, PortInfo, ProfilingInfo} from '../backend/records.js';
import {WasmvinoError, messageOf, type Failure} from '../base/error.js';
import {bytesOf, isBuffer, partsOf, sizeOfBuffer} from '../base/typed_arrays.js';
import type {Build} from '../engine/build.js';
import type {Options} from '../engine/current.js';
import type {SentExtension} from '../engine/extension.js';
import type {BlobSource} from '../files/blobs.js';
import type {LoadSettings} from '../files/loading.js';
import type {Edit, ModelPart} from '../files/model_files.js';
import type {LoadProgress} from '../files/progress.js';
import {arrayTypeOf, isTypedArray, type element} from '../tensor/element.js';
import {copyOut, type OwnTensor} from '../tensor/storage.js';
import {contentOf, type Tensor} from '../tensor/tensor.js';

/** A path, or the text of a URL. URL objects cannot be sent to a worker. */
export interface SentPath {
  text: string;
  isUrl: boolean;
}

/** Settings of loading. Paths of external files become SentPaths. */
export interface SentSettings extends Omit<LoadSettings, 'onProgress' | 'external'> {
  external: {path: string; data: SentPath | Blob | Uint8Array}[];
}

export type SentSource =
  | {xml: Uint8Array; weights?: Uint8Array; parts?: readonly ModelPart[]; settings?: SentSettings}
  | {blobs: BlobSource; settings: SentSettings}
  | {paths: {xml: SentPath; weights: SentPath[]; optional: boolean}; settings: SentSettings};

/** A tensor as it is sent. The values are an ArrayBuffer, or strings. */
export interface SentTensor {
  type: element;
  shape: number[];
  values: ArrayBuffer | string[];
}

export type SentObservation = ObservedPath & {iterations: number[]; tensor: SentTensor};

export interface SentRunProgress extends Omit<RunProgress, 'observed'> {
  observed: SentObservation[];
}

export interface RunResult {
  outputs: SentTensor[];
  profiling: ProfilingInfo[];
  observations: SentObservation[];
  memoryBytes: number;
}

/**
 * The calls to the worker, with their arguments and results. The page identifies objects of the worker by numbers, which it
 * chooses itself. `id` is the object that a call uses or creates.
 */
export interface Calls {
  start: {order: {options: Omit<Options, 'worker' | 'factory'>}; answer: {build: Build; threads: boolean}};
  read: {
    order: {id: number; source: SentSource; edits: readonly Edit[]; limits: OwnedLimits; extensions: SentExtension[]};
    answer: ModelInfo & {ops: {name: string; type: string}[]; timings: ReadTimings};
  };
  copy: {order: {id: number; model: number}; answer: void};
  edit: {order: {id: number; edit: Edit}; answer: Calls['read']['answer']};
  compile: {
    order: {id: number; model: number; settings: CompileSettings; limits: OwnedLimits};
    answer: {inputs: readonly PortInfo[]; outputs: readonly PortInfo[]; threads: number; variables: string[]};
  };
  export: {order: {id: number}; answer: Uint8Array};
  create: {order: {id: number; compiled: number}; answer: void};
  run: {order: {id: number; inputs: SentTensor[]; limits: OwnedLimits; progress: boolean}; answer: RunResult};
  explain: {order: {id: number}; answer: ExplanationData};
  observe: {order: {id: number; ports: ObservedPath[]}; answer: void};
  state: {order: {id: number; variable: number}; answer: SentTensor};
  setState: {order: {id: number; variable: number; tensor: SentTensor}; answer: void};
  reset: {order: {id: number; variable?: number}; answer: void};
}

export type CallName = keyof Calls;

/** A message from the page: a call, the abort of a call, or the release of an object. */
export type Ask =
  | {[K in CallName]: {call: number; name: K; order: Calls[K]['order']}}[CallName]
  | {abort: number}
  | {release: number};

export type SentError = {failure: Failure} | {message: string};

/** A message from the worker. It sends `alive` when its script starts. */
export type Tell =
  | {alive: true}
  | {call: number; progress: LoadProgress | SentRunProgress[]}
  | {call: number; answer: unknown; memoryBytes: number}
  | {call: number; error: SentError; memoryBytes: number};

const failureOf = (error: WasmvinoError): Failure => ({
  ...error,
  message: error.message,
  problems: error.problems?.map(failureOf),
});

export function sentError(error: unknown): SentError {
  return error instanceof WasmvinoError ? {failure: failureOf(error)} : {message: messageOf(error)};
}

export function receivedError(error: SentError): WasmvinoError {
  if ('failure' in error) return new WasmvinoError(error.failure.code, error.failure.message, error.failure);
  return new WasmvinoError('INTERNAL', `The worker of the engine: ${error.message}`);
}

/** Converts a tensor to be sent. With `keep`, the caller's buffer is copied, otherwise it is transferred if possible. */
export function sentTensor(tensor: Tensor, keep: boolean): SentTensor {
  const {type, shape: sizes, array, engine, info} = contentOf(tensor);
  const shape = [...sizes];
  const own = engine ? copyOut(engine, info!) : array!;
  if (!isTypedArray(own)) return {type, shape, values: [...own]};
  const {buffer, byteLength} = partsOf(own);
  // Shared memory cannot be transferred, and neither can a part of a buffer.
  const moves = !(keep && !engine) && isBuffer(buffer) && sizeOfBuffer(buffer) === byteLength;
  return {type, shape, values: moves ? buffer : new Uint8Array(bytesOf(own)).buffer};
}

export function received({type, shape, values}: SentTensor): OwnTensor {
  return {type, shape, array: Array.isArray(values) ? values : new (arrayTypeOf(type))(values)};
}

/** The buffers of tensors for the transfer list, without duplicates. */
export function buffersOf(tensors: readonly SentTensor[]): ArrayBuffer[] {
  return [...new Set(tensors.map(({values}) => values).filter((values) => values instanceof ArrayBuffer))];
}
