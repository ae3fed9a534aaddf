// SPDX-License-Identifier: Apache-2.0
// LiteRT.js (XNNPACK), in browsers only. A run creates tensors from its inputs, which copies them into the engine's memory,
// copies the outputs out, and deletes both kinds of tensors, which is the caller's task.

import {loadAndCompile, loadLiteRt, supportsFeature, Tensor} from '@litertjs/core';

export async function open({threads, paths}) {
  await loadLiteRt(paths.litert, {threads: threads > 1});
  return {
    about: async () => {
      const relaxed = await supportsFeature('relaxedSimd');
      const {version} = await (await fetch(`${paths.litert}../package.json`)).json();
      return {
        name: 'LiteRT.js',
        version,
        build: `${relaxed ? 'relaxed SIMD' : 'SIMD'}${threads > 1 ? ', threads' : ''}`,
      };
    },
    load: async ([bytes], outputNames) => {
      const model = await loadAndCompile(bytes, {accelerator: 'wasm', cpuOptions: {numThreads: threads}});
      return {
        feed: (inputs) => Object.entries(inputs),
        run: async (feed) => {
          const tensors = {};
          for (const [name, {shape, data}] of feed) tensors[name] = new Tensor(data, shape);
          const results = await model.run(tensors);
          const outputs = {};
          for (const name of outputNames) outputs[name] = results[name].toTypedArray();
          for (const tensor of [...Object.values(tensors), ...Object.values(results)]) tensor.delete();
          return outputs;
        },
        dispose: () => model.delete(),
      };
    },
  };
}
