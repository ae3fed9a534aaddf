// SPDX-License-Identifier: Apache-2.0
// Helpers of the tests: the package for each build, and small models.
import {existsSync} from 'node:fs';
import {createRequire} from 'node:module';
import {fileURLToPath} from 'node:url';
import {readArrayFile} from '../../js/src/arrays/array_files.mjs';
import './relaxed_simd.mjs';

export {builds} from '../../js/manifest.mjs';

export const root = fileURLToPath(new URL('../..', import.meta.url));
export const testdata = `${root}build/testdata/`;

if (!existsSync(`${root}dist/node.js`)) throw new Error('dist is missing: scripts/build.sh modules package');

const require = createRequire(import.meta.url);

/** Imports another instance of the package. Its engine is not loaded yet. */
export async function freshPackage() {
  for (const path of Object.keys(require.cache)) if (path.startsWith(`${root}dist/`)) delete require.cache[path];
  return require('../../dist/node.cjs').addon;
}

export async function packageWith(build) {
  const ov = await freshPackage();
  ov.configure({build});
  return ov;
}

/** Reads an .npy file as a tensor. */
export function readTensor(ov, path, type) {
  const {shape, data} = readArrayFile(path, type);
  return new ov.Tensor(type, shape, data);
}

const precisions = {f32: 'FP32', f16: 'FP16', bf16: 'BF16', f64: 'FP64', boolean: 'BOOL', string: 'STRING'};

function port(id, {type, shape, names}, direction) {
  const precision = precisions[type] ?? type.toUpperCase();
  const tensorNames = direction === 'output' && names ? ` names="${names}"` : '';
  const dims = shape.map((size) => `<dim>${size < 0 ? -1 : size}</dim>`).join('');
  return `<port id="${id}" precision="${precision}"${tensorNames}>${dims}</port>`;
}

/**
 * Returns the .xml of a model. Each layer is {name, type, version, data, inputs: ["layer" or "layer:port"], outputs: [{type,
 * shape, names}]}. The data of a Parameter are derived from its output. A Result has only an input.
 */
export function irText(layers, name = 'made_up') {
  const idOf = new Map(layers.map((layer, id) => [layer.name, id]));
  const sourceOf = (input) => {
    const [layer, output = '0'] = input.split(':');
    return {id: idOf.get(layer), output: Number(output), layer: layers[idOf.get(layer)]};
  };
  const edges = [];
  const texts = layers.map((layer, id) => {
    const {inputs = [], outputs = [], version = 'opset1'} = layer;
    const shapeText = (shape) => shape.map((size) => (size < 0 ? '?' : size)).join(',');
    const data =
      layer.type === 'Parameter' ? {shape: shapeText(outputs[0].shape), element_type: outputs[0].type, ...layer.data} : (layer.data ?? {});
    const attributes = Object.entries(data).map(([key, value]) => ` ${key}="${value}"`).join('');
    const inputPorts = inputs.map((input, i) => {
      const {id: from, output, layer: source} = sourceOf(input);
      edges.push(`<edge from-layer="${from}" from-port="${(source.inputs?.length ?? 0) + output}" to-layer="${id}" to-port="${i}"/>`);
      return port(i, source.outputs[output], 'input');
    });
    const outputPorts = outputs.map((output, i) => port(inputs.length + i, output, 'output'));
    return (
      `<layer id="${id}" name="${layer.name}" type="${layer.type}" version="${version}">` +
      (attributes ? `<data${attributes}/>` : '') +
      (inputPorts.length > 0 ? `<input>${inputPorts.join('')}</input>` : '') +
      (outputPorts.length > 0 ? `<output>${outputPorts.join('')}</output>` : '') +
      '</layer>'
    );
  });
  return `<?xml version="1.0"?><net name="${name}" version="11"><layers>${texts.join('')}</layers><edges>${edges.join('')}</edges></net>`;
}

export const bytes = (text) => new TextEncoder().encode(text);

/** "sum" = "x" + "y", f32. */
export function addModel(shape = [2, 3]) {
  const value = (names) => [{type: 'f32', shape, names}];
  return bytes(
    irText([
      {name: 'x', type: 'Parameter', outputs: value('x,first')},
      {name: 'y', type: 'Parameter', outputs: value('y')},
      {name: 'add', type: 'Add', data: {auto_broadcast: 'numpy'}, inputs: ['x', 'y'], outputs: value('sum')},
      {name: 'result', type: 'Result', inputs: ['add']},
    ]),
  );
}

/** "out" is "in", of any type. */
export function identityModel(type, shape) {
  return bytes(
    irText([
      {name: 'in', type: 'Parameter', outputs: [{type, shape, names: 'in'}]},
      {name: 'result', type: 'Result', inputs: ['in']},
    ]),
  );
}

/** "y" is softmax("x" w), with a square weight matrix w. It is large enough for several threads. */
export function productModel(rows, size) {
  const value = (names) => [{type: 'f32', shape: [rows, size], names}];
  const weights = Float32Array.from({length: size * size}, (_, i) => ((i * 7919) % 1000) / 1000 - 0.5);
  const data = {element_type: 'f32', shape: `${size},${size}`, offset: 0, size: weights.byteLength};
  return {
    xml: bytes(
      irText([
        {name: 'x', type: 'Parameter', outputs: value('x')},
        {name: 'w', type: 'Const', data, outputs: [{type: 'f32', shape: [size, size]}]},
        {name: 'product', type: 'MatMul', data: {transpose_a: false, transpose_b: false}, inputs: ['x', 'w'], outputs: value()},
        {name: 'softmax', type: 'SoftMax', data: {axis: 1}, inputs: ['product'], outputs: value('y')},
        {name: 'result', type: 'Result', inputs: ['softmax']},
      ]),
    ),
    bin: new Uint8Array(weights.buffer),
  };
}

