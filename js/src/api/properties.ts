// SPDX-License-Identifier: Apache-2.0
// The OpenVINO properties that make sense for a single CPU device.
import type {RuntimeOption} from '../backend/records.js';
import {WasmvinoError, invalidArgument, invalidModel, invalidType, messageOf, nearest, warnOnce} from '../base/error.js';

/** The value of a property. */
export type OVAny = string | number | boolean;

// These have no effect. Setting one warns once.
const withoutEffect: Record<string, OVAny> = {
  ALLOW_AUTO_BATCHING: true,
  AUTO_BATCH_TIMEOUT: 1000,
  CACHE_DIR: '',
  CACHE_MODE: 'OPTIMIZE_SPEED',
  CPU_DENORMALS_OPTIMIZATION: false,
  CPU_SPARSE_WEIGHTS_DECOMPRESSION_RATE: 1,
  DEVICE_ID: '',
  ENABLE_CPU_PINNING: false,
  ENABLE_CPU_RESERVATION: false,
  ENABLE_HYPER_THREADING: false,
  ENABLE_MMAP: false,
  ENABLE_TENSOR_PARALLEL: false,
  ENABLE_WEIGHTLESS: false,
  INFERENCE_PRECISION_HINT: 'f32',
  KEY_CACHE_GROUP_SIZE: 0,
  LOG_LEVEL: 'LOG_NONE',
  MODEL_DISTRIBUTION_POLICY: '',
  MODEL_PRIORITY: 'MEDIUM',
  MULTI_DEVICE_PRIORITIES: 'CPU',
  NUM_STREAMS: 1,
  PERFORMANCE_HINT: 'LATENCY',
  PERFORMANCE_HINT_NUM_REQUESTS: 0,
  SCHEDULE_POLICY: 'DEVICE_PRIORITY',
  SCHEDULING_CORE_TYPE: 'ANY_CORE',
  TBB_PARTITIONER: 'STATIC',
  VALUE_CACHE_GROUP_SIZE: 0,
  WEIGHTS_PATH: '',
};

// Read-only properties. Some values are arrays, although the public type, like that of OpenVINO's binding, has none.
const fixed: Record<string, OVAny | readonly OVAny[]> = {
  AVAILABLE_DEVICES: [''],
  DEVICE_ARCHITECTURE: 'wasm32',
  DEVICE_TYPE: 'integrated',
  EXECUTION_DEVICES: ['CPU'],
  FULL_DEVICE_NAME: 'WebAssembly',
  LOADED_FROM_CACHE: false,
  OPTIMAL_NUMBER_OF_INFER_REQUESTS: 1,
  OPTIMIZATION_CAPABILITIES: ['FP32', 'WINOGRAD', 'EXPORT_IMPORT'],
  // Minimum, maximum, step.
  RANGE_FOR_ASYNC_INFER_REQUESTS: [1, 1, 1],
  RANGE_FOR_STREAMS: [1, 1],
};

const defaults: Record<string, OVAny> = {
  ...withoutEffect,
  // If weights are quantised, activations are quantised in groups of this many elements of a row. 0 turns that off.
  // EXECUTION_MODE_HINT: 'ACCURACY' also turns it off, unless this property is set.
  DYNAMIC_QUANTIZATION_GROUP_SIZE: 32,
  EXECUTION_MODE_HINT: 'PERFORMANCE',
  // 0 means one thread per processor, at most eight. A compiled model returns the actual number.
  INFERENCE_NUM_THREADS: 0,
  // The type of keys and values of attention that variables keep between runs. If KEY_CACHE_PRECISION or VALUE_CACHE_PRECISION
  // is not set, it follows KV_CACHE_PRECISION. EXECUTION_MODE_HINT: 'ACCURACY' means f32 for each that is not set.
  KEY_CACHE_PRECISION: 'u8',
  KV_CACHE_PRECISION: 'u8',
  // If off, quantised networks are computed in f32, and each FakeQuantize runs as the model has it.
  LP_TRANSFORMS_MODE: true,
  PERF_COUNT: false,
  VALUE_CACHE_PRECISION: 'u8',
  // Not in OpenVINO. If on, the output 'logits' of a language model contains the last position only.
  WASMVINO_LAST_LOGITS: false,
  // Not in OpenVINO. If off, the graph runs as it was read, which helps to find a pass that changes a result.
  WASMVINO_PASSES: true,
  // Not in OpenVINO. Names of passes that do not run, separated by commas.
  WASMVINO_SKIPPED_PASSES: '',
};

