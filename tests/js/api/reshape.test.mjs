// SPDX-License-Identifier: Apache-2.0
// Models that are reshaped to another batch although their Reshapes have constant targets. Expected values are those of OpenVINO
// 2026.4.1 (SmartReshape). Where OpenVINO refuses the batch, they are its results for the single items.
import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {bytes, irText, packageWith} from '../engine.mjs';

const weights = Int8Array.from({length: 12}, (_, i) => ((i * 5) % 7) - 3);
const targets = [];
const reshaped = (name, data, target, shape) => {
  targets.push(...target);
  return [
    {
      name: `${name}_target`,
      type: 'Const',
      data: {element_type: 'i64', shape: `${target.length}`, offset: 48 + (targets.length - target.length) * 8, size: target.length * 8},
      outputs: [{type: 'i64', shape: [target.length]}],
    },
    {name, type: 'Reshape', data: {special_zero: false}, inputs: [data, `${name}_target`], outputs: [{type: 'f32', shape}]},
  ];
};
const constant = (name, shape, offset = 0) => ({
  name,
  type: 'Const',
  data: {element_type: 'f32', shape: shape.join(), offset, size: shape.reduce((size, dim) => size * dim, 4)},
  outputs: [{type: 'f32', shape}],
});
const product = (data, of, shape, transposed = false) => ({
  name: 'product',
  type: 'MatMul',
  data: {transpose_a: false, transpose_b: transposed},
  inputs: [data, of],
  outputs: [{type: 'f32', shape}],
});

const models = {
  'rows of a product': {
    layers: [...reshaped('flat', 'x', [1, 6], [1, 6]), constant('w', [6, 2]), product('flat', 'w', [1, 2])],
    expected: {shape: [3, 2], data: [1, 6, -5, 12, -11, 18]},
  },
  'rows of a product, with -1': {
    layers: [...reshaped('flat', 'x', [1, -1], [1, 6]), constant('w', [6, 2]), product('flat', 'w', [1, 2])],
    expected: {shape: [3, 2], data: [1, 6, -5, 12, -11, 18]},
  },
  'rows of a product with transposed weights': {
    layers: [...reshaped('flat', 'x', [1, 6], [1, 6]), constant('w', [2, 6]), product('flat', 'w', [1, 2], true)],
    expected: {shape: [3, 2], data: [13, 8, 19, 2, 25, -4]},
  },
  'all elements': {
    layers: reshaped('line', 'x', [6], [6]),
    expected: {shape: [18], data: Array.from({length: 18}, (_, i) => i)},
  },
  'axes around a product': {
    layers: [
      ...reshaped('rows', 'x', [-1, 3], [2, 3]),
      constant('w', [3, 2]),
      product('rows', 'w', [2, 2]),
      constant('b', [1, 2], 24),
      {name: 'biased', type: 'Add', data: {auto_broadcast: 'numpy'}, inputs: ['product', 'b'], outputs: [{type: 'f32', shape: [2, 2]}]},
      ...reshaped('again', 'biased', [1, 2, 2], [1, 2, 2]),
    ],
    expected: {shape: [3, 2, 2], data: [5, -3, 5, 0, 5, 3, 5, 6, 5, 9, 5, 12]},
  },
  'a batch in the target': {
    layers: reshaped('parts', 'x', [1, 3, 2], [1, 3, 2]),
    expected: {shape: [3, 3, 2], data: Array.from({length: 18}, (_, i) => i)},
  },
};

const bin = new Uint8Array(48 + targets.length * 8);
bin.set(new Uint8Array(Float32Array.from(weights).buffer));
new BigInt64Array(bin.buffer, 48).set(targets.map(BigInt));

const xmlOf = (layers) =>
  irText([
    {name: 'x', type: 'Parameter', outputs: [{type: 'f32', shape: [1, 2, 3], names: 'x'}]},
    ...layers,
    {name: 'result', type: 'Result', inputs: [layers.at(-1).name]},
  ]);

for (const build of ['simd', 'relaxed-mt']) {
  const ov = await packageWith(build);
  const core = new ov.Core();
  describe(`reshaping to a batch of three, ${build}`, () => {
    for (const [name, {layers, expected}] of Object.entries(models)) {
      it(name, () => {
        const model = core.readModelSync(bytes(xmlOf(layers)), bin).reshape('3,2,3');
        assert.deepEqual(model.output().getShape(), expected.shape);
        const request = core.compileModelSync(model, 'CPU').createInferRequest();
        const [{data}] = Object.values(request.infer([Float32Array.from({length: 18}, (_, i) => i)]));
        assert.deepEqual([...data], expected.data);
      });
    }
  });
}
