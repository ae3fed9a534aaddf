// SPDX-License-Identifier: Apache-2.0
// Generates graphs of several operations in f32 that are valid for all sizes of their dynamic dimensions, and calls with
// different sizes. Some graphs have variables.
import {make, print} from './xml.mjs';

const unary = [['ReLU', 1], ['Sigmoid', 1], ['Tanh', 1], ['Abs', 1], ['Negative', 1], ['HSwish', 4], ['Swish', 4], ['SoftPlus', 4]];
const binary = ['Add', 'Multiply', 'Subtract', 'Maximum'];

/** A model under construction. A value is {layer, port, shape}. Sizes are numbers, names of dynamic dimensions, or '?'. */
class Graph {
  #random;
  #layers = [];
  #edges = [];
  #bin = [];
  #offset = 0;
  #wide; // probability that a declared size is dynamic although it is known
  parameters = [];
  hasVariables = false;

  constructor(random) {
    this.#random = random;
    this.#wide = random.pick([0, 0, 0.5, 1]);
  }

  #layer(type, opset, attributes, inputs, shapes, types) {
    const id = this.#layers.length;
    const port = (i, shape, type) => make('port', {id: i, precision: type}, shape.map((size) => make('dim', {}, [], typeof size === 'number' ? String(size) : '-1')));
    const given = inputs.map(({shape, type = 'FP32'}, i) => port(i, shape, type));
    const outputs = shapes.map((shape, i) => port(inputs.length + i, shape, types ?? 'FP32'));
    inputs.forEach((input, i) =>
      this.#edges.push(make('edge', {'from-layer': input.layer, 'from-port': input.port, 'to-layer': id, 'to-port': i})),
    );
    this.#layers.push(
      make('layer', {id, name: `${type}_${id}`, type, version: `opset${opset}`}, [
        ...(Object.keys(attributes).length > 0 ? [make('data', attributes)] : []),
        ...(given.length > 0 ? [make('input', {}, given)] : []),
        ...(outputs.length > 0 ? [make('output', {}, outputs)] : []),
      ]),
    );
    return shapes.map((shape, i) => ({layer: id, port: inputs.length + i, shape, type: types}));
  }

  op(type, opset, attributes, inputs, ...shapes) {
    return this.#layer(type, opset, attributes, inputs, shapes);
  }

  parameter(shape) {
    const declared = this.#random.chance(0.05) ? '...' : shape.map((size) => (typeof size !== 'number' || this.#random.chance(this.#wide) ? '?' : size)).join(',');
    this.parameters.push(shape);
    return this.#layer('Parameter', 1, {element_type: 'f32', shape: declared}, [], [shape])[0];
  }

  #constant(type, precision, shape, data) {
    const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    const attributes = {element_type: type, shape: shape.join(','), offset: this.#offset, size: bytes.length};
    this.#bin.push(bytes);
    this.#offset += bytes.length;
    return this.#layer('Const', 1, attributes, [], [shape], precision)[0];
  }

  numbers(shape) {
    return this.#constant('f32', 'FP32', shape, randomNumbers(this.#random, shape));
  }

  integers(values, shape = [values.length]) {
    return this.#constant('i64', 'I64', shape, BigInt64Array.from(values, BigInt));
  }

  result(value) {
    this.#layer('Result', 1, {}, [value], []);
  }

  finish() {
    const net = make('net', {name: 'graph', version: 11}, [make('layers', {}, this.#layers), make('edges', {}, this.#edges)]);
    return {xml: print(net), bin: Buffer.concat(this.#bin)};
  }
}

function randomNumbers(random, shape) {
  return Float32Array.from({length: shape.reduce((a, b) => a * b, 1)}, () => random.below(4000) / 1000 - 2);
}

const isNumber = (size) => typeof size === 'number';
const range = (count) => Array.from({length: count}, (_, i) => i);
// Axes whose size is a number for which `accept` is true.
const axesOf = ({shape}, accept = () => true) => range(shape.length).filter((axis) => isNumber(shape[axis]) && accept(shape[axis]));

// Each function adds operations to the graph that read `x`, and returns the values that they compute. It returns nothing if x
// does not fit.
const steps = {
  unary: (graph, random, x) => {
    const [type, opset] = random.pick(unary);
    return graph.op(type, opset, {}, [x], x.shape);
  },

  binary: (graph, random, x, values) => {
    const alike = values.filter(({shape}) => String(shape) === String(x.shape));
    const shape = x.shape.slice(random.below(x.shape.length + 1)).map((size) => (isNumber(size) && random.chance(0.6) ? size : 1));
    const other = random.chance(0.4) ? random.pick(alike) : graph.numbers(shape);
    return graph.op(random.pick(binary), 1, {auto_broadcast: 'numpy'}, random.chance(0.5) ? [x, other] : [other, x], x.shape);
  },

  // A matmul with constant matrices on the right or on the left, either of them transposed or not.
  matMul: (graph, random, x) => {
    const rank = x.shape.length;
    const left = rank > 1 && random.chance(0.3);
    const transposed = rank > 1 && random.chance(0.5); // x
    const depth = x.shape.at(left === transposed ? -1 : -2);
    const rest = rank > 1 ? x.shape.at(left === transposed ? -2 : -1) : undefined;
    if (!isNumber(depth)) return undefined;
    const size = random.pick([1, 2, 3, 8, 17]);
    const other = random.chance(0.5);
    const several = rank > 2 && isNumber(x.shape.at(-3)) && random.chance(0.3) ? [x.shape.at(-3)] : [];
    const weights = graph.numbers([...several, ...(left !== other ? [size, depth] : [depth, size])]);
    const batch = x.shape.slice(0, -2);
    if (left) return graph.op('MatMul', 1, {transpose_a: other, transpose_b: transposed}, [weights, x], [...batch, size, rest]);
    return graph.op('MatMul', 1, {transpose_a: transposed, transpose_b: other}, [x, weights], rank > 1 ? [...batch, rest, size] : [size]);
  },

  attention: (graph, _random, x) => {
    if (x.shape.length < 2) return undefined;
    const scores = [...x.shape.slice(0, -1), x.shape.at(-2)];
    const [products] = graph.op('MatMul', 1, {transpose_a: false, transpose_b: true}, [x, x], scores);
    const [weights] = graph.op('SoftMax', 8, {axis: -1}, [products], scores);
    return graph.op('MatMul', 1, {transpose_a: false, transpose_b: false}, [weights, x], x.shape);
  },

  convolution: (graph, random, x) => {
    const axes = x.shape.length - 2;
    const channels = x.shape[1];
    if ((axes !== 1 && axes !== 2) || !isNumber(channels)) return undefined;
    const kernel = random.pick([1, 3]);
    const each = (value) => Array(axes).fill(value).join(',');
    const pad = each((kernel - 1) / 2);
    const attributes = {strides: each(1), dilations: each(1), pads_begin: pad, pads_end: pad, auto_pad: 'explicit'};
    if (random.chance(0.3)) return graph.op('GroupConvolution', 1, attributes, [x, graph.numbers([channels, 1, 1, ...Array(axes).fill(kernel)])], x.shape);
    const out = random.pick([1, 2, 3, 8, 17]);
    return graph.op('Convolution', 1, attributes, [x, graph.numbers([out, channels, ...Array(axes).fill(kernel)])], x.shape.with(1, out));
  },

  pool: (graph, random, x) => {
    if (x.shape.length !== 4) return undefined;
    const attributes = {kernel: '2,2', strides: '1,1', pads_begin: '1,0', pads_end: '0,1', rounding_type: 'floor', auto_pad: 'explicit'};
    return random.chance(0.5) ? graph.op('MaxPool', 1, attributes, [x], x.shape) : graph.op('AvgPool', 1, {...attributes, 'exclude-pad': random.chance(0.5)}, [x], x.shape);
  },

  transpose: (graph, random, x) => {
    const order = range(x.shape.length).sort(() => random.below(3) - 1);
    return graph.op('Transpose', 1, {}, [x, graph.integers(order)], order.map((axis) => x.shape[axis]));
  },

  softmax: (graph, random, x) => (x.shape.length > 0 ? graph.op('SoftMax', 8, {axis: random.below(x.shape.length)}, [x], x.shape) : undefined),

  reduce: (graph, random, x) => {
    if (x.shape.length < 2) return undefined;
    const axis = random.below(x.shape.length);
    const keep = random.chance(0.5);
    const shape = keep ? x.shape.with(axis, 1) : x.shape.toSpliced(axis, 1);
    return graph.op(random.pick(['ReduceMean', 'ReduceMax', 'ReduceSum']), 1, {keep_dims: keep}, [x, graph.integers([axis])], shape);
  },

  concat: (graph, random, x, values) => {
    const axis = random.pick(axesOf(x));
    if (axis === undefined) return undefined;
    const alike = values.filter(({shape}) => String(shape) === String(x.shape));
    return graph.op('Concat', 1, {axis}, [x, random.pick(alike)], x.shape.with(axis, 2 * x.shape[axis]));
  },

  split: (graph, random, x) => {
    const axis = random.pick(axesOf(x, (size) => size > 1));
    if (axis === undefined) return undefined;
    const first = 1 + random.below(x.shape[axis] - 1);
    const lengths = [first, x.shape[axis] - first];
    return graph.op('VariadicSplit', 1, {}, [x, graph.integers([axis], []), graph.integers(lengths)], ...lengths.map((length) => x.shape.with(axis, length)));
  },

  // All axes but the first ones, whose sizes are copied, become one.
  flatten: (graph, random, x) => {
    const kept = random.below(x.shape.length);
    const rest = x.shape.slice(kept);
    if (!rest.every(isNumber)) return undefined;
    const pattern = [...Array(kept).fill(0), -1];
    return graph.op('Reshape', 1, {special_zero: true}, [x, graph.integers(pattern)], [...x.shape.slice(0, kept), rest.reduce((a, b) => a * b, 1)]);
  },

  unsqueeze: (graph, random, x) => {
    if (x.shape.length > 4) return undefined;
    const axis = random.below(x.shape.length + 1);
    return graph.op('Unsqueeze', 1, {}, [x, graph.integers([axis])], x.shape.toSpliced(axis, 0, 1));
  },

  // A variable to which the rows of x are appended, or to a part of it. Its old and its new value are reduced to one row.
  variable: (graph, random, x) => {
    if (x.shape.length !== 2 || !isNumber(x.shape[1])) return undefined;
    const width = x.shape[1];
    const name = `v${x.layer}_${x.port}`;
    const grown = ['?', width];
    const [old] = graph.op('ReadValue', 6, {variable_id: name, variable_type: 'f32', variable_shape: `?,${width}`}, [graph.numbers([2, width])], grown);
    let kept = old;
    const what = random.pick(['all', 'first', 'last', 'one']);
    if (what === 'one') [kept] = graph.op('Gather', 8, {batch_dims: 0}, [old, graph.integers([0]), graph.integers([0], [])], [1, width]);
    else if (what !== 'all') {
      const [from, to] = what === 'first' ? [0, 1] : [-2, 2 ** 31 - 1];
      [kept] = graph.op('Slice', 8, {}, [old, graph.integers([from]), graph.integers([to]), graph.integers([1]), graph.integers([0])], grown);
    }
    const [next] = graph.op('Concat', 1, {axis: 0}, random.chance(0.8) ? [kept, x] : [x, kept], grown);
    graph.op('Assign', 6, {variable_id: name}, [next], grown);
    graph.hasVariables = true;
    const axis = graph.integers([0]);
    return [old, next].flatMap((value) => graph.op('ReduceSum', 1, {keep_dims: false}, [value, axis], [width]));
  },
};

/** Generates {xml, bin, calls, hasVariables}. A call is a list of inputs {shape, data}. */
export function randomGraph(random) {
  const graph = new Graph(random);
  const dynamic = (name, sizes) => (random.chance(0.6) ? name : random.pick(sizes));
  const sizes = {N: [1, 2, 3], L: [1, 4, 5]};
  const batch = dynamic('N', sizes.N);
  const length = dynamic('L', sizes.L);
  const some = () => random.pick([1, 2, 3, 4, 5, 8]);
  const shapes = [[length, some()], [batch, some()], [batch, length, some()], [batch, some(), length], [batch, some(), some(), length], [batch, some(), 1]];
  const values = range(1 + random.below(2)).map(() => graph.parameter(random.pick(shapes)));
  const names = Object.keys(steps);
  for (let left = 3 + random.below(10); left > 0; left--) {
    const x = random.chance(0.6) ? values.at(-1) : random.pick(values);
    values.push(...(steps[random.pick(names)](graph, random, x, values) ?? []));
  }
  for (const value of values.slice(-3)) graph.result(value);
  if (random.chance(0.3)) graph.result(random.pick(values));
  const assignments = range(3).map(() => ({N: random.pick(sizes.N), L: random.pick(sizes.L)}));
  const calls = [0, 1, 0, 0, 2, 1].map((which) =>
    graph.parameters.map((shape) => {
      const known = shape.map((size) => assignments[which][size] ?? size);
      return {shape: known, data: randomNumbers(random, known)};
    }),
  );
  return {...graph.finish(), calls, hasVariables: graph.hasVariables};
}