// The defaults with EXECUTION_MODE_HINT: 'ACCURACY'.
const accurate: Record<string, OVAny> = {
  DYNAMIC_QUANTIZATION_GROUP_SIZE: 0,
  KEY_CACHE_PRECISION: 'f32',
  KV_CACHE_PRECISION: 'f32',
  VALUE_CACHE_PRECISION: 'f32',
};

// What a model file may ask for. OpenVINO's CPU plugin reads these and no others.
const followed = ['DYNAMIC_QUANTIZATION_GROUP_SIZE', 'KEY_CACHE_PRECISION', 'KV_CACHE_PRECISION', 'VALUE_CACHE_PRECISION'];

// Properties that are on or off hold a boolean, or one of these texts.
const onValues = ['true', 'yes', '1'];
const offValues = ['false', 'no', '0'];

// OpenVINO checks these properties too, so they are checked even if they have no effect here. `words` lists the values of
// some. The others hold a whole number, at most that in `largest`.
const precisions = ['f32', 'f16', 'bf16', 'FP32', 'FP16', 'BF16'];
const cachePrecisions = [...precisions, 'u8', 'i8', 'u4', 'u3'];
const words: Record<string, readonly string[]> = {
  CACHE_MODE: ['OPTIMIZE_SPEED', 'OPTIMIZE_SIZE'],
  EXECUTION_MODE_HINT: ['PERFORMANCE', 'ACCURACY'],
  INFERENCE_PRECISION_HINT: [...precisions, 'dynamic', 'undefined'],
  KEY_CACHE_PRECISION: cachePrecisions,
  KV_CACHE_PRECISION: [...precisions, 'u8', 'u4', 'u3'],
  LOG_LEVEL: ['LOG_NONE', 'LOG_ERROR', 'LOG_WARNING', 'LOG_INFO', 'LOG_DEBUG', 'LOG_TRACE'],
  MODEL_PRIORITY: ['LOW', 'MEDIUM', 'HIGH', 'DEFAULT'],
  PERFORMANCE_HINT: ['LATENCY', 'THROUGHPUT', 'CUMULATIVE_THROUGHPUT'],
  SCHEDULING_CORE_TYPE: ['ANY_CORE', 'PCORE_ONLY', 'ECORE_ONLY'],
  TBB_PARTITIONER: ['STATIC', 'AUTO', 'NONE'],
  VALUE_CACHE_PRECISION: cachePrecisions,
};
const largest: Record<string, bigint> = {
  AUTO_BATCH_TIMEOUT: 2n ** 32n - 1n,
  DYNAMIC_QUANTIZATION_GROUP_SIZE: 2n ** 64n - 1n,
  INFERENCE_NUM_THREADS: 64n,
  KEY_CACHE_GROUP_SIZE: 2n ** 32n - 1n,
  PERFORMANCE_HINT_NUM_REQUESTS: 2n ** 32n - 1n,
  VALUE_CACHE_GROUP_SIZE: 2n ** 32n - 1n,
};

function checkRange(name: string, value: OVAny): void {
  const refuse = (before: string, expected: string) =>
    invalidArgument(`Wrong value ${value} for property key ${name}. Expected ${before}${expected}.`, {expected, actual: String(value)});
  if (typeof defaults[name] === 'boolean' && ![...onValues, ...offValues].includes(String(value).toLowerCase())) throw refuse('only ', 'true/false');
  if (words[name] && !words[name].includes(String(value))) throw refuse('only ', words[name].join('/'));
  if (name in largest && (typeof value === 'boolean' || !/^0*\d{1,20}$/.test(String(value)) || BigInt(String(value)) > largest[name]!)) {
    throw refuse('a whole number from ', `0 to ${largest[name]}`);
  }
  // The engine checks the names. Embind copies the text without a check of memory, so it must be short.
  if (name === 'WASMVINO_SKIPPED_PASSES' && !/^[\w, ]{0,1000}$/.test(String(value))) throw refuse('', 'names of passes, separated by commas, at most 1000 characters');
  if (name === 'NUM_STREAMS' && !/^(\d+|-1|AUTO|NUMA)$/.test(String(value))) throw refuse('', 'a whole number, AUTO or NUMA');
  if (name === 'CPU_SPARSE_WEIGHTS_DECOMPRESSION_RATE' && !(Number(value) >= 0 && Number(value) <= 1)) throw refuse('', 'a number from 0 to 1');
}

