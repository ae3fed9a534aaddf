// SPDX-License-Identifier: Apache-2.0
// This engine, through the public API of the npm package. A run copies as much as those of the peers: each input into the
// engine's memory (`new Tensor` only wraps an array), and each output out of it (`view()` of a result returns that copy, and
// `data` would copy again). The option `output` changes this: "setOutputTensor" copies each output into the same array every
// time, "view" leaves it in the engine's memory.

import {hasRelaxedSimd} from '../peak/peak.mjs';

const TYPES = {float32: 'f32', int32: 'i32', int64: 'i64', uint8: 'u8', int8: 'i8', bool: 'boolean'};

export async function open({threads, build, output, paths}) {
  const {addon: ov} = await import(paths.wasmvino);
  // By default, the package uses a threaded build wherever memory can be shared, even for one thread.
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
      // Uses the plain array, which is read before the next call into the engine.
      const bare = (array) => array;
      const arrays = (results) =>
        Object.fromEntries(outputNames.map((name) => [name, results[name].view(bare)]));
      const run = (feed, on = request) => arrays(on.infer(feed, options));
      // The main thread of a page must not wait for other threads, so only the asynchronous form uses them there.
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
        // Milliseconds of a pass over all feeds, and of its steps. Measured with a second compiled model, because reading the
        // clock at every step slows a model down.
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
              // Steps that contain others ("outer/inner") are not counted themselves.
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
