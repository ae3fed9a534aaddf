// SPDX-License-Identifier: Apache-2.0
// tfjs with its WebAssembly backend. Runs graph.json operation by operation, with the optimisations of tfjs's own graph
// converter: bias and activation are fused into convolutions and matmuls, values are freed after their last use, and pictures
// are channels-last. A run copies its inputs into the engine's memory and its outputs out of it.

// In pages, the packages are scripts that define a global variable. In Node.js they are modules.
const [core, backend] = await Promise.all([
  import('@tensorflow/tfjs-core'),
  import('@tensorflow/tfjs-core').then(() => import('@tensorflow/tfjs-backend-wasm')),
]);
const tf = globalThis.tf ?? core;
const {setWasmPaths, version_wasm: version} = globalThis.tf?.wasm ?? backend;

export async function open({paths}) {
  // By default, tfjs uses the threaded module wherever memory can be shared, even for one thread.
  tf.env().set('WASM_HAS_MULTITHREAD_SUPPORT', false);
  if (paths.tfjs) setWasmPaths(paths.tfjs);
  await tf.setBackend('wasm');
  await tf.ready();
  return {
    about: () => ({name: 'tfjs-backend-wasm', version, build: 'SIMD'}),
    load: async ([graph, weights], outputNames) =>
      new Network(JSON.parse(new TextDecoder().decode(graph)), weights, outputNames),
  };
}

const UNARY = {Relu: 'relu', Clip: 'relu6', Sigmoid: 'sigmoid', Tanh: 'tanh', Erf: 'erf', Softmax: 'softmax'};
const BINARY = {Add: 'add', Sub: 'sub', Mul: 'mul', Div: 'div', Max: 'maximum'};
const ACTIVATIONS = {Relu: 'relu', Clip: 'relu6'}; // the only limits of Clip here are 0 and 6
const ARRAYS = {float32: Float32Array, int64: BigInt64Array};

class Network {
  #steps = []; // [run(values), names of values that have their last use there]
  #constants = new Map();
  #values = new Map();
  #inputs;
  #outputs;
  #arrays = {};
  #pictures;

  constructor({inputs, outputs, weights, nodes}, bytes, outputNames) {
    this.#inputs = inputs;
    this.#outputs = outputs.filter(({name}) => outputNames.includes(name));
    for (const [name, {dtype, shape, offset, bytes: size}] of Object.entries(weights)) {
      const data = new ARRAYS[dtype](bytes.buffer.slice(bytes.byteOffset + offset, bytes.byteOffset + offset + size));
      this.#arrays[name] = {shape, data};
    }
    // In a network with convolutions, values of rank 4 are channels-last.
    this.#pictures = nodes.some(({op}) => op === 'Conv');
    this.#plan(nodes);
  }