export class Properties {
  readonly #values: Map<string, OVAny>;
  readonly #set: Set<string>; // the names of properties that somebody set

  constructor(from?: Properties) {
    this.#values = new Map(from ? from.#values : Object.entries(defaults));
    this.#set = new Set(from ? from.#set : []);
  }

  get(name: string): OVAny {
    if (name === 'SUPPORTED_PROPERTIES') return [name, ...Object.keys(fixed), ...this.#values.keys()] as unknown as OVAny;
    if (Object.hasOwn(accurate, name) && !this.#set.has(name) && this.#values.get('EXECUTION_MODE_HINT') === 'ACCURACY') {
      return accurate[name]!;
    }
    if (/^(KEY|VALUE)_CACHE_PRECISION$/.test(name) && !this.#set.has(name)) return this.get('KV_CACHE_PRECISION');
    const value = Object.hasOwn(fixed, name) ? fixed[name] : this.#values.get(name);
    if (value === undefined) throw unknown(name);
    return (Array.isArray(value) ? [...value] : value) as OVAny;
  }

  /** For compiled models, texts of numbers become numbers, as in OpenVINO. */
  set(properties: Record<string, OVAny>, compiled = false): void {
    const entries = Object.entries(properties);
    for (const [name, value] of entries) {
      checkValue(name, value);
      if (Object.hasOwn(fixed, name)) throw invalidArgument(`The property ${name} can be read, but not set.`, {actual: name});
      if (!this.#values.has(name)) throw unknown(name);
      checkRange(name, value);
    }
    for (const [name, value] of entries) {
      if (Object.hasOwn(withoutEffect, name) && withoutEffect[name] !== value) {
        const instead = name === 'CACHE_DIR' ? ' To start faster, keep what exportModel() returns, and read it with importModel().' : '';
        warnOnce(`the property ${name} has no effect here.${instead}`);
      } else if (compiled && !Object.hasOwn(withoutEffect, name) && this.get(name) !== value) {
        warnOnce(`the property ${name} has no effect on a compiled model: pass it to compileModel().`);
      }
      const isNumber = compiled && typeof defaults[name] === 'number' && /^\d+$/.test(String(value));
      this.#values.set(name, isNumber ? Number(value) : value);
      this.#set.add(name);
    }
  }

  /**
   * Follows what a model file asks for, as OpenVINO's CPU plugin does: only for the properties in `followed`, and never
   * against what the caller set, which includes EXECUTION_MODE_HINT: 'ACCURACY'.
   */
  follow(options: readonly RuntimeOption[]): void {
    if (this.#values.get('EXECUTION_MODE_HINT') === 'ACCURACY') return;
    const caller = new Set(this.#set);
    for (const {name, value} of options) {
      if (!followed.includes(name) || caller.has(name)) continue;
      if (/^(KEY|VALUE)_CACHE_PRECISION$/.test(name) && caller.has('KV_CACHE_PRECISION')) continue;
      try {
        checkRange(name, value);
      } catch (error) {
        throw invalidModel(`The model asks in <rt_info><runtime_options> for ${name} ${value}. ${messageOf(error)} Set the property in compileModel() to override it.`);
      }
      this.#values.set(name, typeof defaults[name] === 'number' ? Number(value) : value);
      this.#set.add(name);
    }
  }

  /** Whether a boolean property is on. It may hold a boolean, or a text such as 'YES'. */
  isOn(name: string): boolean {
    return onValues.includes(String(this.#values.get(name)).toLowerCase());
  }
}

const callOptions = ['signal', 'limits', 'onProgress'];

/** @internal Throws `INVALID_TYPE` unless a value has a type that properties may have. */
export function checkValue(name: string, value: unknown): void {
  if (['string', 'number', 'boolean'].includes(typeof value)) return;
  const advice = callOptions.includes(name) ? `: it is not a property. Pass options of the call after the properties: (model, 'CPU', {}, {${name}})` : '';
  throw invalidType(`Cannot convert to ov::Any: '${name}' has a value of type ${typeof value}${advice}.`, {
    expected: 'string, number, boolean',
    actual: typeof value,
  });
}

function unknown(name: string): WasmvinoError {
  const names = Object.keys(defaults).sort();
  const expected = names.join(', ');
  const meant = nearest(name, [...names, ...Object.keys(fixed)]);
  return invalidArgument(`NotFound: Unsupported property ${name} by CPU plugin.${meant ? ` Did you mean ${meant}?` : ''} There are ${expected}`, {
    expected,
    actual: name,
  });
}
