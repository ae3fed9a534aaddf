// SPDX-License-Identifier: Apache-2.0
// onnxruntime-web with its WebAssembly backend. A run copies each input into the engine's memory and each output out of it.

import * as ort from 'onnxruntime-web';

const TYPES = {
  float32: 'float32',
  int32: 'int32',
  int64: 'int64',
  uint8: 'uint8',
  int8: 'int8',
  bool: 'bool',
};

export async function open({threads, paths}) {
  ort.env.wasm.numThreads = threads;
  ort.env.wasm.wasmPaths = paths?.onnxruntime;
  ort.env.logLevel = 'error';
  return {
    about: () => ({
      name: 'onnxruntime-web',
      version: ort.env.versions.web,
      build: `SIMD${threads > 1 ? ', threads' : ''}`,
    }),
    load: async ([model], outputNames) => {
      const session = await ort.InferenceSession.create(model, {
        executionProviders: ['wasm'],
        graphOptimizationLevel: 'all',
      });
      return {
        feed: (inputs) =>
          Object.fromEntries(
            Object.entries(inputs).map(([name, {type, shape, data}]) => [
              name,
              new ort.Tensor(TYPES[type], data, shape),
            ]),
          ),
        run: async (feed) => {
          const results = await session.run(feed);
          return Object.fromEntries(outputNames.map((name) => [name, results[name].data]));
        },
        dispose: () => session.release(),
      };
    },
  };
}
