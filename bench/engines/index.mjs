// SPDX-License-Identifier: Apache-2.0
// The engines: which form of a case each reads (case.json), and where it runs with how many threads at most.

export const ENGINES = {
  wasmvino: {
    form: 'ir',
    threads: {node: Infinity, chromium: Infinity},
    adapter: () => import('./wasmvino.mjs'),
  },
  'onnxruntime-web': {
    form: 'onnx',
    threads: {node: Infinity, chromium: Infinity},
    adapter: () => import('./onnxruntime_web.mjs'),
  },
  // A package for browsers alone.
  litert: {
    form: 'tflite',
    threads: {chromium: Infinity},
    adapter: () => import('./litert.mjs'),
  },
  // It has threads in pages alone, and no more of them than half of the processors.
  tfjs: {
    form: 'graph',
    threads: {node: 1, chromium: 1},
    adapter: () => import('./tfjs.mjs'),
  },
};
