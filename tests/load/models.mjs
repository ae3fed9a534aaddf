// SPDX-License-Identifier: Apache-2.0
// The models of the load tests: small networks, and operations with bodies, states and sequences.
import {existsSync, readFileSync, readdirSync, statSync} from 'node:fs';
import {basename, join} from 'node:path';
import {testdata} from '../js/engine.mjs';

const LARGEST = 2e6; // bytes of weights; 1,000 lives of a larger network take minutes

const operations = [
  'LSTMSequence', 'GRUSequence', 'TensorIterator', 'Loop_for', 'If_', 'NonMaxSuppression', 'Convolution', 'MatMul', 'TopK', 'Einsum',
  'ReadValue', 'Interpolate', 'DFT', 'GatherTree', 'NonZero', 'Softmax', 'FakeQuantize',
];

function folders() {
  const [networks, cases] = [join(testdata, 'models'), join(testdata, 'cases/ops')];
  const names = readdirSync(cases).sort();
  return [
    ...readdirSync(networks).sort().map((name) => join(networks, name)),
    ...operations.map((start) => join(cases, names.find((name) => name.startsWith(start)))),
  ];
}

// Reads the shape in the header of an .npy file.
function shapeIn(path) {
  const [, text] = /'shape': \(([^)]*)\)/.exec(readFileSync(path).toString('latin1', 0, 200));
  return text.split(',').map((size) => size.trim()).filter(Boolean).map(Number);
}

/** Returns the first `count` models: {name, xml, bin, inputs}, with paths of the files and inputs [{type, shape}]. */
export function models(count) {
  const chosen = [];
  for (const folder of folders()) {
    const [xml, bin, about] = ['model.xml', 'model.bin', 'case.json'].map((name) => join(folder, name));
    if (![xml, bin, about].every((path) => existsSync(path)) || statSync(bin).size > LARGEST) continue;
    const inputs = (JSON.parse(readFileSync(about, 'utf8')).inputs ?? []).map(({name, type}, i) => {
      const file = [`in_${i}.npy`, `in_${name.replace(/\W/g, '_')}.npy`].map((name) => join(folder, name)).find((path) => existsSync(path));
      return file && {type, shape: shapeIn(file)};
    });
    if (inputs.every(Boolean)) chosen.push({name: basename(folder), xml, bin, inputs});
    if (chosen.length === count) return chosen;
  }
  throw new Error(`${chosen.length} of ${count} models are in ${testdata}`);
}
