// SPDX-License-Identifier: Apache-2.0
// A trap ends only this instance of the engine: the process lives on, promises reject, and a new engine works.
import assert from 'node:assert/strict';
import {after, describe, it} from 'node:test';
import {addModel, builds, productModel} from '../engine.mjs';
import {failingPackage} from '../failing_package.mjs';

const inputs = () => [Float32Array.from([1, 2, 3, 4, 5, 6]), Float32Array.from([1, 1, 1, 1, 1, 1])];
const sum = [2, 3, 4, 5, 6, 7];

for (const build of builds) {
  describe(`a failing engine, ${build}`, async () => {
    const files = failingPackage(build);
    after(() => files.remove());
    const ov = await files.load();
    const failed = {code: 'ENGINE_FAILED', message: /unreachable.*ov\.restart\(\)/};
    const replaced = {code: 'INVALID_STATE', message: /ov\.restart\(\) replaced/};

    function assertWorks(core) {
      const request = core.compileModelSync(core.readModelSync(addModel()), 'CPU').createInferRequest();
      assert.deepEqual([...request.infer(inputs()).sum.data], sum);
      return request;
    }

    // Makes a call that needs JavaScript, which triggers the trap.
    function trap(core) {
      files.arm('main');
      try {
        const {xml, bin} = productModel(3, 64);
        core.compileModelSync(core.readModelSync(xml, bin), 'CPU', {PERF_COUNT: true}).createInferRequest().infer();
      } finally {
        files.disarm('main');
      }
    }

    it('says so at every call, until it is replaced', async () => {
      const core = new ov.Core();
      const request = assertWorks(core);
      const {sum: shown} = request.infer(inputs(), {shareOutputs: true});
      assert.throws(() => trap(core), failed);
      assert.throws(() => request.infer(inputs()), failed);
      assert.throws(() => core.readModelSync(addModel()), failed);
      assert.throws(() => shown.data, failed);
      await assert.rejects(request.inferAsync(inputs()), failed);
      await assert.rejects(core.readModel(addModel()), failed);

      await ov.restart();
      assertWorks(core);
      assert.throws(() => shown.data, failed);
      assert.throws(() => request.infer(inputs()), failed);
      request.dispose();
    });

    it('is replaced by restart() while it is well, too', async () => {
      const core = new ov.Core();
      const request = assertWorks(core);
      const model = core.readModelSync(addModel());
      const waits = request.inferAsync(inputs()).catch((error) => error);
      await ov.restart();
      const outcome = await waits;
      if (outcome instanceof Error) assert.equal(outcome.code, 'INVALID_STATE');
      assert.throws(() => request.infer(inputs()), replaced);
      await assert.rejects(core.compileModel(model, 'CPU'), replaced);
      assertWorks(core);
    });

    it('is replaced by a Core that was asked to', async () => {
      const core = new ov.Core({autoRestart: true});
      assertWorks(core);
      assert.throws(() => trap(core), failed);
      const model = await core.readModel(addModel());
      assert.deepEqual([...(await core.compileModel(model, 'CPU')).createInferRequest().infer(inputs()).sum.data], sum);
    });

    if (build.endsWith('-mt')) {
      it('fails with a thread, and rejects what waits for it', async () => {
        const core = new ov.Core();
        const {xml, bin} = productModel(3, 64);
        const model = await core.readModel(xml, bin);
        const request = assertWorks(core);
        files.arm('thread');
        const compiles = core.compileModel(model, 'CPU');
        const waits = request.inferAsync(inputs());
        await assert.rejects(compiles, failed);
        await assert.rejects(waits, failed);
        files.disarm('thread');
        await ov.restart();
        assertWorks(core);
        assert.deepEqual((await (await core.compileModel(await core.readModel(addModel()), 'CPU')).createInferRequest().inferAsync(inputs())).sum.data, Float32Array.from(sum));
      });

      it('fails where the calling thread waits for one that traps', async () => {
        const core = new ov.Core();
        const {xml, bin} = productModel(300, 320);
        const request = core.compileModelSync(core.readModelSync(xml, bin), 'CPU', {INFERENCE_NUM_THREADS: 4}).createInferRequest();
        await request.inferAsync(); // starts the threads
        files.arm('thread');
        await assert.rejects(async () => {
          for (let run = 0; run < 200; run++) await request.inferAsync();
        }, failed);
        files.disarm('thread');
        await ov.restart();
        assertWorks(core);
      });
    }
  });
}
