// SPDX-License-Identifier: Apache-2.0
// Tests the progress reports of a run, on this thread and in a worker.
import assert from 'node:assert/strict';
import {after, describe, it} from 'node:test';
import {addModel, builds, loopModel, packageWith, testdata} from '../engine.mjs';

const g2p = `${testdata}models/g2p/model.xml`;
const letters = [...[...'browser'].map((letter) => letter.charCodeAt(0) - 94), 2];

for (const build of builds) {
  for (const worker of [false, true]) {
    describe(`progress of runs, ${build}${worker ? ', in a worker' : ''}`, async () => {
      const ov = await packageWith(build);
      const core = new ov.Core({worker});
      after(() => ov.restart());
      const requestOf = async (xml, bin) => (await core.compileModel(await core.readModel(xml, bin), 'CPU')).createInferRequest();

      it('tells of each iteration, then of the loop', async () => {
        const {xml, bin} = loopModel(5);
        const request = await requestOf(xml, bin);
        const told = [];
        await request.inferAsync([Float32Array.of(7)], {onProgress: (progress) => told.push(progress)});
        const iterations = told.filter(({event}) => event === 'iteration');
        assert.deepEqual(iterations.map(({layer, iterations}) => [layer, iterations]), [0, 1, 2, 3, 4].map((i) => [['loop'], [i]]));
        const last = told.at(-1);
        assert.deepEqual([last.event, last.layer, last.type, last.iterations, last.done], ['node', ['loop'], 'Loop', [], last.total]);
      });

      it('tells what observed ports hold, iteration by iteration', async () => {
        const request = (await core.compileModel(g2p, 'CPU')).createInferRequest();
        request.observe([{layer: ['beam_search_loop', 'beam_topk'], port: 1}, {layer: 'gather_tree'}]);
        const told = [];
        const inputs = {graphemes: new ov.Tensor('i32', [1, letters.length], letters), beam_width: new ov.Tensor('i32', [], [3])};
        const steps = [];
        await request.inferAsync(inputs, {
          onProgress: ({event, layer, observations}) => {
            told.push(...observations);
            if (event === 'iteration' && layer[0] === 'beam_search_loop') steps.push(told.length);
          },
        });
        const flat = (list) => list.map(({layer, port, iterations, tensor}) => [layer, port, iterations, [...tensor.data]]);
        assert.ok(told.length > 5);
        assert.deepEqual(flat(told), flat(request.observations()));
        // The values of an iteration have arrived when it ends.
        assert.ok(steps.every((count, i) => i === 0 || count > steps[i - 1]), String(steps));
      });

      it('ends the run where its function throws', async () => {
        const {xml, bin} = loopModel(1e9);
        const request = await requestOf(xml, bin);
        const failure = new Error('enough');
        let calls = 0;
        const fail = () => {
          calls++;
          throw failure;
        };
        await assert.rejects(request.inferAsync([Float32Array.of(7)], {onProgress: fail}), failure);
        assert.equal(calls, 1);
        const {sum} = await (await requestOf(addModel([1]))).inferAsync([[1], [2]]);
        assert.deepEqual([...sum.data], [3]);
      });

      it('ends the run where its function aborts the signal', async () => {
        const {xml, bin} = loopModel(1e9);
        const request = await requestOf(xml, bin);
        const controller = new AbortController();
        const reason = new Error('seen enough');
        const onProgress = ({iterations}) => iterations[0] >= 3 && controller.abort(reason);
        await assert.rejects(request.inferAsync([Float32Array.of(7)], {signal: controller.signal, onProgress}), reason);
      });

      it('lets its function wait for the run, which reports more than fits a batch', async () => {
        const {xml, bin} = loopModel(50_000);
        const request = await requestOf(xml, bin);
        const iterations = [];
        let waited = false;
        await request.inferAsync([Float32Array.of(7)], {
          onProgress: ({event, iterations: [i]}) => {
            if (event === 'iteration') iterations.push(i);
            // In a threaded build on this thread, a synchronous call waits for the run.
            if (!waited && !worker && build.endsWith('-mt')) core.readModelSync(addModel([1]));
            waited = true;
          },
        });
        assert.deepEqual(iterations, Array.from({length: 50_000}, (_, i) => i));
      });

      it('takes a function and nothing else', async () => {
        const request = await requestOf(addModel([1]));
        await assert.rejects(request.inferAsync([[1], [2]], {onProgress: 1}), {code: 'INVALID_ARGUMENT', message: /onProgress takes a function/});
      });

      if (!worker && !build.endsWith('-mt')) {
        it('refuses calls into the engine that runs', async () => {
          const request = await requestOf(addModel([1]));
          const other = await requestOf(addModel([1]));
          const call = () => other.infer([[1], [2]]);
          await assert.rejects(request.inferAsync([[1], [2]], {onProgress: call}), {
            code: 'INVALID_STATE',
            message: 'The engine is waiting for onProgress, which must not call the engine: call it after the run.',
          });
          assert.deepEqual([...other.infer([[1], [2]]).sum.data], [3]);
        });
      }
    });
  }
}
