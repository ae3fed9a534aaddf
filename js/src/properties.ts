// SPDX-License-Identifier: Apache-2.0
// OpenVINO's properties, as far as they mean something to one device that computes on the CPU.
import {WasmvinoError, invalidArgument, invalidType, warnOnce} from './error.js';

export type OVAny = string | number | boolean;

// Kept and given back, and nothing else: whoever sets one is told so.
const withoutEffect: Record<string, OVAny> = {
  CACHE_DIR: '',
  CACHE_MODE: 'OPTIMIZE_SPEED',
  CPU_DENORMALS_OPTIMIZATION: false,
  CPU_SPARSE_WEIGHTS_DECOMPRESSION_RATE: 1,
  DYNAMIC_QUANTIZATION_GROUP_SIZE: 0,
  ENABLE_CPU_PINNING: false,
  ENABLE_HYPER_THREADING: false,
  ENABLE_MMAP: false,
  EXECUTION_MODE_HINT: 'ACCURACY',
  FULL_DEVICE_NAME: 'WebAssembly',
  INFERENCE_PRECISION_HINT: 'f32',
  KV_CACHE_PRECISION: 'f32',
  LOG_LEVEL: 'LOG_NONE',
  NUM_STREAMS: 1,
  OPTIMAL_NUMBER_OF_INFER_REQUESTS: 1,
  PERFORMANCE_HINT: 'LATENCY',
  PERFORMANCE_HINT_NUM_REQUESTS: 0,
  SCHEDULING_CORE_TYPE: 'ANY_CORE',
};

const defaults: Record<string, OVAny> = {
  ...withoutEffect,
  // 0: as many as there are processors, at most eight. A compiled model tells how many it has.
  INFERENCE_NUM_THREADS: 0,
  PERF_COUNT: false,
  // The engine's own: off, the graph runs as it was read, to find out which pass changes a result.
  WASMVINO_PASSES: true,
};

export class Properties {
  readonly #values: Map<string, OVAny>;

  constructor(from?: Properties) {
    this.#values = new Map(from ? from.#values : Object.entries(defaults));
  }

  get(name: string): OVAny {
    // The type says what OpenVINO's binding says; this one is an array of strings.
    if (name === 'SUPPORTED_PROPERTIES') return [...this.#values.keys(), name] as unknown as OVAny;
    const value = this.#values.get(name);
    if (value === undefined) throw unknown(name);
    return value;
  }

  set(properties: Record<string, OVAny>): void {
    for (const [name, value] of Object.entries(properties)) {
      checkValue(value);
      if (!this.#values.has(name)) throw unknown(name);
      if (name === 'INFERENCE_NUM_THREADS') checkThreads(value);
    }
    for (const [name, value] of Object.entries(properties)) {
      if (Object.hasOwn(withoutEffect, name) && withoutEffect[name] !== value) {
        warnOnce(`the property ${name} has no effect here.`);
      }
      this.#values.set(name, value);
    }
  }

  /** Whether a property with values YES and NO, true and false, is on. */
  isOn(name: string): boolean {
    return ['true', 'yes', '1'].includes(String(this.#values.get(name)).toLowerCase());
  }
}

/** @internal */
export function checkValue(value: unknown): void {
  if (!['string', 'number', 'boolean'].includes(typeof value)) {
    throw invalidType(`Cannot convert to ov::Any: a value of type ${typeof value}`);
  }
}

function checkThreads(value: OVAny): void {
  if (typeof value === 'boolean' || !/^\d+$/.test(String(value)) || Number(value) > 64) {
    throw invalidArgument(`Wrong value ${value} for property key INFERENCE_NUM_THREADS. Expected a whole number from 0 to 64.`, {
      expected: '0 to 64',
      actual: String(value),
    });
  }
}

function unknown(name: string): WasmvinoError {
  const expected = Object.keys(defaults).join(', ');
  return invalidArgument(`Unsupported property ${name} by CPU plugin. There are ${expected}`, {
    expected,
    actual: name,
  });
}
