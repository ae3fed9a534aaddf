// SPDX-License-Identifier: Apache-2.0
// Compressed weights stay compressed in the engine's memory, whatever operations lie between them and their consumer.
import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {bytes, irText, packageWith} from '../engine.mjs';

const MiB = 2 ** 20;
const bits = {f16: 16, i8: 8, nf4: 4, u2: 2, f8e4m3: 8};

/**
 * Creates a model in which the operation `reader` uses weights and a parameter "x".
 *
 * The weights have the shape `stored`. They are multiplied by scales of shape `scale`, and then pass through the operations
 * in `moves`: [type, its integers, output shape].
 *
 * `reader` is {type, data, x: shape of x, output: its own output shape, left: whether the weights are input 0}. It may also
 * have `others`, further parameters [name, type, shape], and then `inputs`, the names of all inputs. "w" means the weights.
 */
function model({type, stored, scale, moves = [], reader}) {
  const f32 = (shape, names) => [{type: 'f32', shape, names}];
  const scales = scale.reduce((product, size) => product * size, 1);
  const weightBytes = (stored.reduce((product, size) => product * size, 1) * bits[type]) / 8;
  const layers = [
    ...parameters(reader).map(([name, type, shape]) => ({name, type: 'Parameter', outputs: [{type, shape, names: name}]})),
    {name: 'stored', type: 'Const', data: {element_type: type, shape: stored, offset: 0, size: weightBytes}, outputs: [{type, shape: stored}]},
    {name: 'floats', type: 'Convert', data: {destination_type: 'f32'}, inputs: ['stored'], outputs: f32(stored)},
    {name: 's', type: 'Const', data: {element_type: 'f32', shape: scale, offset: weightBytes, size: 4 * scales}, outputs: f32(scale)},
    {name: 'scaled', type: 'Multiply', data: {auto_broadcast: 'numpy'}, inputs: ['floats', 's'], outputs: f32(stored)},
  ];
  const integers = [];
  let last = 'scaled';
  for (const [move, values, shape] of moves) {
    const data = {element_type: 'i64', shape: values.length, offset: weightBytes + 4 * scales + 8 * integers.length, size: 8 * values.length};
    layers.push({name: `${move} by`, type: 'Const', data, outputs: [{type: 'i64', shape: [values.length]}]});
    layers.push({name: move, type: move, data: move === 'Reshape' ? {special_zero: false} : {}, inputs: [last, `${move} by`], outputs: f32(shape)});
    integers.push(...values.map(BigInt));
    last = move;
  }
  const inputs = reader.inputs?.map((name) => (name === 'w' ? last : name)) ?? (reader.left ? [last, 'x'] : ['x', last]);
  const outputs = [f32(reader.output, 'y')[0], ...(reader.states ?? []).flatMap((shape) => f32(shape))];
  layers.push({name: 'y', type: reader.type, version: reader.version, data: reader.data, inputs, outputs});
  layers.push({name: 'result', type: 'Result', inputs: ['y']});
  const bin = new Uint8Array(weightBytes + 4 * scales + 8 * integers.length);
  bin.set(new Uint8Array(Float32Array.from({length: scales}, (_, i) => 1 + i).buffer), weightBytes);
  bin.set(new Uint8Array(BigInt64Array.from(integers).buffer), weightBytes + 4 * scales);
  return {xml: bytes(irText(layers)), bin};
}

const parameters = (reader) => [['x', reader.xType ?? 'f32', reader.x], ...(reader.others ?? [])];

const product = (x, output, data = {}, left = false) => ({type: 'MatMul', data: {transpose_a: false, transpose_b: false, ...data}, x, output, left});
const convolution = (x, output) => ({
  type: 'Convolution',
  data: {strides: '1,1', dilations: '1,1', pads_begin: '0,0', pads_end: '0,0', auto_pad: 'explicit'},
  x,
  output,
});

const sequence = (type, hidden, states) => ({
  type,
  version: 'opset5',
  data: {hidden_size: hidden, direction: 'bidirectional', ...(type === 'RNNSequence' && {activations: 'tanh'})},
  x: [1, 3, hidden],
  others: [
    ['h', 'f32', [1, 2, hidden]],
    ['c', 'f32', [1, 2, hidden]],
    ['lengths', 'i32', [1]],
    ['b', 'f32', [2, type === 'LSTMSequence' ? 4 * hidden : hidden]],
  ].filter(([name]) => name !== 'c' || states === 2),
  inputs: ['x', 'h', ...(states === 2 ? ['c'] : []), 'lengths', 'w', 'w', 'b'],
  output: [1, 2, 3, hidden],
  states: Array(states).fill([1, 2, hidden]),
});
const table = (type, x, output, data = {}, offsets = undefined) => ({
  type,
  version: 'opset8',
  data,
  xType: 'i32',
  x,
  others: offsets ? [['offsets', 'i32', offsets]] : [],
  inputs: ['w', 'x', ...(offsets ? ['offsets'] : [])],
  output,
});

