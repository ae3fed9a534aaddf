// SPDX-License-Identifier: Apache-2.0
// Tests what ends a call early: an AbortSignal, cancel(), limits.
import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {addModel, builds, bytes, irText, loopModel, packageWith, productModel} from '../engine.mjs';

const input = () => [Float32Array.of(7)];

// "out" is the variable "v", of any length.
function stateModel() {
  const outputs = [{type: 'f32', shape: [-1], names: 'out'}];
  const variable = {variable_id: 'v', variable_type: 'f32', variable_shape: '?'};
  return bytes(
    irText([
      {name: 'read', type: 'ReadValue', version: 'opset6', data: variable, outputs},
      {name: 'assign', type: 'Assign', version: 'opset6', data: {variable_id: 'v'}, inputs: ['read'], outputs},
      {name: 'result', type: 'Result', inputs: ['read']},
    ]),
  );
}

for (const build of builds) {
  describe(`interruption, ${build}`, async () => {
    const ov = await packageWith(build);
    await ov.ready;
    const core = new ov.Core();
    const compile = ({xml, bin}, options) => core.compileModelSync(core.readModelSync(xml, bin), 'CPU', {}, options);
    const endless = compile(loopModel(-1)).createInferRequest();
    const works = () => assert.deepEqual([...compile(loopModel(5)).createInferRequest().infer(input()).out.data], [7]);
    const reason = new Error('the user went away');

    it('does not begin what is aborted already', async () => {
      const signal = AbortSignal.abort(reason);
      await assert.rejects(endless.inferAsync(input(), {signal}), reason);
      await assert.rejects(core.readModel(addModel(), {signal}), reason);
      const model = await core.readModel(addModel());
      await assert.rejects(core.compileModel(model, 'CPU', {}, {signal}), reason);
      await assert.rejects(core.importModel(compile(loopModel(1)).exportModelSync(), 'CPU', {}, {signal}), reason);
      works();
    });

    it('ends by the clock', async () => {
      const limits = {inferMilliseconds: 30};
      const expected = {code: 'LIMIT_EXCEEDED', layer: 'loop', expected: '30 ms'};
      assert.throws(() => endless.infer(input(), {limits}), expected);
      await assert.rejects(endless.inferAsync(input(), {limits}), expected);
      assert.throws(() => compile(loopModel(-1), {limits}).createInferRequest().infer(input()), expected);
      works();
    });

    it('counts iterations', () => {
      const request = compile(loopModel(100)).createInferRequest();
      assert.throws(() => request.infer(input(), {limits: {iterations: 99}}), {
        code: 'LIMIT_EXCEEDED',
        message: /100 iterations exceed the limit of 99/,
      });
      assert.deepEqual([...request.infer(input(), {limits: {iterations: 100}}).out.data], [7]);
    });

    it('runs loops that are nested as deeply as allowed', async () => {
      const request = compile(loopModel(2, 63)).createInferRequest();
      assert.deepEqual([...request.infer(input()).out.data], [7]);
      assert.deepEqual([...(await request.inferAsync(input())).out.data], [7]);
      assert.throws(() => compile(loopModel(2, 64)), {code: 'INVALID_MODEL', message: /nested deeper than 64 levels/});
    });

    it('takes the limits of the Core, and those of a call over them', () => {
      const limited = new ov.Core({limits: {layers: 3, tensorBytes: 100}});
      const code = 'LIMIT_EXCEEDED';
      assert.throws(() => limited.readModelSync(addModel()), {code, message: /4 layers exceed the limit of 3/});
      const model = limited.readModelSync(addModel([100]), {limits: {layers: 4}});
      assert.throws(() => limited.compileModelSync(model, 'CPU'), {code, message: /bytes of one tensor/});
      const compiled = limited.compileModelSync(model, 'CPU', {}, {limits: {tensorBytes: 1000}});
      assert.equal(compiled.createInferRequest().infer().sum.getSize(), 100);
      const shallow = new ov.Core({limits: {nesting: 3}});
      const {xml, bin} = loopModel(1, 3);
      assert.throws(() => shallow.readModelSync(xml, bin), {code, message: /4 levels of bodies exceed the limit of 3/});
      shallow.readModelSync(xml, bin, {limits: {nesting: 4}});
      assert.throws(() => new ov.Core({limits: {layer: 3}}), {code: 'INVALID_ARGUMENT', message: /Unknown limit 'layer'/});
      assert.throws(() => new ov.Core({limits: {layers: -3}}), {code: 'INVALID_ARGUMENT', message: /above 0/});
    });

    it('bounds the memory', () => {
      const large = compile({xml: addModel([-1, 1024])}).createInferRequest();
      const inputs = [1, 2].map(() => new ov.Tensor('f32', [8192, 1024]));
      assert.throws(() => large.infer(inputs, {limits: {memoryBytes: 60e6}}), {code: 'OUT_OF_MEMORY'});
      large.infer(inputs);
    });

    it('counts the memory of each Core apart, in all calls', async () => {
      const made = [];
      const requestOf = (of, rows) => {
        const model = of.readModelSync(addModel([-1, 1024]));
        const compiled = of.compileModelSync(model, 'CPU');
        const request = compiled.createInferRequest();
        made.push(model, compiled, request);
        return {run: () => request.infer([1, 2].map(() => new ov.Tensor('f32', [rows, 1024])))};
      };
      const small = new ov.Core({limits: {memoryBytes: 20e6}});
      const code = 'OUT_OF_MEMORY';
      // Memory that another Core holds does not count, nor does its limit hold for others.
      requestOf(core, 8192).run();
      requestOf(small, 1).run();
      requestOf(core, 8192).run();
      assert.throws(() => requestOf(small, 4096).run(), {code});
      for (const object of made) object.dispose();
      const states = small.compileModelSync(small.readModelSync(stateModel()), 'CPU').createInferRequest();
      core.readModelSync(addModel()).dispose();
      assert.throws(() => states.queryState()[0].setState(new ov.Tensor('f32', [8_000_000])), {code});
      states.queryState()[0].setState(new ov.Tensor('f32', [1_000_000]));
      // What is released counts no longer.
      for (let i = 0; i < 20; ++i) {
        states.queryState()[0].setState(new ov.Tensor('f32', [3_000_000]));
        states.resetState();
      }
      await assert.rejects(small.readModel(addModel(), {limits: {memoryBytes: 1}}), {code});
    });

    it('ends an import with many edits by the clock', () => {
      const model = core.readModelSync(addModel([-1, 1024]));
      for (let i = 1; i < 300; ++i) model.reshape(new Map([[0, `${i},1024`], [1, `${i},1024`]]));
      const bytes = core.compileModelSync(model, 'CPU').exportModelSync();
      assert.throws(() => core.importModelSync(bytes, 'CPU', {}, {limits: {compileMilliseconds: 0.5}}), {code: 'LIMIT_EXCEEDED'});
      core.importModelSync(bytes, 'CPU').dispose();
    });

    if (build.endsWith('-mt')) {
      it('ends a run that goes on', async () => {
        const controller = new AbortController();
        const runs = endless.inferAsync(input(), {signal: controller.signal});
        const waits = compile(loopModel(3)).createInferRequest().inferAsync(input());
        setTimeout(() => controller.abort(reason), 20);
        await assert.rejects(runs, reason);
        assert.deepEqual([...(await waits).out.data], [7]);
      });

      it('ends the run of a request by cancel()', async () => {
        const runs = endless.inferAsync(input());
        setTimeout(() => endless.cancel(), 20);
        await assert.rejects(runs, {code: 'CANCELLED'});
      });

      it('does not begin what is aborted while it waits', async () => {
        const [first, second] = [new AbortController(), new AbortController()];
        const runs = endless.inferAsync(input(), {signal: first.signal});
        const waits = compile(loopModel(3)).createInferRequest().inferAsync(input(), {signal: second.signal});
        setTimeout(() => second.abort(reason), 20);
        await assert.rejects(waits, reason);
        first.abort(reason);
        await assert.rejects(runs, reason);
      });

      it('ends a compilation', async () => {
        const {xml, bin} = productModel(16, 1024);
        const model = core.readModelSync(xml, bin);
        for (let delay = 0; delay < 4; delay++) {
          const controller = new AbortController();
          const compiles = core.compileModel(model, 'CPU', {}, {signal: controller.signal});
          setTimeout(() => controller.abort(reason), delay);
          // The call may finish before the timer.
          await compiles.then(
            (compiled) => compiled.dispose(),
            (error) => assert.equal(error, reason),
          );
        }
        works();
      });
    }
  });
}
