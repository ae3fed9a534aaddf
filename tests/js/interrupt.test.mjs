// SPDX-License-Identifier: Apache-2.0
// What ends a call early: an AbortSignal, cancel(), limits.
import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {addModel, builds, bytes, irText, packageWith, productModel} from './engine.mjs';

/** "out" is "in" after so many iterations of nothing; -1: for ever. */
function loopModel(trips) {
  const scalar = (type) => [{type, shape: []}];
  const value = (names) => [{type: 'f32', shape: [1], names}];
  const constants = new Uint8Array(16);
  new BigInt64Array(constants.buffer, 0, 1)[0] = BigInt(trips);
  constants[8] = 1;
  const constant = (name, type, offset, size) => ({
    name,
    type: 'Const',
    data: {element_type: type, shape: '', offset, size},
    outputs: scalar(type),
  });
  const xml = irText([
    {name: 'in', type: 'Parameter', outputs: value('in')},
    constant('trips', 'i64', 0, 8),
    constant('condition', 'boolean', 8, 1),
    {name: 'loop', type: 'Loop', version: 'opset5', inputs: ['trips', 'condition', 'in'], outputs: value('out')},
    {name: 'result', type: 'Result', inputs: ['loop']},
  ]);
  const port = (id, precision, dims = '') => `<port id="${id}" precision="${precision}">${dims}</port>`;
  const one = '<dim>1</dim>';
  const body =
    '<port_map><input external_port_id="2" internal_layer_id="0"/><output external_port_id="3" internal_layer_id="2"/>' +
    '<output external_port_id="-1" internal_layer_id="3" purpose="execution_condition"/></port_map>' +
    '<back_edges><edge from-layer="2" to-layer="0"/></back_edges><body><layers>' +
    `<layer id="0" name="state" type="Parameter" version="opset1"><data shape="1" element_type="f32"/><output>${port(0, 'FP32', one)}</output></layer>` +
    `<layer id="1" name="go" type="Const" version="opset1"><data element_type="boolean" shape="" offset="8" size="1"/><output>${port(0, 'BOOL')}</output></layer>` +
    `<layer id="2" name="next" type="Result" version="opset1"><input>${port(0, 'FP32', one)}</input></layer>` +
    `<layer id="3" name="goes" type="Result" version="opset1"><input>${port(0, 'BOOL')}</input></layer>` +
    '</layers><edges><edge from-layer="0" from-port="0" to-layer="2" to-port="0"/><edge from-layer="1" from-port="0" to-layer="3" to-port="0"/></edges></body>';
  const at = xml.indexOf('</layer>', xml.indexOf('name="loop"'));
  return {xml: bytes(xml.slice(0, at) + body + xml.slice(at)), bin: constants};
}

const input = () => [Float32Array.of(7)];

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

    it('takes the limits of the Core, and those of a call over them', () => {
      const limited = new ov.Core({limits: {layers: 3, tensorBytes: 100}});
      const code = 'LIMIT_EXCEEDED';
      assert.throws(() => limited.readModelSync(addModel()), {code, message: /4 layers exceed the limit of 3/});
      const model = limited.readModelSync(addModel([100]), {limits: {layers: 4}});
      assert.throws(() => limited.compileModelSync(model, 'CPU'), {code, message: /bytes of one tensor/});
      const compiled = limited.compileModelSync(model, 'CPU', {}, {limits: {tensorBytes: 1000}});
      assert.equal(compiled.createInferRequest().infer().sum.getSize(), 100);
      assert.throws(() => new ov.Core({limits: {layer: 3}}), {code: 'INVALID_ARGUMENT', message: /no limit 'layer'/});
      assert.throws(() => new ov.Core({limits: {layers: -3}}), {code: 'INVALID_ARGUMENT', message: /above 0/});
    });

    it('bounds the memory', () => {
      const memoryBytes = ov.memoryBytes() + 1e6;
      const large = compile({xml: addModel([-1, 1024])}).createInferRequest();
      const inputs = [1, 2].map(() => new ov.Tensor('f32', [8192, 1024]));
      assert.throws(() => large.infer(inputs, {limits: {memoryBytes}}), {code: 'OUT_OF_MEMORY'});
      assert.ok(ov.memoryBytes() <= 1.05 * memoryBytes);
      large.infer(inputs);
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
          // It may be faster than the timer.
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
