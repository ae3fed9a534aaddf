// SPDX-License-Identifier: Apache-2.0
// Tests threaded builds in Node.js: the number of threads, the free main thread, and calls that throw during a run.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {availableParallelism} from 'node:os';
import {describe, it} from 'node:test';
import {pathToFileURL} from 'node:url';
import {accumulatingModel, addModel, builds, packageWith, productModel, root} from '../engine.mjs';

const ramp = (count) => Float32Array.from({length: count}, (_, i) => Math.sin(i));

describe('threads', () => {
  for (const build of builds) {
    const threaded = build.endsWith('-mt');

    describe(build, async () => {
      const ov = await packageWith(build);
      const core = new ov.Core();
      const threadsOf = (config) => core.compileModelSync(core.readModelSync(addModel()), 'CPU', config).getProperty('INFERENCE_NUM_THREADS');

      it('are as many as asked for, or as there are processors', () => {
        assert.equal(core.getProperty('INFERENCE_NUM_THREADS'), 0);
        assert.equal(threadsOf({}), threaded ? Math.min(8, availableParallelism()) : 1);
        assert.equal(threadsOf({INFERENCE_NUM_THREADS: 3}), threaded ? 3 : 1);
        assert.equal(threadsOf({INFERENCE_NUM_THREADS: '2'}), threaded ? 2 : 1);
        for (const wrong of [-1, 1.5, 'many', '', true, 65]) {
          const details = {code: 'INVALID_ARGUMENT', message: /INFERENCE_NUM_THREADS/, expected: '0 to 64', actual: String(wrong)};
          assert.throws(() => threadsOf({INFERENCE_NUM_THREADS: wrong}), details);
          assert.throws(() => core.setProperty({INFERENCE_NUM_THREADS: wrong}), details);
        }
        core.setProperty({INFERENCE_NUM_THREADS: 2});
        assert.equal(threadsOf({}), threaded ? 2 : 1);
        core.setProperty({INFERENCE_NUM_THREADS: 0});
      });

      it('compute what one computes', async () => {
        const {xml, bin} = productModel(100, 320);
        const model = core.readModelSync(xml, bin);
        const x = ramp(100 * 320);
        const wanted = core.compileModelSync(model, 'CPU', {INFERENCE_NUM_THREADS: 1}).createInferRequest().infer([x]).y.data;
        for (const threads of [2, 3, 5]) {
          const request = core.compileModelSync(model, 'CPU', {INFERENCE_NUM_THREADS: threads}).createInferRequest();
          for (let run = 0; run < 20; run++) {
            assert.deepEqual(request.infer([x]).y.data, wanted);
            assert.deepEqual((await request.inferAsync([x])).y.data, wanted);
          }
        }
      });

      it('read weights for a model that is compiled asynchronously', async () => {
        const {xml, bin} = productModel(3, 64);
        const x = ramp(3 * 64);
        const wanted = core.compileModelSync(core.readModelSync(xml, bin), 'CPU').createInferRequest().infer([x]).y.data;
        const compiled = await core.compileModel(await core.readModel(xml, bin), 'CPU');
        assert.deepEqual(compiled.createInferRequest().infer([x]).y.data, wanted);
      });

      it('fail as one does', async () => {
        const open = core.compileModelSync(core.readModelSync(addModel([-1, -1])), 'CPU').createInferRequest();
        const [a, b] = [new ov.Tensor('f32', [2, 3]), new ov.Tensor('f32', [2, 4])];
        const details = {code: 'INVALID_SHAPE', layer: 'add', layerType: 'Add-1'};
        assert.throws(() => open.infer([a, b]), details);
        await assert.rejects(open.inferAsync([a, b]), (error) => {
          assert.ok(error instanceof ov.WasmvinoError);
          for (const [key, value] of Object.entries(details)) assert.equal(error[key], value);
          return true;
        });
        assert.deepEqual((await open.inferAsync([b, b])).sum.getShape(), [2, 4]);
        await assert.rejects(core.compileModel(core.readModelSync(addModel()), 'GPU'), {code: 'INVALID_ARGUMENT'});
      });

      it('keep the order of what is asked for', async () => {
        const {xml, bin} = accumulatingModel();
        const request = core.compileModelSync(core.readModelSync(xml, bin), 'CPU').createInferRequest();
        const one = Float32Array.of(1, 10);
        const totals = await Promise.all([1, 2, 3].map(() => request.inferAsync([one])));
        assert.deepEqual(totals.map(({total}) => [...total.data]), [[1, 10], [2, 20], [3, 30]]);
      });

      if (threaded) {
        const {xml, bin} = productModel(1024, 1024);
        const x = ramp(1024 * 1024);
        const large = () => core.compileModelSync(core.readModelSync(xml, bin), 'CPU', {INFERENCE_NUM_THREADS: 2}).createInferRequest();
        const soon = () => new Promise((resolve) => setTimeout(resolve));
        // A busy machine may pause the main thread for longer than one run. Of 20 runs, some are left when it goes on.
        const lastOfMany = async (request, inputs) => (await Promise.all(Array.from({length: 20}, () => request.inferAsync(inputs)))).at(-1);

        it('leave the main thread free while they compute', async () => {
          const request = large();
          await request.inferAsync([x]);
          let done = false;
          const run = lastOfMany(request).then(() => (done = true));
          await soon();
          await soon();
          assert.equal(done, false);
          await run;
        });

        it('use no processor while there is nothing to do', async () => {
          const request = large();
          for (const infer of ['infer', 'inferAsync']) {
            await request[infer]([x]);
            await new Promise((resolve) => setTimeout(resolve, 100));
            const before = process.cpuUsage();
            await new Promise((resolve) => setTimeout(resolve, 500));
            const {user, system} = process.cpuUsage(before);
            assert.ok(user + system < 50_000, `${user + system} µs of 500,000`);
          }
        });

        it('compile beside the main thread', async () => {
          const model = core.readModelSync(xml, bin);
          let done = 0;
          // 50, because one compilation may end while a busy machine pauses the main thread.
          const compiling = Array.from({length: 50}, () => core.compileModel(model, 'CPU').then((compiled) => {
            done++;
            compiled.dispose();
          }));
          await new Promise((resolve) => setImmediate(resolve));
          assert.ok(done < compiling.length, 'all compilations ended before the main thread went on');
          await Promise.all(compiling);
        });

        it('refuse other calls of a request that runs, and let others wait', async () => {
          const [request, other] = [large(), large()];
          const wanted = request.infer([x]).y.data;
          const run = lastOfMany(request);
          await soon();
          const busy = {code: 'INVALID_STATE', message: /the request is running/};
          for (const call of ['infer', 'queryState', 'resetState', 'getProfilingInfo', 'memoryBytes']) {
            assert.throws(() => request[call](), busy, call);
          }
          assert.throws(() => request.observe([{layer: 'softmax'}]), busy);
          assert.throws(() => request.getOutputTensor().data, busy);
          assert.ok(other.memoryBytes() >= 0);
          assert.deepEqual(other.infer([x]).y.data, wanted);
          assert.deepEqual((await run).y.data, wanted);
          assert.deepEqual(request.infer().y.data, wanted);
        });

        it('outlive what is disposed while they compute', async () => {
          const request = large();
          const compiled = request.getCompiledModel();
          const other = compiled.createInferRequest();
          other.infer([x]);
          const run = lastOfMany(request, [x]);
          await soon();
          compiled.dispose();
          other.dispose();
          const {y} = await run;
          assert.equal(y.getSize(), 1024 * 1024);
          const again = lastOfMany(request, [x]);
          await soon();
          request.dispose();
          await assert.rejects(again, {code: 'INVALID_STATE', message: /disposed/});
        });
      }

      it('neither keep the process alive nor let it end too early', () => {
        const script = `
          import {addon as ov} from ${JSON.stringify(pathToFileURL(`${root}dist/node.js`).href)};
          import {productModel} from ${JSON.stringify(new URL('../engine.mjs', import.meta.url).href)};
          ov.configure({build: ${JSON.stringify(build)}});
          const {xml, bin} = productModel(512, 512);
          const core = new ov.Core();
          const compiled = await core.compileModel(await core.readModel(xml, bin), 'CPU', {INFERENCE_NUM_THREADS: 2});
          compiled.createInferRequest().inferAsync([new Float32Array(512 * 512)]).then(({y}) => console.log(y.data[0] * 512));`;
        const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], {encoding: 'utf8', timeout: 30_000});
        assert.equal(output, '1\n');
      });
    });
  }
});
