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
  // Its threads are web workers, which Node.js has not.
  tfjs: {
    form: 'graph',
    threads: {node: 1, chromium: Infinity},
    adapter: () => import('./tfjs.mjs'),
  },
};
