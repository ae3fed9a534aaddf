// SPDX-License-Identifier: Apache-2.0
// Tests AsyncInferQueue in each of the four builds.
import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {addModel, builds, packageWith} from '../engine.mjs';

for (const build of builds) {
  const ov = await packageWith(build);
  const core = new ov.Core();
  const compiled = core.compileModelSync(core.readModelSync(addModel([2])), 'CPU');
  const inputs = (i) => ({x: Float32Array.of(i, i), y: new ov.Tensor('f32', [2], Float32Array.of(1, 2))});

  describe(`AsyncInferQueue, build ${build}`, () => {
    for (const jobs of [undefined, 3]) {
      it(`runs more than ${jobs ?? 'its own number of'} requests at a time`, async () => {
        const queue = new ov.AsyncInferQueue(compiled, jobs);
        const requests = new Set();
        const seen = [];
        queue.setCallback(async (error, request, i) => {
          assert.equal(error, null);
          assert.ok(request instanceof ov.InferRequest);
          requests.add(request);
          await null;
          seen.push([i, ...request.getOutputTensor().data]);
        });
        const all = Array.from({length: 8}, (_, i) => i);
        assert.deepEqual(await Promise.all(all.map((i) => queue.startAsync(inputs(i), i))), all);
        assert.deepEqual(seen.sort(), all.map((i) => [i, i + 1, i + 2]));
        assert.equal(requests.size, jobs ?? 1);
        queue.release();
      });
    }

    it('gives errors to the callback and the promise, and goes on', async () => {
      const queue = new ov.AsyncInferQueue(compiled, 1);
      const errors = [];
      queue.setCallback((error) => errors.push(error?.code));
      const wrong = queue.startAsync({x: new Float32Array(1)}, 'wrong');
      const right = queue.startAsync(inputs(0), 'right');
      await assert.rejects(wrong, {code: 'INVALID_SHAPE'});
      assert.equal(await right, 'right');
      assert.deepEqual(errors, ['INVALID_SHAPE', undefined]);
      queue.setCallback(() => {
        throw new TypeError('mine');
      });
      await assert.rejects(queue.startAsync(inputs(0)), {name: 'TypeError', message: 'mine'});
      queue.setCallback(() => {});
      assert.equal(await queue.startAsync(inputs(0)), undefined);
    });

    it('refuses what it cannot use', async () => {
      for (const args of [[], [{}], [compiled, 1.5], [compiled, '2']]) {
        assert.throws(() => new ov.AsyncInferQueue(...args), /'AsyncInferQueue' constructor method called with incorrect parameters/);
      }
      for (const jobs of [0, -1, 2 ** 53]) assert.throws(() => new ov.AsyncInferQueue(compiled, jobs), {code: 'INVALID_ARGUMENT', message: /1 to 1024/});
      const queue = new ov.AsyncInferQueue(compiled, 1);
      assert.throws(() => queue.setCallback(), /'setCallback' method called with incorrect parameters/);
      assert.throws(() => queue.startAsync(inputs(0)), /Callback has to be set before starting inference\. Use 'setCallback' method\./);
      queue.setCallback(() => {});
      assert.throws(() => queue.startAsync(), /'startAsync' method called with incorrect parameters/);
      queue.release();
      queue.release();
      assert.throws(() => queue.startAsync(inputs(0)), {code: 'INVALID_STATE', message: /released/});
    });

    it('rejects what waits when it is released', async () => {
      const queue = new ov.AsyncInferQueue(compiled, 1);
      queue.setCallback(() => queue.release());
      const [first, second] = [queue.startAsync(inputs(0), 1), queue.startAsync(inputs(0), 2)];
      assert.equal(await first, 1);
      await assert.rejects(second, {code: 'INVALID_STATE'});
    });
  });
}
