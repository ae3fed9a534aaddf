// SPDX-License-Identifier: Apache-2.0
// The caller's buffers may grow, shrink, be transferred or be written by other threads. This must never cause an access out
// of bounds.
import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {addModel, builds, packageWith, productModel} from '../engine.mjs';

const resizable = (bytes, most = bytes) => new ArrayBuffer(bytes, {maxByteLength: most});
const transfer = (buffer) => structuredClone(buffer, {transfer: [buffer]});
const gone = {code: 'INVALID_STATE', message: /transferred or made smaller/};

for (const build of builds) {
  const ov = await packageWith(build);
  const core = new ov.Core();

  describe(`buffers, ${build}`, () => {
    const request = core.compileModelSync(core.readModelSync(addModel()), 'CPU').createInferRequest();
    const ones = new Float32Array(6).fill(1);
    const twos = new Float32Array(6).fill(2);

    it('a buffer that grows gives the tensor\'s own bytes', async () => {
      const buffer = resizable(24, 1 << 22);
      const array = new Float32Array(buffer);
      array.fill(1);
      const tensor = new ov.Tensor('f32', [2, 3], array);
      buffer.resize(1 << 22);
      new Float32Array(buffer).fill(7, 6);
      assert.equal(tensor.data.length, 6);
      assert.equal(tensor.view().length, 6);
      for (let run = 0; run < 3; ++run) {
        assert.deepEqual(request.infer([tensor, ones]).sum.data, twos);
        assert.deepEqual((await request.inferAsync([tensor, ones])).sum.data, twos);
      }
    });

    it('a buffer that shrinks, or is transferred, is refused in words', async () => {
      for (const lose of [(buffer) => buffer.resize(8), transfer]) {
        const buffer = resizable(24);
        const tensor = new ov.Tensor('f32', [2, 3], new Float32Array(buffer));
        lose(buffer);
        const other = new ov.Tensor('f32', [2, 3]);
        const uses = [
          () => tensor.data,
          () => tensor.view(),
          () => (tensor.data = ones),
          () => tensor.copyTo(other),
          () => request.infer([tensor, ones]),
        ];
        for (const use of uses) assert.throws(use, gone);
        await assert.rejects(request.inferAsync([ones, tensor]), gone);
        request.setInputTensor(1, other);
        assert.throws(() => request.setOutputTensor(tensor), gone);
        request.setOutputTensor(other);
        assert.deepEqual(request.infer([ones, ones]).sum.data, twos);
      }
    });

    it('an array whose buffer was transferred is refused as an input', () => {
      const array = new Float32Array(6);
      transfer(array.buffer);
      assert.throws(() => request.infer([array, ones]), {code: 'INVALID_SHAPE', message: /Input 'first' .*transferred/});
      assert.throws(() => new ov.Tensor('f32', [2, 3], array), {code: 'INVALID_SHAPE', message: /transferred/});
    });

    const {xml, bin} = productModel(4, 64);
    const x = Float32Array.from({length: 256}, (_, i) => i / 256);
    const run = (compiled) => compiled.createInferRequest().infer([x]).y.data;
    const golden = run(core.compileModelSync(core.readModelSync(xml, bin), 'CPU'));

    it('weights whose buffer shrinks or is transferred are refused in words, when read and when compiled', async () => {
      for (const lose of [(buffer) => buffer.resize(8), transfer]) {
        const weights = () => {
          const buffer = resizable(bin.length);
          new Uint8Array(buffer).set(bin);
          return new Uint8Array(buffer);
        };
        const early = weights();
        lose(early.buffer);
        assert.throws(() => core.readModelSync(xml, early), {code: 'INVALID_MODEL', message: /weights/});
        const late = weights();
        const model = core.readModelSync(xml, late);
        const compiled = core.compileModelSync(model, 'CPU');
        lose(late.buffer);
        assert.throws(() => core.compileModelSync(model, 'CPU'), gone);
        await assert.rejects(core.compileModel(model, 'CPU'), gone);
        assert.throws(() => compiled.exportModelSync(), {code: 'INVALID_STATE', message: /weights of this model have changed/});
        assert.deepEqual(run(core.compileModelSync(core.readModelSync(xml, bin), 'CPU')), golden);
      }
    });

    it('shared weights are those of the moment when the model was read', () => {
      const shared = new Uint8Array(new SharedArrayBuffer(bin.length));
      shared.set(bin);
      const model = core.readModelSync(xml, shared);
      shared.fill(0xff);
      assert.deepEqual(run(core.compileModelSync(model, 'CPU')), golden);
      const inputs = new Float32Array(new SharedArrayBuffer(x.byteLength));
      inputs.set(x);
      assert.deepEqual(core.compileModelSync(model, 'CPU').createInferRequest().infer([inputs]).y.data, golden);
    });
  });
}