  #isPicture(shape) {
    return this.#pictures && shape.length === 4;
  }

  /** Prepares inputs for run(). */
  feed(inputs) {
    return this.#inputs.map(({name, shape}) =>
      this.#isPicture(shape)
        ? {data: toChannelsLast(inputs[name].data, shape), shape: [shape[0], shape[2], shape[3], shape[1]]}
        : inputs[name],
    );
  }

  run(feed) {
    const values = this.#values;
    feed.forEach(({data, shape}, i) => values.set(this.#inputs[i].name, tf.tensor(data, shape)));
    for (const [run, ending] of this.#steps) {
      run(values);
      for (const name of ending) {
        values.get(name).dispose();
        values.delete(name);
      }
    }
    const results = {};
    for (const {name} of this.#outputs) results[name] = values.get(name).dataSync();
    for (const value of values.values()) value.dispose();
    values.clear();
    return results;
  }

  /** Reorders an output to the layout of the golden, which is channels first. */
  inOrder(name, data) {
    const {shape} = this.#outputs.find((output) => output.name === name);
    return this.#isPicture(shape) ? toChannelsFirst(data, shape) : data;
  }

  dispose() {
    for (const tensor of this.#constants.values()) tensor.dispose();
  }

  #plan(nodes) {
    const consumers = new Map();
    for (const node of nodes) {
      for (const name of node.inputs) consumers.set(name, [...(consumers.get(name) ?? []), node]);
    }
    const onlyConsumer = (name) => {
      const all = consumers.get(name) ?? [];
      return all.length === 1 ? all[0] : undefined;
    };
    const fused = new Set();
    const planned = [];
    for (const node of nodes) {
      if (fused.has(node)) continue;
      const step = {...node, bias: undefined, activation: undefined};
      const take = (next) => {
        fused.add(next);
        step.outputs = next.outputs;
      };
      if (node.op === 'MatMul') {
        const next = onlyConsumer(step.outputs[0]);
        const bias = next?.op === 'Add' && next.inputs.find((name) => this.#arrays[name]?.shape.length === 1);
        if (bias) {
          step.bias = bias;
          take(next);
        }
      }
      if (node.op === 'Conv' || node.op === 'MatMul') {
        const next = onlyConsumer(step.outputs[0]);
        if (next && ACTIVATIONS[next.op]) {
          step.activation = ACTIVATIONS[next.op];
          take(next);
        }
      }
      planned.push(step);
    }
    const lastUse = new Map();
    planned.forEach(({inputs}, i) => inputs.forEach((name) => lastUse.set(name, i)));
    const kept = new Set(this.#outputs.map(({name}) => name));
    planned.forEach((step, i) => {
      const ending = [...new Set(step.inputs)].filter(
        (name) => name && !this.#arrays[name] && lastUse.get(name) === i && !kept.has(name),
      );
      this.#steps.push([this.#step(step), ending]);
    });
  }

  /** Returns a constant as a tensor, which is created once. `arrange` converts it to the layout of the operation. */
  #constant(name, arrange = (tensor) => tensor.clone()) {
    if (!this.#constants.has(name)) {
      const {data, shape} = this.#arrays[name];
      this.#constants.set(
        name,
        tf.tidy(() => arrange(tf.tensor(data, shape))),
      );
    }
    return this.#constants.get(name);
  }

  #ints(name) {
    return Array.from(this.#arrays[name].data, Number);
  }

  #step(step) {
    const {op, inputs, outputs, attrs} = step;
    if (op === 'Split') {
      const sizes = this.#ints(inputs[1]);
      return (values) =>
        tf
          .split(values.get(inputs[0]), sizes, this.#pictures ? 3 : attrs.axis)
          .forEach((part, i) => values.set(outputs[i], part));
    }
    const compute = this.#operation(step);
    return (values) => values.set(outputs[0], compute(values));
  }

  /** Returns a function from the values to the first output. */
  #operation({op, inputs, attrs, bias, activation}) {
    const [first] = inputs;
    if (UNARY[op]) return (values) => tf[UNARY[op]](values.get(first));
    if (BINARY[op]) {
      const [a, b] = inputs.map((name) => {
        const constant = this.#arrays[name] && this.#constant(name);
        return constant ? () => constant : (values) => values.get(name);
      });
      return (values) => tf[BINARY[op]](a(values), b(values));
    }
    switch (op) {
      case 'Conv': {
        const {group, pads, strides} = attrs;
        const deep = group > 1;
        const options = {
          filter: this.#constant(inputs[1], (w) => tf.transpose(w, deep ? [2, 3, 0, 1] : [2, 3, 1, 0])),
          strides,
          pad: pads[0],
          dimRoundingMode: 'floor',
          bias: this.#constant(inputs[2]),
          activation: activation ?? 'linear',
        };
        const conv = deep ? tf.fused.depthwiseConv2d : tf.fused.conv2d;
        return (values) => conv({x: values.get(first), ...options});
      }
      case 'MatMul':
      case 'Gemm': {
        const options = {
          bias: op === 'Gemm' ? inputs[2] && this.#constant(inputs[2]) : bias && this.#constant(bias),
          activation: activation ?? 'linear',
        };
        if (!this.#arrays[inputs[1]]) {
          const {transA = 0, transB = 0} = attrs;
          return (values) => tf.matMul(values.get(first), values.get(inputs[1]), transA > 0, transB > 0);
        }
        const b = this.#constant(inputs[1]);
        return (values) => {
          const a = values.get(first);
          if (a.rank === 2) return tf.fused.matMul({a, b, ...options});
          return tf.tidy(() => {
            const rows = tf.reshape(a, [-1, a.shape.at(-1)]);
            return tf.reshape(tf.fused.matMul({a: rows, b, ...options}), [...a.shape.slice(0, -1), b.shape[1]]);
          });
        };
      }
      case 'MaxPool': {
        const {kernel_shape: kernel, strides, pads} = attrs;
        return (values) => tf.maxPool(values.get(first), kernel, strides, pads[0], 'floor');
      }
      case 'GlobalAveragePool':
        return (values) => tf.mean(values.get(first), [1, 2], true);
      case 'Flatten': // of 1x1 pixels: the order of the channels stays
        return (values) => tf.reshape(values.get(first), [1, -1]);
      case 'LayerNormalization': {
        const [scale, shift] = inputs.slice(1).map((name) => this.#constant(name));
        return (values) =>
          tf.tidy(() => {
            const x = values.get(first);
            const centred = tf.sub(x, tf.mean(x, -1, true));
            const variance = tf.mean(tf.square(centred), -1, true);
            const scaled = tf.mul(centred, tf.rsqrt(tf.add(variance, attrs.epsilon)));
            return tf.add(tf.mul(scaled, scale), shift);
          });
      }
      case 'Reshape': {
        const shape = this.#ints(inputs[1]);
        return (values) => {
          const x = values.get(first);
          if (!this.#isPicture(x.shape)) return tf.reshape(x, shape);
          // [1,C,H,W] to [1,C,H*W]
          return tf.tidy(() => tf.transpose(tf.reshape(x, [1, -1, x.shape[3]]), [0, 2, 1]));
        };
      }
      case 'Transpose':
        return (values) => tf.transpose(values.get(first), attrs.perm);
      case 'Concat':
        return (values) => {
          const parts = inputs.map((name) => values.get(name));
          return tf.concat(parts, this.#isPicture(parts[0].shape) ? 3 : attrs.axis);
        };
      case 'Resize': // twice as large, nearest
        return (values) => {
          const x = values.get(first);
          return tf.image.resizeNearestNeighbor(x, [2 * x.shape[1], 2 * x.shape[2]]);
        };
      case 'LSTM':
        return this.#lstm(inputs, attrs.hidden_size);
      default:
        throw new Error(`no form of ${op} for tfjs`);
    }
  }

  // One matmul handles the inputs of all steps, as in every engine.
  #lstm([x, w, r, b], hidden) {
    const transposed = (tensor) => tf.transpose(tf.squeeze(tensor, [0]));
    const [forInput, forState] = [w, r].map((name) => this.#constant(name, transposed));
    const bias = this.#constant(b, (both) => {
      const [one, other] = tf.split(tf.reshape(both, [-1]), 2);
      return tf.add(one, other);
    });
    return (values) =>
      tf.tidy(() => {
        const [steps, , size] = values.get(x).shape;
        const projected = tf.fused.matMul({a: tf.reshape(values.get(x), [steps, size]), b: forInput, bias});
        let [h, c] = [tf.zeros([1, hidden]), tf.zeros([1, hidden])];
        const states = tf.split(projected, steps).map((row) => {
          const [i, o, f, candidate] = tf.split(tf.add(row, tf.matMul(h, forState)), 4, 1);
          c = tf.add(tf.mul(tf.sigmoid(f), c), tf.mul(tf.sigmoid(i), tf.tanh(candidate)));
          return (h = tf.mul(tf.sigmoid(o), tf.tanh(c)));
        });
        return tf.reshape(tf.concat(states), [steps, 1, 1, hidden]);
      });
  }
}

function toChannelsLast(data, [n, channels, height, width]) {
  return permuted(data, n, channels, height * width);
}

function toChannelsFirst(data, [n, channels, height, width]) {
  return permuted(data, n, height * width, channels);
}

/** [n, rows, columns] to [n, columns, rows] */
function permuted(data, n, rows, columns) {
  const result = new data.constructor(data.length);
  for (let i = 0; i < n; i++) {
    const base = i * rows * columns;
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) {
        result[base + column * rows + row] = data[base + row * columns + column];
      }
    }
  }
  return result;
}