/**
 * `count` products of [rows, size] by square matrices. Each shifts the elements of "x" by one more, and changes their sign. The
 * number of rows is dynamic, so the first run packs. With `tied`, the last product is by the transpose of the first matrix.
 */
export function productsModel(count, size, tied = false) {
  const value = (names) => [{type: 'f32', shape: [-1, size], names}];
  const layers = [{name: 'x', type: 'Parameter', outputs: value('x')}];
  const numbers = new Float32Array(count * size * size);
  for (let i = 0; i < count; i++) {
    const data = {element_type: 'f32', shape: `${size},${size}`, offset: i * size * size * 4, size: size * size * 4};
    layers.push({name: `w${i}`, type: 'Const', data, outputs: [{type: 'f32', shape: [size, size]}]});
    const again = tied && i === count - 1;
    const inputs = [i === 0 ? 'x' : `y${i - 1}`, again ? 'w0' : `w${i}`];
    layers.push({name: `y${i}`, type: 'MatMul', data: {transpose_a: false, transpose_b: again}, inputs, outputs: value()});
    for (let row = 0; row < size; row++) numbers[(i * size + row) * size + ((row + i + 1) % size)] = -1;
  }
  layers.push({name: 'result', type: 'Result', inputs: [`y${count - 1}`]});
  return {xml: bytes(irText(layers)), bin: new Uint8Array(numbers.buffer)};
}

/** "total" is the sum of all "x" since the last reset of the state. The variable "sum_so_far" holds it. */
export function accumulatingModel() {
  const value = (names) => [{type: 'f32', shape: [2], names}];
  const variable = {variable_id: 'sum_so_far', variable_type: 'f32', variable_shape: '2'};
  return {
    xml: bytes(
      irText([
        {name: 'x', type: 'Parameter', outputs: value('x')},
        {name: 'zero', type: 'Const', data: {element_type: 'f32', shape: '2', offset: 0, size: 8}, outputs: value()},
        {name: 'read', type: 'ReadValue', version: 'opset6', data: variable, inputs: ['zero'], outputs: value()},
        {name: 'add', type: 'Add', inputs: ['x', 'read'], outputs: value('total')},
        {name: 'assign', type: 'Assign', version: 'opset6', data: {variable_id: 'sum_so_far'}, inputs: ['add'], outputs: value()},
        {name: 'result', type: 'Result', inputs: ['add']},
      ]),
    ),
    bin: new Uint8Array(8),
  };
}

/** "out" is "in" after `trips` iterations of an empty loop (-1 means forever), which has as many levels of loops of 1 in it. */
export function loopModel(trips, levels = 0) {
  const scalar = (type) => [{type, shape: []}];
  const value = (names) => [{type: 'f32', shape: [1], names}];
  const constants = new Uint8Array(24);
  new BigInt64Array(constants.buffer).set([BigInt(trips), 1n, 1n]);
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
  const loop = (body) =>
    `<layer id="5" name="inner" type="Loop" version="opset5"><input>${port(0, 'I64')}${port(1, 'BOOL')}${port(2, 'FP32', one)}</input>` +
    `<output>${port(3, 'FP32', one)}</output>${body}</layer>` +
    `<layer id="4" name="once" type="Const" version="opset1"><data element_type="i64" shape="" offset="16" size="8"/><output>${port(0, 'I64')}</output></layer>`;
  const loopEdges =
    '<edge from-layer="4" from-port="0" to-layer="5" to-port="0"/><edge from-layer="1" from-port="0" to-layer="5" to-port="1"/>' +
    '<edge from-layer="0" from-port="0" to-layer="5" to-port="2"/><edge from-layer="5" from-port="3" to-layer="2" to-port="0"/>';
  const bodyOf = (inner, edges) =>
    '<port_map><input external_port_id="2" internal_layer_id="0"/><output external_port_id="3" internal_layer_id="2"/>' +
    '<output external_port_id="-1" internal_layer_id="3" purpose="execution_condition"/></port_map>' +
    '<back_edges><edge from-layer="2" to-layer="0"/></back_edges><body><layers>' +
    `<layer id="0" name="state" type="Parameter" version="opset1"><data shape="1" element_type="f32"/><output>${port(0, 'FP32', one)}</output></layer>` +
    `<layer id="1" name="go" type="Const" version="opset1"><data element_type="boolean" shape="" offset="8" size="1"/><output>${port(0, 'BOOL')}</output></layer>` +
    inner +
    `<layer id="2" name="next" type="Result" version="opset1"><input>${port(0, 'FP32', one)}</input></layer>` +
    `<layer id="3" name="goes" type="Result" version="opset1"><input>${port(0, 'BOOL')}</input></layer>` +
    `</layers><edges>${edges}<edge from-layer="1" from-port="0" to-layer="3" to-port="0"/></edges></body>`;
  let body = bodyOf('', '<edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>');
  for (let level = 0; level < levels; ++level) body = bodyOf(loop(body), loopEdges);
  const at = xml.indexOf('</layer>', xml.indexOf('name="loop"'));
  return {xml: bytes(xml.slice(0, at) + body + xml.slice(at)), bin: constants};
}
