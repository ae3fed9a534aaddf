// SPDX-License-Identifier: Apache-2.0
// The engines: the form of a case that each reads (case.json), the places where it runs, and its maximum number of threads.

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
  // This package only supports browsers.
  litert: {
    form: 'tflite',
    threads: {chromium: Infinity},
    adapter: () => import('./litert.mjs'),
  },
  // It has threads only in pages, at most one per two processors.
  tfjs: {
    form: 'graph',
    threads: {node: 1, chromium: 1},
    adapter: () => import('./tfjs.mjs'),
  },
};
