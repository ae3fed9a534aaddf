// SPDX-License-Identifier: Apache-2.0
// Models that are run part by part: nothing of it is to be seen but the memory they need.
import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {addModel, builds, packageWith} from './engine.mjs';

const shape = [1001, 1024];
const count = shape[0] * shape[1];
const numbers = (factor) => Float32Array.from({length: count}, (_, i) => factor * ((i % 8191) - 4095));

function assertSame(array, expected) {
  assert.equal(array.length, expected.length);
  const wrong = expected.findIndex((value, i) => value !== array[i]);
  assert.equal(wrong, -1, `element ${wrong} is ${array[wrong]}, not ${expected[wrong]}`);
}

for (const build of builds) {
  describe(`parts, ${build}`, async () => {
    const ov = await packageWith(build);
    await ov.ready;
    const core = new ov.Core();
    const compiled = core.compileModelSync(core.readModelSync(addModel(shape)), 'CPU', {INFERENCE_NUM_THREADS: 2});
    const tensor = (array) => new ov.Tensor('f32', shape, array);
    const [one, two, four] = [1, 2, 4].map(numbers);
    const [sum12, sum24] = [3, 6].map(numbers);

    it('has nothing of the size of an input in the memory of the engine', () => {
      assert.ok(compiled.parts, 'it is to be run in parts');
      const before = ov.memoryBytes();
      const request = compiled.createInferRequest();
      assertSame(request.infer({x: one, y: two}).sum.data, sum12);
      assert.ok(ov.memoryBytes() - before < (4 * count) / 2);
      assert.ok(request.memoryBytes() < 4 * count);
      request.dispose();
    });

    it('gives results that later runs do not change, and leaves inputs alone', async () => {
      const request = compiled.createInferRequest();
      const inputs = [one.slice(), two.slice()];
      const first = request.infer([tensor(inputs[0]), tensor(inputs[1])]).sum;
      const second = (await request.inferAsync({x: two, y: four})).sum;
      assert.deepEqual(first.getShape(), shape);
      assertSame(first.data, sum12);
      assertSame(second.data, sum24);
      assertSame(inputs[0], one);
      assertSame(inputs[1], two);
      request.dispose();
    });

    it('shows the last run in tensors of the request, also in those taken before it', async () => {
      const request = compiled.createInferRequest();
      const output = request.getOutputTensor();
      request.infer({x: one, y: two});
      assert.deepEqual(output.getShape(), shape);
      assertSame(output.data, sum12);
      assertSame(output.view(), sum12);
      assertSame(request.getTensor('sum').view((array) => array), sum12);
      const shared = request.infer({x: two, y: four}, {shareOutputs: true}).sum;
      assertSame(shared.data, sum24);
      assertSame(output.data, sum24);
      request.infer({x: one, y: two});
      assertSame(output.data, sum12);
      assertSame(shared.data, sum12);
      await request.inferAsync({x: two, y: four});
      assertSame(output.data, sum24);
      request.infer({x: one, y: output});
      assertSame(output.data, numbers(7));
      assert.throws(() => request.setOutputTensor(output), {code: 'INVALID_ARGUMENT'});
      request.dispose();
      assert.throws(() => output.data, {code: 'INVALID_STATE'});
    });

    it('writes to tensors that are set, also where inputs lie in the same memory', () => {
      const request = compiled.createInferRequest();
      const into = tensor(new Float32Array(count));
      request.setOutputTensor(into);
      assert.equal(request.infer({x: one, y: two}).sum, into);
      assertSame(into.view(), sum12);
      const both = two.slice();
      request.setOutputTensor(tensor(both));
      request.infer({x: tensor(both), y: tensor(both)});
      assertSame(both, four);
      request.dispose();
    });

    it('gives every layer its whole value while it is observed', () => {
      const request = compiled.createInferRequest();
      request.observe([{layer: 'add'}]);
      assertSame(request.infer({x: one, y: two}).sum.data, sum12);
      assertSame(request.observations()[0].tensor.data, sum12);
      request.observe([]);
      assertSame(request.infer({x: two, y: four}).sum.data, sum24);
      request.dispose();
    });

    it('takes whole inputs alone', () => {
      const request = compiled.createInferRequest();
      const part = new ov.Tensor('f32', [compiled.parts.step, shape[1]]);
      assert.throws(() => request.infer({x: part, y: part}), {code: 'INVALID_SHAPE'});
      assertSame(request.infer({x: one, y: two}).sum.data, sum12);
      request.dispose();
    });
  });
}
