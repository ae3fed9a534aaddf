// SPDX-License-Identifier: Apache-2.0
// Runs models with tensors and weights of gigabytes, near the ends of 31-bit and 32-bit sizes. Needs 8 GB of memory.
import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {bytes, irText, packageWith} from '../js/engine.mjs';

const parameter = (name, type, shape) => ({name, type: 'Parameter', outputs: [{type, shape, names: name}]});
const constant = (name, type, shape, offset, size) => ({
  name,
  type: 'Const',
  data: {element_type: type, shape: shape.join(','), offset, size},
  outputs: [{type, shape}],
});
const layer = (name, type, inputs, output, data) => ({name, type, data, inputs, outputs: [{...output, names: name}]});
const result = (input) => ({name: 'result', type: 'Result', inputs: [input]});

for (const build of ['simd', 'relaxed-mt']) {
  describe(`models of gigabytes, ${build}`, async () => {
    const ov = await packageWith(build);
    await ov.ready;

    // Runs a model in an engine of its own. Returns the output, which is valid until the next call.
    async function run(layers, bin, inputs, config = {}) {
      await ov.restart();
      const core = new ov.Core();
      const request = core.compileModelSync(core.readModelSync(bytes(irText(layers)), bin), 'CPU', config).createInferRequest();
      inputs.forEach((tensor, i) => request.setInputTensor(i, tensor()));
      request.infer();
      return request.getOutputTensor(0);
    }

    function filled(type, shape, fill) {
      return () => {
        const tensor = new ov.Tensor(type, shape);
        fill(tensor.view());
        return tensor;
      };
    }

    it('adds 600,000,000 bytes with all threads', async () => {
      const count = 600_000_000;
      const output = {type: 'u8', shape: [count]};
      const layers = [parameter('x', 'u8', [count]), parameter('y', 'u8', [1]), layer('sum', 'Add', ['x', 'y'], output), result('sum')];
      const sum = await run(layers, undefined, [filled('u8', [count], (view) => view.fill(4)), filled('u8', [1], (view) => view.fill(3))], {
        INFERENCE_NUM_THREADS: 8,
      });
      assert.equal(sum.view().findIndex((value) => value !== 7), -1);
    });

    it('transposes 1 GB', async () => {
      const size = 2 ** 15;
      const layers = [
        parameter('x', 'u8', [size, size]),
        constant('order', 'i64', [2], 0, 16),
        layer('y', 'Transpose', ['x', 'order'], {type: 'u8', shape: [size, size]}),
        result('y'),
      ];
      const order = new Uint8Array(BigInt64Array.of(1n, 0n).buffer);
      const fill = (view) => {
        for (let row = 0; row < size; ++row) view.fill(row % 251, row * size, (row + 1) * size);
      };
      const view = (await run(layers, order, [filled('u8', [size, size], fill)])).view();
      for (let at = 0; at < view.length; at += 65_521) assert.equal(view[at], (at % size) % 251);
      assert.equal(view.at(-1), (size - 1) % 251);
    });

    it('multiplies by 1.9 GB of quantised weights', async () => {
      const [rows, columns] = [29_000, 65_536];
      const bin = new Uint8Array(rows * columns + 4 * rows);
      for (let row = 0; row < rows; ++row) bin.fill(row % 100, row * columns, (row + 1) * columns);
      new Float32Array(bin.buffer, rows * columns).fill(0.5);
      const f32 = (shape) => ({type: 'f32', shape});
      const layers = [
        parameter('x', 'f32', [1, columns]),
        constant('weights', 'i8', [rows, columns], 0, rows * columns),
        constant('scales', 'f32', [rows, 1], rows * columns, 4 * rows),
        layer('converted', 'Convert', ['weights'], f32([rows, columns]), {destination_type: 'f32'}),
        layer('scaled', 'Multiply', ['converted', 'scales'], f32([rows, columns])),
        layer('y', 'MatMul', ['x', 'scaled'], f32([1, rows]), {transpose_a: false, transpose_b: true}),
        result('y'),
      ];
      // Each product is a multiple of 1/4, so that sums are exact.
      const view = (await run(layers, bin, [filled('f32', [1, columns], (x) => x.fill(0.5))])).view();
      for (const row of [0, 1, 99, 12_345, rows - 1]) assert.equal(view[row], (row % 100) * 0.25 * columns);
    });

    it('gathers the last rows of 1.9 GB', async () => {
      const [rows, columns] = [475_000, 1000];
      const bin = new Uint8Array(rows * columns * 4);
      const values = new Float32Array(bin.buffer);
      for (let row = 0; row < rows; ++row) values.fill(row, row * columns, (row + 1) * columns);
      const layers = [
        parameter('which', 'i32', [2]),
        constant('table', 'f32', [rows, columns], 0, bin.length),
        constant('axis', 'i64', [], bin.length - 8, 8),
        {...layer('y', 'Gather', ['table', 'which', 'axis'], {type: 'f32', shape: [2, columns]}, {batch_dims: 0}), version: 'opset8'},
        result('y'),
      ];
      // The last two values of the table are the 64-bit axis 0.
      values.fill(0, values.length - 2);
      const view = (await run(layers, bin, [filled('i32', [2], (x) => x.set([rows - 2, rows - 1]))])).view();
      assert.deepEqual([view[0], view[columns - 1], view[columns]], [rows - 2, rows - 2, rows - 1]);
    });

    it('refuses inputs of 2 GB, and works after memory ran out', async () => {
      assert.throws(() => new ov.Tensor('u8', [2 ** 32 + 1]), {code: 'OUT_OF_MEMORY'});
      const sumOf = (count) => {
        const [one, output] = [{type: 'u8', shape: [1]}, {type: 'u8', shape: [count]}];
        const layers = [parameter('x', 'u8', [count]), parameter('y', 'u8', one.shape), layer('sum', 'Add', ['x', 'y'], output), result('sum')];
        const core = new ov.Core();
        const request = core.compileModelSync(core.readModelSync(bytes(irText(layers))), 'CPU').createInferRequest();
        request.setInputTensor(0, filled('u8', [count], (view) => view.fill(4))());
        request.setInputTensor(1, filled('u8', [1], (view) => view.fill(3))());
        request.infer();
        return request;
      };
      await ov.restart();
      assert.throws(() => sumOf(2 ** 31), {code: 'INVALID_SHAPE'});
      const held = [];
      assert.throws(
        () => {
          for (let i = 0; i < 8; ++i) held.push(sumOf(800 * 2 ** 20));
        },
        {code: 'OUT_OF_MEMORY'},
      );
      assert.ok(held.length >= 2, String(held.length));
      for (const request of held) assert.equal(request.getOutputTensor(0).view().at(-1), 7);
      assert.deepEqual(sumOf(4).getOutputTensor(0).data, Uint8Array.of(7, 7, 7, 7));
    });

    it('transforms 65,537 samples', async () => {
      const count = 65_537;
      const layers = [
        parameter('x', 'f32', [count, 2]),
        constant('axes', 'i64', [1], 0, 8),
        {...layer('y', 'DFT', ['x', 'axes'], {type: 'f32', shape: [count, 2]}), version: 'opset7'},
        result('y'),
      ];
      // A unit impulse gives ones.
      const view = (await run(layers, new Uint8Array(8), [filled('f32', [count, 2], (x) => x.fill(0).fill(1, 0, 1))])).view();
      assert.ok(view.every((value, i) => Math.abs(value - ((i + 1) % 2)) < 1e-3));
    });
  });
}
