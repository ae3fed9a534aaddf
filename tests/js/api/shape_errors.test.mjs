// SPDX-License-Identifier: Apache-2.0
// Errors of a run name layers and shapes of the original model, not of the graph after the passes.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {bytes, irText, packageWith} from '../engine.mjs';

// A convolution of 8 filters runs channels last. Add expects 8 channels of 5 x 5.
function convolutionModel() {
  const dynamic = (channels) => [{type: 'f32', shape: [1, channels, -1, -1]}];
  const constant = (name, shape, offset) => {
    const size = shape.reduce((a, b) => a * b, 4);
    return {name, type: 'Const', data: {element_type: 'f32', shape: shape.join(), offset, size}, outputs: [{type: 'f32', shape}]};
  };
  const convolution = {strides: '1,1', dilations: '1,1', pads_begin: '0,0', pads_end: '0,0', auto_pad: 'explicit'};
  return bytes(
    irText([
      {name: 'picture', type: 'Parameter', outputs: dynamic(3)},
      constant('filters', [8, 3, 3, 3], 0),
      {name: 'convolution', type: 'Convolution', data: convolution, inputs: ['picture', 'filters'], outputs: dynamic(8)},
      {name: 'relu', type: 'ReLU', inputs: ['convolution'], outputs: dynamic(8)},
      constant('offsets', [1, 8, 5, 5], 864),
      {name: 'shifted', type: 'Add', inputs: ['relu', 'offsets'], outputs: dynamic(8)},
      {name: 'result', type: 'Result', inputs: ['shifted']},
    ]),
  );
}

test('a shape that does not fit is told as the model has it', async () => {
  const ov = await packageWith('simd');
  const core = new ov.Core();
  const request = core.compileModelSync(core.readModelSync(convolutionModel(), new Uint8Array(864 + 800)), 'CPU').createInferRequest();
  request.infer({picture: new ov.Tensor('f32', [1, 3, 7, 7])});
  assert.throws(
    () => request.infer({picture: new ov.Tensor('f32', [1, 3, 9, 9])}),
    (error) =>
      error.code === 'INVALID_SHAPE' && error.message.includes('[1,8,7,7]') && error.message.includes('[1,8,5,5]') && error.message.includes("'shifted'"),
  );
  // The request still works.
  request.infer({picture: new ov.Tensor('f32', [1, 3, 7, 7])});
});

test('an empty range of random integers is refused when it becomes known', async () => {
  const ov = await packageWith('simd');
  for (const type of ['i32', 'i64']) {
    const value = (shape) => [{type, shape}];
    const model = irText([
      {name: 'shape', type: 'Parameter', outputs: value([1])},
      {name: 'low', type: 'Parameter', outputs: value([])},
      {name: 'high', type: 'Parameter', outputs: value([])},
      {name: 'random', type: 'RandomUniform', version: 'opset8', data: {output_type: type, global_seed: 1, op_seed: 1}, inputs: ['shape', 'low', 'high'], outputs: value([-1])},
      {name: 'result', type: 'Result', inputs: ['random']},
    ]);
    const core = new ov.Core();
    const request = core.compileModelSync(core.readModelSync(bytes(model)), 'CPU').createInferRequest();
    const run = (...values) => Object.values(request.infer(values.map((one, i) => new ov.Tensor(type, i === 0 ? [1] : [], [one]))))[0];
    assert.throws(() => run(3, 5, 5), {code: 'INVALID_VALUE', message: /minval is 5, expected less than maxval, which is 5/});
    assert.deepEqual(Array.from(run(3, 5, 6).data, Number), [5, 5, 5]);
  }
});
