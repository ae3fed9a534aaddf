// SPDX-License-Identifier: Apache-2.0
// Tests saveModelSync() in each of the four builds: the saved model computes the same results.
import assert from 'node:assert/strict';
import {existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, describe, it} from 'node:test';
import {accumulatingModel, addModel, builds, bytes, irText, packageWith, productModel, testdata} from '../engine.mjs';

const folder = mkdtempSync(join(tmpdir(), 'wasmvino-save-'));
after(() => rmSync(folder, {recursive: true}));

/** "y" is max("x", 0). */
function reluModel(shape) {
  const value = (names) => [{type: 'f32', shape, names}];
  return bytes(
    irText([
      {name: 'x', type: 'Parameter', outputs: value('x')},
      {name: 'relu', type: 'ReLU', inputs: ['x'], outputs: value('y')},
      {name: 'end', type: 'Result', inputs: ['relu']},
    ]),
  );
}

for (const build of builds) {
  const ov = await packageWith(build);
  const core = new ov.Core();
  const path = join(folder, build, 'saved.xml');
  const bin = path.replace('.xml', '.bin');
  const run = (model, inputs) => core.compileModelSync(model, 'CPU').createInferRequest().infer(inputs);
  const saved = (model, ...compress) => {
    ov.saveModelSync(model, path, ...compress);
    return core.readModelSync(path);
  };
  const rows = (shape) => {
    const count = shape.reduce((product, size) => product * size, 1);
    return new ov.Tensor('f32', shape, Float32Array.from({length: count}, (_, i) => Math.sin(i)));
  };

  describe(`saveModelSync, build ${build}`, () => {
    it('writes a model that computes the same', () => {
      const {xml, bin: weights} = productModel(4, 64);
      const model = core.readModelSync(xml, weights);
      const again = saved(model, false);
      assert.deepEqual(readFileSync(bin), Buffer.from(weights));
      const inputs = {x: rows([4, 64])};
      assert.deepEqual(run(again, inputs).y.data, run(model, inputs).y.data);
      assert.deepEqual(readdirSync(join(folder, build)).sort(), ['saved.bin', 'saved.xml']);
    });

    it('stores weights as f16 unless told otherwise', () => {
      const {xml, bin: weights} = productModel(4, 64);
      const model = core.readModelSync(xml, weights);
      const again = saved(model);
      assert.equal(readFileSync(bin).length, weights.length / 2);
      const inputs = {x: rows([4, 64])};
      const expected = run(model, inputs).y.data;
      run(again, inputs).y.data.forEach((value, i) => assert.ok(Math.abs(value - expected[i]) < 1e-3));
    });

    it('keeps other shapes that the model was given', () => {
      const model = core.readModelSync(reluModel([2, 3])).reshape('5,?');
      const again = saved(model);
      assert.equal(String(again.input().getPartialShape()), String(model.input().getPartialShape()));
      assert.deepEqual([...run(again, {x: rows([5, 2])}).y.getShape()], [5, 2]);
    });

    it('keeps pre- and post-processing', () => {
      const model = core.readModelSync(reluModel([1, 3, 4, 6]));
      const processor = new ov.preprocess.PrePostProcessor(model);
      processor.input().tensor().setElementType('u8').setShape([1, 8, 12, 3]).setLayout('NHWC');
      processor.input().preprocess().resize('RESIZE_LINEAR');
      processor.input().model().setLayout('NCHW');
      processor.build();
      const again = saved(model);
      const picture = new ov.Tensor('u8', [1, 8, 12, 3], Uint8Array.from({length: 288}, (_, i) => (i * 37) % 256));
      assert.deepEqual(run(again, [picture]).y.data, run(model, [picture]).y.data);
    });

    it('keeps names of tensors and states', () => {
      assert.deepEqual(saved(core.readModelSync(addModel())).input('first').names.sort(), ['first', 'x']);
      const {xml, bin: weights} = accumulatingModel();
      const request = core.compileModelSync(saved(core.readModelSync(xml, weights)), 'CPU').createInferRequest();
      request.infer({x: Float32Array.of(1, 2)});
      assert.deepEqual([...request.infer({x: Float32Array.of(1, 2)}).total.data], [2, 4]);
    });

    it('writes loops', () => {
      const model = core.readModelSync(`${testdata}cases/ops/Loop_condparam/model.xml`);
      assert.equal(saved(model).getOps().length, model.getOps().length);
    });

    it('may replace the files that the model was read from', () => {
      const {xml, bin: weights} = productModel(2, 16);
      writeFileSync(path, xml);
      writeFileSync(bin, weights);
      const model = core.readModelSync(path);
      const expected = run(model, {x: rows([2, 16])}).y.data;
      assert.deepEqual(run(saved(model, false), {x: rows([2, 16])}).y.data, expected);
    });

    it('says what is wrong, and then leaves what was there', () => {
      const model = core.readModelSync(addModel());
      assert.throws(() => ov.saveModelSync(model, join(folder, 'x.bin')), {code: 'INVALID_ARGUMENT', message: /must end in \.xml/});
      assert.throws(() => ov.saveModelSync(model), {message: /'saveModelSync' method called with incorrect parameters/});
      assert.throws(() => ov.saveModelSync(model, path, 'yes'), {message: /Allowed signatures:\n- \(Model, string\)/});
      assert.throws(() => ov.saveModelSync(model, '/dev/null/x.xml'), {code: 'INVALID_ARGUMENT', message: /\/dev\/null\/x\.xml cannot be written/});
      const disposed = core.readModelSync(addModel());
      ov.saveModelSync(model, path);
      const before = readFileSync(path);
      disposed.dispose();
      assert.throws(() => ov.saveModelSync(disposed, path), {code: 'INVALID_STATE'});
      assert.deepEqual(readFileSync(path), before);
      assert.deepEqual(readdirSync(join(folder, build)).sort(), ['saved.bin', 'saved.xml']);
    });

    it('refuses a model that lies in a worker', async () => {
      const model = await new ov.Core({worker: true}).readModel(addModel());
      assert.throws(() => ov.saveModelSync(model, path), {code: 'INVALID_STATE', message: /\{worker: false\}/});
      model.dispose();
    });

    it('says so where the weights are gone', () => {
      const {xml, bin: weights} = productModel(2, 64);
      const model = core.readModelSync(xml, weights);
      structuredClone(weights.buffer, {transfer: [weights.buffer]});
      assert.throws(() => ov.saveModelSync(model, path), {code: 'INVALID_STATE', message: /was transferred/});
      assert.ok(!existsSync(`${bin}.part`));
    });
  });
}