const forms = {
  'several matrices': {type: 'i8', stored: [4, 1024, 2048], scale: [4, 1, 2048], reader: product([4, 3, 1024], [4, 3, 2048])},
  'several transposed matrices': {
    type: 'i8',
    stored: [4, 2048, 1024],
    scale: [4, 2048, 1],
    reader: product([4, 3, 1024], [4, 3, 2048], {transpose_b: true}),
  },
  'f16, transposed data': {type: 'f16', stored: [2048, 4096], scale: [1], reader: product([2048, 3], [3, 4096], {transpose_a: true})},
  'on the left': {type: 'i8', stored: [4096, 2048], scale: [4096, 1], reader: product([2048, 3], [4096, 3], {}, true)},
  'a scale along the depth': {type: 'i8', stored: [2048, 4096], scale: [2048, 1], reader: product([3, 2048], [3, 4096])},
  'a Transpose between': {
    type: 'i8',
    stored: [16, 2048, 256],
    scale: [16, 1, 256],
    moves: [
      ['Transpose', [1, 0, 2], [2048, 16, 256]],
      ['Reshape', [2048, 4096], [2048, 4096]],
    ],
    reader: product([3, 2048], [3, 4096]),
  },
  'nf4 in groups': {
    type: 'nf4',
    stored: [4096, 32, 64],
    scale: [4096, 32, 1],
    moves: [['Reshape', [4096, 2048], [4096, 2048]]],
    reader: product([3, 2048], [3, 4096], {transpose_b: true}),
  },
  u2: {type: 'u2', stored: [4096, 2048], scale: [4096, 1], reader: product([3, 2048], [3, 4096], {transpose_b: true})},
  f8e4m3: {type: 'f8e4m3', stored: [4096, 2048], scale: [4096, 1], reader: product([3, 2048], [3, 4096], {transpose_b: true})},
  'W and R of LSTMSequence': {type: 'i8', stored: [2, 4096, 1024], scale: [2, 4096, 1], reader: sequence('LSTMSequence', 1024, 2)},
  'f16 W and R of RNNSequence': {type: 'f16', stored: [2, 2048, 2048], scale: [1], reader: sequence('RNNSequence', 2048, 1)},
  'a table of EmbeddingBagOffsetsSum': {
    type: 'i8',
    stored: [4096, 2048],
    scale: [4096, 1],
    reader: table('EmbeddingBagOffsetsSum', [4], [2, 2048], {}, [2]),
  },
  'a table of GatherND': {type: 'nf4', stored: [4096, 2048], scale: [4096, 1], reader: table('GatherND', [3, 1], [3, 2048], {batch_dims: 0})},
  'a table of GatherElements': {
    type: 'f16',
    stored: [4096, 2048],
    scale: [1],
    reader: table('GatherElements', [2, 2048], [2, 2048], {axis: 0}),
  },
  'groups of six': {
    type: 'i8',
    stored: [4096, 342, 6],
    scale: [4096, 342, 1],
    moves: [['Reshape', [4096, 2052], [4096, 2052]]],
    reader: product([3, 2052], [3, 4096], {transpose_b: true}),
  },
  'filters behind a Transpose': {
    type: 'i8',
    stored: [2, 2, 1024, 2048],
    scale: [2048],
    moves: [['Transpose', [3, 2, 0, 1], [2048, 1024, 2, 2]]],
    reader: convolution([1, 1024, 3, 3], [1, 2048, 2, 2]),
  },
  'filters scaled by input channel': {
    type: 'i8',
    stored: [2048, 1024, 2, 2],
    scale: [1, 1024, 1, 1],
    reader: convolution([1, 1024, 3, 3], [1, 2048, 2, 2]),
  },
};

describe('memory of compressed weights', () => {
  for (const [name, form] of Object.entries(forms)) {
    it(name, async () => {
      const ov = await packageWith('simd');
      const core = new ov.Core();
      const {xml, bin} = model(form);
      const compiled = core.compileModelSync(core.readModelSync(xml, bin), 'CPU');
      const inputs = parameters(form.reader).map(([name, type, shape]) => {
        const Numbers = type === 'i32' ? Int32Array : Float32Array;
        const values = new Numbers(shape.reduce((product, size) => product * size, 1)).fill(1);
        return [name, new ov.Tensor(type, shape, values)];
      });
      compiled.createInferRequest().infer(Object.fromEntries(inputs));
      // The weights as read and as packed, both in their compressed size, plus the initial 16 MiB of the engine.
      const most = 2 * bin.length + 17 * MiB;
      assert.ok(ov.memoryBytes() < most, `${ov.memoryBytes() / MiB} MiB of ${most / MiB}`);
    });
  }
});
