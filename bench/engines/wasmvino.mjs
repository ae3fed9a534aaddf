// SPDX-License-Identifier: Apache-2.0
// This engine, through the npm package's public API. A run copies each input into the engine's memory (`new
// Tensor` of an array wraps it) and each output out of it (what a result's `view()` gives is that copy itself;
// `data` would copy it again): as much as the peers copy. `output` says otherwise: "setOutputTensor" copies each
// output into an array that stays the same, "view" leaves it in the engine's memory.

import {hasRelaxedSimd} from '../peak/peak.mjs';

const TYPES = {float32: 'f32', int32: 'i32', int64: 'i64', uint8: 'u8', int8: 'i8', bool: 'boolean'};

export async function open({threads, build, output, paths}) {
  const {addon: ov} = await import(paths.wasmvino);
  // Left to itself it takes a threaded build wherever memory can be shared, also for one thread.
  ov.configure({build: build ?? `${hasRelaxedSimd() ? 'relaxed' : 'simd'}${threads > 1 ? '-mt' : ''}`});
  await ov.ready;
  const core = new ov.Core();
  const compile = (model, config) =>
    core.compileModel(model, 'CPU', {INFERENCE_NUM_THREADS: threads, ...config});
  return {
    about: () => ({name: 'wasmvino', version: ov.version, build: ov.build.name}),
    load: async ([xml, weights], outputNames) => {
      const model = await core.readModel(xml, weights);
      const compiled = await compile(model);
      const request = compiled.createInferRequest();
      if (output === 'setOutputTensor') {
        for (const port of compiled.outputs) {
          request.setTensor(port.anyName, new ov.Tensor(port.getElementType(), port.getShape()));
        }
      }
      const options = {shareOutputs: output === 'view'};
      // The bare array: it is read before the engine is called again.
      const bare = (array) => array;
      const arrays = (results) =>
        Object.fromEntries(outputNames.map((name) => [name, results[name].view(bare)]));
      const run = (feed, on = request) => arrays(on.infer(feed, options));
      // The main thread of a page may not wait for others: there only this form uses them.
      const runAsync = async (feed) => arrays(await request.inferAsync(feed, options));
      return {
        feed: (inputs) =>
          Object.fromEntries(
            Object.entries(inputs).map(([name, {type, shape, data}]) => [
              name,
              new ov.Tensor(ov.element[TYPES[type]], shape, data),
            ]),
          ),
        run: threads > 1 && globalThis.document ? runAsync : (feed) => run(feed),
        // Milliseconds of a pass over all feeds, and how much of them its steps took, by a second compiled
        // model: reading the clock at every step slows the first one down.
        profile: async (feeds, runs) => {
          const profiled = await compile(model, {PERF_COUNT: true});
          const slow = profiled.createInferRequest();
          for (const feed of feeds) run(feed, slow);
          const passes = [];
          for (let i = 0; i < runs; i++) {
            const pass = {wallMs: 0, kernelMs: 0, steps: 0};
            for (const feed of feeds) {
              const begin = performance.now();
              run(feed, slow);
              pass.wallMs += performance.now() - begin;
              const steps = slow.getProfilingInfo();
              // What has steps inside ("outer/inner") is counted by them.
              for (const step of steps.filter(
                ({nodeName}) => !steps.some((s) => s.nodeName.startsWith(`${nodeName}/`)),
              )) {
                pass.kernelMs += step.realTime / 1000;
                pass.steps += step.calls;
              }
            }
            passes.push(pass);
          }
          profiled.dispose();
          return passes.sort((a, b) => a.wallMs - b.wallMs)[0];
        },
        dispose: () => compiled.dispose(),
      };
    },
  };
}
