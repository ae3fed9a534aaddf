// SPDX-License-Identifier: Apache-2.0
// The engines: the form of a case that each reads (case.json), the places where it runs, and its maximum number of threads.
// A native engine has a program instead of an adapter, and variables of its environment.

export const ENGINES = {
  wasmvino: {
    form: 'ir',
    threads: {node: Infinity, chromium: Infinity, webkit: 1},
    adapter: () => import('./wasmvino.mjs'),
  },
  // Another build of this engine (--baseline).
  baseline: {
    form: 'ir',
    threads: {node: Infinity, chromium: Infinity, webkit: 1},
    adapter: () => import('./baseline.mjs'),
  },
  'onnxruntime-web': {
    form: 'onnx',
    threads: {node: Infinity, chromium: Infinity, webkit: 1},
    adapter: () => import('./onnxruntime_web.mjs'),
  },
  // This package only supports browsers.
  litert: {
    form: 'tflite',
    threads: {chromium: Infinity, webkit: 1},
    adapter: () => import('./litert.mjs'),
  },
  // It has threads only in pages, at most one per two processors.
  tfjs: {
    form: 'graph',
    threads: {node: 1, chromium: 1, webkit: 1},
    adapter: () => import('./tfjs.mjs'),
  },
  // The machine's own speed. It is measured among the engines in Node.js, and the tables of all places show it.
  openvino: {
    form: 'ir',
    threads: {node: 1},
    program: 'native_openvino.py',
  },
  // The same with vectors of 128 bits, like WebAssembly's, but without fused multiply-adds.
  'openvino-sse4.1': {
    form: 'ir',
    threads: {node: 1},
    program: 'native_openvino.py',
    environment: {ONEDNN_MAX_CPU_ISA: 'SSE41'},
  },
};
