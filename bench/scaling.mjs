// SPDX-License-Identifier: Apache-2.0
// node bench/scaling.mjs [PROGRAM] [--sizes 5000,10000,20000,40000] [--only WORD]: measures the time to read, compile and first
// run models that grow in one respect, and prints the ratio of times between one size and the next. PROGRAM is the native
// command line (build/native-ci/wasmvino) or dist/cli.js.
import {spawnSync} from 'node:child_process';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {parseArgs} from 'node:util';

const dims = (shape) => shape.map((size) => `<dim>${size}</dim>`).join('');
const port = (id, shape, more = '') => `<port id="${id}" precision="FP32"${more}>${dims(shape)}</port>`;

/** Builds an IR model layer by layer. Values are pairs [layer, port]. */
class Graph {
  #layers = [];
  #edges = [];
  #floats = [];

  #add(type, data, inputs, outputs, more = '', opset = 'opset1') {
    const id = this.#layers.length;
    inputs.forEach(([from, output], i) => {
      this.#edges.push(`<edge from-layer="${from}" from-port="${output}" to-layer="${id}" to-port="${i}"/>`);
    });
    const read = inputs.length > 0 ? `<input>${inputs.map((_, i) => `<port id="${i}"/>`).join('')}</input>` : '';
    const written = outputs.map((shape, i) => port(inputs.length + i, shape, more)).join('');
    this.#layers.push(
      `<layer id="${id}" name="n${id}" type="${type}" version="${opset}">${data && `<data ${data}/>`}${read}` +
        `${written && `<output>${written}</output>`}</layer>`,
    );
    return outputs.map((_, i) => [id, inputs.length + i]);
  }
  parameter(shape, more) {
    return this.#add('Parameter', `shape="${shape}" element_type="f32"`, [], [shape], more)[0];
  }
  constant(type, shape, bytes) {
    const offset = this.#floats.reduce((sum, each) => sum + each.byteLength, 0);
    this.#floats.push(bytes);
    const text = `element_type="${type}" shape="${shape}" offset="${offset}" size="${bytes.byteLength}"`;
    const precision = type === 'f32' ? 'FP32' : 'I64';
    const [value] = this.#add('Const', text, [], [shape]);
    const last = this.#layers.length - 1;
    this.#layers[last] = this.#layers[last].replace('precision="FP32"', `precision="${precision}"`);
    return value;
  }
  op(type, data, inputs, outputs, opset) {
    return this.#add(type, data, inputs, outputs, '', opset);
  }
  result(value) {
    this.#add('Result', '', [value], []);
  }
  write(stem) {
    const xml = `<?xml version="1.0"?>\n<net name="m" version="11"><layers>\n${this.#layers.join('\n')}\n</layers><edges>\n${this.#edges.join('\n')}\n</edges></net>\n`;
    writeFileSync(`${stem}.xml`, xml);
    writeFileSync(`${stem}.bin`, Buffer.concat(this.#floats.map(({buffer}) => Buffer.from(buffer))));
  }
}

// Builds a chain of n layers. `next` makes each layer from the previous one.
function chain(n, shape, next) {
  const graph = new Graph();
  let value = graph.parameter(shape);
  const step = next(graph);
  for (let i = 0; i < n; ++i) value = step(value, i);
  graph.result(value);
  return graph;
}

const FORMS = {
  'tensor names of a port': (n) => {
    const graph = new Graph();
    const names = Array.from({length: n}, (_, i) => `t${n - i}`).join(',');
    graph.result(graph.parameter([4], ` names="${names}"`));
    return graph;
  },
  'inputs of Concat': (n) => {
    const graph = new Graph();
    const x = graph.parameter([4]);
    const parts = Array.from({length: n}, () => graph.op('ReLU', '', [x], [[4]])[0]);
    graph.result(graph.op('Concat', 'axis="0"', parts, [[4 * n]])[0]);
    return graph;
  },
  'outputs of Split': (n) => {
    const graph = new Graph();
    const parts = graph.op(
      'Split', `num_splits="${n}"`, [graph.parameter([n]), graph.constant('i64', [], BigInt64Array.of(0n))], Array(n).fill([1]),
    );
    for (const part of parts) graph.result(graph.op('ReLU', '', [part], [[1]])[0]);
    return graph;
  },
  'chain of ReLU': (n) => chain(n, [4], (graph) => (x) => graph.op('ReLU', '', [x], [[4]])[0]),
  'chain of Add, a constant each': (n) =>
    chain(n, [4], (graph) => (x) => graph.op('Add', '', [x, graph.constant('f32', [4], Float32Array.of(1, 2, 3, 4))], [[4]])[0]),
  'chain of Sinh and MatMul by one matrix': (n) =>
    chain(n, [1, 4], (graph) => {
      const matrix = graph.constant('f32', [4, 4], new Float32Array(16).fill(0.1));
      return (x, i) =>
        i % 2 === 0
          ? graph.op('Sinh', '', [x], [[1, 4]])[0]
          : graph.op('MatMul', 'transpose_a="false" transpose_b="false"', [x, matrix], [[1, 4]])[0];
    }),
  'chain of Convolution, Multiply, Add': (n) =>
    chain(n, [1, 2, 4, 4], (graph) => {
      const filters = graph.constant('f32', [2, 2, 1, 1], Float32Array.of(0.5, 0.5, 0.5, 0.5));
      const scale = graph.constant('f32', [1, 2, 1, 1], Float32Array.of(0.9, 1.1));
      const forms = [
        (x) => graph.op('Convolution', 'strides="1,1" pads_begin="0,0" pads_end="0,0" dilations="1,1"', [x, filters], [[1, 2, 4, 4]]),
        (x) => graph.op('Multiply', '', [x, scale], [[1, 2, 4, 4]]),
        (x) => graph.op('Add', '', [x, scale], [[1, 2, 4, 4]]),
      ];
      return (x, i) => forms[i % 3](x)[0];
    }),
};

const {values, positionals} = parseArgs({
  allowPositionals: true,
  options: {sizes: {type: 'string', default: '5000,10000,20000,40000'}, only: {type: 'string', default: ''}},
});
const program = positionals[0] ?? 'build/native-ci/wasmvino';
const [command, ...first] = program.endsWith('.js') ? [process.execPath, program] : [program];
const sizes = values.sizes.split(',').map(Number);
const folder = mkdtempSync(join(tmpdir(), 'wasmvino-scaling-'));
try {
  console.log('| grows | size | read ms | compile ms | first run ms | all, to the size before |\n|---|---|---|---|---|---|');
  for (const [name, make] of Object.entries(FORMS)) {
    if (!name.includes(values.only)) continue;
    let before;
    for (const size of sizes) {
      make(size).write(join(folder, 'm'));
      const {status, stdout, stderr} = spawnSync(command, [...first, 'bench', join(folder, 'm.xml'), '--seconds', '0'], {
        encoding: 'utf8',
      });
      if (status !== 0) throw new Error(`${name}, ${size}: ${stderr}`);
      const times = ['read', 'compile', 'first'].map((word) => Number(new RegExp(`^${word} +([\\d.]+)`, 'm').exec(stdout)[1]));
      const all = times.reduce((sum, time) => sum + time);
      console.log(
        `| ${name} | ${size} | ${times.map((time) => time.toFixed(1)).join(' | ')} | ${before ? `× ${(all / before).toFixed(2)}` : ''} |`,
      );
      before = all;
    }
  }
} finally {
  rmSync(folder, {recursive: true});
}
